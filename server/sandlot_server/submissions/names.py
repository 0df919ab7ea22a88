"""The names of the files of a submission: which there may be, and which stand for the same.

A name is a POSIX path seen from the folder of the bot. It has to mean one file, the same one, on
every system that an author or a server has.
"""

from __future__ import annotations

from reprlib import Repr
from typing import Final
from unicodedata import normalize

from sandlot.errors import SubmissionError
from sandlot_server.submissions.limits import Limits

LONGEST_FILE: Final = 100
LONGEST_FOLDER: Final = 155
"""Bytes in UTF-8 of a file's own name, and of the path of its folder: what a ustar header holds."""

SHOWN: Final = 60
"""Characters of a stranger's text that a message repeats."""

_REPR: Final = Repr()  # which stops at a length and a depth, where repr itself could fail
_REPR.maxstring = _REPR.maxother = SHOWN


def shown(value: object) -> str:
    r"""Return a value for a message: in one line, not too long, nothing that a terminal obeys.

    >>> shown("a\x1b[2J"), shown("x" * 100)
    ("'a\\x1b[2J'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'")
    """
    text = _REPR.repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


class Names:
    """The names of one submission, taken in one after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._known: dict[tuple[str, ...], tuple[str, bool]] = {}
        """By what a name is on a system that tells neither case nor normalisation apart: the name
        as it was written, and whether it is a file."""
        self._files = 0

    def __len__(self) -> int:
        return self._files

    def add(self, name: str) -> None:
        """Take in the name of one more file.

        Raises:
            SubmissionError: it is no name that a file may have, there are too many, or on some
                system it would be the same as one before.
        """
        check_name(name, self._limits)
        self._files += 1
        if self._files > self._limits.files:
            raise SubmissionError(
                f"there are more than {self._limits.files:,} files; leave out what the bot does "
                "not need"
            )
        parts = name.split("/")
        alike = [normalize("NFKC", normalize("NFKC", part).casefold()) for part in parts]
        for length in range(1, len(parts) + 1):
            is_file = length == len(parts)
            self._note("/".join(parts[:length]), tuple(alike[:length]), is_file)

    def _note(self, name: str, key: tuple[str, ...], is_file: bool) -> None:
        known = self._known.get(key)
        if known is None:
            self._known[key] = (name, is_file)
            return
        other, other_is_file = known
        if other != name:
            raise SubmissionError(
                f"{shown(name)} and {shown(other)} differ in case or in the form of a letter only; "
                "rename one of them"
            )
        if is_file != other_is_file:
            raise SubmissionError(f"{shown(name)} is both a file and a folder; rename one of them")
        if is_file:
            raise SubmissionError(f"{shown(name)} is there twice; keep one of them")


def check_name(name: str, limits: Limits) -> None:
    """Refuse what is no name for a file of a submission.

    Names that Windows alone refuses, as ``aux.py``, are taken: bots play elsewhere.

    Raises:
        SubmissionError: says what is wrong with it.

    >>> check_name("cards/odds.py", Limits())
    """
    wrong = _wrong_with(name, limits)
    if wrong:
        raise SubmissionError(f"{shown(name)} {wrong}")


def _wrong_with(name: str, limits: Limits) -> str:
    parts = name.split("/")
    if name.startswith("/"):
        return "is an absolute path; write it as seen from the bot's folder"
    if ".." in parts:
        return "climbs out of its folder; write it as seen from the bot's folder"
    if "" in parts or "." in parts:
        return "has an empty part; write it as seen from the bot's folder, as in cards/odds.py"
    if not name.isprintable():  # with what turns the direction of writing, and undecodable bytes
        return "holds a character that cannot be shown; rename it"
    if "\\" in name or ":" in name:
        return "holds a \\ or a :, which is a path of its own on some systems; rename it"
    if normalize("NFC", name) != name:
        return "is not in Unicode's form NFC; rename it"
    if any(part != part.strip(" ") or part.endswith(".") for part in parts):
        return "has a space at an end or a dot at its end, which some systems drop; rename it"
    *folders, file = (part.encode() for part in parts)
    if len(file) > LONGEST_FILE or len(b"/".join(folders)) > LONGEST_FOLDER:
        return (
            f"is too long; write at most {LONGEST_FILE} bytes for a file's own name and "
            f"{LONGEST_FOLDER} for its folder"
        )
    if len(parts) > limits.depth:
        return f"lies too deep; {limits.depth} parts are allowed"
    return ""
