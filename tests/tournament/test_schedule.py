"""The schedule: what design and rules promise of it, counted per bot, without the audit's code."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from math import comb

import pytest

from sandlot.errors import LeagueError
from sandlot.seeds import table_order
from sandlot_server.tournament.schedule import KINDS, Kind, Schedule, ScheduledMatch

SEED = bytes(range(32))
NAMES = tuple(f"bot{number:02}" for number in range(1, 41))
SIZES = [(bots, seats) for seats in range(2, 7) for bots in range(seats, 13)]
KIND_NAMES: list[Kind] = ["full", "balanced"]


def schedule(bots: int, seats: int, rounds: int = 1, kind: Kind = "full") -> Schedule:
    return Schedule(NAMES[:bots], seats, rounds, SEED, kind)


def by_table(matches: Iterable[ScheduledMatch]) -> list[list[ScheduledMatch]]:
    tables: dict[tuple[int, int], list[ScheduledMatch]] = {}
    for match in matches:
        tables.setdefault((match.round, match.table), []).append(match)
    return list(tables.values())


def dealers(match: ScheduledMatch, hands: int) -> Iterator[int]:
    """The dealer's seat hand by hand: after each hand the deal moves one seat left (R2.1)."""
    for hand in range(hands):
        yield (match.first_dealer + hand) % len(match.bots)


@pytest.mark.parametrize("kind", KIND_NAMES)
@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_each_table_moves_one_seat_on_and_its_first_dealers_seat_stays(
    bots: int, seats: int, kind: Kind
) -> None:
    for rotations in by_table(schedule(bots, seats, kind=kind)):
        assert [match.rotation for match in rotations] == list(range(1, seats + 1))
        assert len({match.first_dealer for match in rotations}) == 1
        circle = rotations[0].bots
        assert len(set(circle)) == seats
        for match in rotations:
            moved = match.rotation - 1
            assert match.bots == circle[moved:] + circle[:moved]


@pytest.mark.parametrize("hands", [1, 3, 7, 8, 10])
@pytest.mark.parametrize("seats", range(2, 7))
def test_r2_1_at_each_table_every_bot_deals_as_many_hands_as_a_match_has(
    seats: int, hands: int
) -> None:
    for rotations in by_table(schedule(7, seats)):
        bots = rotations[0].bots
        deals: Counter[str] = Counter()
        distances: Counter[tuple[str, int]] = Counter()
        for match in rotations:
            for dealer in dealers(match, hands):
                deals[match.bots[dealer]] += 1
                for seat, bot in enumerate(match.bots):
                    distances[bot, (seat - dealer) % seats] += 1
        assert deals == dict.fromkeys(bots, hands)
        everywhere = [(bot, distance) for bot in bots for distance in range(seats)]
        assert distances == dict.fromkeys(everywhere, hands)


@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_a_full_round_plays_every_group(bots: int, seats: int) -> None:
    matches = list(schedule(bots, seats))
    groups = Counter(tuple(sorted(match.bots)) for match in matches)
    assert groups == dict.fromkeys(combinations(NAMES[:bots], seats), seats)
    assert len(matches) == len(schedule(bots, seats)) == seats * comb(bots, seats)


