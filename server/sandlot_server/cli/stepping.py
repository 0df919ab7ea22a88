"""A replay one event a key press, forth and back."""

from __future__ import annotations

import os
import re
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.text import Text

from sandlot.played import PlayedMatch
from sandlot.records import Moment
from sandlot_server.cli.replay_page import rule
from sandlot_server.cli.table_view import Look, draw_table, standing, street_name
from sandlot_server.cli.telling import tell

NEXT: Final = (" ", "\r", "\n", "\x1b[C", "l", "n")
BACK: Final = ("b", "\x7f", "\x08", "\x1b[D")
HAND: Final = ("h", "\x1b[B")
QUIT: Final = ("q", "\x1b", "\x04")


def step_through(
    console: Console, moments: Sequence[Moment], played: PlayedMatch, look: Look
) -> bool:
    """Show the moments one by one; return whether the last was passed before the reader quit."""
    at = 0
    # The keys first: what is pressed while a page is drawn is not lost.
    with keys(sys.stdin.fileno()) as pressed, console.screen(hide_cursor=True) as screen:
        while at < len(moments):
            screen.update(Group(*page(moments, at, played, look, console.height)))
            key = next(pressed, QUIT[0])
            if key in NEXT:
                at += 1
            elif key in BACK:
                at = max(0, at - 1)
            elif key in HAND:
                at = next_hand(moments, at)
            elif key in QUIT:
                return False
    return True


@contextmanager
def keys(terminal: int) -> Iterator[Iterator[str]]:
    """Read single keys from a terminal, by its descriptor, until the end of the block."""
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSANOW)
    try:
        yield _read_keys(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read_keys(terminal: int) -> Iterator[str]:
    while pressed := os.read(terminal, 64):
        yield from split_keys(pressed.decode(errors="replace"))


def split_keys(pressed: str) -> list[str]:
    r"""Return the keys that a terminal has sent at once.

    >>> split_keys(" \x1b[Ch")
    [' ', '\x1b[C', 'h']
    """
    return re.findall(r"\x1b\[[0-9;]*[A-Za-z~]|.", pressed, re.DOTALL)


def next_hand(moments: Sequence[Moment], at: int) -> int:
    """Return where the next hand begins; in the last one, its last moment."""
    hand = moments[at].hand
    return next(
        (later for later in range(at, len(moments)) if moments[later].hand > hand),
        len(moments) - 1,
    )


def page(
    moments: Sequence[Moment], at: int, played: PlayedMatch, look: Look, height: int
) -> list[Text]:
    """Return the lines of a screen: the table, and below it what has happened, the latest last."""
    now = moments[at]
    title = [f"Hand {now.hand} of {len(played.hands)}"]
    if now.street:
        title.append(street_name(now.street).lower())
    worths = height >= 2 * len(now.seats) + 8
    table = draw_table(now, look, worths=worths)
    lines = [rule(look.apart(*title, standing(now, look)), look), *table, rule("", look)]
    keys = look.apart("space next", "b back", "h next hand", "q quit")
    foot = Text(f"{keys}{f'{now.step} of {now.steps}':>{max(2, 80 - len(keys))}}", "dim")
    room = max(1, height - len(lines) - 1)
    told: list[Text] = []
    for earlier in range(at, -1, -1):
        if moments[earlier].hand != now.hand or len(told) >= room:
            break
        told = [*tell(moments[earlier], look).split("\n"), *told]
    told = told[-room:]
    return [*lines, *told, *[Text()] * (room - len(told)), foot]
