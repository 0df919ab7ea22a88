"""A replay one event a key press, forth and back, to the page that says that it is the end."""

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

from sandlot.game.events import Acted
from sandlot.played import PlayedMatch
from sandlot.records import Moment
from sandlot_server.cli.replay_page import result_page, rule
from sandlot_server.cli.table_view import WIDTH, Look, draw_table, standing, street_name
from sandlot_server.cli.telling import tell

NEXT: Final = (" ", "\r", "\n", "\x1b[C", "l", "n")
BACK: Final = ("b", "\x7f", "\x08", "\x1b[D")
DECISION: Final = ("d",)
HAND: Final = ("h", "\x1b[B")
HAND_BEFORE: Final = ("p", "\x1b[A")
QUIT: Final = ("q", "\x1b", "\x04")


def step_through(
    console: Console, moments: Sequence[Moment], played: PlayedMatch, look: Look
) -> bool:
    """Show the moments one by one; return whether the reader came to the page after the last."""
    at, end = 0, len(moments)
    # The keys first: what is pressed while a page is drawn is not lost.
    with keys(sys.stdin.fileno()) as pressed, console.screen(hide_cursor=True) as screen:
        while True:
            show = page if at < end else end_page
            screen.update(Group(*show(moments, at, played, look, console.height)))
            key = next(pressed, QUIT[0])
            if key in QUIT or (key in NEXT and at == end):
                return at == end
            at = whither(key, moments, at)


def whither(key: str, moments: Sequence[Moment], at: int) -> int:
    """Return which moment a key leads to; the one after the last is the end."""
    end = len(moments)
    last = end - 1 if at < end - 1 else end
    if key in NEXT:
        return min(end, at + 1)
    if key in BACK:
        return max(0, at - 1)
    if key in DECISION:
        later = range(at + 1, end)
        return next((one for one in later if isinstance(moments[one].event, Acted)), last)
    if key in HAND:
        return next((one for one in range(at, end) if moments[one].hand > moments[at].hand), last)
    if key in HAND_BEFORE:
        begins = [one for one in range(end) if moments[one].step == 1 and one <= at]
        return begins[-1] if at == end or len(begins) == 1 else begins[-2]
    return at


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
    foot = footer(look, f"{now.step} of {now.steps}")
    room = max(1, height - len(lines) - 1)
    told: list[Text] = []
    for earlier in range(at, -1, -1):
        if moments[earlier].hand != now.hand or len(told) >= room:
            break
        told = [*tell(moments[earlier], look).split("\n"), *told]
    told = told[-room:]
    return [*lines, *told, *[Text()] * (room - len(told)), foot]


def end_page(
    moments: Sequence[Moment], at: int, played: PlayedMatch, look: Look, height: int
) -> list[Text]:
    """Return the lines of the screen after the last moment: how it ended, and that it has."""
    hands = len({moment.hand for moment in moments})
    if hands == len(played.hands):
        lines = [rule("The end of the match", look), *result_page(played, look)]
    else:
        lines = [rule(f"The end of hand {moments[-1].hand} of {len(played.hands)}", look)]
    lines = lines[: height - 1]
    return [*lines, *[Text()] * (height - 1 - len(lines)), footer(look, "the end")]


def footer(look: Look, where: str) -> Text:
    """Return the line that tells the keys, and where one is."""
    keys = look.apart("space next", "b back", "d decision", "h hand", "p hand before", "q quit")
    return Text(f"{keys}{where:>{max(2, WIDTH - len(keys))}}", "dim")
