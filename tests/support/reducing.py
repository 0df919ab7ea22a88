"""Matches played through the reducer by seats that answer at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

from sandlot.clock import Clock
from sandlot.game import Action
from sandlot.match import Answered, Ask, Effect, Match
from sandlot.played import Entrant, MatchSetup


def setup_for(
    seats: int = 2,
    hands: int = 8,
    variant: str = "baseball",
    match: str = "3-12-1",
    seed: bytes = bytes(32),
    clock: Clock | None = Clock(),  # noqa: B008 - a frozen value
    strikes: int = 3,
    bots: tuple[str, ...] = (),
    anonymous: bool = False,
) -> MatchSetup:
    """Return the set-up of a match between bots named ``bot-0`` and so on."""
    names = bots or tuple(f"bot-{seat}" for seat in range(seats))
    return MatchSetup(
        match=match,
        tournament="friday",
        attempt=1,
        variant=variant,
        entrants=tuple(Entrant(name, "0" * 64) for name in names),
        first_dealer=0,
        seed=seed,
        hands=hands,
        tournament_commitment="0" * 64,
        clock=clock,
        strikes=strikes,
        anonymous=anonymous,
    )


def seed_that_asks(seat: int, **setup: Any) -> bytes:
    """Return a seed with which this seat is the first that is asked."""
    for number in count():
        seed = number.to_bytes(16, "big")
        [asked] = [e for e in Match(setup_for(seed=seed, **setup)).start() if isinstance(e, Ask)]
        if asked.seat == seat:
            return seed
    raise AssertionError


def effects_of(setup: MatchSetup, choices: random.Random) -> Iterator[Effect]:
    """Play the match, each seat taking any legal action, and yield all effects in order."""
    match = Match(setup)
    effects = match.start()
    while True:
        asked = None
        for effect in effects:
            if isinstance(effect, Ask):
                asked = effect
            yield effect
        if asked is None:
            return
        action = any_of(asked.seen.legal, choices)
        effects = match.handle(Answered(asked.seat, asked.decision, action, 0.0))


def any_of(legal: tuple[Action, ...], choices: random.Random) -> Action:
    """Return a legal action; a fold seldom, so that most hands go on to the showdown."""
    action = choices.choice(legal)
    if action == Action.FOLD and choices.random() < 0.7:
        return Action.CALL
    return action
