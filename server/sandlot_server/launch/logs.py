"""What a bot said: the end of its log, fit to be shown to a person."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_WINDOW: Final = 32 * 1024  # bytes from the end; a bot may have written gigabytes
_WIDTH: Final = 300  # characters of a line


def tail(path: Path, lines: int = 30, since: int = 0) -> str:
    """Return the last lines of a log, at most ``lines``, each with its line feed.

    Args:
        path: the log; one that is not there says nothing.
        lines: how many.
        since: the position in the file, in bytes, before which nothing counts.

    Characters that would do something to a terminal become ``?``, and long lines are cut.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            start = max(since, size - _WINDOW)
            file.seek(start)
            text = file.read(_WINDOW).decode(errors="replace")
    except FileNotFoundError:
        return ""
    said = text.splitlines()
    if start > since:
        del said[:1]  # the window has cut it
    return "".join(f"{_shown(line)}\n" for line in said[-lines:] if lines > 0)


def _shown(line: str) -> str:
    line = line.expandtabs(4)
    if len(line) > _WIDTH:
        line = f"{line[:_WIDTH]}..."
    return "".join(character if character.isprintable() else "?" for character in line)
