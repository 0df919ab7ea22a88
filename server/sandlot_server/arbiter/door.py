"""Who may come in: the token says it, and nothing else does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import structlog

from sandlot_server.arbiter.endings import (
    Ending,
    already_connected,
    full,
    no_token,
    unknown_token,
    worn_out,
)

if TYPE_CHECKING:
    from sandlot_server.arbiter.clock import Timekeeper
    from sandlot_server.arbiter.limits import Limits
    from sandlot_server.arbiter.player import Player
    from sandlot_server.arbiter.stream import Stream

BEARER: Final = "Bearer "

QUIET: Final = 10.0
"""Seconds between two lines in the log about streams that were refused for the same reason."""


class Door:
    """Lets streams in by their tokens, and strangers' streams only so many of them.

    A stream that is not let in is nowhere counted but in the log, and there not by a line each:
    somebody who has no token must not fill the disk either.
    """

    def __init__(
        self, limits: Limits, clock: Timekeeper, on_refused: Callable[[str, str], None]
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._on_refused = on_refused
        self._by_token: dict[bytes, Player] = {}
        self._strangers: dict[Stream, Player] = {}
        self._refused: dict[str, tuple[float, int]] = {}  # reason: last line, refused since then
        self._log = structlog.get_logger("sandlot.arbiter")

    def expect(self, token: str, player: Player) -> None:
        """Let a player in by this token."""
        self._by_token[_digest(token)] = player

    def forget(self, bot: str) -> None:
        """Let the bot in no more."""
        for digest, player in list(self._by_token.items()):
            if player.bot == bot:
                del self._by_token[digest]

    def whom(
        self, metadata: Iterable[tuple[str, str | bytes]], *, stranger: bool
    ) -> Player | Ending:
        """Return who opens a stream with this metadata, or why nobody does.

        Args:
            metadata: of the call.
            stranger: whether the stream comes from where anybody can call.

        """
        shown = dict(metadata).get("authorization", "")
        given = isinstance(shown, str) and shown.startswith(BEARER)
        # Looked up whatever was shown, so that all that is wrong is answered at the same cost.
        player = self._by_token.get(_digest(str(shown).removeprefix(BEARER)))
        if player is None or not given:
            return unknown_token() if given else no_token()
        if stranger and not player.from_outside:
            # A bot that was started here has told its token to somebody, who would play in its
            # place with another program than was submitted.
            return unknown_token()
        if player.stream is not None:
            ending = already_connected(player.bot)
            self._on_refused(player.bot, ending.text)
            return ending
        if (rest := player.rest) > 0:
            return worn_out(rest)
        return self._room_for_one_more(player) if stranger else player

    def enter(self, stream: Stream, player: Player) -> None:
        """Count a stranger's stream that was let in."""
        self._strangers[stream] = player

    def leave(self, stream: Stream) -> None:
        """Count a stream no more, if it was."""
        self._strangers.pop(stream, None)

    def note(self, ending: Ending) -> None:
        """Put into the log that a stream was refused, unless the like was there just now."""
        now = self._clock.now()
        last, others = self._refused.get(ending.reason, (-QUIET, 0))
        if now - last < QUIET:
            self._refused[ending.reason] = last, others + 1
            return
        self._refused[ending.reason] = now, 0
        self._log.warning("stream refused", reason=ending.reason, text=ending.text, others=others)

    def _room_for_one_more(self, player: Player) -> Player | Ending:
        if len(self._strangers) >= self._limits.streams:
            return full(f"{self._limits.streams} bots are connected")
        unheard = sum(not inside.listens for inside in self._strangers.values())
        if unheard >= self._limits.unheard:
            return full(f"{unheard} bots are connected that have not said hello")
        return player


def _digest(token: str) -> bytes:
    """Return what a token is looked up by: so that the time it takes gives nothing away."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
