"""``bot.toml``: what a submission is called, what is started, and which packages it needs.

Reading stops at the first mistake, and tells it in one line that says what to write. Who wrote the
file is a stranger: it is read as data, and nothing that it names is opened, imported or run here.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sandlot.errors import BotError, SubmissionError
from sandlot.loading import is_file, nearest, split_spec
from sandlot_server.names import NAME_WORDS, is_name, meant
from sandlot_server.submissions.names import shown

MANIFEST: Final = "bot.toml"

LONGEST: Final = 8 << 10
"""Bytes of the longest manifest. ``tomllib`` takes time by the square of how many parts a key has:
most of a second for one as long as this."""

MOST_REQUIREMENTS: Final = 50
LONGEST_REQUIREMENT: Final = 200

WRITE: Final = {
    "name": 'name = "mine"',
    "run": 'run = "bot.py:MyBot"',
    "command": 'command = ["node", "bot.js"]',
    "requirements": 'requirements = ["numpy>=2,<3"]',
}
"""What to write, by key."""

OURS: Final = ("sandlot",)
"""What every bot finds installed, and no index has."""

_FILES: Final = (".whl", ".zip", ".tar", ".tgz", ".tbz", ".gz", ".bz2", ".xz", ".txt", ".toml")
"""How names end that pip may take for a file's."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a submission says of itself; one of ``run`` and ``command`` is None."""

    name: str
    run: str | None
    """``module:Class`` or ``file.py[:Class]``, seen from the folder of the submission."""
    command: tuple[str, ...] | None
    """A program and its arguments, to be started in that folder."""
    requirements: tuple[str, ...] = ()
    """What has to be installed for it, each a name with versions as PEP 508 writes it."""

    @property
    def program(self) -> str | None:
        """The file of the submission that its command starts; None if it starts none of its own.

        >>> Manifest("mine", None, ("./bin/bot",)).program
        'bin/bot'
        >>> Manifest("mine", None, ("node", "bot.js")).program
        """
        if self.command is None or "/" not in self.command[0]:
            return None
        return str(PurePosixPath(self.command[0]))

    def to_json(self) -> dict[str, Any]:
        """Return what it says, without the name, as plain data.

        >>> one = Manifest("mine", "bot.py", None)
        >>> one.to_json()
        {'run': 'bot.py'}
        >>> Manifest.of("mine", one.to_json()) == one
        True
        """
        said: dict[str, Any] = {}
        if self.run is not None:
            said["run"] = self.run
        if self.command is not None:
            said["command"] = list(self.command)
        if self.requirements:
            said["requirements"] = list(self.requirements)
        return said

    @classmethod
    def of(cls, name: str, said: Mapping[str, Any]) -> Manifest:
        """Return the manifest that `to_json` has made plain."""
        command = said.get("command")
        return cls(
            name,
            said.get("run"),
            None if command is None else tuple(command),
            tuple(said.get("requirements", ())),
        )


class _Keys(msgspec.Struct, frozen=True):
    """A whole file, each key of the right kind."""

    name: str
    run: str | None = None
    command: list[str] | None = None
    requirements: list[str] = []


def manifest_in(folder: Path, name: str | None = None) -> Manifest:
    """Return the manifest of a submission that has been unpacked; see `manifest_of`."""
    files = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    text = files[MANIFEST].read_bytes() if MANIFEST in files else None
    return manifest_of(files, text, name)


def manifest_of(files: Collection[str], text: bytes | None, name: str | None = None) -> Manifest:
    """Return the manifest of a submission.

    Args:
        files: the names of its files.
        text: what is in its ``bot.toml``; None if it has none, and is one Python file.
        name: what that one is called; the name of the file if absent. A manifest says it itself.

    Raises:
        SubmissionError: says what to write.

    >>> manifest_of(["river-rat.py"], None)
    Manifest(name='river-rat', run='river-rat.py', command=None, requirements=())
    """
    if text is not None:
        return read_manifest(text, files)
    if len(files) != 1 or not is_file(*files):
        raise SubmissionError(
            f"there is no {MANIFEST}; write one with {WRITE['name']} and {WRITE['run']}, or submit "
            "one Python file"
        )
    (file,) = files
    called = name or PurePosixPath(file).stem
    if not is_name(called):
        raise SubmissionError(
            f"{shown(called)} cannot be the name of a bot; rename the file, or write a {MANIFEST} "
            f"with {WRITE['name']} and run = {json.dumps(file)}"
        )
    return Manifest(called, file, None)


