"""Plays the matches of ``sandlot play`` in this process, and keeps what came of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path, PurePath
from typing import IO, Final

import click

from sandlot.arena import Fault, play, print_fault
from sandlot.errors import BotError
from sandlot.loading import is_file, split_spec
from sandlot.records import utc_now, write
from sandlot.testing.watched import account
from sandlot.testing.ways_out import WayOut, no_way_out
from sandlot_server.cli.output import writing_to
from sandlot_server.launch.bots import HOUSE, CommandBot, LaunchedBot

TOURNAMENT: Final = "play"
"""What stands for the tournament in records."""

BOT_FILE: Final = "bot.py"
"""What the bot of every folder of ``sandlot new`` is called."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Table:
    """What is to be played.

    Attributes:
        given: the bots as they were written on the command line.
        bots: the same, found.
        matches, hands: matches, and hands a match.
        variant: the game.
        seed: the tournament's raw seed.
        tables: matches under way at once.
        isolated: whether the bots are processes of their own.

    """

    given: tuple[str, ...]
    bots: tuple[LaunchedBot, ...]
    matches: int
    hands: int
    variant: str
    seed: bytes
    tables: int
    isolated: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The bots' names; of two that would be called the same the second is ``name-2``."""
        taken: Counter[str] = Counter()
        names: list[str] = []
        for given, bot in zip(self.given, self.bots, strict=True):
            name = name_of(given, bot)
            taken[name] += 1
            while taken[name] > 1 and f"{name}-{taken[name]}" in names:
                taken[name] += 1
            names.append(name if taken[name] == 1 else f"{name}-{taken[name]}")
        return tuple(names)

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """The hashes of the bots' files."""
        return tuple([bot.version() for bot in self.bots])


@dataclass(frozen=True)
class Result:
    """What came of a match, by seat; ``record`` makes the text of its record."""

    bots: tuple[str, ...]
    net: tuple[Fraction, ...]
    places: tuple[int, ...]
    faults: tuple[dict[str, int], ...]
    record: Callable[[], str]


def name_of(given: str, bot: LaunchedBot) -> str:
    """Return what a bot is called: its house name, its class, its file or its program.

    A file that is called ``bot.py``, as in the folders of ``sandlot new``, has its folder's name.

    >>> from sandlot_server.launch.bots import bot_as_written
    >>> [name_of(bot, bot_as_written(bot)) for bot in ("tight", "a/my-bot.py", "b.py:Best")]
    ['tight', 'my-bot', 'Best']
    >>> name_of("node out/bot.js --bold", bot_as_written("node out/bot.js --bold"))
    'bot'
    >>> name_of("river-rat/bot.py", bot_as_written("river-rat/bot.py"))
    'river-rat'
    """
    if given in HOUSE:
        return given
    if isinstance(bot, CommandBot):
        words = [word for word in bot.command[1:] if not word.startswith("-")]
        name = PurePath((words or bot.command)[0]).stem
    else:
        name = PurePath(bot.spec).stem
        if PurePath(bot.spec).name == BOT_FILE:
            name = (bot.place / bot.spec).resolve().parent.name
        elif not is_file(bot.spec):
            source, name = split_spec(bot.spec)
            name = name or PurePath(source).stem
    return _UNSAFE.sub("_", name).strip(".-") or "bot"


def play_in_process(table: Table, on_result: Callable[[Result], None]) -> None:
    """Play the matches, telling each that is over; faults go to standard error.

    Raises:
        BotError: a bot cannot be loaded, or ends the process; its traceback is in ``account``.
    """
    try:
        with no_way_out():
            _play(table, on_result)
    except (SystemExit, WayOut) as error:
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        error.__traceback__ = frames
        raise BotError(
            "a bot has ended the process it plays in, here the command itself; in a tournament "
            "that is a crash",
            account(error),
        ) from None


def _play(table: Table, on_result: Callable[[Result], None]) -> None:
    classes = [bot.load() for bot in table.bots]
    started = utc_now()
    for played in play(
        dict(zip(table.names, classes, strict=True)),
        table.matches,
        table.seed,
        variant=table.variant,
        hands=table.hands,
        tables=table.tables,
        tournament=TOURNAMENT,
        versions=table.versions,
        on_fault=_FaultsOnce(),
    ):
        ended = utc_now()
        on_result(
            Result(
                tuple([entrant.bot for entrant in played.setup.entrants]),
                played.net,
                played.places,
                played.faults,
                lambda played=played, times=(started, ended): write(played, *times),  # type: ignore[misc]
            )
        )
        if table.tables == 1:
            started = ended


class _FaultsOnce:
    """Prints each fault the first time it happens; the table counts the others."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def __call__(self, fault: Fault) -> None:
        if fault.text == "bdb.BdbQuit":  # somebody has left the debugger: all stops
            raise KeyboardInterrupt
        frames = fault.account.strip().rpartition("\n")[0]
        key = fault.bot, frames or fault.text
        if key not in self._known:
            self._known.add(key)
            print_fault(fault)


class RecordFile:
    """Where ``--record`` writes: nothing is made or replaced before the first match is over.

    Raises:
        click.ClickException: the file is there already, and may not be overwritten.
        OSError: there is no such directory.
    """

    def __init__(self, path: Path, *, force: bool) -> None:
        if path.exists() and not force:
            raise click.ClickException(
                f"{path} is there already: name another file, or add --force to overwrite it"
            )
        if not path.parent.is_dir():
            raise click.ClickException(f"{path}: there is no folder {path.parent}; make it first")
        self._path = path
        self._file: IO[str] | None = None

    def add(self, record: str) -> None:
        """Write the record of one more match."""
        with writing_to(self._path):
            if self._file is None:
                self._file = self._path.open("w", encoding="utf-8", newline="")
            self._file.write(record)
            self._file.flush()

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with writing_to(self._path):
                self._file.close()
