"""A league file: one tournament, its clock, and its bots, as a value that has been checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import ceil
from pathlib import Path
from typing import Any, Final

from sandlot.clock import Clock, format_duration, parse_duration
from sandlot.errors import BotError, ClockError, LeagueError, SeedError, in_one_line
from sandlot.loading import is_file, split_spec
from sandlot.seeds import parse_seed
from sandlot_server.launch.limits import Limits, parse_size
from sandlot_server.names import NAME_WORDS, is_name, meant
from sandlot_server.tournament.league_keys import (
    WRITE,
    BotKeys,
    SandboxKeys,
    bot_place,
    read_keys,
)
from sandlot_server.tournament.schedule import KINDS, Kind, Schedule, check_schedule
from sandlot_server.tournament.standings import RankBy


@dataclass(frozen=True, slots=True)
class LeagueBot:
    """A bot of a league file: a class in a module or file, or a command; one of the two is None."""

    name: str
    run: str | None
    """``module:Class`` or ``file.py:Class``, as written; files are seen from the league file."""
    command: tuple[str, ...] | None
    """A program and its arguments, to be started in the directory of the league file."""
    sandbox: bool = False
    """Whether it is started in a sandbox."""


@dataclass(frozen=True, slots=True)
class League:
    """A tournament as its file describes it."""

    path: Path
    """The file, as it was named."""
    name: str
    variant: str
    rules: str
    """The rules with their version, as in ``baseball/1``."""
    seats: int
    hands: int
    rounds: int
    seed: bytes | None = field(repr=False)
    """The seed that the file gives; None if it leaves it to be drawn and kept."""
    schedule: Kind
    rank_by: RankBy
    anonymous: bool
    clock: Clock
    strikes: int
    hello: float
    """How many seconds a bot that was started has until its hello."""
    bots: tuple[LeagueBot, ...]
    """In the order of the file."""
    limits: Limits = Limits()  # noqa: RUF009 - a frozen value
    """Of each bot in a sandbox."""

    @property
    def folder(self) -> Path:
        """The directory that the files of its bots are seen from."""
        return self.path.resolve().parent

    def plan(self, seed: bytes) -> Schedule:
        """Return the schedule that a tournament seed gives."""
        names = tuple(bot.name for bot in self.bots)
        return Schedule(names, self.seats, self.rounds, seed, self.schedule)

    def configuration(self) -> dict[str, Any]:
        """Return what must stay the same while the tournament is played, as JSON can hold it.

        All that results depend on is in it, and what they are ranked by; but for the seed and the
        rounds (which may grow), which are kept beside it, and the versions of the bots' files. The
        place of the file, the order of its bots, the time for a hello, and whether and how bots are
        confined are not.
        """
        return {
            "variant": self.variant,
            "rules": self.rules,
            "seats": self.seats,
            "hands": self.hands,
            "schedule": KINDS[self.schedule],
            "rank_by": self.rank_by,
            "anonymous": self.anonymous,
            "clock": {
                "decision": format_duration(self.clock.decision),
                "bank": format_duration(self.clock.bank),
            },
            "strikes": self.strikes,
            "bots": {
                bot.name: {"run": bot.run}
                if bot.command is None
                else {"command": list(bot.command)}
                for bot in sorted(self.bots, key=lambda bot: bot.name)
            },
        }


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in words how one configuration differs from another; nothing if they are the same.

    >>> difference({"seats": 2, "clock": {"bank": "5s"}}, {"seats": 3, "clock": {"bank": "5s"}})
    ['seats 2 -> 3']
    >>> difference({"bots": {"a": {"run": "a.py"}}}, {"bots": {"b": {"run": "b.py"}}})
    ["bot 'a' is gone", "bot 'b' is new"]
    """
    changes: list[str] = []
    for key in [*old, *(key for key in new if key not in old)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if key == "bots" and isinstance(before, Mapping) and isinstance(after, Mapping):
            changes += _bots_difference(before, after)
        elif isinstance(before, Mapping) and isinstance(after, Mapping):
            changes += [f"{key}.{change}" for change in difference(before, after)]
        else:
            changes.append(f"{key} {_shown(before)} -> {_shown(after)}")
    return changes


def _bots_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    gone = [f"bot {name!r} is gone" for name in old if name not in new]
    come = [f"bot {name!r} is new" for name in new if name not in old]
    others = [
        f"bot {name!r}: {_bot_words(old[name])} -> {_bot_words(new[name])}"
        for name in old
        if name in new and old[name] != new[name]
    ]
    return gone + come + others


def _bot_words(bot: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {_shown(value)}" for key, value in bot.items())


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def read_league(path: str | Path) -> League:
    """Return the tournament that a league file describes.

    Raises:
        LeagueError: it cannot be played as it stands; one line that names the file, the key and
            what to write.
    """
    place = Path(path)
    keys = read_keys(place)
    try:
        tournament = keys.tournament
        _check_name("[tournament] name", tournament.name)
        rules = _rules(tournament.variant, tournament.seats)
        for key, number in (("hands", tournament.hands), ("rounds", tournament.rounds)):
            _check_count("tournament", key, number)
        _check_count("faults", "strikes", keys.faults.strikes)
        clock = Clock(
            _seconds("clock", "decision", keys.clock.decision, least="1ms"),
            _seconds("clock", "bank", keys.clock.bank),
        )
        hello = _seconds("faults", "hello", keys.faults.hello, least="1ms")
        seed = None if tournament.seed is None else _seed(tournament.seed)
        bots = _bots(keys.bots, place.resolve().parent, sandbox=tournament.sandbox)
        limits = _limits(keys.sandbox)
        if limits != Limits() and not any(bot.sandbox for bot in bots):
            raise LeagueError(
                "[sandbox] has limits, and no bot is in a sandbox; write sandbox = true under "
                "[tournament] for all bots, or under a [[bots]] for one"
            )
        check_schedule([bot.name for bot in bots], tournament.seats, tournament.schedule)
    except LeagueError as error:
        raise LeagueError(f"{place}: {in_one_line(str(error))}") from None
    return League(
        path=place,
        name=tournament.name,
        variant=tournament.variant,
        rules=rules,
        seats=tournament.seats,
        hands=tournament.hands,
        rounds=tournament.rounds,
        seed=seed,
        schedule=tournament.schedule,
        rank_by=tournament.rank_by,
        anonymous=tournament.anonymous,
        clock=clock,
        strikes=keys.faults.strikes,
        hello=hello,
        bots=bots,
        limits=limits,
    )


def _check_name(key: str, name: str) -> None:
    if is_name(name):
        return
    right = meant(name)
    hint = f"write {json.dumps(right)}" if right else NAME_WORDS
    raise LeagueError(f"{key} {json.dumps(name)} cannot be a name; {hint}")


def rules_of(name: str, seats: int) -> str:
    """Return the rules with their version, as in ``baseball/1``, of a variant at such tables.

    Raises:
        LeagueError: there is no such variant, or it is not for so many seats.
    """
    from sandlot.game import VARIANTS  # here: the game is not wanted to word a difference

    variant = VARIANTS.get(name)
    if variant is None:
        near = get_close_matches(name, VARIANTS, n=1)
        known = " or ".join(f"variant = {json.dumps(known)}" for known in near or VARIANTS)
        raise LeagueError(f"variant {json.dumps(name)} is unknown; write {known}")
    if not variant.least_seats <= seats <= variant.most_seats:
        raise LeagueError(
            f"seats {seats} is not for {name}; "
            f"write seats = {variant.least_seats} to {variant.most_seats}"
        )
    return variant.rules


def _rules(variant: str, seats: int) -> str:
    try:
        return rules_of(variant, seats)
    except LeagueError as error:
        raise LeagueError(f"[tournament] {error}") from None


MOST: Final = 1_000_000
"""The most hands, rounds or strikes: more is a slip of the hand."""

LONGEST: Final = 86_400.0
"""Seconds of the longest time that a league file may give: a day."""


def _check_count(section: str, key: str, number: int) -> None:
    if number > MOST:
        raise LeagueError(f"[{section}] {key} is too many; write {MOST:,} or fewer")
    if number < 1:
        raise LeagueError(
            f"[{section}] {key} {number} is too few; write 1 or more, as in {WRITE[section][key]}"
        )


def _seconds(section: str, key: str, text: str, least: str = "0s") -> float:
    if len(text) > 20:
        raise LeagueError(f"[{section}] {key} is no time that can be read; write it as in '1s'")
    try:
        seconds = parse_duration(text)
    except ClockError as error:
        raise LeagueError(f"[{section}] {key} {error}") from None
    if seconds > LONGEST:
        raise LeagueError(f"[{section}] {key} {text!r} is longer than a day; write less")
    if seconds < parse_duration(least):
        raise LeagueError(f"[{section}] {key} {text!r} is no time at all; write {least} or more")
    return seconds


def _seed(text: str) -> bytes:
    try:
        return parse_seed(text)
    except SeedError as error:
        raise LeagueError(f"[tournament] seed: {error}") from None


def _limits(keys: SandboxKeys) -> Limits:
    """Return the limits of bots in a sandbox."""
    for key, number in (("processes", keys.processes), ("files", keys.files)):
        _check_count("sandbox", key, number)
    return Limits(
        memory=_size("memory", keys.memory),
        processes=keys.processes,
        files=keys.files,
        scratch=_size("scratch", keys.scratch),
        output=_size("output", keys.output),
        cpu=None if keys.cpu == "none" else ceil(_seconds("sandbox", "cpu", keys.cpu, least="1s")),
    )


def _size(key: str, text: str) -> int:
    try:
        return parse_size(text)
    except BotError as error:
        raise LeagueError(f"[sandbox] {key} {error}") from None


def _bots(listed: list[BotKeys], folder: Path, *, sandbox: bool) -> tuple[LeagueBot, ...]:
    bots: list[LeagueBot] = []
    first: dict[str, int] = {}
    for number, keys in enumerate(listed):
        where = bot_place(number, {"name": keys.name})
        _check_name(f"[[bots]] {number + 1} name", keys.name)
        if keys.name in first:
            raise LeagueError(
                f"{where} has the name of [[bots]] {first[keys.name] + 1}; give it another name"
            )
        first[keys.name] = number
        bots.append(_bot(where, keys, folder, sandbox=sandbox))
    return tuple(bots)


def _bot(where: str, keys: BotKeys, folder: Path, *, sandbox: bool) -> LeagueBot:
    if keys.sandbox is not None:
        sandbox = keys.sandbox
    if keys.run is None and keys.command is None:
        forms = f"{WRITE['bots']['run']} or {WRITE['bots']['command']}"
        raise LeagueError(f"{where} has neither run nor command; write {forms}")
    if keys.run is not None and keys.command is not None:
        raise LeagueError(f"{where} has both run and command; keep one of them")
    if keys.run is not None:
        _check_run(where, keys.run, folder)
        return LeagueBot(keys.name, keys.run, None, sandbox)
    command = tuple(keys.command or ())
    if any("\0" in word for word in command):
        raise LeagueError(f"{where} command holds a NUL, which no program can get; leave it out")
    if not command or not command[0]:
        raise LeagueError(f"{where} command is empty; write {WRITE['bots']['command']}")
    return LeagueBot(keys.name, None, command, sandbox)


def _check_run(where: str, run: str, folder: Path) -> None:
    """Refuse what names no class, and a file that is not there."""
    try:
        source, name = split_spec(run)
    except BotError:
        raise LeagueError(
            f"{where} run {json.dumps(run)} names no class; write {WRITE['bots']['run']}"
        ) from None
    if is_file(source):
        if not (folder / source).is_file():
            others = [str(other.relative_to(folder)) for other in sorted(folder.glob("*.py"))]
            near = get_close_matches(source, others, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"write a path seen from {folder}"
            raise LeagueError(f"{where} run: there is no file {folder / source}; {hint}")
    elif not name:
        raise LeagueError(
            f"{where} run {json.dumps(run)} names no class; write {_meant(run, folder)}"
        )


def _meant(run: str, folder: Path) -> str:
    """Return what somebody meant who wrote the short name of a house bot, or a command line."""
    from sandlot_server.launch.bots import CommandBot, bot_as_written

    try:
        bot = bot_as_written(run, folder)
    except BotError:
        return WRITE["bots"]["run"]
    if isinstance(bot, CommandBot):
        return f"command = {json.dumps(bot.command)}"
    return f"run = {json.dumps(bot.spec if ':' in bot.spec else bot.spec + ':MyBot')}"
