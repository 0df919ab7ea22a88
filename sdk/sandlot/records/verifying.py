"""Take a record to pieces: everything in it that follows from something else is worked out again.

The seed must be the one that was committed to, the decks and cuts those that it gives. The
decisions go through the reducer that played the match (``sandlot.match``), so that every event,
net, balance, place, fault, the digest and the checksum come out of it a second time; the first
difference is named. Nothing is repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sandlot.errors import RecordError
from sandlot.game.actions import Action
from sandlot.match import Answered, Ask, Ended, Gone, Happening, Illegible, Match, Raised, TimedOut
from sandlot.played import MatchSetup, PlayedMatch
from sandlot.records.differing import compare_hands, compare_lines
from sandlot.records.lines import HandLine, Place
from sandlot.records.reading import Source, Stored, setup_of, stored
from sandlot.records.writing import Record, as_line, digest, hand_line, match_line, result_text
from sandlot.seeds import commitment, hand_seed, match_seed, shuffle, table_order

_SCHEDULED: Final = re.compile(r"(?P<round>[1-9][0-9]{,8})-(?P<table>[1-9][0-9]{,8})-[1-9]")
"""The id of a match that a schedule has laid out. Others name matches of no table."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A match that holds: its record, where it begins in its file, how much was decided in it."""

    record: Record
    line: int
    hands: int
    decisions: int


def verify(source: Source, tournament_seed: bytes | None = None) -> Iterator[Verified]:
    """Yield the matches of a file as they are found to hold.

    Args:
        source: a path, an open binary file, or the text.
        tournament_seed: the tournament's raw seed, once it is out: then every match must be of
            that tournament, and its own seed and first dealer must come from it.

    Raises:
        RecordError: at the first thing that does not hold; names the line, the key, what stands
            there and what should.

    """
    for match in stored(source):
        yield verify_match(match, tournament_seed)


def verify_match(match: Stored, tournament_seed: bytes | None = None) -> Verified:
    """Verify one match as it stands in a file; see ``verify``."""
    setup = setup_of(match)
    started, ended = match.match.started, match.result.ended
    _check_commitment(match, setup.seed)
    compare_lines(match.texts[0], as_line(match_line(setup, started)), match.place)
    if tournament_seed is not None:
        _check_chain(match, tournament_seed)
    played = _played_again(match, setup)
    before = match.texts[:-1]
    result = result_text(played, ended, before, digest(before)) + b"\n"
    compare_lines(match.texts[-1], result, match.place_of(-1))
    decisions = sum(len(hand.decisions) for hand in match.hands)
    return Verified(Record(played, started, ended), match.place.line, len(match.hands), decisions)


def _check_commitment(match: Stored, seed: bytes) -> None:
    """Check the match's seed against what was told to the seats before the first card."""
    committed = commitment(seed)
    if match.match.commitment != committed:
        match.place.refuse(
            f'commitment is "{match.match.commitment}"; expected "{committed}", which is the '
            f"SHA-256 of the seed on line {match.place_of(-1).line}",
            "commitment",
        )


def _check_chain(match: Stored, tournament_seed: bytes) -> None:
    """Check that the match's seed and its first dealer come from the tournament's seed."""
    committed = commitment(tournament_seed)
    if match.match.tournament_commitment != committed:
        match.place.refuse(
            f'tournament_commitment is "{match.match.tournament_commitment}"; expected '
            f'"{committed}", as the tournament\'s seed gives',
            "tournament_commitment",
        )
    seed = match_seed(tournament_seed, match.match.match, match.match.attempt).hex()
    if match.result.seed != seed:
        match.place_of(-1).refuse(
            f'seed is "{match.result.seed}"; expected "{seed}", as the tournament\'s seed gives '
            f"for match {match.match.match}, attempt {match.match.attempt}",
            "seed",
        )
    scheduled = _SCHEDULED.fullmatch(match.match.match)
    if scheduled is not None:
        table = (int(scheduled["round"]), int(scheduled["table"]), len(match.match.seats))
        _, first_dealer = table_order(tournament_seed, *table)
        if match.match.first_dealer != first_dealer:
            match.place.refuse(
                f"first_dealer is {match.match.first_dealer}; expected {first_dealer}, as the "
                "tournament's seed gives for this round and table (R2.1)",
                "first_dealer",
            )


def _played_again(stored: Stored, setup: MatchSetup) -> PlayedMatch:
    """Play the match again with what came from the bots, and return what comes of it."""
    match = Match(setup)
    effects = match.start()
    before = 0  # decisions in the hands before this one
    for number, hand in enumerate(stored.hands):
        place = stored.place_of(number + 1)
        try:
            while match.hands_completed == number:  # none is left where all seats are out
                asked = match.asked
                assert asked is not None  # a hand that is not completed waits for a seat
                effects = match.handle(_what_came(asked, hand, asked.decision - 1 - before, place))
            again = match.completed(number + 1)
            compare_hands(stored.texts[number + 1], as_line(hand_line(again)), place)
        except RecordError:
            _check_deck(setup.seed, hand, place)  # which stands before what was refused
            raise
        before += len(hand.decisions)
    ended = effects[-1]
    assert isinstance(ended, Ended)  # there are as many hands as the first line says
    return ended.played


def _check_deck(seed: bytes, hand: HandLine, place: Place) -> None:
    """Check the deck and the cut against the seed (R2.3)."""
    given = shuffle(hand_seed(seed, hand.hand))
    for at, (found, expected) in enumerate(zip(hand.deck.split(), given.deck, strict=True)):
        if found != str(expected):
            place.refuse(
                f"deck: card {at + 1} is {found}; expected {expected}, as the seed gives (R2.3)",
                "deck",
            )
    if hand.cut != given.cut:
        place.refuse(f"cut is {hand.cut}; expected {given.cut}, as the seed gives (R2.3)", "cut")


def _what_came(asked: Ask, hand: HandLine, at: int, place: Place) -> Happening:
    """Return what must have come from the seat that is asked, for the record to be right."""
    path = f"decisions[{at}]"
    if at >= len(hand.decisions):
        place.refuse(f"{path} is missing; expected a decision of seat {asked.seat}", path)
    decision = hand.decisions[at]
    seat, answer, elapsed = asked.seat, decision.answer, decision.ms / 1000
    fault = decision.fault
    if fault == "out":
        place.refuse(
            f'{path}.fault is "out"; expected null or a cause: seat {seat} is asked here, for it '
            "has neither had all its strikes nor gone",
            f"{path}.fault",
        )
    if answer is None:
        if fault is None:
            place.refuse(
                f"{path}.answer is null; expected what came, for no fault is given",
                f"{path}.answer",
            )
        if fault == "timeout" and decision.ms > asked.allowed * 1000:
            return TimedOut(seat, asked.decision, elapsed)
        # Gone while the time was not yet up, or before it was asked: then it is out from here on.
        return Gone(seat, fault, "", elapsed)
    if fault == "exception":
        return Raised(seat, asked.decision, elapsed, answer)
    if fault == "malformed":
        return Illegible(seat, elapsed, answer)
    if fault == "crash":
        place.refuse(
            f'{path}.answer is there; expected null: a seat whose fault is "crash" has not '
            "answered",
            f"{path}.answer",
        )
    return Answered(seat, asked.decision, Action(answer), elapsed)
