"""The signals that stop a run, and what is said of those that come before there is one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import click

STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What stops a run in good order; a second one of them kills the bots where they stand."""


class _Stopped(BaseException):
    """A signal came; like an interrupt it is no error that anybody mends."""


def heeded() -> list[signal.Signals]:
    """Return those of them that were not ignored when this process was started, as by nohup."""
    return [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]


@contextmanager
def stoppable(before_what: str = "the first match; nothing was played") -> Iterator[None]:
    """Take the signals until the run takes them itself: what is imported and read takes a moment.

    Args:
        before_what: what has not come to be when it is stopped here.

    Raises:
        Exit: one of them came, and a line has said so.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_DFL)  # who is in a hurry gets it with the second one
        raise _Stopped(number)

    before = {number: signal.getsignal(number) for number in heeded()}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    except _Stopped as stopped:
        (number,) = stopped.args
        name = signal.Signals(number).name
        click.echo(f"Stopped by {name} before {before_what}.", err=True)
        raise click.exceptions.Exit(128 + number) from None
    finally:
        for each, handler in before.items():
            if signal.getsignal(each) is stop:
                signal.signal(each, handler)
