"""Text out of a file, made fit for a terminal: a bot or a key of a record may be called anything.

What is not printable, as the beginning of an order to the terminal, becomes a ``?``.
"""

from __future__ import annotations

import json


def printable(text: str) -> str:
    """Return a text in one line without what a terminal would obey.

    >>> printable("a\\x1b[31mb")
    'a?[31mb'
    """
    return text if text.isprintable() else "".join(map(_sign, text))


def printable_lines(text: str) -> str:
    """Return a text of several lines without what a terminal would obey, but with its tabs.

    >>> printable_lines("one\\x1b\\n\\ttwo")
    'one?\\n\\ttwo'
    """
    return "".join([sign if sign in "\n\t" else _sign(sign) for sign in text])


def printable_json(text: str) -> str:
    r"""Return a JSON text that means the same, and holds nothing that a terminal would obey.

    >>> printable_json('"a\x9bb"')
    '"a\\u009bb"'
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        [
            sign if sign == "\n" or sign.isprintable() else json.dumps(sign).strip('"')
            for sign in text
        ]
    )


def _sign(character: str) -> str:
    return character if character.isprintable() else "?"