@pytest.mark.parametrize("kind", KIND_NAMES)
@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_at_every_moment_the_bots_have_played_nearly_equally_often(
    bots: int, seats: int, kind: Kind
) -> None:
    plan = schedule(bots, seats, kind=kind)
    tables = len(plan.design.tables)
    played = Counter(dict.fromkeys(plan.bots, 0))
    widest = 0
    for number, match in enumerate(plan, start=1):
        played.update(match.bots)
        ahead = max(played.values()) - min(played.values())
        widest = max(widest, ahead)
        if number % tables == 0:
            assert ahead == 0  # a pass over all tables is done
    if plan.design.source == "every group":
        assert widest == (0 if bots == seats else 1)
    else:
        assert widest == plan.design.lead <= 3


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_match_ids_and_all_they_stand_for_stay_when_rounds_grow(kind: Kind) -> None:
    short = list(schedule(9, 3, rounds=2, kind=kind))
    long = schedule(9, 3, rounds=5, kind=kind)
    assert list(islice(long, len(short))) == short
    assert len(long) == 5 * len(short) // 2 == len({match.match for match in long})
    assert list(long.round(2)) == short[len(short) // 2 :]


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_the_order_in_which_bots_were_entered_is_irrelevant(kind: Kind) -> None:
    there = Schedule(NAMES[:9], 3, 2, SEED, kind)
    back = Schedule(NAMES[8::-1], 3, 2, SEED, kind)
    assert there == back
    assert list(there) == list(back)


def test_the_id_names_round_table_and_rotation() -> None:
    for match in schedule(5, 3, rounds=2):
        assert match.match == f"{match.round}-{match.table}-{match.rotation}"


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_seats_and_first_dealer_are_drawn_as_docs_shuffle_md_says(kind: Kind) -> None:
    for match in schedule(8, 4, rounds=3, kind=kind):
        order, first_dealer = table_order(SEED, match.round, match.table, 4)
        members = sorted(match.bots)
        expected = [members[order[(seat + match.rotation - 1) % 4]] for seat in range(4)]
        assert list(match.bots) == expected
        assert match.first_dealer == first_dealer


def test_who_plays_which_number_of_a_balanced_design_is_drawn_as_docs_shuffle_md_says() -> None:
    plan = schedule(9, 3, rounds=4, kind="balanced")
    for match in plan:
        order, _ = table_order(SEED, match.round, 0, 9)
        group = plan.design.tables[match.table - 1]
        assert sorted(match.bots) == sorted(plan.bots[order[number]] for number in group)
    groups = [{frozenset(match.bots) for match in plan.round(number)} for number in range(1, 5)]
    assert groups[0] != groups[1]


def test_circles_and_first_dealers_differ_from_round_to_round_and_seed_to_seed() -> None:
    plan = schedule(6, 4, rounds=40)
    first = [match for match in plan if match.match.endswith("-1-1")]
    assert len({match.bots for match in first}) > 15
    assert {match.first_dealer for match in first} == {0, 1, 2, 3}
    other = Schedule(plan.bots, 4, 40, bytes(32))
    assert list(other) != list(plan)


def test_over_many_rounds_every_bot_is_the_left_hand_neighbour_of_every_other_as_often() -> None:
    # By lot, so not exactly: 900 draws of one of 2 circles a group, bounds six sigma out.
    left: Counter[tuple[str, str]] = Counter()
    for match in schedule(4, 3, rounds=900):
        if match.rotation == 1:  # the neighbours are the same in all rotations
            left.update(zip(match.bots, match.bots[1:] + match.bots[:1], strict=True))
    assert len(left) == 12
    for count in left.values():  # a pair shares 2 groups of each round
        assert abs(count - 900) < 6 * (1800 * 0.25) ** 0.5


def test_the_largest_full_round_of_twelve_bots_is_5544_matches() -> None:
    assert len(list(schedule(12, 6))) == 5_544


def test_a_schedule_does_not_print_its_seed() -> None:
    assert SEED.hex() not in repr(schedule(3, 2))
    assert repr(SEED) not in repr(schedule(3, 2))


def test_every_kind_has_a_version() -> None:
    assert KINDS == {"full": "full/1", "balanced": "balanced/1"}


@pytest.mark.parametrize(
    ("bots", "seats", "rounds", "kind", "said"),
    [
        (NAMES[:2], 3, 1, "full", "3 seats a table are more than the 2 bots: write fewer seats"),
        (NAMES[:2], 1, 1, "full", "a table of 1 seats has no game: write seats = 2"),
        (NAMES[:2], 2, 0, "full", "0 rounds are no tournament: write rounds = 1 or more"),
        (NAMES[:2], 2, -3, "full", "-3 rounds"),
        (("a", "b", "a"), 2, 1, "full", "two bots are named 'a': give one of them another name"),
        (NAMES[:3], 2, 1, "swiss", "'swiss' is no kind of schedule: write \"full\" or"),
        (NAMES, 6, 1, "full", '3,838,380 tables a round, more than 10,000: write schedule = "bal'),
    ],
)
def test_what_gives_no_schedule_is_refused_with_what_to_write(
    bots: tuple[str, ...], seats: int, rounds: int, kind: Kind, said: str
) -> None:
    with pytest.raises(LeagueError) as caught:
        Schedule(bots, seats, rounds, SEED, kind)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_many_bots_are_balanced_where_full_is_refused() -> None:
    plan = schedule(31, 6, kind="balanced")
    assert len(plan) == 31 * 6
    met = Counter(pair for match in plan for pair in combinations(sorted(match.bots), 2))
    assert met == dict.fromkeys(combinations(NAMES[:31], 2), 6)
