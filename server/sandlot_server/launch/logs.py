"""The logs of bots: how they are opened, and what a bot said last, fit to be shown to a person."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

from sandlot.errors import BotError

_WINDOW: Final = 32 * 1024  # bytes from the end; a bot may have written gigabytes
_WIDTH: Final = 300  # characters of a line


_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a directory",
}


def open_log(path: Path) -> BinaryIO:
    """Open a log to append to it, unbuffered; it is made if it is not there.

    Raises:
        BotError: something else is in its place. A pipe would be waited at until somebody reads.
        OSError: it cannot be opened.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)

    try:
        file = open(path, "ab", buffering=0, opener=opener)  # noqa: SIM115
    except OSError:
        _refuse_irregular(path, path.stat().st_mode if path.exists() else stat.S_IFREG)
        raise
    try:
        _refuse_irregular(path, os.fstat(file.fileno()).st_mode)
    except BotError:
        file.close()
        raise
    os.set_blocking(file.fileno(), True)
    return file


def _refuse_irregular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise BotError(
            f"{path}, where a bot's log belongs, is {kind} and no regular file: "
            "move it away, and run again"
        )


def tail(path: Path, lines: int = 30, since: int = 0) -> str:
    """Return the last lines of a log, at most ``lines``, each with its line feed.

    Args:
        path: the log; one that is not there says nothing.
        lines: how many.
        since: the position in the file, in bytes, before which nothing counts.

    Characters that would do something to a terminal become ``?``, and long lines are cut.
    """
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        start = max(since, size - _WINDOW)
        file.seek(start)
        text = file.read(_WINDOW).decode(errors="replace")
    said = text.splitlines()
    if start > since:
        del said[:1]  # the window has cut it
    return "".join(f"{_shown(line)}\n" for line in said[-lines:] if lines > 0)


def _shown(line: str) -> str:
    line = line.expandtabs(4)
    if len(line) > _WIDTH:
        line = f"{line[:_WIDTH]}..."
    return "".join(character if character.isprintable() else "?" for character in line)
