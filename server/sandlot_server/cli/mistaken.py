"""Says what a file seems to be that is not what was wanted, and which command takes it."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sandlot.errors import BotError, LeagueError, RecordError

if TYPE_CHECKING:
    from sandlot_server.launch.bots import LaunchedBot

BEGINNING: Final = 4096
"""Bytes of a file that are looked at."""


class Kind(NamedTuple):
    """A kind of file: what it is called, and what to do with it; ``{}`` stands for the file."""

    called: str
    advice: str


FOLDER: Final = Kind("a folder", "name a file in it")
RECORD: Final = Kind("a record", "`sandlot replay {}` shows it")
LEAGUE: Final = Kind("a league file", "`sandlot tournament plan {}` shows what it would play")
BOT: Final = Kind("a bot", "`sandlot check {}` tries it")
DATABASE: Final = Kind(
    "a database",
    "`sandlot standings --db {0}` prints its table, `sandlot export --db {0} --format jsonl OUT` "
    "writes its records",
)
HAND_HISTORY: Final = Kind(
    "a hand history in PHH",
    "other poker programs read it; `sandlot export --format jsonl OUT` writes records",
)
REPLAY_JSON: Final = Kind("what `sandlot replay --json` prints", "it is for scripts")
JSON: Final = Kind("JSON of another kind", "`sandlot export --format jsonl OUT` writes records")
PICTURE: Final = Kind("a picture", "no command takes it")
PACKED: Final = Kind("a compressed file", "unpack it first")
BINARY: Final = Kind("no text", "no command takes it")

WANTED: Final = {RecordError: RECORD, LeagueError: LEAGUE, BotError: BOT}
SUFFIX: Final = {RecordError: ".jsonl", LeagueError: ".toml", BotError: ".py"}
"""What the names of such files end in."""

_MAGIC: Final = (
    (b"SQLite format 3\0", DATABASE),
    (b'{"type":"match"', RECORD),
    (b"\x89PNG", PICTURE),
    (b"\xff\xd8\xff", PICTURE),
    (b"GIF8", PICTURE),
    (b"RIFF", PICTURE),
    (b"BM", PICTURE),
    (b"\x1f\x8b", PACKED),
    (b"PK\x03\x04", PACKED),
    (b"\xfd7zXZ", PACKED),
    (b"\x28\xb5\x2f\xfd", PACKED),
)

_LOOKS: Final = (
    (r"^variant *= *[\"'][\s\S]*^antes *=", HAND_HISTORY),
    (r"^\s*\[ *tournament *\]|^\s*\[\[ *bots *\]\]", LEAGUE),
    (r"^(from|import) +sandlot\b|^class +\w+\((Batch)?Bot\)", BOT),
    (r"\A\{\"match\":.*\"step\":", REPLAY_JSON),
    (r"\A\s*[{\[]\s", JSON),
)


@contextmanager
def told_apart(file: str, error: type[RecordError | LeagueError | BotError]) -> Iterator[None]:
    """Have an error say what the file is, if it is known to be of another kind than was wanted.

    Args:
        file: the name of the file; ``-`` is standard input.
        error: what is raised where the file is not of its kind.
    """
    piped = _peeked() if file == "-" else b""
    try:
        yield
    except (error, OSError):
        kind = kind_of(piped) if file == "-" else kind_at(Path(file))
        wanted = WANTED[error]
        if kind in (None, wanted):
            raise
        advice = kind.advice.format(shlex.quote(file))
        if kind is FOLDER:
            inside = sorted(Path(file).glob(f"*{SUFFIX[error]}"))
            named = [each for each in inside if each.name != "bot.toml"]  # which is no league file
            advice += f", as {named[0]}" if named else ""
        what = f"it {'is' if kind is FOLDER else 'seems to be'} {kind.called}, not {wanted.called}"
        raise error(f"{file}: {what}: {advice}") from None


def bot_given(text: str) -> LaunchedBot:
    """Return the bot that an argument names.

    Raises:
        BotError: there is none, or the argument names a folder or a file of another kind.
    """
    from sandlot_server.launch.bots import CommandBot, bot_as_written

    with told_apart(text, BotError):
        bot = bot_as_written(text)
        alone = isinstance(bot, CommandBot) and bot.command == (text,)
        if alone and kind_at(Path(text)) not in (None, BOT, BINARY):  # which may all be programs
            raise BotError(f"{text} is no program")
    return bot


def kind_at(path: Path) -> Kind | None:
    """Return what a file seems to be; None if that cannot be said."""
    try:
        if path.is_dir():
            return FOLDER
        if not path.is_file():  # to read a pipe would take from it
            return None
        with path.open("rb") as file:
            return kind_of(file.read(BEGINNING), path.suffix)
    except OSError:
        return None


def kind_of(beginning: bytes, suffix: str = "") -> Kind | None:
    """Return what a file seems to be that begins so.

    >>> kind_of(b"[tournament]\\n").called
    'a league file'
    """
    for magic, kind in _MAGIC:
        if beginning.startswith(magic):
            return kind
    if b"\0" in beginning:
        return BINARY
    text = beginning.decode(errors="replace")
    for look, kind in _LOOKS:
        if re.search(look, text, re.MULTILINE):
            return kind
    return {".toml": LEAGUE, ".py": BOT}.get(suffix) if text else None


def _peeked() -> bytes:
    """Return the beginning of standard input, which is still to be read."""
    peek = getattr(sys.stdin.buffer, "peek", None)
    return b"" if peek is None else bytes(peek(BEGINNING)[:BEGINNING])
