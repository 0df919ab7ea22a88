"""``sandlot serve``: everything that one server is, begun in order and ended in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.confining import Confinement
from sandlot_server.launch.limits import Limits as BotLimits
from sandlot_server.launch.plain import PLAIN
from sandlot_server.league.hall import Hall
from sandlot_server.league.places import DataFolder
from sandlot_server.league.reception import Reception
from sandlot_server.league.sitting import STOPPED, TROUBLE
from sandlot_server.league.starting import launched
from sandlot_server.league.tables import DEFECT
from sandlot_server.service.handler import league_handler
from sandlot_server.service.league import League
from sandlot_server.serving import reflection
from sandlot_server.serving.health import Health
from sandlot_server.serving.listening import PUBLIC, listen
from sandlot_server.serving.metrics import Metrics, VoidReason
from sandlot_server.serving.scraping import scraped
from sandlot_server.serving.signals import Drain
from sandlot_server.store.registry import Registry
from sandlot_server.store.store import Store

if TYPE_CHECKING:
    from sandlot_server.serving.certificates import CertificateFiles

SERVICES: Final = ("sandlot.v1.ArbiterService", "sandlot.v1.LeagueService")

LOOK: Final = 1.0
"""Seconds from one look at whether matches can be played to the next."""

FAREWELL: Final = 1.0
"""Seconds in which calls may end by themselves when all else has ended."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How a server is to serve.

    Attributes:
        folder: of all that it keeps but the store, and of the store too where that is a file.
        listen: its address; see ``listening.listen``.
        tls: its certificate; None for none.
        metrics: where Prometheus finds the metrics; None for nowhere.
        tables: matches under way at once.
        grace: seconds that matches have to end when it drains.
        sandbox: what a bot in its sandbox may use; None for no sandbox.

    """

    folder: DataFolder
    listen: str
    tls: CertificateFiles | None = None
    metrics: str | None = None
    tables: int = 16
    grace: float = 30.0
    sandbox: BotLimits | None = BotLimits()  # noqa: RUF009 - a frozen value

    def confine(self, private: tuple[Path, ...]) -> Confinement:
        """Return how bots are confined that are started here."""
        return PLAIN if self.sandbox is None else Bubblewrap(self.sandbox, private)


async def serve(serving: Serving, store: Store, on_ready: Callable[[str], None]) -> None:
    """Serve until a signal comes, then drain.

    Args:
        serving: how.
        store: open, and nobody else's in this process.
        on_ready: called with the address as clients write it, once it serves.

    Raises:
        ServerError: the address, the certificate or the metrics' address will not do.
        BotError: bots are to be confined as they cannot be here.
    """
    log = structlog.get_logger("sandlot.serving")
    folder, registry, metrics, health = serving.folder, Registry(store), Metrics(), Health(SERVICES)
    hall = Hall(
        store,
        registry,
        folder,
        launched=lambda version: launched(version, folder),
        confine=serving.confine,
        tables=serving.tables,
        on_finished=metrics.match_finished,
        on_void=lambda reason: metrics.match_void(_REASONS.get(reason, VoidReason.BOT)),
        limits=PUBLIC,
    )
    reception = Reception(
        registry,
        folder,
        confine=serving.confine,
        on_change=hall.look,
        on_outcome=metrics.submission_tried,
    )
    metrics.measure(
        matches_under_way=lambda: len(hall.running()),
        matches_queued=lambda: hall.queue,
        sessions=lambda: hall.arbiter.sessions,
        store_bytes=store.size,
    )
    league = League(store, registry, reception, hall)
    with Drain() as drain:
        async with AsyncExitStack() as stack:
            shown = None
            if serving.metrics is not None:
                shown = await stack.enter_async_context(scraped(serving.metrics, metrics.registry))
            handlers = [hall.arbiter.handlers(), league_handler(league), health.handler()]
            handlers += reflection.handlers(SERVICES)
            listening = await listen(serving.listen, handlers, tls=serving.tls)
            await listening.server.start()
            # Left last: until then the hall ends the sessions of bots in good order.
            stack.push_async_callback(listening.server.stop, FAREWELL)
            await stack.enter_async_context(reception)
            await stack.enter_async_context(hall)
            # Or the first who connects would be told that nothing is played.
            await hall.looked.wait()
            address = f"tls://{listening.address}" if serving.tls else listening.address
            log.info("serving", address=address, metrics=shown)
            on_ready(address)
            await _watch_over(hall, health, drain)
            health.drain()
            league.draining.set()
            log.info("matches may end", matches=len(hall.running()), grace=serving.grace)
            await hall.drain(serving.grace, drain.at_once)
    log.info("stopped")


async def _watch_over(hall: Hall, health: Health, drain: Drain) -> None:
    """Tell whether matches can be played, until the server drains."""
    while not drain.begun.is_set():
        health.store_is_writable(hall.healthy)
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK):
                await drain.begun.wait()


_REASONS: Final = {
    STOPPED: VoidReason.DRAINED,
    DEFECT: VoidReason.FAILED,
    TROUBLE: VoidReason.FAILED,
}