def read_manifest(text: bytes, files: Collection[str]) -> Manifest:
    """Return what a ``bot.toml`` says, once it has been checked.

    Args:
        text: its bytes.
        files: the names of the submission's files, which it may name.

    Raises:
        SubmissionError: it cannot be read, a key is unknown, missing or of the wrong kind, or a
            value is none that can be; says what to write.
    """
    keys = _keys(_table(text))
    if not is_name(keys.name):
        right = meant(keys.name)
        hint = f"write name = {json.dumps(right)}" if right else NAME_WORDS
        raise _mistake(f"name {shown(keys.name)} cannot be a name; {hint}")
    if keys.run is None and keys.command is None:
        raise _mistake(f"there is neither run nor command; write {_forms()}")
    if keys.run is not None and keys.command is not None:
        raise _mistake("there are both run and command; keep one of them")
    requirements = _requirements(keys.requirements)
    if keys.run is not None:
        _check_run(keys.run, files)
        return Manifest(keys.name, keys.run, None, requirements)
    return Manifest(keys.name, None, _command(keys.command or [], files), requirements)


def _mistake(what: str) -> SubmissionError:
    return SubmissionError(f"{MANIFEST}: {what}")


def _forms() -> str:
    return f"{WRITE['run']} or {WRITE['command']}"


def _table(text: bytes) -> dict[str, Any]:
    if len(text) > LONGEST:
        raise _mistake(f"has {len(text):,} bytes; write at most {LONGEST:,}")
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise _mistake(f"line {line} is not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise _mistake("is nested too deeply; write plain keys") from None
    except ValueError as error:  # with tomllib.TOMLDecodeError
        why = " ".join(str(error).split())
        why = why if why.isprintable() and len(why) <= 100 else shown(why)
        raise _mistake(f"not TOML: {why}; mend it there") from None


def _keys(table: dict[str, Any]) -> _Keys:
    """Return the keys of a manifest, known, there and of the right kind."""
    for key in table:
        if key not in WRITE:
            raise _mistake(_unknown(key))
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(_Keys):
        if field.name in table:
            values[field.name] = _value(field.name, table[field.name], field.type)
        elif field.required:
            raise _mistake(f"there is no {field.name}; write {WRITE[field.name]}")
    return _Keys(**values)


def _value(key: str, value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise _mistake(f"{key} is {shown(value)}; write {WRITE[key]}") from None


def _unknown(key: str) -> str:
    near = get_close_matches(key, WRITE, n=1, cutoff=0.5)
    if near:
        return f"there is no key {shown(key)}; did you mean {near[0]}? Write {WRITE[near[0]]}"
    return f"there is no key {shown(key)}; write one of {', '.join(WRITE)}, or take it out"


def _check_run(run: str, files: Collection[str]) -> None:
    """Refuse what names no class, and a file that the submission does not have."""
    try:
        source, name = split_spec(run)
    except BotError:
        raise _mistake(f"run {shown(run)} names no class; write {WRITE['run']}") from None
    if is_file(source):
        _check_there("run", source, files)
    elif not name or not all(part.isidentifier() for part in source.split(".")):
        raise _mistake(f"run {shown(run)} names no class; write {_forms()}")


def _check_there(key: str, file: str, files: Collection[str]) -> None:
    if file not in files:
        hint = nearest(file[:100], files) or "; write a file's name as seen from the bot's folder"
        raise _mistake(f"{key}: there is no file {shown(file)} in the submission{hint}")


def _command(words: Sequence[str], files: Collection[str]) -> tuple[str, ...]:
    if not words or not words[0]:
        raise _mistake(f"command is empty; write {WRITE['command']}")
    if any("\0" in word for word in words):
        raise _mistake("command holds a NUL, which no program can get; leave it out")
    command = tuple(words)
    program = command[0]
    if program.startswith("/"):
        raise _mistake(
            f"command starts {shown(program)}, which lies elsewhere where it is played; write the "
            f"program's name alone, as in {WRITE['command']}"
        )
    if "/" in program:
        _check_there("command", Manifest("", None, command).program or "", files)
    elif program in files:
        raise _mistake(f"command: write {json.dumps('./' + program)}, for it is a file beside it")
    return command


def _requirements(written: Sequence[str]) -> tuple[str, ...]:
    if len(written) > MOST_REQUIREMENTS:
        raise _mistake(f"there are {len(written)} requirements; {MOST_REQUIREMENTS} are allowed")
    return tuple(map(_requirement, written))


def _requirement(written: str) -> str:
    """Return a requirement in one form, which pip cannot take for a path, a URL or an option."""
    try:
        if len(written) > LONGEST_REQUIREMENT:
            raise ValueError("too long")
        found = Requirement(written)
    except (ValueError, RecursionError):  # with packaging's own error
        raise _mistake(
            f"requirements: {shown(written)} is no name with versions; write it as in "
            f"{WRITE['requirements']}"
        ) from None
    if found.url is not None:
        raise _mistake(
            f"requirements: {shown(written)} points at a place; write a name with versions, as in "
            f"{WRITE['requirements']}"
        )
    if found.name.lower().endswith(_FILES):
        raise _mistake(
            f"requirements: {shown(written)} is called like a file; write the package's name"
        )
    if canonicalize_name(found.name) in OURS:
        raise _mistake(f"requirements: {found.name} is always there; take it out")
    return str(found)
