"""Keeps a bot from ending the process that tries it, and tells how it would have done so."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

WAYS_OUT: Final[tuple[tuple[ModuleType, str], ...]] = (
    *((os, name) for name in ("_exit", "abort", "kill", "killpg")),
    *((os, name) for name in ("execv", "execve")),  # all others of their kind call these
    (signal, "raise_signal"),
)
"""What ends a process at once, without a word."""


class WayOut(BaseException):
    """Raised, as ``SystemExit`` is, where the process would have ended; the text is the call."""


@contextmanager
def no_way_out() -> Iterator[None]:
    """Raise `WayOut` where the process would end at once, as by ``os._exit``.

    Who has taken such a function out of its module beforehand is not held up, nor is a crash of
    the interpreter. Child processes may end as they like.

    >>> with no_way_out():
    ...     os._exit(3)
    Traceback (most recent call last):
    sandlot.testing.ways_out.WayOut: os._exit(3)
    """
    before = [(module, name, getattr(module, name)) for module, name in WAYS_OUT]
    for module, name, function in before:
        setattr(module, name, _held_up(f"{module.__name__}.{name}", function))
    try:
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)


def _held_up(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    ours, group = os.getpid(), os.getpgrp()

    def ends(*arguments: Any) -> bool:
        match name, arguments:
            case "signal.raise_signal", (number,):
                return _is_deadly(number)
            case "os.kill", (process, number):
                return process in (ours, 0, -1) and _is_deadly(number)
            case "os.killpg", (processes, number):
                return processes in (group, 0) and _is_deadly(number)
        return True

    def instead(*arguments: Any) -> Any:
        if os.getpid() != ours or not ends(*arguments):
            return function(*arguments)
        raise WayOut(f"{name}({', '.join(map(str, arguments))})")

    return instead


def _is_deadly(number: int) -> bool:
    """Whether nobody here takes that signal, as the interrupt from the keyboard is taken."""
    return number != 0 and signal.getsignal(number) is signal.SIG_DFL
