"""The standings: means, intervals, ranks and meetings, from sums over matches."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandlot_server.tournament.rating import Finish, ratings
from sandlot_server.tournament.standings import BotSums, PairSums, Standings, standings

HANDS = 8


def sums_of(bot: str, nets: list[int], shares: list[int] | None = None) -> BotSums:
    """Add up matches given by their nets and first-place shares, both in 840ths."""
    shares = shares if shares is not None else [0] * len(nets)
    return BotSums(
        bot,
        matches=len(nets),
        hands=HANDS * len(nets),
        net_sum=sum(nets),
        net_square_sum=sum(net * net for net in nets),
        places_share_sum=sum(shares),
        places_share_square_sum=sum(share * share for share in shares),
    )


def ranks(table: Standings) -> dict[str, int | None]:
    return {row.bot: row.rank for row in table.rows}


def test_the_mean_is_net_units_a_hand_and_exact() -> None:
    row = standings([sums_of("odds", [840, 840 * 3, 280])]).rows[0]
    assert row.net is not None
    assert row.net.value == Fraction(840 + 840 * 3 + 280, 840) / (3 * HANDS)
    assert (row.matches, row.hands) == (3, 24)


def test_the_interval_is_students_t_over_matches() -> None:
    # Nets of 2, 4, 6 and 8 units: mean 5, s = sqrt(20 / 3), and t(3) = 3.182446 from the tables.
    row = standings([sums_of("odds", [840 * units for units in (2, 4, 6, 8)])]).rows[0]
    assert row.net is not None
    assert row.net.interval is not None
    low, high = row.net.interval
    reach = 3.182446 * math.sqrt(20 / 3 / 4)
    assert low * HANDS == pytest.approx(5 - reach, abs=1e-5)
    assert high * HANDS == pytest.approx(5 + reach, abs=1e-5)


def test_a_bootstrap_over_matches_says_the_same() -> None:
    draw = random.Random(8)
    nets = [draw.choice([-9, -4, -2, -1, 3, 5, 14]) * 840 + draw.randrange(840) for _ in range(400)]
    shares = [draw.choice([0, 0, 420, 840]) for _ in nets]
    row = standings([sums_of("odds", nets, shares)]).rows[0]
    assert row.net is not None
    assert row.first_places is not None
    for mean, values in (
        (row.net, [net / 840 / HANDS for net in nets]),
        (row.first_places, [share / 840 for share in shares]),
    ):
        again = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(2_000))
        assert mean.interval is not None
        low, high = mean.interval
        width = high - low
        assert low == pytest.approx(again[50], abs=0.05 * width)
        assert high == pytest.approx(again[-51], abs=0.05 * width)


def test_the_interval_holds_the_true_mean_in_about_95_of_100_tournaments() -> None:
    draw = random.Random(5)
    held = 0
    for _ in range(1_000):
        nets = [round(draw.gauss(840, 3 * 840)) for _ in range(6)]
        mean = standings([sums_of("odds", nets)]).rows[0].net
        assert mean is not None
        assert mean.interval is not None
        held += mean.interval[0] * HANDS < 1 < mean.interval[1] * HANDS
    assert 930 <= held <= 970  # a normal interval instead of t would hold in 890


def test_one_match_has_a_mean_and_no_interval() -> None:
    row = standings([sums_of("odds", [420], [840])]).rows[0]
    assert row.net is not None
    assert row.net.value == Fraction(1, 2 * HANDS)
    assert row.net.interval is None
    assert row.net.to_json() == {"mean": 1 / 16, "low": None, "high": None}
    assert row.first_places is not None
    assert row.first_places.value == 1


def test_matches_that_are_all_alike_have_an_interval_without_width() -> None:
    mean = standings([sums_of("odds", [8 * 840, 8 * 840])]).rows[0].net
    assert mean is not None
    assert mean.interval == (1.0, 1.0)


def test_bots_without_a_match_stand_below_all_others_without_rank() -> None:
    table = standings([sums_of("new", []), sums_of("worst", [-99 * 840]), sums_of("also", [])])
    assert [(row.bot, row.rank) for row in table.rows] == [
        ("worst", 1),
        ("also", None),
        ("new", None),
    ]
    assert table.rows[1].net is None
    assert table.rows[1].first_places is None
    assert table.rows[1].to_json()["net_a_hand"] is None


def test_nobody_at_all_gives_an_empty_table() -> None:
    assert standings([]).rows == ()


def test_equal_means_share_the_rank_and_the_next_one_is_skipped() -> None:
    table = standings(
        [
            sums_of("c", [-840]),
            sums_of("b", [840]),
            sums_of("a", [840 * 3, -840]),
        ]
    )
    assert ranks(table) == {"a": 1, "b": 1, "c": 3}


def test_equal_means_of_unequal_numbers_of_matches_share_the_rank_exactly() -> None:
    # 0.1 + 0.1 + 0.1 is not 0.3 in floats; thirds and tenths of units are exact here.
    table = standings(
        [sums_of("three", [84, 84, 84]), sums_of("one", [84]), sums_of("seven", [84] * 7)]
    )
    assert ranks(table) == {"one": 1, "seven": 1, "three": 1}


def test_the_smallest_difference_there_can_be_separates() -> None:
    huge = 840 * 10**12
    table = standings([sums_of("less", [huge]), sums_of("more", [huge + 1])])
    assert ranks(table) == {"more": 1, "less": 2}


def test_ranked_by_places_it_is_the_share_of_first_places() -> None:
    often = sums_of("often", [-840, -840, -840], [840, 840, 0])
    rich = sums_of("rich", [8400, -840, -840], [0, 0, 840])
    tied = sums_of("tied", [0, 0, 0], [420, 420, 0])
    bots = [often, rich, tied]
    assert ranks(standings(bots)) == {"rich": 1, "tied": 2, "often": 3}
    by_places = standings(bots, rank_by="places")
    assert ranks(by_places) == {"often": 1, "rich": 2, "tied": 2}
    shares = {row.bot: row.first_places.value for row in by_places.rows if row.first_places}
    assert shares == {"often": Fraction(2, 3), "rich": Fraction(1, 3), "tied": Fraction(1, 3)}


@given(
    st.lists(st.lists(st.integers(-20, 20), max_size=4), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
    st.sampled_from(["net", "places"]),
)
def test_the_order_of_entry_is_irrelevant(
    results: list[list[int]], draw: random.Random, rank_by: str
) -> None:
    names = [f"bot{number}" for number in range(len(results))]
    bots = [sums_of(name, nets) for name, nets in zip(names, results, strict=True)]
    pairs = [
        PairSums(one, other, 2, 840, 840 * 840) for one in names for other in names if one != other
    ]
    by: dict[str, Standings] = {}
    for order in ("entered", "mixed"):
        if order == "mixed":
            draw.shuffle(bots)
            draw.shuffle(pairs)
        by[order] = standings(bots, pairs, rank_by="net" if rank_by == "net" else "places")
    assert by["entered"] == by["mixed"]


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=30))
def test_the_mean_lies_in_the_middle_of_its_interval_and_no_number_is_nan(nets: list[int]) -> None:
    mean = standings([sums_of("odds", nets)]).rows[0].net
    assert mean is not None
    assert mean.interval is not None
    low, high = mean.interval
    assert low <= float(mean.value) <= high
    assert (low + high) / 2 == pytest.approx(float(mean.value), rel=1e-9, abs=1e-9)
    assert math.isfinite(low)
    assert math.isfinite(high)


def test_head_to_head_is_own_net_minus_the_others_over_shared_matches() -> None:
    differences = [840 * units for units in (2, 4, 6, 8)]
    square_sum = sum(value * value for value in differences)
    table = standings(
        [],
        [
            PairSums("tight", "odds", 4, -sum(differences), square_sum),
            PairSums("odds", "tight", 4, sum(differences), square_sum),
            PairSums("odds", "caller", 1, 420, 420 * 420),
            PairSums("odds", "random", 0, 0, 0),
        ],
    )
    assert [(one.bot, one.other, one.matches) for one in table.meetings] == [
        ("odds", "caller", 1),
        ("odds", "tight", 4),
        ("tight", "odds", 4),
    ]
    once, odds, tight = (meeting.difference for meeting in table.meetings)
    assert (once.value, once.interval) == (Fraction(1, 2), None)
    assert odds.value == 5
    assert tight.value == -5
    assert odds.interval is not None
    assert odds.interval[0] == pytest.approx(5 - 3.182446 * math.sqrt(20 / 3 / 4), abs=1e-5)
    assert tight.interval == (-odds.interval[1], -odds.interval[0])


def pair_of(bot: str, other: str, differences: list[int]) -> PairSums:
    """Add up matches given by own net less the other's, in units."""
    parts = [840 * units for units in differences]
    return PairSums(bot, other, len(parts), sum(parts), sum(part * part for part in parts))


