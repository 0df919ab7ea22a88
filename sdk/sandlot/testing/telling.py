"""``python -m sandlot.testing.telling BOT``: check a bot in a process of its own, and report.

A server that tries a bot of a stranger starts this in its sandbox, and listens at the unix socket
that ``SANDLOT_ADDRESS`` names. What is sent is one `Told` in JSON. The bot's own code runs in this
process and may send whatever it likes in its place: what is told helps its author, and proves
nothing to anybody else.
"""

from __future__ import annotations

import os
import socket
import sys

import msgspec

from sandlot.errors import BotError
from sandlot.loading import load_bot
from sandlot.testing import check_bot


class Told(msgspec.Struct):
    """What came of a check."""

    ok: bool
    line: str
    """The first thing that is wrong; empty where nothing is."""
    account: str
    """All that was found, for the bot's author."""


def tell_of(spec: str) -> Told:
    """Check the bot that ``module:Class`` or ``file.py[:Class]`` names; return what came of it."""
    try:
        report = check_bot(load_bot(spec))
    except BotError as error:  # it cannot be loaded
        return Told(False, str(error), error.account)
    serious = [finding for finding in report.findings if finding.serious]
    line = f"{serious[0].kind}: {serious[0].text}" if serious else ""
    return Told(report.ok, line, str(report))


def main() -> None:
    """Check the bot that the command line names."""
    told = msgspec.json.encode(tell_of(sys.argv[1]))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.connect(os.environ["SANDLOT_ADDRESS"].removeprefix("unix:"))
        listener.sendall(told)


if __name__ == "__main__":
    main()
