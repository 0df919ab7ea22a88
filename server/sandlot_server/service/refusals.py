"""Why a call fails: a status of gRPC, and a reason that stays the same in every version."""

from __future__ import annotations

from enum import Enum

import grpc

from sandlot.errors import CallError, in_one_line
from sandlot_server.reasons import Trailing, error_info

_LONGEST = 400  # characters: what goes into metadata has to be short


class Reason(Enum):
    """A reason: the status that goes with it, and what it means. All are in docs/league-api.md."""

    NO_TOKEN = grpc.StatusCode.UNAUTHENTICATED, "the call carries no token"
    WRONG_TOKEN = grpc.StatusCode.UNAUTHENTICATED, "the token is nobody's, or was revoked"
    NOT_ALLOWED = grpc.StatusCode.PERMISSION_DENIED, "a reader may not do this"
    NOT_YOURS = grpc.StatusCode.PERMISSION_DENIED, "no bot of yours has this name"
    MALFORMED = grpc.StatusCode.INVALID_ARGUMENT, "the message cannot be read, or does not come"
    INVALID = grpc.StatusCode.INVALID_ARGUMENT, "a field of the message cannot be used"
    SUBMISSION = grpc.StatusCode.INVALID_ARGUMENT, "the submission is refused"
    NO_BOT = grpc.StatusCode.NOT_FOUND, "there is no such bot, or no such version of it"
    NO_OWNER = grpc.StatusCode.NOT_FOUND, "there is no such owner"
    NO_SEASON = grpc.StatusCode.NOT_FOUND, "there is no such season, or none yet"
    NO_MATCH = grpc.StatusCode.NOT_FOUND, "no such match has a result, or is being played"
    CONFLICT = grpc.StatusCode.FAILED_PRECONDITION, "it does not go with how things stand"
    SESSION = grpc.StatusCode.FAILED_PRECONDITION, "the bot cannot come in now"
    QUOTA = grpc.StatusCode.RESOURCE_EXHAUSTED, "more than an owner may leave here"
    TOO_MANY_CALLS = grpc.StatusCode.RESOURCE_EXHAUSTED, "too many calls, or wrong tokens"
    TOO_LARGE = grpc.StatusCode.RESOURCE_EXHAUSTED, "the message is too large"
    UNREAD = grpc.StatusCode.RESOURCE_EXHAUSTED, "the caller does not read the answer"
    TOO_SLOW = grpc.StatusCode.DEADLINE_EXCEEDED, "the message did not come in time"
    DRAINING = grpc.StatusCode.UNAVAILABLE, "the server is about to stop"
    STORE = grpc.StatusCode.UNAVAILABLE, "the server cannot get at what it keeps"
    BROKEN = grpc.StatusCode.INTERNAL, "the server has failed; its log says more under the id"

    def __init__(self, status: grpc.StatusCode, meaning: str) -> None:
        self.status = status
        self.meaning = meaning


class RefusedError(CallError):
    """A call that is refused.

    Args:
        reason: why.
        text: one line for a person, that says what was found and what to do.
        metadata: what a program may want to know beside the reason.

    """

    def __init__(self, reason: Reason, text: str, **metadata: str) -> None:
        super().__init__(in_one_line(text, _LONGEST))
        self.reason = reason
        self.metadata = metadata

    def trailing(self) -> Trailing:
        """Return the trailing metadata that says the reason.

        When to try again is said once more beside it, for those who can read nothing else.
        """
        told = error_info(self.reason.status, str(self), self.reason.name, self.metadata)
        again = self.metadata.get("retry_after")
        return told if again is None else (*told, ("retry-after", again))
