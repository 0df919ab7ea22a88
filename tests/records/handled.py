"""Small records with all that may stand in one, for tests that change them."""

from __future__ import annotations

from functools import cache

from support.faulty import played_with, scripted
from support.reducing import setup_for

from sandlot import Action
from sandlot.clock import Clock
from sandlot.errors import RecordError
from sandlot.match import Answered, Ask, Gone, Happening, Illegible, Raised, TimedOut
from sandlot.records import verify, write

WITH_A_BONUS = bytes([2]) * 32
"""A match seed whose first hand deals a 4 face up and goes to the showdown."""


@cache
def records() -> dict[str, str]:
    """Return records with and without faults, and one of a match that nobody timed."""

    def bets(asked: Ask) -> Happening:
        return Answered(asked.seat, asked.decision, asked.seen.legal[asked.decision % 2], 0.02)

    def fail(asked: Ask) -> Happening:
        seat, number = asked.seat, asked.decision
        return (
            Answered(seat, number, Action("pass"), 0.1),
            TimedOut(seat, number, 99.0),
            Raised(seat, number, 0.1, "ValueError"),
            Illegible(seat, 0.1, "garbage"),
            Answered(seat, number, Action.BET, 99.0),
            Gone(seat, "crash", "", 0.2),
            Gone(seat, "timeout", "", 0.2),
        )[(number - 1) % 7]

    def end(asked: Ask) -> Happening:
        action = Action.FOLD if Action.FOLD in asked.seen.legal else Action.BET
        return Answered(asked.seat, asked.decision, action, 0.02)

    matches = {
        "clean": played_with(setup_for(seats=3, hands=1, match="1-1-1", seed=WITH_A_BONUS), bets),
        "untimed": played_with(setup_for(hands=1, clock=None, match="1-1-2"), scripted()),
        "faulty": played_with(
            setup_for(seats=3, hands=2, clock=Clock(1, 0.5), strikes=4, match="1-1-3"),
            lambda asked: fail(asked) if asked.decision <= 8 else end(asked),
        ),
        "short": played_with(setup_for(hands=1, match="1-1-4"), end),
    }
    return {
        name: write(match, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
        for name, match in matches.items()
    }


def refused(text: str | bytes, seed: bytes | None = None) -> bool:
    try:
        list(verify(text, seed))
    except RecordError:
        return True
    return False
