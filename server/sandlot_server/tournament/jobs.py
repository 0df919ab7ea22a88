"""What a worker is told to play, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sandlot.errors import BotError
from sandlot_server.launch.bots import ClassBot, CommandBot, LaunchedBot
from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.confining import Confine, Confinement
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.plain import PLAIN

if TYPE_CHECKING:
    from sandlot_server.store import FinishedMatch


@dataclass(frozen=True, slots=True)
class PlayingBot:
    """A bot of the tournament: its name, its version, and how it is started.

    ``run`` is ``module:Class`` or ``file.py:Class``, ``command`` a program with its arguments; one
    of them is empty. ``sandbox`` says whether it is started in a sandbox. ``place`` is where its
    files are seen from, if not from the place of all, and ``environment`` the folder of what it is
    run by, if it has one of its own.
    """

    name: str
    version: str
    run: str = ""
    command: tuple[str, ...] = ()
    sandbox: bool = False
    place: str = ""
    environment: str = ""

    def launched(self, place: Path) -> LaunchedBot:
        """Return what to start; ``place`` is that of all bots."""
        own = Path(self.place) if self.place else place
        environment = Path(self.environment) if self.environment else None
        if self.run:
            return ClassBot(self.run, own, environment)
        return CommandBot(self.command, own, environment)


@dataclass(frozen=True, slots=True)
class Play:
    """Everything that a worker must know of a tournament to play matches of it.

    Times are in seconds, ``seed`` is in hex. ``place`` is where files of bots are seen from,
    ``logs`` the directory of their logs, ``run`` that of what the run itself must remember.
    ``limits`` are for the bots in a sandbox; ``private`` are the files and folders that they may
    not be shown, beside ``logs`` and ``run``.
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
    limits: Limits = Limits()  # noqa: RUF009 - a frozen value
    private: tuple[str, ...] = ()

    def launched(self) -> dict[str, LaunchedBot]:
        """Return what to start, by the bots' names."""
        return {bot.name: bot.launched(Path(self.place)) for bot in self.bots}

    def confined(self, confine: Confine | None = None) -> dict[str, Confinement]:
        """Return how each bot is confined, by the bots' names.

        ``confine`` gives the sandbox; bubblewrap within ``limits`` if absent.
        """
        private = tuple([Path(path) for path in (*self.private, self.logs, self.run)])
        sandbox = Bubblewrap(self.limits, private) if confine is None else confine(private)
        return {bot.name: sandbox if bot.sandbox else PLAIN for bot in self.bots}


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

    @property
    def is_ours(self) -> bool:
        """Whether it was this machine's doing, not the bot's: a full disk, no more processes."""
        cause = self.__cause__
        while cause is not None and not isinstance(cause, OSError):
            cause = cause.__cause__
        return cause is not None


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
