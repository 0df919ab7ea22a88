"""What holds in every hand, whatever is dealt and done."""

from dataclasses import replace
from fractions import Fraction

from game.play_out import actions, fresh_hands
from hypothesis import given
from hypothesis import strategies as st

from sandlot import Action, Card
from sandlot.game import VARIANTS, Acted, Awarded, Dealt, Hand, Opened, Revealed, View
from sandlot.game.table import Table
from sandlot.hands import exposed, showdown
from sandlot.pack import PACK

VOCABULARY = [
    Action.CHECK,
    Action.BET,
    Action.CALL,
    Action.RAISE,
    Action.FOLD,
    Action("bet", 1),
    Action("fold", cards=(Card("As"),)),
    Action("pass"),
]

ON_THE_TABLE = (
    *("street", "betting", "up", "down", "exposed", "live", "remaining", "paid_round", "paid_hand"),
    *("won", "pot", "level", "to_act", "legal", "waiting", "history", "raises_left", "net"),
)


@given(fresh_hands(), st.data())
def test_money_is_neither_made_nor_lost(hand, choices):
    for now in actions(hand, choices):
        if not now.over:
            assert now.pot == sum(now.paid_hand)
    assert sum(hand.net) == 0
    assert sum(e.amount for e in hand.events if isinstance(e, Awarded)) == hand.pot
    assert all(isinstance(net, Fraction) for net in hand.net)


@given(fresh_hands(), st.data())
def test_the_legal_set_is_the_accepted_set_and_never_empty(hand, choices):
    for now in actions(hand, choices):
        accepted = [action for action in VOCABULARY if now.accepts(action)]
        assert accepted == sorted(now.legal, key=VOCABULARY.index)
        assert bool(now.legal) is not now.over


@given(fresh_hands(), st.data())
def test_only_seats_still_in_are_asked_and_never_one_alone(hand, choices):
    for now in actions(hand, choices):
        if now.to_act is not None:
            assert now.live[now.to_act]
            assert sum(now.live) >= 2


@given(fresh_hands(), st.data())
def test_no_more_than_a_bet_and_three_raises_a_round(hand, choices):
    for _ in actions(hand, choices):
        pass
    for street in hand.variant.streets:
        raised = [
            event
            for event in hand.events
            if isinstance(event, Acted)
            and event.street == street
            and event.action in (Action.BET, Action.RAISE)
        ]
        assert len(raised) <= 4


@given(fresh_hands(), st.data())
def test_every_round_is_opened_by_the_best_exposed_hand(hand, choices):
    for now in actions(hand, choices):
        last = now.events[-1]
        if isinstance(last, Opened):
            wild = now.variant.wild
            order = [(now.dealer + 1 + place) % now.seats for place in range(now.seats)]
            live = [seat for seat in order if now.live[seat]]
            best = max(exposed(now.up[seat], wild) for seat in live)
            first = next(seat for seat in live if exposed(now.up[seat], wild) == best)
            assert last.seat == first == now.to_act


@given(fresh_hands(), st.data())
def test_the_best_hand_shown_takes_the_pot(hand, choices):
    for _ in actions(hand, choices):
        pass
    shown = [event for event in hand.events if isinstance(event, Revealed)]
    awarded = [event.seat for event in hand.events if isinstance(event, Awarded)]
    if shown:
        values = {e.seat: showdown(e.down + hand.up[e.seat], hand.variant.wild) for e in shown}
        best = max(values.values())
        assert awarded == [e.seat for e in shown if values[e.seat] == best]
    else:
        assert awarded == [hand.live.index(True)]


@given(fresh_hands(), st.data())
def test_cards_come_off_the_deck_in_order_each_once(hand, choices):
    for _ in actions(hand, choices):
        pass
    cards = [event.card for event in hand.events if isinstance(event, Dealt)]
    assert len(set(cards)) == len(cards) <= 52
    assert cards == list(hand.deck[: len(cards)])


@given(fresh_hands(), st.data())
def test_a_view_is_the_fold_of_the_events_that_its_seat_has_seen(hand, choices):
    for now in actions(hand, choices):
        for seat in (None, *range(now.seats)):
            seen = [event.seen_by(seat) for event in now.events]
            folded = View.fold(now.variant, now.seats, now.dealer, seat, seen)
            assert folded == now.view(seat)


