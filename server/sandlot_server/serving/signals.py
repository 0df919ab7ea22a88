"""How a server is asked to stop: once to end in good order, twice to end at once."""

from __future__ import annotations

import asyncio
import signal
from typing import Any, Final, Self

import structlog

STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What stops a server, as it stops a run."""


class Drain:
    """Takes the signals that stop a server, within its context.

    The first sets ``begun``: no new work is begun, and what runs may end. The second sets
    ``at_once``. A signal that was ignored when the server was started, as by nohup, stays ignored.
    Enter it on the event loop, in the main thread; whoever handled the signals before does so
    again afterwards.

    Attributes:
        begun: set by the first signal; a server that cannot go on may set it, too, and any signal
            is the second then.
        at_once: set by the second.

    """

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.at_once = asyncio.Event()
        self._before: dict[signal.Signals, Any] = {}
        self._log = structlog.get_logger("sandlot.serving")

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for number in STOPPING:
            handler = signal.getsignal(number)
            if handler is not signal.SIG_IGN:
                self._before[number] = handler
                loop.add_signal_handler(number, self._came, number)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number, handler in self._before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
        self._before.clear()

    def _came(self, number: signal.Signals) -> None:
        if self.begun.is_set():
            self._log.warning("stopping at once", signal=number.name)
            self.at_once.set()
        else:
            self._log.info("draining", signal=number.name)
            self.begun.set()