@pytest.mark.parametrize(
    ("differences", "told_apart"),
    [
        ([2, 4, 6, 8], True),  # 5 ± 4.1
        ([-2, -4, -6, -8], True),
        ([0, 4, 6, 10], False),  # 5 ± 6.6
        ([8], False),  # a single match tells nothing of the spread
        ([3, 3, 3], False),  # nor do matches that all ended alike
        ([0, 0], False),
    ],
)
def test_two_bots_are_told_apart_where_the_interval_of_their_difference_excludes_0(
    differences: list[int], told_apart: bool
) -> None:
    (meeting,) = standings([], [pair_of("odds", "tight", differences)]).meetings
    assert meeting.told_apart is told_apart
    assert meeting.to_json()["told_apart"] is told_apart


def test_bots_that_are_alike_are_told_apart_in_about_5_of_100_cases() -> None:
    draw = random.Random(3)
    pairs = [
        pair_of("odds", f"bot{number}", [round(draw.gauss(0, 20)) for _ in range(12)])
        for number in range(1_000)
    ]
    told = sum(meeting.told_apart for meeting in standings([], pairs).meetings)
    assert 35 <= told <= 65


def test_a_row_holds_the_meeting_with_the_bot_above_it() -> None:
    bots = [sums_of("best", [840 * 9]), sums_of("mid", [840]), sums_of("low", [0])]
    pairs = [
        pair_of("mid", "best", [-1, -2]),
        pair_of("best", "mid", [1, 2]),
        pair_of("low", "best", [-3, -4]),
    ]
    table = standings([*bots, sums_of("new", [])], pairs)
    best, mid, low, new = table.rows
    assert mid.above is not None
    assert (mid.above.bot, mid.above.other) == ("mid", "best")
    assert mid.to_json()["told_apart_from_above"] is False
    # The first, one that never met the bot above it, and one that has not played.
    assert [row.above for row in (best, low, new)] == [None, None, None]
    assert low.to_json()["told_apart_from_above"] is None