@given(fresh_hands(), st.data())
def test_a_table_at_which_the_events_happen_again_is_the_same(hand, choices):
    for now in actions(hand, choices):
        if now.over or choices.draw(st.integers(0, 9)) == 0:
            table = Table(now.variant, now.seats, now.dealer)
            for event in now.events:
                table.happen(event)
            for name in ON_THE_TABLE:
                assert getattr(table, name) == getattr(now, name), name


@given(fresh_hands(), st.data())
def test_a_view_does_not_change_with_later_play(hand, choices):
    kept = []
    for now in actions(hand, choices):
        view = now.view(0)
        kept.append((view, view.to_json()))
    for view, then in kept:
        assert view.to_json() == then


@given(fresh_hands(), st.data())
def test_a_clone_goes_its_own_way(hand, choices):
    for now in actions(hand, choices):
        before = (now.events, now.legal, now.net)
        clone = now.clone()
        assert (clone.events, clone.legal, clone.net) == before
        assert [clone.view(seat) for seat in range(now.seats)] == [
            now.view(seat) for seat in range(now.seats)
        ]
        while clone.to_act is not None:
            clone.apply(clone.legal[-1])
        assert (now.events, now.legal, now.net) == before


@given(fresh_hands(), st.data())
def test_hidden_cards_never_change_what_a_seat_sees(hand, choices):
    """Permute what a seat cannot see and play the same: the view is equal at every moment."""
    for _ in actions(hand, choices):
        pass
    taken = [event.action for event in hand.events if isinstance(event, Acted)]
    seat = choices.draw(st.integers(0, hand.seats - 1))
    shown = {card for event in hand.events if isinstance(event, Revealed) for card in event.down}
    visible = {
        event.card
        for event in hand.events
        if isinstance(event, Dealt) and (event.up or event.seat == seat)
    } | shown
    hidden = [card for card in hand.deck if card not in visible]
    moved = dict(zip(hidden, choices.draw(st.permutations(hidden)), strict=True))
    deck = [moved.get(card, card) for card in hand.deck]
    here = hand.variant.deal(hand.seats, hand.dealer, hand.deck)
    there = hand.variant.deal(hand.seats, hand.dealer, deck)
    for action in taken:
        assert here.view(seat) == there.view(seat)
        here.apply(action)
        there.apply(action)
    assert here.view(seat) == there.view(seat)
    assert here.net == there.net


def count_lines(hand: Hand) -> tuple[int, int]:
    """How many decisions there can be in the rest of the hand, and how many ways it can end."""
    if hand.to_act is None:
        return 0, 1
    nodes, ends = 1, 0
    for action in hand.legal:
        child = hand.clone()
        child.apply(action)
        more, finished = count_lines(child)
        nodes += more
        ends += finished
    return nodes, ends


def test_a_two_seat_betting_round_enumerated():
    """Counted by hand: after x raises (x <= 3) a seat may call, fold or, below the cap, raise.

    After a bet there are 4 levels, each with one decision and two ends (call and fold): 4 and 8.
    The round begins check or bet; check again check or bet. So the decisions are 2 + 2 x 4 = 10,
    and the ends 1 + 2 x 8 = 17, of which 8 are folds and 9 go on to the next street.
    """
    hand = VARIANTS["baseball"].deal(2, 0, PACK)

    def walk(now: Hand) -> tuple[int, int, int]:
        if now.to_act is None:
            return 0, 1, 0
        if now.street == 4:
            return 0, 0, 1
        total = [1, 0, 0]
        for action in now.legal:
            child = now.clone()
            child.apply(action)
            total = [a + b for a, b in zip(total, walk(child), strict=True)]
        return total[0], total[1], total[2]

    assert walk(hand) == (10, 8, 9)


def test_a_two_seat_hand_has_as_many_lines_as_arithmetic_says():
    """Each round has 10 decisions, 8 folds and 9 ways on (see above): here over four rounds."""
    baseball = VARIANTS["baseball"]
    until_sixth = baseball.program[:9]
    short = replace(baseball, name="short", program=(*until_sixth, baseball.program[-1]))
    hand = short.deal(2, 0, PACK)
    rounds = range(4)
    decisions = sum(10 * 9**before for before in rounds)
    ends = sum(8 * 9**before for before in rounds) + 9**4
    assert count_lines(hand) == (decisions, ends)
