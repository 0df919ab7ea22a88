"""What a seat may expect of the pot: against all deals gone through naively, and the engine."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, inf, sqrt
from random import Random
from statistics import mean, stdev

import pytest

from sandlot import Action, Card, Observation, cards
from sandlot.equity import Equity, equity
from sandlot.errors import RuleError
from sandlot.game import VARIANTS, Hand, Variant
from sandlot.game.steps import Ante, Bet, Deal, Showdown
from sandlot.hands import Value, showdown
from sandlot.pack import PACK

BASEBALL, STUD = "baseball", "seven-card-stud"


def seen_at(hand: Hand, seat: int = 0) -> Observation:
    return Observation(hand, seat, [Fraction(0)] * hand.seats, "1-1-1", 1, 1)


def at_street(street: int, rows: Iterable[str], variant: str = BASEBALL, live: int = 2) -> Hand:
    """A hand on this street: seat by seat what it is dealt, in order; the last seat deals.

    Seats from ``live`` on fold on this street. A row may be short: the rest is what is left of the
    pack. No 4 may be dealt face up.
    """
    held = [cards(row) for row in rows]
    seats = len(held)
    used = {card for row in held for card in row}
    others = [card for card in PACK if card not in used]
    rest = iter(sorted(others, key=lambda card: card.rank == 4))
    rounds = range(max(map(len, held)))
    deck = [row[at] if at < len(row) else next(rest) for at in rounds for row in held]
    hand = VARIANTS[variant].deal(seats, seats - 1, [*deck, *rest])
    while hand.street < street:
        hand.apply(Action.CHECK)
    while len(hand.remaining) > live:  # a bet and raises keep the round open until all have folded
        if hand.to_act is not None and hand.to_act >= live:
            hand.apply(hand.legal[-1] if hand.level else Action.CHECK)
        else:
            hand.apply(hand.legal[1])
    assert hand.street == street
    assert hand.live == [seat < live for seat in range(seats)]
    return hand


def not_seen(seen: Observation) -> list[Card]:
    known = {*seen.down, *(card for seat in seen.seats for card in seat.up)}
    return [card for card in PACK if card not in known]


@lru_cache(maxsize=1 << 12)
def value_of(hand: tuple[Card, ...], wild: str) -> Value:
    return showdown(hand, wild)


def expected(seen: Observation, deals: Iterable[tuple[Fraction, list[tuple[Card, ...]]]]) -> Equity:
    """Reckon with weighted deals of whole hands, () for who has folded, and nothing of ours."""
    seats = len(seen.seats)
    wins, ties, shares = ([Fraction(0)] * seats for _ in range(3))
    total, count = Fraction(0), 0
    for weight, hands in deals:
        values = {seat: value_of(hand, seen.wild) for seat, hand in enumerate(hands) if hand}
        best = max(values.values())
        winners = [seat for seat, value in values.items() if value == best]
        for seat in winners:
            (wins if len(winners) == 1 else ties)[seat] += weight
            shares[seat] += weight / len(winners)
        total += weight
        count += 1
    won, tied, got = ([float(part / total) for part in parts] for parts in (wins, ties, shares))
    return Equity(seen.seat, tuple(won), tuple(tied), tuple(got), (0.0,) * seats, count, True)


def every_deal(
    seen: Observation, to_come: int, hands: tuple[tuple[Card, ...], ...] = ()
) -> Iterator[tuple[Fraction, list[tuple[Card, ...]]]]:
    """Give every seat what it lacks in every way, when only down cards are left; all are alike."""
    number = len(hands)
    if number == len(seen.seats):
        yield Fraction(1), list(hands)
        return
    seat = seen.seats[number]
    known = seen.cards if number == seen.seat else seat.up
    lacking = to_come if number == seen.seat else to_come + seat.down
    if not seat.live:
        known, lacking = (), 0
    given = {card for hand in hands for card in hand}
    for down in combinations([card for card in not_seen(seen) if card not in given], lacking):
        yield from every_deal(seen, to_come, (*hands, known + down))


SEVENTH = at_street(7, ["As Ad Kc 7h 7s 2c 9d", "2d 5h Qd Qh 8s Tc 6s"])
SEVENTH_STUD = at_street(7, ["As Kd Kc 7h 7s 2c Jd", "2d 5h Qd Qh 8s 8c 6s"], STUD)
CLOSE_STUD = at_street(7, ["2s 3d Ac Kh Qs Jc 5d", "2d 5h Ad Kc Qd Jh 6s"], STUD)
CROWDED_STUD = at_street(
    6,
    [
        "As Kd Kc 7h 7s 2c",
        "2d 5h Qd Qh 8s 8c",
        "2h 2s 3c 3d 3h 3s",
        "4c 4d 5c 5d 5s 6c",
        "4h 4s 6d 6h 6s 7c",
        "8d 8h 9c 9d 9h 9s",
        "Tc Td Jc Jd Jh Ts",
    ],
    STUD,
)
FOUR_WILDS_EACH = at_street(
    7, ["Ac 5c 3c 3d 9c 9d 7c", "2c 2d 3h 3s 9h 9s 6d", "5d 5h Ks Jc Ts 8s 6c"]
)
EXACT = {
    "baseball, seventh street": SEVENTH,
    "stud, seventh street": SEVENTH_STUD,
    "stud, much the same": CLOSE_STUD,
    "baseball, four wilds each, one has folded": FOUR_WILDS_EACH,
    "stud, one card to come, five have folded": CROWDED_STUD,
}

spots = pytest.mark.parametrize("hand", EXACT.values(), ids=EXACT)


@spots
@pytest.mark.parametrize("seat", [0, 1])
def test_it_agrees_with_brute_force(hand: Hand, seat: int) -> None:
    seen = seen_at(hand, seat)
    naive = expected(seen, every_deal(seen, 7 - hand.street))
    found = equity(seen, variant=hand.variant.name)
    assert found.exact
    assert found.samples == naive.samples <= 50_000
    for ours, theirs in ((found.wins, naive.wins), (found.ties, naive.ties)):
        assert ours == pytest.approx(theirs, abs=1e-12)
    assert found.shares == pytest.approx(naive.shares, abs=1e-12)
    assert found.errors == (0.0,) * hand.seats
    assert 0 < found.share < 1


@spots
def test_samples_agree_with_what_is_exact(hand: Hand) -> None:
    seen, variant = seen_at(hand), hand.variant.name
    exact = equity(seen, variant=variant)
    for seed in range(3):
        drawn = equity(seen, 4000, seed, variant=variant, enumerated=0)
        assert not drawn.exact
        assert drawn.samples == 4000
        assert 0 < drawn.error < 0.01
        assert abs(drawn.share - exact.share) < 4 * drawn.error
        assert abs(drawn.win - exact.win) < 4 * sqrt(0.25 / 4000)
        assert abs(drawn.tie - exact.tie) < 4 * sqrt(0.25 / 4000)


AND_AN_ACE_FOLDED = at_street(
    7, ["Ac 5c 3c 3d 9c 9d 7c", "2c 2d 3h 3s 9h 9s 6d", "5d 5h As Jc Ts 8s 6c"]
)


@pytest.mark.parametrize(("hand", "aces"), [(FOUR_WILDS_EACH, 3), (AND_AN_ACE_FOLDED, 2)])
def test_r7_2_equal_hands_share_and_a_card_of_a_folded_seat_is_gone(hand: Hand, aces: int) -> None:
    """Four wilds and an ace against four wilds: who is dealt an ace, too, has five of them."""
    found = equity(seen_at(hand))
    hidden = 52 - 7 - 4 - 4
    none = comb(hidden - aces, 3) / comb(hidden, 3)
    assert found.exact
    assert found.samples == comb(hidden, 3)
    assert found.win == pytest.approx(none)
    assert found.tie == pytest.approx(1 - none)
    assert found.ties == (found.tie, found.tie, 0.0)
    assert found.share == pytest.approx(none + (1 - none) / 2)
    assert found.shares[2] == found.errors[2] == found.wins[2] == 0.0


ONE_DOWN = Variant(
    "one-down",
    1,
    2,
    4,
    wild="39",
    bonus="4",
    program=(Ante(), Deal(3, (False, True, True, True, True)), Bet(3), Showdown()),
)
"""A game small enough to go through what three seats may hold."""


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_among_three_seats_it_agrees_with_brute_force(
    monkeypatch: pytest.MonkeyPatch, seat: int
) -> None:
    monkeypatch.setitem(VARIANTS, "one-down", ONE_DOWN)
    rows = ["Ac Kc Qd Jh 7s", "Ad Kd Qh Js 7c", "5c Kh Qs Jc 7d"]
    deck = [card for cards_ in zip(*map(cards, rows), strict=True) for card in cards_]
    hand = ONE_DOWN.deal(3, 2, [*deck, *(card for card in PACK if card not in deck)])
    seen = seen_at(hand, seat)
    naive, found = expected(seen, every_deal(seen, 0)), equity(seen, variant="one-down")
    assert found.exact
    assert found.samples == naive.samples == 39 * 38
    assert found.wins == pytest.approx(naive.wins, abs=1e-12)
    assert found.ties == pytest.approx(naive.ties, abs=1e-12)
    assert found.shares == pytest.approx(naive.shares, abs=1e-12)
    assert any(found.ties)


UP_ONLY = Variant(
    "up-only",
    1,
    2,
    2,
    wild="39",
    bonus="4",
    program=(Ante(), Deal(3, (True,) * 4), Bet(3), Deal(4, (True,)), Bet(4), Showdown()),
)
"""A game small enough to go through the bonus cards: one up card to come, all others seen."""


def dealt_on(
    hand: tuple[Card, ...], pool: tuple[Card, ...], bonus: str
) -> Iterator[tuple[Fraction, tuple[Card, ...], tuple[Card, ...]]]:
    """Deal a seat its one up card in every way, with what it brings: chance, hand, what is left."""
    for card in pool:
        rest = tuple(other for other in pool if other != card)
        chance, held = Fraction(1, len(pool)), (*hand, card)
        if str(card)[0] in bonus:
            for then, more, left in dealt_on(held, rest, bonus):
                yield chance * then, more, left
        else:
            yield chance, held, rest


def one_up_card_each(
    seen: Observation, bonus: str
) -> Iterator[tuple[Fraction, list[tuple[Card, ...]]]]:
    first, second = (seat.up for seat in seen.seats)
    for chance, own, rest in dealt_on(first, tuple(not_seen(seen)), bonus):
        for then, other, _ in dealt_on(second, rest, bonus):
            yield chance * then, [own, other]


def test_r3_3_a_4_to_come_brings_its_bonus_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VARIANTS, "up-only", UP_ONLY)
    # Each hopes for one card, or for two of them; of the four 4s three have not been dealt.
    top = cards("4c Ks Qs Kd Qh 8c Qd 8h 8d")
    hand = UP_ONLY.deal(2, 1, [*top, *(card for card in PACK if card not in top)])
    seen = seen_at(hand)
    naive = expected(seen, one_up_card_each(seen, "4"))
    without = expected(seen, one_up_card_each(seen, ""))
    drawn = equity(seen, 80_000, 1, variant="up-only")
    assert abs(drawn.share - naive.share) < 4 * drawn.error
    assert abs(naive.share - without.share) > 8 * drawn.error, "a spot where a 4 to come matters"


def by_the_engine(seen: Observation, variant: Variant, deals: int) -> tuple[float, float]:
    """Mean and standard error of the share, whole hands being dealt and checked by the engine."""
    rng, history = Random(1), [event.to_json() for event in seen.history]
    shares = []
    for _ in range(deals):
        dealt = [event["card"] for event in history if event["event"] == "deal"]
        hidden = [card for card in PACK if str(card) not in dealt]
        rng.shuffle(hidden)
        top = [hidden.pop() if card is None else Card(card) for card in dealt]
        hand = variant.deal(len(seen.seats), seen.dealer, [*top, *hidden])
        for event in history:
            if event["event"] == "action":
                hand.apply(Action(event["action"]))
        while not hand.over:
            hand.apply(hand.legal[0])  # check, or call
        shares.append(float(hand.won[seen.seat] / hand.pot))
    return mean(shares), stdev(shares) / sqrt(deals)


LATER = {
    "third street": at_street(3, ["4c As Kd", "2d 5h Qd", "7c 7d Td"], live=3),
    "fourth street, one has folded": at_street(4, ["As Ad 7c 8c", "2d 5h Qd Kd", "3c 3d 9c 9d"]),
    "fifth street": at_street(5, ["Js Jd 8c 7c 2c", "2d 5h Qd Kd Ad", "6c 6d 7h 8h Th"], live=3),
    "sixth street": at_street(6, ["Js Jd 8c 7c Jc 2c", "2d 5h Qd Kd Ad Td"]),
}


@pytest.mark.parametrize("hand", LATER.values(), ids=LATER)
def test_it_deals_as_the_engine_does(hand: Hand) -> None:
    seen = seen_at(hand)
    drawn = equity(seen, 4000, 1)
    share, error = by_the_engine(seen, hand.variant, 1500)
    assert 0.1 < share < 0.9
    assert abs(drawn.share - share) < 4 * sqrt(error**2 + drawn.error**2)


def played_on(variant: str, seats: int, seed: int) -> Iterator[Observation]:
    """Some decisions of a hand played at random, fold seldom."""
    rng = Random(seed)
    hand = VARIANTS[variant].deal(seats, rng.randrange(seats), rng.sample(PACK, 52))
    while hand.to_act is not None:
        if rng.random() < 0.3:
            yield seen_at(hand, hand.to_act)
        folds = hand.legal[-1] is Action.FOLD and rng.random() < 0.2
        hand.apply(hand.legal[-1 if folds else 0])


TABLES = [(name, seats) for name in VARIANTS for seats in (2, 3, 6)]


@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_shares_sum_to_1_and_none_is_of_a_folded_seat(variant: str, seats: int) -> None:
    for seed in range(4):
        for seen in played_on(variant, seats, seed):
            found = equity(seen, 50, variant=variant, enumerated=0)
            assert sum(found.shares) == pytest.approx(1)
            assert found.seat == seen.seat
            for number, seat in enumerate(seen.seats):
                win, tie, share = found.wins[number], found.ties[number], found.shares[number]
                if not seat.live:
                    assert win == tie == share == found.errors[number] == 0.0
                assert win <= share <= win + tie / 2 + 1e-12
                assert share == win if tie == 0 else share > win
            own = (found.wins, found.ties, found.shares, found.errors)
            assert (found.win, found.tie, found.share, found.error) == tuple(
                by_seat[seen.seat] for by_seat in own
            )


def test_the_same_seed_gives_the_same_numbers() -> None:
    for seen in played_on(BASEBALL, 3, 5):
        assert equity(seen, 200, 7, enumerated=0) == equity(seen, 200, Random(7), enumerated=0)
        assert equity(seen, 200, enumerated=0) == equity(seen, 200, 0, enumerated=0)
    seen, rng = seen_at(LATER["fifth street"]), Random(7)
    assert equity(seen, 200, rng) != equity(seen, 200, rng)


def test_the_numbers_are_the_same_compiled_and_pure() -> None:
    drawn = equity(seen_at(LATER["fifth street"]), 1000, 2026)
    assert drawn.wins == (0.152, 0.507, 0.341)


def test_up_to_so_many_completions_all_are_gone_through() -> None:
    seen = seen_at(SEVENTH)
    ways = comb(41, 3)
    assert equity(seen, 10, enumerated=ways).exact
    assert not equity(seen, 10, enumerated=ways - 1).exact
    assert not equity(seen_at(LATER["sixth street"]), 10).exact  # 42 x C(41, 3)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_while_a_card_is_to_come_face_up_there_are_millions(variant: Variant) -> None:
    """Two seats are left on fifth street, and as many up cards were seen as there can be."""
    hidden = 52 - 2 - 3 * variant.most_seats - sum(variant.gives_bonus)
    assert comb(hidden, 2) * comb(hidden - 2, 4) > 2_000_000


@pytest.mark.parametrize("hand", [LATER["fifth street"], FOUR_WILDS_EACH], ids=["wins", "ties"])
def test_the_standard_error_is_what_repeated_runs_spread(hand: Hand) -> None:
    runs = [equity(seen_at(hand), 40, seed, enumerated=0) for seed in range(1000)]
    said = sqrt(mean(run.error**2 for run in runs))
    assert stdev(run.share for run in runs) == pytest.approx(said, rel=0.06)


def test_of_one_sample_there_is_no_standard_error() -> None:
    found = equity(seen_at(LATER["fifth street"]), 1)
    assert found.errors == (inf, inf, inf)


def test_hidden_cards_do_not_matter() -> None:
    rows = ["Js Jd 8c 7c Jc 2c", "2d 5h Qd Kd Ad Td"]
    other = ["Js Jd 8c 7c Jc 2c", "3c 9s Qd Kd Ad Td"]
    one, two = (seen_at(at_street(6, table)) for table in (rows, other))
    assert one == two
    assert equity(one, 500) == equity(two, 500)


def test_what_was_seen_is_left_as_it_was() -> None:
    seen = seen_at(LATER["fifth street"])
    before = copy.copy(seen)
    equity(seen, 100)
    assert seen == before


def test_an_equity_is_a_value() -> None:
    found = equity(seen_at(LATER["fifth street"]), 100)
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found
    assert hash(found) == hash(copy.copy(found))


def refused(seen: Observation, *args: int, **named: str) -> str:
    with pytest.raises(RuleError) as caught:
        equity(seen, *args, **named)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("samples", [0, -1])
def test_fewer_than_one_sample_is_refused(samples: int) -> None:
    assert refused(seen_at(SEVENTH), samples) == f"{samples} samples: draw at least 1"


def test_an_unknown_variant_is_refused_by_name() -> None:
    assert refused(seen_at(SEVENTH), variant="night-baseball") == (
        "the variant 'night-baseball' is unknown; there is baseball, seven-card-stud"
    )


def test_an_observation_of_a_game_with_other_wild_cards_is_refused() -> None:
    assert refused(seen_at(SEVENTH_STUD)) == (
        "in baseball the wild ranks are '39', here '': name the variant that is played"
    )
