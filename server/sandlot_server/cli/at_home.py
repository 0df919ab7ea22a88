"""A bot that plays at a server from this process: how its matches end is told, and ^C ends it."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

import click

from sandlot.address import Address
from sandlot.host import BotClass, Failure, Host
from sandlot.notices import MatchEnd, MatchStart, Notice
from sandlot.session import play_session
from sandlot_server.cli.counting import many
from sandlot_server.cli.printable import printable
from sandlot_server.cli.table_view import signed

if TYPE_CHECKING:
    from sandlot.game.actions import Action
    from sandlot.observation import Observation
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.logins import Login

LEAVING: Final = b"Leaving when this decision is made; once more leaves at once.\n"

SENT_WITHIN: Final = 0.1
"""Seconds that the last answer gets to leave."""

TICK: Final = 0.05
"""Seconds between two looks at whether the bot can leave now."""

TICKS: Final = 40
"""Looks after which it leaves wherever it is."""

ROUSING: Final = signal.SIGURG
"""The signal that only rouses; the system itself ignores it."""

ROUSED: Final = 2
"""How often the main thread is roused: the first may come just before it begins to wait."""


def play_at_home(bot: BotClass, login: Login, entered: pb.ConnectResponse, *, quiet: bool) -> None:
    """Play until the server ends the session.

    Raises:
        SessionError: the session was refused, ended for a reason, or lost for good.
        KeyboardInterrupt: ^C was pressed, and the bot has left.
    """
    host = _Told(bot, quiet=quiet)
    leaving = _Leaving(host)
    try:
        with leaving.on_interrupt():
            play_session(host, Address.parse(login.address, login.ca), entered.token)
    finally:
        if host.played:
            click.echo(printable(host.summary()))
        if host.under_way:
            grace = entered.grace_ms / 1000
            click.echo(
                f"{many(host.under_way, 'match', 'matches')} under way: whoever connects it within "
                f"{grace:g} s plays on, later its seats are out.",
                err=True,
            )


class _Told(Host):
    """A host that tells how matches end, and knows whether its bot is at something.

    Attributes:
        busy: whether the bot is at something.
        leaving: whether it is to be asked no more.
        played: how many matches have ended.

    """

    def __init__(self, bot: BotClass, *, quiet: bool) -> None:
        super().__init__(bot)
        self.busy = False
        self.leaving = False
        self.played = 0
        self._quiet = quiet
        self._sum = Fraction(0)
        self._tables: dict[tuple[str, int], tuple[str, ...]] = {}

    @property
    def under_way(self) -> int:
        """How many matches have begun and not ended."""
        return len(self._tables)

    def tell(self, notice: Notice) -> Failure | None:
        """Tell the bot, and a person how a match has ended."""
        if isinstance(notice, MatchStart):
            self._tables[notice.match, notice.seat] = notice.bots
        with self._at_it():
            failure = super().tell(notice)
        if isinstance(notice, MatchEnd):
            self._ended(notice)
        return failure

    def decide(self, seen: Observation) -> Action | Failure:
        """Ask the bot for one decision."""
        with self._at_it():
            return super().decide(seen)

    def decide_many(self, seen: Sequence[Observation]) -> list[Action | Failure]:
        """Ask the bot for many decisions."""
        with self._at_it():
            return super().decide_many(seen)

    @contextmanager
    def _at_it(self) -> Iterator[None]:
        if self.leaving:
            _leave()
        before, self.busy = self.busy, True
        try:
            yield
        finally:
            self.busy = before
            if self.leaving:
                signal.setitimer(signal.ITIMER_REAL, SENT_WITHIN, TICK)

    def _ended(self, end: MatchEnd) -> None:
        names = self._tables.pop((end.match, end.seat), ())
        net = end.net[end.seat]
        self.played += 1
        self._sum += net
        if not self._quiet:
            others = ", ".join([name for seat, name in enumerate(names) if seat != end.seat])
            place = f"place {end.places[end.seat]} of {len(end.places)}"
            click.echo(printable(f"{end.match}: {signed(net)}, {place}, against {others}"))

    def summary(self) -> str:
        """Return in a line how its matches have ended."""
        return f"{many(self.played, 'match', 'matches')}, {signed(self._sum)} on the whole"


class _Leaving:
    """Takes ^C: the bot leaves when it is done with what it is at, and the stream is at rest.

    An exception that came in the middle of what asyncio or gRPC does could be lost there, or leave
    something behind for which closing the stream waits.
    """

    def __init__(self, host: _Told) -> None:
        self._host = host
        self._ticks = 0

    @contextmanager
    def on_interrupt(self) -> Iterator[None]:
        """Take the signals meanwhile."""
        before = [
            (number, signal.signal(number, handler))
            for number, handler in ((signal.SIGINT, self._interrupt), (signal.SIGALRM, self._tick))
        ]
        try:
            with _heard_at_once():
                yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in before:
                signal.signal(number, handler)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._host.leaving:
            _leave()  # who is in a hurry gets it the second time
        self._host.leaving = True
        if self._host.busy:
            os.write(2, LEAVING)  # no print: it may have come in the middle of one
        else:
            signal.setitimer(signal.ITIMER_REAL, TICK, TICK)

    def _tick(self, number: int, frame: FrameType | None) -> None:
        if self._host.busy:
            return
        self._ticks += 1
        waits = frame is not None and frame.f_code.co_filename == selectors.__file__
        if waits or self._ticks >= TICKS:
            _leave()


def _leave() -> NoReturn:
    signal.setitimer(signal.ITIMER_REAL, 0)  # once: closing the stream waits, too
    raise KeyboardInterrupt


@contextmanager
def _heard_at_once() -> Iterator[None]:
    """See that no signal waits until the main thread wakes by itself.

    Python runs the handlers in the main thread, and the system may give a signal to any: then that
    one sleeps on, or waits for a file. So a thread of its own hears of each signal and rouses it.
    """
    hears, told = socket.socketpair()
    told.setblocking(False)
    main = threading.get_ident()

    def rouse() -> None:
        while numbers := hears.recv(64):
            if set(numbers) - {ROUSING}:
                for _ in range(ROUSED):
                    signal.pthread_kill(main, ROUSING)
                    time.sleep(TICK)

    before = signal.signal(ROUSING, lambda number, frame: None)
    told_before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    thread = threading.Thread(target=rouse, name="rouse", daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(told_before)
        told.close()
        thread.join()
        hears.close()
        signal.signal(ROUSING, before)
