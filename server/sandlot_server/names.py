"""What owners, bots, tournaments and seasons may be called: one rule, for names become file names.

A name is a folder or a file on the server's disk, a word of a command line, and a cell of a table.
"""

from __future__ import annotations

import re
from typing import Final

NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
NAME_WORDS: Final = "write 1 to 32 of a-z 0-9 . _ - and begin with a letter or digit"


def is_name(text: str) -> bool:
    """Tell whether something may be called that."""
    return NAME.fullmatch(text) is not None


def meant(text: str) -> str | None:
    """Return the name that somebody meant who wrote another text, None if that is open.

    >>> meant("River Rat"), meant("river/rat")
    ('river-rat', None)
    """
    lower = text.lower().replace(" ", "-")
    return lower if is_name(lower) else None
