"""Hands as PHH: pokerkit loads them, keeps every field, and does not take them for another game."""

from __future__ import annotations

import io
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import HandHistory
from records.handled import WITH_A_BONUS, records
from support.faulty import faulty_match, played_with, scripted
from support.reducing import setup_for

from sandlot import phh
from sandlot.game import VARIANTS
from sandlot.game.events import Acted, Dealt, Revealed
from sandlot.pack import PACK
from sandlot.played import Entrant, PlayedHand
from sandlot.records import Record, read

CARDS = set(map(str, PACK))
KNOWN_TO_POKERKIT = set(HandHistory.game_types)


def cases() -> list[Record]:
    return [record for text in records().values() for record in read(text)]


def loaded(some: list[Record]) -> list[HandHistory]:
    return list(HandHistory.loads_all("".join(phh.tables(some))))


def test_one_hand_is_this_text() -> None:
    (record,) = read(records()["faulty"])
    text = phh.hand_text(record, record.played.hands[1])
    assert text.splitlines()[:13] == [
        'variant = "baseball"',
        "antes = [1, 1, 1]",
        "small_bet = 1",
        "big_bet = 1",
        "starting_stacks = [inf, inf, inf]",
        'actions = ["d dh p3 Qc6c7d", "d dh p1 Tc4d4s", "d dh p1 6h # bonus", "d dh p2 3d9d8c", '
        '"p2 cbr 1", "p3 f", "p1 f"]',
        'event = "friday"',
        "hand = 2",
        "seats = [1, 2, 3]",
        "seat_count = 3",
        'table = "1-1-3"',
        'players = ["bot-0", "bot-1", "bot-2"]',
        '_format = "sandlot-record/1"',
    ]


def test_pokerkit_loads_every_hand_and_keeps_its_fields() -> None:
    some = cases()
    hands = [(record, hand) for record in some for hand in record.played.hands]
    histories = loaded(some)
    assert len(histories) == len(hands)
    for history, (record, hand) in zip(histories, hands, strict=True):
        setup = record.played.setup
        kept = history.user_defined_fields
        assert history.variant == "baseball"
        assert history.players == [entrant.bot for entrant in setup.entrants]
        assert (history.hand, history.table, history.event) == (hand.hand, setup.match, "friday")
        assert kept["_deck"].split() == [str(card) for card in hand.deck]
        assert kept["_seed"] == setup.seed.hex()
        assert (kept["_rules"], kept["_wild"], kept["_bonus"]) == ("baseball/1", "39", "4")
        assert kept["_net"] == [str(net) for net in hand.net]
        assert (kept["_dealer"], kept["_cut"]) == (hand.dealer, hand.cut)
        assert [fault["fault"] for fault in kept["_faults"]] == [
            decision.fault for decision in hand.decisions if decision.fault
        ]


def test_a_file_is_loaded_as_pokerkit_loads_files() -> None:
    text = "".join(phh.tables(cases()))
    assert len(list(HandHistory.load_all(io.BytesIO(text.encode())))) == 5
    one = phh.hand_text(cases()[0], cases()[0].played.hands[0])
    assert HandHistory.load(io.BytesIO(one.encode())).hand == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_variant_bears_the_code_of_another_game(variant: str) -> None:
    played = faulty_match(setup_for(variant=variant, hands=1), random.Random(1), 0.0)
    (history,) = loaded([Record(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")])
    assert history.variant not in KNOWN_TO_POKERKIT
    with pytest.raises(KeyError, match=variant):  # it is not played as something else
        list(history)


def actions_again(hand: PlayedHand) -> list[str]:
    """Return the actions of a hand put together in another way: event by event."""
    said = []
    for event in hand.events:
        player = f"p{getattr(event, 'seat', 0) + 1}"
        if isinstance(event, Dealt):
            said += [f"{player} {event.card}"]
        elif isinstance(event, Acted):
            verb = {"fold": "f", "check": "cc", "call": "cc"}.get(event.action.name)
            said += [f"{player} {verb or f'cbr {event.level}'}"]
        elif isinstance(event, Revealed):
            said += [f"{player} sm {''.join(map(str, event.down))}"]
    return said


def without_deals(said: list[str]) -> list[str]:
    return [words for words in said if words.split()[1] not in CARDS]


@settings(max_examples=30)
@given(
    st.integers(2, 6),
    st.randoms(use_true_random=False),
    st.text(max_size=5),
    st.binary(min_size=32, max_size=32),
)
def test_all_cards_and_actions_of_any_hand_are_there_whatever_the_bots_are_called(
    seats: int, choices: random.Random, name: str, seed: bytes
) -> None:
    setup = setup_for(seats=seats, hands=2, seed=seed)
    bot = Entrant(name.encode(errors="replace").decode(), "1")
    setup = replace(setup, entrants=(bot, *setup.entrants[1:]))
    played = faulty_match(setup, choices, 0.1)
    record = Record(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
    for history, hand in zip(loaded([record]), played.hands, strict=True):
        assert history.players is not None
        assert history.players[0] == bot.bot
        said = []
        for action in history.actions:
            words = action.partition(" # ")[0].split()
            if words[:2] == ["d", "dh"]:
                dealt = words[3]
                said += [f"{words[2]} {dealt[at : at + 2]}" for at in range(0, len(dealt), 2)]
            else:
                said.append(" ".join(words))
        # Within a street the cards of a seat stand together; a street's deals are one run.
        assert sorted(said) == sorted(actions_again(hand))
        assert without_deals(said) == without_deals(actions_again(hand))


def test_a_card_that_a_4_has_brought_is_an_action_of_its_own() -> None:
    (record,) = read(records()["clean"])
    assert record.played.setup.seed == WITH_A_BONUS
    (history,) = loaded([record])
    at = history.actions.index("d dh p2 4c")
    assert history.actions[at + 1] == "d dh p2 Td # bonus"


def test_split_pots_are_exact_text() -> None:
    setup = setup_for(seats=3, hands=1, seed=(41).to_bytes(32))
    played = played_with(setup, scripted())
    (history,) = loaded([Record(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")])
    assert history.user_defined_fields["_net"] == ["-1", "1/2", "1/2"]
    assert history.user_defined_fields["_awards"] == [
        {"seat": 1, "amount": "3/2"},
        {"seat": 2, "amount": "3/2"},
    ]
