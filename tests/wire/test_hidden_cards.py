"""Cards hidden from a seat never change a byte that the seat is sent, at any moment of a hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from unittest.mock import patch

import pytest
from support.reducing import any_of, setup_for

from sandlot.game import VARIANTS, Action, Dealt, Hand, Revealed
from sandlot.match import Answered, Ask, Effect, Match, Tell
from sandlot.observation import Observation
from sandlot.pack import PACK, Deck
from sandlot.seeds import Shuffle
from sandlot.wire import Request, SeatWriter, write_observation

DEALS = 4


def a_deck(random: random.Random) -> Deck:
    deck = list(PACK)
    random.shuffle(deck)
    return Deck(deck)


def with_hidden_cards_permuted(deck: Deck, hand: Hand, seat: int, by: random.Random) -> Deck:
    """Return the deck with all cards permuted that the seat has not seen in this hand so far.

    Nothing is burned (R3.5), so the n-th card dealt is the n-th of the deck.
    """
    shown = {card for event in hand.events if isinstance(event, Revealed) for card in event.down}
    dealt = [event for event in hand.events if isinstance(event, Dealt)]
    hidden = [
        place
        for place, event in enumerate(dealt)
        if not event.up and event.seat != seat and event.card not in shown
    ]
    hidden += range(len(dealt), len(deck))
    permuted = list(deck)
    for place, other in zip(hidden, by.sample(hidden, len(hidden)), strict=True):
        permuted[place] = deck[other]
    return Deck(permuted)


def moments(
    seats: int, dealer: int, choices: random.Random, deck: Deck
) -> Iterator[tuple[Hand, list[Action]]]:
    """Play a hand at random; yield it at every moment with the actions that led there."""
    hand = VARIANTS["baseball"].deal(seats, dealer, deck)
    actions: list[Action] = []
    yield hand, actions
    while hand.to_act is not None:
        action = any_of(hand.legal, choices)
        hand.apply(action)
        actions.append(action)
        yield hand, actions


def replayed(hand: Hand, deck: Deck, actions: list[Action]) -> Hand:
    again = VARIANTS["baseball"].deal(hand.seats, hand.dealer, deck)
    for action in actions:
        again.apply(action)
    return again


def seen_by(hand: Hand, seat: int) -> bytes:
    balances = (Fraction(1, 2),) * hand.seats
    return write_observation(Observation(hand, seat, balances, "1-1-1", 1, 1))


@pytest.mark.parametrize("seats", range(2, 7))
def test_no_observation_changes_with_hidden_cards_for_any_seat_at_any_moment(seats: int) -> None:
    choices = random.Random(seats)
    after_folds = over = changed = 0
    for number in range(DEALS):
        deck = a_deck(choices)
        for hand, actions in moments(seats, number % seats, choices, deck):
            for seat in range(seats):
                other = with_hidden_cards_permuted(deck, hand, seat, choices)
                again = replayed(hand, other, actions)
                assert seen_by(again, seat) == seen_by(hand, seat)
                changed += again.events != hand.events
                after_folds += not all(hand.live)
                over += hand.over
    assert after_folds > seats
    assert over >= DEALS * seats
    assert changed > 40


def test_an_observation_does_change_with_a_card_that_the_seat_sees() -> None:
    """The proof above would be empty if the cards seen were not in the bytes."""
    hand = VARIANTS["baseball"].deal(2, 0, PACK)
    swapped = (PACK[1], PACK[0], *PACK[2:])  # the first down cards of seat 1 and seat 0
    again = VARIANTS["baseball"].deal(2, 0, swapped)
    assert seen_by(again, 0) != seen_by(hand, 0)
    assert seen_by(again, 1) != seen_by(hand, 1)


def messages_of(
    seats: int, decks: list[Deck], moves: list[Action]
) -> list[tuple[int, bytes, Hand]]:
    """Play a match with these decks; return all that is sent, to whom, and the hand at that time.

    ``moves`` is how the hands are played; where it ends, a seat takes the first legal action.
    """
    dealt = iter(decks)
    with patch("sandlot.match.shuffle", lambda seed: Shuffle(next(dealt), 5)):
        match = Match(setup_for(seats, hands=len(decks)))
        writers = [SeatWriter() for _ in range(seats)]
        sent: list[tuple[int, bytes, Hand]] = []
        moves = moves[::-1]
        effects: list[Effect] = match.start()
        while effects:
            asked = None
            for effect in effects:
                if isinstance(effect, Ask):
                    asked = effect
                    request = Request(effect.seen, effect.allowed, effect.bank)
                    sent.append((effect.seat, writers[effect.seat].ask(request), match._hand))
                elif isinstance(effect, Tell):
                    told = writers[effect.seat].tell(effect.notice)
                    sent.append((effect.seat, told, match._hand))
            if asked is None:
                return sent
            action = moves.pop() if moves else asked.seen.legal[0]
            effects = match.handle(Answered(asked.seat, asked.decision, action, 0.0))
    return sent


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_nothing_sent_in_a_hand_or_at_its_end_changes_with_hidden_cards(seats: int) -> None:
    """The same, through the reducer: requests, the ends of hands and of the match."""
    choices = random.Random(seats)
    shown = unshown = 0
    for _ in range(8):
        deck = a_deck(choices)
        hand, moves = list(moments(seats, 0, choices, deck))[-1]
        shown += any(isinstance(event, Revealed) for event in hand.events)
        unshown += not all(hand.live)
        for seat in range(seats):
            other = with_hidden_cards_permuted(deck, hand, seat, choices)
            sent = [message for to, message, _ in messages_of(seats, [deck], moves) if to == seat]
            again = [message for to, message, _ in messages_of(seats, [other], moves) if to == seat]
            assert again == sent
            assert len(sent) > 3
    assert shown
    assert unshown
