"""The keys of a league file: which there are, of what kind, and what to write where one is wrong.

Reading stops at the first mistake, and tells it in one line that names the file, the key and what
to write.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec

from sandlot.errors import LeagueError, in_one_line


class TournamentKeys(msgspec.Struct, frozen=True, kw_only=True):
    """``[tournament]``."""

    name: str
    variant: str = "baseball"
    seats: int
    hands: int = 8
    rounds: int = 1
    seed: str | None = None
    schedule: Literal["full", "balanced"] = "full"
    rank_by: Literal["net", "places"] = "net"
    anonymous: bool = False
    sandbox: bool = False


class ClockKeys(msgspec.Struct, frozen=True):
    """``[clock]``."""

    decision: str = "1s"
    bank: str = "10s"


class FaultsKeys(msgspec.Struct, frozen=True):
    """``[faults]``."""

    strikes: int = 3
    hello: str = "30s"


class BotKeys(msgspec.Struct, frozen=True):
    """One ``[[bots]]``."""

    name: str
    run: str | None = None
    command: list[str] | None = None
    sandbox: bool | None = None


class SandboxKeys(msgspec.Struct, frozen=True):
    """``[sandbox]``: the limits of each bot in a sandbox."""

    memory: str = "1G"
    processes: int = 64
    files: int = 256
    scratch: str = "64M"
    output: str = "16M"
    cpu: str = "none"


class LeagueKeys(msgspec.Struct, frozen=True):
    """A whole file, each key of the right kind; what the values mean is not yet checked."""

    tournament: TournamentKeys
    clock: ClockKeys
    faults: FaultsKeys
    sandbox: SandboxKeys
    bots: list[BotKeys]


SECTIONS: Final[dict[str, type[msgspec.Struct]]] = {
    "tournament": TournamentKeys,
    "clock": ClockKeys,
    "faults": FaultsKeys,
    "sandbox": SandboxKeys,
    "bots": BotKeys,
}

WRITE: Final = {
    "tournament": {
        "name": 'name = "friday"',
        "variant": 'variant = "baseball"',
        "seats": "seats = 2",
        "hands": "hands = 8",
        "rounds": "rounds = 10",
        "seed": 'seed = "..." with 32 hex digits or more, or leave it out to have one drawn',
        "schedule": 'schedule = "full" or schedule = "balanced"',
        "rank_by": 'rank_by = "net" or rank_by = "places"',
        "anonymous": "anonymous = true or anonymous = false",
        "sandbox": "sandbox = true or sandbox = false",
    },
    "clock": {"decision": 'decision = "1s"', "bank": 'bank = "10s"'},
    "faults": {"strikes": "strikes = 3", "hello": 'hello = "30s"'},
    "sandbox": {
        "memory": 'memory = "1G"',
        "processes": "processes = 64",
        "files": "files = 256",
        "scratch": 'scratch = "64M"',
        "output": 'output = "16M"',
        "cpu": 'cpu = "none" or cpu = "60m"',
    },
    "bots": {
        "name": 'name = "mine"',
        "run": 'run = "mybot.py:MyBot"',
        "command": 'command = ["node", "bot.js"]',
        "sandbox": "sandbox = true or sandbox = false",
    },
}
"""What to write, by section and key."""

_KINDS: Final = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number with a point"),
    (str, "text"),
    (list, "a list"),
    (dict, "a table"),
)

_Keys = TypeVar("_Keys", bound=msgspec.Struct)


def read_keys(path: Path) -> LeagueKeys:
    """Return the keys of a league file.

    Raises:
        LeagueError: the file cannot be read, is not TOML, has a key that is unknown, missing or of
            the wrong kind.
    """
    table = read_toml(path)
    for key in table:
        if key not in SECTIONS:
            raise LeagueError(f"{path}: {_unknown_section(key)}")
    if "tournament" not in table:
        raise LeagueError(
            f"{path}: there is no [tournament]; write [tournament] with "
            f"{WRITE['tournament']['name']} and {WRITE['tournament']['seats']} under it"
        )
    bots = table.get("bots", [])
    if isinstance(bots, dict):
        raise LeagueError(f"{path}: [bots] is one table; write [[bots]] before each bot")
    if not isinstance(bots, list) or not all(isinstance(bot, dict) for bot in bots):
        raise LeagueError(f"{path}: bots is {_shown(bots)}; write [[bots]] before each bot")
    if not bots:
        raise LeagueError(
            f"{path}: there are no bots; write [[bots]] for each, with "
            f"{WRITE['bots']['name']} and {WRITE['bots']['run']} under it"
        )
    return LeagueKeys(
        _section(path, "tournament", table["tournament"], TournamentKeys),
        _section(path, "clock", table.get("clock", {}), ClockKeys),
        _section(path, "faults", table.get("faults", {}), FaultsKeys),
        _section(path, "sandbox", table.get("sandbox", {}), SandboxKeys),
        [_section(path, bot_place(number, bot), bot, BotKeys) for number, bot in enumerate(bots)],
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table of a TOML file.

    Raises:
        LeagueError: there is no such file, it cannot be read, is not UTF-8 or not TOML; says the
            line.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        others = [other.name for other in sorted(path.parent.glob("*.toml"))]
        near = _nearest(path.name, others) or "; sandlot new DIR makes one to begin with"
        raise LeagueError(f"{path}: there is no such file{near}") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise LeagueError(f"{path}: cannot be read: {why}; name a league file") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise LeagueError(f"{path}: line {line} is not UTF-8; save the file as UTF-8") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise LeagueError(f"{path}: is nested too deeply; write plain keys") from None
    except ValueError as error:  # with tomllib.TOMLDecodeError
        raise LeagueError(f"{path}: not TOML: {in_one_line(str(error))}; mend it there") from None


def bot_place(number: int, bot: Mapping[str, Any]) -> str:
    """Return how a bot is named in messages: by its place in the file, and its name if it has one.

    >>> bot_place(1, {"name": "mine"})
    '[[bots]] 2 "mine"'
    """
    name = bot.get("name")
    return f"[[bots]] {number + 1}" + (f" {_text(name)}" if isinstance(name, str) else "")


def _section(path: Path, place: str, table: Any, keys: type[_Keys]) -> _Keys:
    """Return one section, its keys known, there and of the right kind."""
    name = "bots" if keys is BotKeys else place
    shown = place if keys is BotKeys else f"[{place}]"
    if keys is SandboxKeys and isinstance(table, bool):
        raise LeagueError(
            f"{path}: sandbox stands above all sections; write it under [tournament] for all bots, "
            "or under a [[bots]] for one"
        )
    if not isinstance(table, dict):
        raise LeagueError(
            f"{path}: {name} is {_shown(table)}, not a section; write [{name}] and its keys below"
        )
    fields = {found.name: found for found in msgspec.structs.fields(keys)}
    for key in table:
        if key not in fields:
            raise LeagueError(f"{path}: {_unknown_key(shown, name, key)}")
    values: dict[str, Any] = {}
    for key, found in fields.items():
        if key in table:
            values[key] = _value(path, shown, name, key, table[key], found.type)
        elif found.required:
            raise LeagueError(f"{path}: {shown} has no {key}; write {WRITE[name][key]}")
    return keys(**values)


def _value(path: Path, shown: str, name: str, key: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        near = ""
        if isinstance(value, str):
            known = [text for text in getattr(kind, "__args__", ()) if isinstance(text, str)]
            near = _nearest(value, known)
        raise LeagueError(
            f"{path}: {shown} {key} is {_shown(value)}; write {WRITE[name][key]}{near}"
        ) from None


def _unknown_section(key: str) -> str:
    """Say what to write for a key at the top level that is no section."""
    for name, keys in WRITE.items():
        if key in keys:
            return f"{key} stands above all sections; write it under {_header(name)}"
    found = get_close_matches(key, SECTIONS, n=1)
    if found:
        return f"{_text(key)} is no section; did you mean {_header(found[0])}?"
    known = ", ".join(_header(name) for name in SECTIONS)
    return f"{_text(key)} is no section; write one of {known}, or take it out"


def _unknown_key(shown: str, name: str, key: str) -> str:
    """Say what to write for a key that its section does not know."""
    others = [other for other, keys in WRITE.items() if other != name and key in keys]
    if others:
        return f"{shown} has no key {_text(key)}; write it under {_header(others[0])}"
    found = get_close_matches(key, WRITE[name], n=1, cutoff=0.5)
    if found:
        return (
            f"{shown} has no key {_text(key)}; did you mean {found[0]}? "
            f"Write {WRITE[name][found[0]]}"
        )
    known = ", ".join(WRITE[name])
    return f"{shown} has no key {_text(key)}; write one of {known}, or take it out"


def _header(name: str) -> str:
    return "[[bots]]" if name == "bots" else f"[{name}]"


def _nearest(word: str, words: Iterable[str]) -> str:
    found = get_close_matches(word, list(words), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _shown(value: Any) -> str:
    """Return a value and its kind for a message, in one line and not too long."""
    kind = next((words for type_, words in _KINDS if isinstance(value, type_)), "a date or time")
    if isinstance(value, dict):
        return kind
    text = in_one_line(json.dumps(value, ensure_ascii=False, default=str), most=1000)
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({kind})"


def _text(key: str) -> str:
    return in_one_line(json.dumps(key if len(key) <= 40 else key[:37] + "...", ensure_ascii=False))
