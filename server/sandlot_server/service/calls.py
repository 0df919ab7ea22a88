"""The methods of ``LeagueService``: who may call them, with what, and what answers them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from sandlot.v1 import league_pb2
from sandlot_server.service.league import League
from sandlot_server.service.limits import Limits
from sandlot_server.service.owned import OwnedCalls
from sandlot_server.service.public import PublicCalls
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.store.registered import Owner, Role

Answer: TypeAlias = Callable[[Owner, Any], Awaitable[Message] | AsyncGenerator[Message, None]]
"""Takes who calls and the message; gives one message, or those of a stream."""

SERVICE: Final = league_pb2.DESCRIPTOR.services_by_name["LeagueService"]

_TEXT: Final = FieldDescriptor.TYPE_STRING


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the service."""

    request: type[Message]
    answer: Answer
    least: Role = "reader"
    """Who may call it: those of this role, and those who may do more."""
    watches: bool = False
    """Whether its calls are counted among those that watch."""
    archive: bool = False
    """Whether its message may be as long as an archive."""

    def allows(self, role: Role) -> bool:
        """Tell whether an owner of this role may call it."""
        return self.least == "reader" or role != "reader"

    def most(self, limits: Limits) -> int:
        """Return how many bytes its message may have."""
        return limits.archive if self.archive else limits.message


def methods(league: League) -> Mapping[str, Method]:
    """Return the methods by their names."""
    public, owned = PublicCalls(league), OwnedCalls(league)
    return {
        "WhoAmI": Method(league_pb2.WhoAmIRequest, public.who_am_i),
        "Submit": Method(league_pb2.SubmitRequest, owned.submit, "owner", archive=True),
        "List": Method(league_pb2.ListRequest, public.list),
        "Status": Method(league_pb2.StatusRequest, owned.status, "owner"),
        "Logs": Method(league_pb2.LogsRequest, owned.logs, "owner"),
        "Retire": Method(league_pb2.RetireRequest, owned.retire, "owner"),
        "Standings": Method(league_pb2.StandingsRequest, public.standings),
        "Matches": Method(league_pb2.MatchesRequest, public.matches),
        "Record": Method(league_pb2.RecordRequest, public.record),
        "Running": Method(league_pb2.RunningRequest, public.running),
        "Watch": Method(league_pb2.WatchRequest, public.watch, watches=True),
        "Connect": Method(league_pb2.ConnectRequest, owned.connect, "owner"),
    }


def parse(method: Method, raw: bytes, limits: Limits) -> Message:
    """Return the message of a call.

    Raises:
        RefusedError: it is too long, it is none, or a text in it is too long.
    """
    most = method.most(limits)
    if len(raw) > most:
        raise RefusedError(
            Reason.TOO_LARGE,
            f"the message has {len(raw):,} bytes, and {most:,} are the most",
            most=str(most),
        )
    name = method.request.DESCRIPTOR.name
    try:
        message = method.request.FromString(raw)
    except DecodeError:
        raise RefusedError(
            Reason.MALFORMED, f"{len(raw):,} bytes that are no {name}: is the client up to date?"
        ) from None
    for field, value in message.ListFields():
        if field.type == _TEXT and len(value) > limits.text:
            raise RefusedError(
                Reason.INVALID,
                f"{field.name} has {len(value):,} characters, and {limits.text} are the most",
                field=field.name,
            )
    return message