def test_the_rating_stands_in_the_row_and_does_not_rank() -> None:
    finishes = {Finish.of({"lucky": 2, "steady": 1}): 9, Finish.of({"lucky": 1, "steady": 2}): 1}
    lucky = sums_of("lucky", [840 * 100])
    table = standings([sums_of("new", []), sums_of("steady", [-840]), lucky])
    assert [row.rating for row in table.rows] == [None, None, None]
    table = standings([sums_of("new", []), sums_of("steady", [-840]), lucky], finishes=finishes)
    assert ranks(table) == {"lucky": 1, "steady": 2, "new": None}
    assert {row.bot: row.rating for row in table.rows} == {"new": None, **ratings(finishes)}
    told = [row.to_json()["rating"] for row in table.rows]
    assert told[0]["value"] < 1500 < told[1]["value"]
    assert told[2] is None


def test_places_and_faults_are_passed_on_in_order() -> None:
    sums = BotSums("odds", 3, 24, 0, 0, 0, 0, {2: 1, 1: 2}, {"timeout": 3, "crash": 1})
    row = standings([sums]).rows[0]
    assert list(row.places.items()) == [(1, 2), (2, 1)]
    assert list(row.faults.items()) == [("crash", 1), ("timeout", 3)]


def test_the_json_form_is_plain_and_complete() -> None:
    table = standings(
        [sums_of("odds", [840, 840], [840, 420]), sums_of("new", [])],
        [PairSums("odds", "tight", 2, 0, 0)],
    )
    assert table.to_json() == {
        "rank_by": "net",
        "rows": [
            {
                "rank": 1,
                "bot": "odds",
                "matches": 2,
                "hands": 16,
                "net_a_hand": {"mean": 0.125, "low": 0.125, "high": 0.125},
                "first_places": table.rows[0].to_json()["first_places"],
                "places": {},
                "faults": {},
                "rating": None,
                "told_apart_from_above": None,
            },
            {
                "rank": None,
                "bot": "new",
                "matches": 0,
                "hands": 0,
                "net_a_hand": None,
                "first_places": None,
                "places": {},
                "faults": {},
                "rating": None,
                "told_apart_from_above": None,
            },
        ],
        "head_to_head": [
            {
                "bot": "odds",
                "other": "tight",
                "matches": 2,
                "net_difference": {"mean": 0.0, "low": 0.0, "high": 0.0},
                "told_apart": False,
            }
        ],
    }
    assert table.to_json()["rows"][0]["first_places"]["mean"] == 0.75


def test_sums_that_no_matches_can_have_are_refused() -> None:
    with pytest.raises(ValueError, match="no 2 numbers have the sum 1000"):
        standings([BotSums("odds", 2, 16, 1000, 10, 0, 0)])
