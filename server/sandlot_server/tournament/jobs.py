"""What a worker is told to play, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sandlot.errors import BotError
from sandlot_server.launch.bots import ClassBot, CommandBot, LaunchedBot

if TYPE_CHECKING:
    from sandlot_server.store import FinishedMatch


@dataclass(frozen=True, slots=True)
class PlayingBot:
    """A bot of the tournament: its name, its version, and how it is started.

    ``run`` is ``module:Class`` or ``file.py:Class``, ``command`` a program with its arguments; one
    of them is empty.
    """

    name: str
    version: str
    run: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """Everything that a worker must know of a tournament to play matches of it.

    Times are in seconds, ``seed`` is in hex. ``place`` is where files of bots are seen from,
    ``logs`` the directory of their logs, ``run`` that of what the run itself must remember.
    """

    tournament: str
    variant: str
    seats: int
    hands: int
    decision: float
    bank: float
    strikes: int
    anonymous: bool
    seed: str
    bots: tuple[PlayingBot, ...]
    place: str
    logs: str
    run: str
    tables: int
    patience: float

    def launched(self) -> dict[str, LaunchedBot]:
        """Return what to start, by the bots' names."""
        place = Path(self.place)
        return {
            bot.name: ClassBot(bot.run, place) if bot.run else CommandBot(bot.command, place)
            for bot in self.bots
        }


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a match, begun in the store: the bots' names by seat, the first dealer."""

    match: str
    attempt: int
    bots: tuple[str, ...]
    first_dealer: int


class StartError(BotError):
    """A bot did not come up. ``account`` is the end of what its process wrote."""

    def __init__(self, bot: str, reason: str, account: str) -> None:
        super().__init__(f"bot {bot!r} cannot start: {reason}")
        self.bot = bot
        self.reason = reason
        self.account = account


@dataclass(frozen=True, slots=True)
class NotPlayed:
    """The attempt is void before its first card: a bot could not be started again."""

    job: Job
    bot: str
    reason: str


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """The attempt is void by a fault of the server's side: the match is to be played again."""

    job: Job
    reason: str


Outcome: TypeAlias = "FinishedMatch | NotPlayed | BrokenOff"
