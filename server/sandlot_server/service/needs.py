"""What the service needs of the rest of the league server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot.played import MatchSetup
    from sandlot_server.store.registered import Owner, Version


class LogPart(Protocol):
    """A part of a log."""

    @property
    def text(self) -> str:
        """What was read."""

    @property
    def next(self) -> int:
        """Where to read on."""

    @property
    def more(self) -> bool:
        """Whether there is more already."""


class Reception(Protocol):
    """Takes submissions, builds and tries them."""

    async def submit(self, owner: Owner, archive: bytes, name: str | None = None) -> Version:
        """Take a submission in; when this returns it is on the disk.

        Raises:
            SubmissionError: it is refused.
            ConflictError: it does not go with what is there.
            StoreError: it cannot be stored.
        """

    async def enroll(self, owner: Owner, bot: str, *, new: bool) -> Version:
        """Return the version of a bot that plays from elsewhere, the next one if it is ``new``.

        Raises:
            QuotaError: it would be one more than its owner may have.
            ConflictError: it does not go with what is there.
        """

    def follow(self, version: Version) -> AsyncIterator[Version]:
        """Give the version whenever its status has changed, until it is settled."""

    async def log_of(self, version: Version, season: str | None, after: int, most: int) -> LogPart:
        """Read a log from a position on; a negative one is so many bytes before the end.

        Args:
            version: whose log.
            season: of which season; None where there is none yet.
            after: where to begin.
            most: how many bytes, at most.
        """


class Admission(Protocol):
    """How a bot comes in that plays from elsewhere."""

    @property
    def token(self) -> str:
        """What it shows the arbiter."""

    @property
    def grace(self) -> float:
        """Seconds that it may be away."""


class RunningMatch(Protocol):
    """A match that is being played."""

    @property
    def setup(self) -> MatchSetup:
        """What was settled before the first card; its seed is not for telling."""

    @property
    def hands(self) -> int:
        """How many hands are completed."""


class PublicEvent(Protocol):
    """Something that happened at a table, as a spectator sees it."""

    @property
    def hand(self) -> int:
        """The hand of the match, from 1."""

    @property
    def event(self) -> Event:
        """What happened."""


class Hall(Protocol):
    """Where the matches of the season are played."""

    def look(self) -> None:
        """Take note that something has changed in the registry."""

    async def admit(self, version: Version, revoked: int) -> Admission:
        """Let a bot in that plays from elsewhere, until more tokens of its owner are revoked.

        Raises:
            SessionError: not now; says why.
        """

    def running(self) -> Sequence[RunningMatch]:
        """Return the matches that are being played."""

    def watch(self, match: str) -> AsyncGenerator[PublicEvent, None]:
        """Give what happens in a match, from its beginning to its end.

        Raises:
            SessionError: it is not being played; or, later, it is broken off.
        """
