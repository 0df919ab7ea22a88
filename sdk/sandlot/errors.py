"""Everything Sandlot raises on purpose.

::

    SandlotError
    ├── CardError        a card, pack or deck that cannot be (a ValueError)
    ├── RuleError        an action or set-up that the rules refuse; quotes the rule (a ValueError)
    ├── SeedError        a seed that is not hex or is too short, or has no such use (a ValueError)
    ├── ClockError       a time or duration that cannot be (a ValueError)
    ├── RecordError      a record that does not hold: says the line and the first difference
    ├── BotError         a bot that cannot be loaded, started, or that answers nonsense
    ├── LeagueError      a league file that cannot be played; says the key and what to write
    ├── SubmissionError  a submission that is refused; says the file or key and what to mend
    ├── StoreError       a database that is not ours, of a later version, or of another tournament
    ├── ServerError      a server that cannot run as it is asked to; says the address or file
    ├── SessionError     a session with an arbiter that was refused, ended for a reason, or lost
    ├── CallError        a call to a league server that was refused, failed, or cannot be made
    └── WireError        a message of a protocol, variant or action that this version does not know
"""

from __future__ import annotations


class SandlotError(Exception):
    """The root: one line, for a person, that says what was found and what to do."""


class CardError(SandlotError, ValueError):
    """A card, pack or deck that cannot be."""


class RuleError(SandlotError, ValueError):
    """An action or a set-up that the rules refuse; the message quotes the rule."""


class SeedError(SandlotError, ValueError):
    """A seed that is not hexadecimal or is too short, or a name no seed can be derived for."""


class ClockError(SandlotError, ValueError):
    """A time or duration that cannot be; the message says how one is written."""


class RecordError(SandlotError):
    """A record that does not hold; the message names the line and the first difference.

    ``line`` is the number of the line in its file, from 1, and ``path`` the key within it, as in
    ``events[14].paid``: None and empty where the error is not about one.
    """

    def __init__(self, message: str, *, line: int | None = None, path: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.path = path


class BotError(SandlotError):
    """A bot that cannot be loaded or started, or that answers nonsense.

    ``account`` is what the bot itself had to say, lines to be shown before the message: the
    traceback of its import, or the end of its standard error. Empty when there is none.
    """

    def __init__(self, message: str, account: str = "") -> None:
        super().__init__(message)
        self.account = account


class LeagueError(SandlotError):
    """A league file that cannot be played; the message names the key and what to write."""


class SubmissionError(SandlotError):
    """A submission that is refused; the message names the file or key and says what to mend.

    ``account`` is what was said while it was built, lines to be shown before the message. Empty
    when there is none.
    """

    def __init__(self, message: str, account: str = "") -> None:
        super().__init__(message)
        self.account = account


class StoreError(SandlotError):
    """A database that is not ours, is of a later version, or holds another configuration."""


class ServerError(SandlotError):
    """A server that cannot run as it is asked to; the message names the address or file."""


class SessionError(SandlotError):
    """A session with an arbiter that was refused, ended for a reason, or lost.

    ``reason`` is the arbiter's own word for it, one of those in docs/protocol.md; empty when it
    said none. ``lost`` is whether the connection failed, which may be back in a while.
    """

    def __init__(self, message: str, *, reason: str = "", lost: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.lost = lost


class CallError(SandlotError):
    """A call to a league server that was refused, failed, or cannot be made.

    ``status`` is the name of gRPC's status, such as ``NOT_FOUND``; empty where no call was made.
    """

    def __init__(self, message: str, *, status: str = "") -> None:
        super().__init__(message)
        self.status = status


class WireError(SandlotError):
    """A message of a protocol, variant or action that this version does not know."""


def in_one_line(text: str, most: int = 300) -> str:
    r"""Return a text as one line that may be printed anywhere: strangers may have written of it.

    Args:
        text: whatever it is; white space becomes single spaces, and ``?`` what is not printable.
        most: characters of the line; a longer one is cut.

    >>> in_one_line("a\n  b\x1b"), in_one_line("much too long", most=8)
    ('a b?', 'much ...')
    """
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join([sign if sign.isprintable() else "?" for sign in line])
    return line if len(line) <= most else f"{line[: most - 3]}..."
