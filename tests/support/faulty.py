"""Matches in which seats take their time, answer nonsense, fail and go, as a test chooses."""

from __future__ import annotations

import random
from collections.abc import Callable

from sandlot.game import Action
from sandlot.match import (
    Answered,
    Ask,
    Ended,
    Gone,
    Happening,
    Illegible,
    Match,
    Raised,
    TimedOut,
)
from sandlot.played import MatchSetup, PlayedMatch

NONSENSE = ("", "pass", "raise 2", "BET", "check ", '{"a":1}', "\x00\x1b[31m", "é\u2028", "\ud800")
"""Answers that are no action, among them text that is hard to write down."""


def faulty_match(setup: MatchSetup, choices: random.Random, fault: float = 0.15) -> PlayedMatch:
    """Play a match in which each decision goes wrong with the probability ``fault``."""
    match = Match(setup)
    effects = match.start()
    while not isinstance(effects[-1], Ended):
        asked = match.asked
        assert asked is not None
        effects = []
        if choices.random() < fault / 4:  # somebody goes, whoever is asked
            effects = match.handle(gone(choices, choices.randrange(len(setup.entrants)), asked))
        if match.asked is asked:
            effects = match.handle(
                wrong(choices, asked) if choices.random() < fault else right(choices, asked)
            )
    return effects[-1].played


def played_with(setup: MatchSetup, happens: Callable[[Ask], Happening]) -> PlayedMatch:
    """Play a match in which ``happens(asked)`` happens at each decision."""
    match = Match(setup)
    effects = match.start()
    while not isinstance(effects[-1], Ended):
        assert match.asked is not None
        effects = match.handle(happens(match.asked))
    return effects[-1].played


def scripted(*firsts: Callable[[Ask], Happening]) -> Callable[[Ask], Happening]:
    """Let ``firsts`` happen at the first decisions, then the first legal action at once."""

    def happens(asked: Ask) -> Happening:
        if asked.decision <= len(firsts):
            return firsts[asked.decision - 1](asked)
        return Answered(asked.seat, asked.decision, asked.seen.legal[0], 0.0)

    return happens


def right(choices: random.Random, asked: Ask) -> Happening:
    """Answer as is right, mostly at once, but now and then at the cost of the bank."""
    elapsed = choices.choice((0.0, 0.0004, 0.01, asked.allowed - asked.bank, asked.allowed))
    if elapsed > 1e6:  # nobody is timed
        elapsed = choices.uniform(0, 100)
    elapsed *= choices.choice((1.0, 1.0, choices.random()))
    return Answered(asked.seat, asked.decision, choices.choice(asked.seen.legal), elapsed)


def wrong(choices: random.Random, asked: Ask) -> Happening:
    """Do something wrong."""
    seat, number = asked.seat, asked.decision
    timed = asked.allowed < 1e6
    elapsed = choices.random() * min(asked.allowed, 2.0)
    late = asked.allowed + choices.choice((0.0002, 0.0011, 0.7)) if timed else elapsed
    text = choices.choice((*NONSENSE, "x" * 300, "ü" * 300))
    wrongs: list[Happening] = [
        Answered(seat, number, Action(text), elapsed),
        Answered(seat, number, Action.FOLD, elapsed),
        Answered(seat, number, Action("raise", 2), elapsed),
        Illegible(seat, elapsed, text),
        Raised(seat, number, elapsed, f"ValueError: {text}"),
        gone(choices, seat, asked),
    ]
    if timed:
        wrongs += [
            TimedOut(seat, number, late),
            TimedOut(seat, number, asked.allowed - 0.0003),  # a clock that rang early
            Answered(seat, number, choices.choice(asked.seen.legal), late),
            Answered(seat, number, Action(text), late),
            Raised(seat, number, late, text),
        ]
    return choices.choice(wrongs)


def gone(choices: random.Random, seat: int, asked: Ask) -> Happening:
    """Let a seat be gone."""
    elapsed = choices.choice((0.0, 0.3, min(asked.allowed, 1e6) + 1.0))
    return Gone(seat, choices.choice(("crash", "crash", "timeout")), "gone", elapsed)
