"""The audit of a schedule, against counting hand by hand, and against unfair schedules."""

import json
from collections import Counter

import pytest

from sandlot_server.tournament.balance import Audit, audit
from sandlot_server.tournament.schedule import Kind, Schedule, ScheduledMatch

SEED = bytes(range(16))
NAMES = tuple(f"bot{number:02}" for number in range(1, 13))
SIZES = [(bots, seats) for seats in range(2, 7) for bots in range(seats, 13)]
KIND_NAMES: list[Kind] = ["full", "balanced"]


def audit_of(bots: int, seats: int, rounds: int, hands: int, kind: Kind = "full") -> Audit:
    plan = Schedule(NAMES[:bots], seats, rounds, SEED, kind)
    return audit(plan.bots, plan, hands)


@pytest.mark.parametrize("kind", KIND_NAMES)
@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_a_schedule_of_2_to_6_seats_and_2_to_12_bots_is_exactly_balanced(
    bots: int, seats: int, kind: Kind
) -> None:
    found = audit_of(bots, seats, rounds=1, hands=8, kind=kind)
    spreads = found.spreads
    assert (spreads.matches, spreads.seats, spreads.met) == (0, 0, 0)
    assert (spreads.deals, spreads.distances) == (0, 0)
    tables = len(Schedule(NAMES[:bots], seats, 1, SEED, kind).design.tables)
    each = tables * seats // bots  # tables of a bot; it sits in each seat once at each
    for bot in found.bots:
        assert bot.matches == each * seats
        assert bot.seats == (each,) * seats
        assert bot.deals == 8 * each
        assert bot.distances == (8 * each,) * seats
        assert sum(bot.left.values()) == bot.matches
        assert sum(bot.met.values()) == bot.matches * (seats - 1)
    assert found.lead <= (1 if kind == "full" else 3)


@pytest.mark.parametrize("hands", [1, 2, 3, 5, 7, 9, 12])
@pytest.mark.parametrize(("bots", "seats"), [(3, 2), (5, 3), (6, 4), (7, 5), (7, 6)])
def test_deals_and_distances_are_exact_for_any_number_of_hands(
    bots: int, seats: int, hands: int
) -> None:
    found = audit_of(bots, seats, rounds=2, hands=hands)
    assert (found.spreads.deals, found.spreads.distances) == (0, 0)
    for bot in found.bots:
        assert bot.deals * seats == bot.matches * hands
        assert sum(bot.distances) == bot.matches * hands


@pytest.mark.parametrize("hands", [1, 5, 8])
def test_the_audit_is_what_counting_hand_by_hand_gives(hands: int) -> None:
    # Half a round, in which nothing is balanced.
    matches = list(Schedule(NAMES[:7], 4, 1, SEED))[:50]
    found = audit(NAMES[:7], matches, hands)
    seats: Counter[tuple[str, int]] = Counter()
    deals: Counter[str] = Counter()
    distances: Counter[tuple[str, int]] = Counter()
    left: Counter[tuple[str, str]] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for match in matches:
        for seat, bot in enumerate(match.bots):
            seats[bot, seat] += 1
            left[bot, match.bots[(seat + 1) % 4]] += 1
            met.update((bot, other) for other in match.bots if other != bot)
            for hand in range(hands):
                dealer = (match.first_dealer + hand) % 4
                deals[bot] += seat == dealer
                distances[bot, (seat - dealer) % 4] += 1
    for row in found.bots:
        assert row.seats == tuple(seats[row.bot, seat] for seat in range(4))
        assert row.deals == deals[row.bot]
        assert row.distances == tuple(distances[row.bot, away] for away in range(4))
        others = [name for name in NAMES[:7] if name != row.bot]
        assert row.left == {other: left[row.bot, other] for other in others}
        assert row.met == {other: met[row.bot, other] for other in others}
    assert found.spreads.deals == max(deals.values()) - min(deals[name] for name in NAMES[:7]) > 0


def match_of(number: int, *bots: str, first_dealer: int = 0) -> ScheduledMatch:
    return ScheduledMatch(f"1-{number}-1", 1, number, 1, bots, first_dealer)


def test_moving_the_first_dealer_from_match_to_match_would_give_9_9_6_and_is_seen() -> None:
    circle = ("a", "b", "c")
    moved = [
        match_of(turn + 1, *circle[turn:], *circle[:turn], first_dealer=-turn % 3)
        for turn in range(3)
    ]
    found = audit(circle, moved, hands=8)
    assert sorted(bot.deals for bot in found.bots) == [6, 9, 9]
    assert found.spreads.deals == 3
    assert found.spreads.seats == 0


def test_a_bot_always_in_the_same_seat_is_seen_though_seats_are_used_alike() -> None:
    found = audit(("a", "b"), [match_of(1, "a", "b"), match_of(2, "a", "b")], hands=8)
    assert found.spreads.seats == 2
    assert found.spreads.matches == 0


def test_a_bot_that_waits_while_others_play_is_seen_in_the_lead() -> None:
    matches = [match_of(1, "a", "b"), match_of(2, "b", "a"), match_of(3, "c", "a")]
    found = audit(("a", "b", "c"), matches, hands=8)
    assert found.lead == 2
    assert found.spreads.met == 2


def test_the_json_form_names_every_count() -> None:
    plain = json.loads(json.dumps(audit_of(3, 2, rounds=1, hands=8).to_json()))
    assert (plain["hands"], plain["lead"], len(plain["bots"])) == (8, 1, 3)
    assert plain["spreads"] == {
        "matches": 0,
        "seats": 0,
        "deals": 0,
        "distances": 0,
        "left": 0,
        "met": 0,
    }
    assert plain["bots"][0] == {
        "bot": "bot01",
        "matches": 4,
        "seats": [2, 2],
        "deals": 16,
        "distances": [16, 16],
        "left": {"bot02": 2, "bot03": 2},
        "met": {"bot02": 2, "bot03": 2},
    }


def test_nothing_scheduled_is_nothing_counted() -> None:
    found = audit(("a", "b"), [], hands=8)
    assert found.lead == 0
    assert found.spreads.matches == 0
    assert [bot.matches for bot in found.bots] == [0, 0]
