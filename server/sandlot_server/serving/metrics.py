"""What a server counts and measures, for Prometheus.

No metric has a label whose values grow with use: no bot, owner, match or season is named.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from enum import StrEnum
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, get_args

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from sandlot.played import FAULT_CAUSES
from sandlot_server.league.reception import Outcome

if TYPE_CHECKING:
    from sandlot.played import PlayedMatch

SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""The upper bounds of the histogram of decisions. The record has whole milliseconds."""

UNANSWERED: Final = ("out", "crash")
"""What a decision is marked with that nobody was asked for, or that nobody was there to make."""


class VoidReason(StrEnum):
    """Why an attempt at a match has no result."""

    DRAINED = "drained"
    """The server stopped before the match was over."""
    BOT = "bot"
    """A bot could not be started again, or went away before the first card."""
    FAILED = "failed"
    """The server or the store failed."""


class Metrics:
    """The numbers of one server, in a registry of their own.

    What happens is told by calling a method, from any thread. What is there at the moment is read
    when somebody asks: see ``measure``.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._log = structlog.get_logger("sandlot.serving")
        self._matches = Counter(
            "sandlot_matches",
            "Attempts at matches that ended.",
            ["outcome"],
            registry=self.registry,
        )
        self._void = Counter(
            "sandlot_void_matches",
            "Attempts at matches that ended without a result.",
            ["reason"],
            registry=self.registry,
        )
        self._hands = Counter("sandlot_hands", "Hands of finished matches.", registry=self.registry)
        self._decisions = Counter(
            "sandlot_decisions",
            "Decisions that bots were asked for in finished matches.",
            registry=self.registry,
        )
        self._faults = Counter(
            "sandlot_faults",
            "Faults of bots in finished matches.",
            ["cause"],
            registry=self.registry,
        )
        self._latency = Histogram(
            "sandlot_decision_seconds",
            "From the request to the answer or the time-out, in finished matches.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self._submissions = Counter(
            "sandlot_submissions", "Submissions tried.", ["outcome"], registry=self.registry
        )
        self._add_standing()

    def _add_standing(self) -> None:
        """Add what has a value from the start: series that appear late hide their first event."""
        for outcome in ("finished", "void"):
            self._matches.labels(outcome)
        for reason in VoidReason:
            self._void.labels(reason)
        for cause in FAULT_CAUSES:
            self._faults.labels(cause)
        for outcome in get_args(Outcome):
            self._submissions.labels(outcome)
        build = Gauge(
            "sandlot_build_info",
            "Always 1; the labels say what runs.",
            ["version", "python"],
            registry=self.registry,
        )
        build.labels(version("sandlot"), platform.python_version()).set(1)
        ProcessCollector(registry=self.registry)

    def match_finished(self, played: PlayedMatch) -> None:
        """Count a match that is over and stored, its hands, decisions and faults."""
        self._matches.labels("finished").inc()
        self._hands.inc(len(played.hands))
        for faults in played.faults:
            for cause, count in faults.items():
                self._faults.labels(cause).inc(count)
        asked = 0
        for hand in played.hands:
            for decision in hand.decisions:
                asked += decision.fault != "out"
                if decision.fault not in UNANSWERED:
                    self._latency.observe(decision.ms / 1000)
        self._decisions.inc(asked)

    def match_void(self, reason: VoidReason) -> None:
        """Count an attempt that ended without a result."""
        self._matches.labels("void").inc()
        self._void.labels(reason).inc()

    def submission_tried(self, outcome: Outcome) -> None:
        """Count a submission that has become active, was refused, or could not be tried."""
        self._submissions.labels(outcome).inc()

    def measure(
        self,
        *,
        matches_under_way: Callable[[], float],
        matches_queued: Callable[[], float],
        sessions: Callable[[], float],
        store_bytes: Callable[[], float],
    ) -> None:
        """Say how to learn what is there at the moment; once, when the server begins.

        They are called in another thread whenever somebody asks, so they only look. One that fails
        is told in the log, and its value is ``NaN``.

        Args:
            matches_under_way: matches that are being played.
            matches_queued: matches that are drawn and not begun.
            sessions: bots that are connected.
            store_bytes: how large the database is.

        """
        self._gauge("sandlot_matches_under_way", "Matches being played.", matches_under_way)
        self._gauge("sandlot_matches_queued", "Matches drawn and not begun.", matches_queued)
        self._gauge("sandlot_sessions", "Bots connected.", sessions)
        self._gauge("sandlot_store_bytes", "Size of the database.", store_bytes)

    def _gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        def value() -> float:
            try:
                return read()
            except Exception as error:
                self._log.warning("metric not to be had", metric=name, reason=repr(error))
                return float("nan")

        Gauge(name, text, registry=self.registry).set_function(value)
