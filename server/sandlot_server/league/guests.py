"""The bots that play from their owners' machines: who is let in, and who is there."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sandlot.errors import SessionError
from sandlot_server.arbiter import Arbiter


@dataclass(frozen=True, slots=True)
class Admission:
    """What a remote bot needs to play.

    Attributes:
        token: shown to ``ArbiterService.Play`` by the bot, and good until another one is given out.
        grace: seconds that it may be away in a match before it counts as gone.

    """

    token: str = field(repr=False)
    grace: float


class Guests:
    """Remote bots, by the names of entrants.

    Args:
        arbiter: where they play.
        grace: seconds that one may be away in a match.
        on_change: called when one has come or gone.

    """

    def __init__(self, arbiter: Arbiter, *, grace: float, on_change: Callable[[], None]) -> None:
        self._arbiter = arbiter
        self._grace = grace
        self._on_change = on_change
        self._arrivals: dict[str, asyncio.Task[None]] = {}
        self._variants: dict[str, str] = {}
        self._revoked: dict[str, int] = {}

    @property
    def grace(self) -> float:
        """How many seconds one may be away in a match."""
        return self._grace

    @property
    def admitted(self) -> list[str]:
        """Who has a token."""
        return list(self._arrivals)

    @property
    def connected(self) -> frozenset[str]:
        """Who is there and can be asked."""
        return frozenset(name for name in self._arrivals if self._arbiter.is_ready(name))

    def admit(self, name: str, variant: str, revoked: int) -> Admission:
        """Let a bot in that may play ``variant``; a token that it had before is void.

        Args:
            name: of the bot.
            variant: what is played.
            revoked: how many tokens of its owner had been revoked when the owner asked for it.

        Raises:
            SessionError: it is connected already.
        """
        if name in self.connected:
            raise SessionError(
                f"{name} is connected already: end that program, or connect under another name"
            )
        token = secrets.token_urlsafe(24)
        self._arbiter.expect(name, token, variants=(variant,), grace=self._grace, from_outside=True)
        self._variants[name] = variant
        self._revoked[name] = revoked
        self._await(name)
        return Admission(token, self._grace)

    def play(self, variant: str) -> None:
        """Send those away who came to play another game."""
        for name in self.admitted:
            if self._variants[name] != variant:
                self.dismiss(name, f"{variant} is played now: connect again if it plays that")

    def revoke(self, revoked: Mapping[str, int]) -> None:
        """Send those away who came with a token that is worthless now.

        Args:
            revoked: how many tokens of its owner have been revoked by now, by bot.
        """
        for name in self.admitted:
            if revoked.get(name, 0) > self._revoked[name]:
                self.dismiss(name, "the token with which it was connected has been revoked")

    def session_ended(self, name: str) -> None:
        """Take note that somebody's session has ended, be it a guest's or not."""
        if name in self._arrivals:
            self._await(name)
            self._on_change()

    def dismiss(self, name: str, text: str) -> None:
        """Let a bot in no more, and end its session; ``text`` says why."""
        self._arrivals.pop(name).cancel()
        self._arbiter.dismiss(name, text)

    def close(self) -> None:
        """Let nobody in any more."""
        for name in self.admitted:
            self._arrivals.pop(name).cancel()
            self._arbiter.forget_token(name)

    def _await(self, name: str) -> None:
        """See that somebody is told when the bot comes."""
        before = self._arrivals.get(name)
        if before is not None:
            before.cancel()
        self._arrivals[name] = asyncio.create_task(self._arrive(name), name=f"await {name}")

    async def _arrive(self, name: str) -> None:
        await self._arbiter.ready(name)
        self._on_change()
