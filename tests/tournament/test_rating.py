"""The rating: strengths and their standard errors from how often matches ended in which way."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from sandlot_server.tournament.rating import MEAN, POINT, Finish, Rating, ratings

NAMES = "abcdefg"

finishes = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 7), min_size=2).map(Finish.of)
counted = st.dictionaries(finishes, st.integers(1, 9), max_size=12)


def values(rated: Mapping[str, Rating]) -> dict[str, float]:
    return {bot: rating.value for bot, rating in rated.items()}


def beat(winner: str, loser: str) -> Finish:
    return Finish.of({winner: 1, loser: 2})


def in_order(*bots: str) -> Finish:
    """The finish of bots that took the places from the first on."""
    return Finish.of({bot: place for place, bot in enumerate(bots, start=1)})


def slowly(counts: Mapping[Finish, int]) -> dict[str, tuple[float, float]]:
    """Rate by a general maximiser of the formula, and add up its derivatives pair by pair."""
    bots = sorted({bot for finish in counts for bot in finish.bots})

    def pairs(finish: Finish) -> Iterable[tuple[int, int, float]]:
        for (one, place), (two, other) in combinations(zip(*finish, strict=True), 2):
            yield bots.index(one), bots.index(two), (1 + (place < other) - (place > other)) / 2

    def loss(b: Sequence[float]) -> float:
        total = sum(math.log1p(math.exp(x)) + math.log1p(math.exp(-x)) for x in b) / 2
        for finish, count in counts.items():
            weight = count * 3 / (len(finish.bots) + 1)
            for i, k, score in pairs(finish):
                total += weight * score * math.log1p(math.exp(b[k] - b[i]))
                total += weight * (1 - score) * math.log1p(math.exp(b[i] - b[k]))
        return total

    def chance(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    found = minimize(loss, np.zeros(len(bots)), method="BFGS", options={"gtol": 1e-7})
    b = found.x
    curvature = np.diag([chance(x) * chance(-x) for x in b])
    spread = np.zeros_like(curvature)
    for finish, count in counts.items():
        weight = 3 / (len(finish.bots) + 1)
        gradient = np.zeros(len(bots))
        for i, k, score in pairs(finish):
            p = chance(b[i] - b[k])
            gradient[i] += weight * (score - p)
            gradient[k] -= weight * (score - p)
            for one, two in permutations((i, k)):
                curvature[one, one] += count * weight * p * (1 - p)
                curvature[one, two] -= count * weight * p * (1 - p)
        spread += count * np.outer(gradient, gradient)
    inverse = np.linalg.inv(curvature)
    less_mean = np.eye(len(bots)) - 1 / len(bots)
    both = [less_mean @ part @ less_mean.T for part in (inverse, inverse @ spread @ inverse)]
    return {
        bot: (
            MEAN + POINT * (b[i] - b.mean()),
            POINT * math.sqrt(max(variance[i, i] for variance in both)),
        )
        for i, bot in enumerate(bots)
    }


@pytest.mark.parametrize("seed", range(8))
def test_a_general_maximiser_of_the_formula_finds_the_same(seed: int) -> None:
    draw = random.Random(seed)
    counts: Counter[Finish] = Counter()
    for _ in range(12):
        bots = draw.sample(NAMES, draw.randint(2, 6))
        counts[Finish.of({bot: draw.randint(1, 4) for bot in bots})] += draw.randint(1, 9)
    counts[in_order(*NAMES)] += 1  # so that all are in one group
    rated = ratings(counts)
    for bot, (value, error) in slowly(counts).items():
        assert rated[bot].value == pytest.approx(value, abs=1e-2)
        assert rated[bot].standard_error == pytest.approx(error, rel=1e-4)


@pytest.mark.parametrize(("won", "lost"), [(3, 1), (20, 40), (5, 0), (1, 1), (700, 300)])
def test_two_bots_are_rated_by_the_closed_formula(won: int, lost: int) -> None:
    # By symmetry b_a = -b_b = ln x, and won - n x^2 / (1 + x^2) + 1/2 - x / (1 + x) = 0.
    n = won + lost
    start = won + 0.5
    roots = np.roots([start - n - 1, start - n, start - 1, start])
    (x,) = [root.real for root in roots if abs(root.imag) < 1e-9 and root.real > 0]
    rated = ratings({beat("a", "b"): won, beat("b", "a"): lost} if lost else {beat("a", "b"): won})
    assert rated["a"].value == pytest.approx(MEAN + POINT * math.log(x), abs=1e-6)
    assert rated["b"].value == pytest.approx(MEAN - POINT * math.log(x), abs=1e-6)


def test_two_bots_that_are_even_are_known_by_the_number_of_matches() -> None:
    # The curvature along (1, -1) is n / 2 + 1/4: half the difference has variance 1 / (n + 1/2).
    rated = ratings({beat("a", "b"): 50, beat("b", "a"): 50})
    for rating in rated.values():
        assert rating.value == pytest.approx(MEAN)
        assert rating.standard_error == pytest.approx(POINT / math.sqrt(100.5))
        low, high = rating.interval
        assert (low + high) / 2 == pytest.approx(rating.value)
        assert high - rating.value == pytest.approx(1.96 * rating.standard_error, rel=1e-4)


def test_after_many_matches_odds_of_ten_to_one_are_400_points() -> None:
    rated = ratings({beat("a", "b"): 100_000, beat("b", "a"): 10_000})
    assert rated["a"].value - rated["b"].value == pytest.approx(400, abs=0.1)


@pytest.mark.parametrize("seats", range(2, 7))
def test_bots_that_are_alike_are_known_as_well_as_places_drawn_by_lot(seats: int) -> None:
    # Each order equally often: by either formula the variance is 4 (n + 1) / (3 n) / matches,
    # less a share for the mean; what the prior adds to many matches is little.
    orders = list(permutations(NAMES[:seats]))
    times = 1 + 20_000 // len(orders)
    matches = times * len(orders)
    for rating in ratings(dict.fromkeys((in_order(*order) for order in orders), times)).values():
        assert rating.value == pytest.approx(MEAN)
        variance = 4 * (seats + 1) / (3 * seats) * (1 - 1 / seats) / matches
        assert rating.standard_error == pytest.approx(POINT * math.sqrt(variance), rel=1e-3)


def test_the_error_sees_that_a_bot_is_first_or_last_and_never_between() -> None:
    bold = {("m", "a", "b"): 1, ("m", "b", "a"): 1, ("a", "b", "m"): 1, ("b", "a", "m"): 1}
    even = dict.fromkeys(permutations("mab"), 1)
    errors = []
    for orders in (bold, even):
        rated = ratings({in_order(*order): 600 // len(orders) for order in orders})
        assert values(rated) == pytest.approx(dict.fromkeys("mab", MEAN))
        errors.append(rated["m"].standard_error)
    # The variance of its number of beaten others is 1 for 2/3.
    assert errors[0] / errors[1] == pytest.approx(math.sqrt(3 / 2), rel=0.01)


def test_intervals_hold_the_true_strength_in_about_95_of_100_cases() -> None:
    draw = random.Random(17)
    strengths = {bot: (index - 2) / 2 for index, bot in enumerate(NAMES[:5])}
    held: Counter[str] = Counter()
    runs = 200
    for _ in range(runs):
        counts: Counter[Finish] = Counter()
        for _ in range(60):
            # Plackett and Luce: who is first at an exponential clock of rate e^strength.
            table = draw.sample(sorted(strengths), draw.choice((2, 3, 4)))
            times = {bot: draw.expovariate(math.exp(strengths[bot])) for bot in table}
            counts[in_order(*sorted(table, key=times.__getitem__))] += 1
        for bot, rating in ratings(counts).items():
            low, high = rating.interval
            held[bot] += low < MEAN + POINT * strengths[bot] < high
    assert 0.93 <= sum(held.values()) / (runs * len(strengths)) <= 0.98
    assert all(number >= 0.9 * runs for number in held.values())


@given(counted, st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_changes_no_bit(
    counts: dict[Finish, int], draw: random.Random
) -> None:
    mixed = list(counts.items())
    draw.shuffle(mixed)
    assert ratings(dict(mixed)) == ratings(counts)


@given(counted, st.permutations(NAMES))
@settings(max_examples=50)
def test_what_the_bots_are_called_changes_nothing(
    counts: dict[Finish, int], names: list[str]
) -> None:
    other = dict(zip(NAMES, names, strict=True))
    renamed = {
        Finish.of({other[bot]: place for bot, place in zip(*finish, strict=True)}): count
        for finish, count in counts.items()
    }
    again = ratings(renamed)
    for bot, rating in ratings(counts).items():
        assert again[other[bot]].value == pytest.approx(rating.value, abs=1e-6)
        assert again[other[bot]].standard_error == pytest.approx(rating.standard_error, rel=1e-9)


@given(st.lists(finishes, max_size=20), st.integers(0, 20))
def test_the_counts_of_two_halves_add_up_to_those_of_the_whole(
    matches: list[Finish], cut: int
) -> None:
    halves = Counter(matches[:cut]) + Counter(matches[cut:])
    assert ratings(halves) == ratings(Counter(matches))


@given(counted)
def test_the_mean_of_a_group_is_1500_and_every_number_is_finite(counts: dict[Finish, int]) -> None:
    rated = ratings(counts)
    assert set(rated) == {bot for finish in counts for bot in finish.bots}
    for group in {rating.group for rating in rated.values()}:
        members = [rating.value for rating in rated.values() if rating.group == group]
        assert sum(members) / len(members) == pytest.approx(MEAN)
    for rating in rated.values():
        assert math.isfinite(rating.value)
        assert 0 < rating.standard_error < math.inf


def test_a_shared_place_is_half_a_win_and_half_a_loss() -> None:
    shared = Finish.of({"a": 1, "b": 1})
    with_draws = ratings({beat("a", "b"): 30, shared: 20, beat("b", "a"): 10})
    without = ratings({beat("a", "b"): 40, beat("b", "a"): 20})
    assert values(with_draws) == pytest.approx(values(without))
    assert values(ratings({shared: 5})) == pytest.approx({"a": MEAN, "b": MEAN})


def test_only_the_order_of_places_counts() -> None:
    assert ratings({Finish.of({"a": 1, "b": 2, "c": 2}): 3}) == ratings(
        {Finish.of({"a": 1, "b": 3, "c": 3}): 3}
    )


def test_who_has_won_all_or_nothing_gets_a_finite_rating_that_is_hardly_known() -> None:
    last = MEAN
    for matches in (1, 3, 10, 1_000, 10**9):
        best, worst = ratings({beat("a", "b"): matches}).values()
        assert best.value > last  # the more, the higher
        assert best.value - MEAN == pytest.approx(MEAN - worst.value)
        assert 100 < best.standard_error < 300
        last = best.value
    few = ratings({beat("a", "b"): 3})["a"]
    assert few.interval[0] < MEAN + 50  # three wins are no proof yet of much


def test_a_long_row_of_bots_that_never_lost_to_the_next_is_rated_too() -> None:
    row = [f"bot{number:02}" for number in range(40)]
    rated = ratings({beat(one, two): 10**9 for one, two in pairwise(row)})
    ranked = [rated[bot].value for bot in row]
    assert ranked == sorted(ranked, reverse=True)
    assert all(math.isfinite(value) for value in ranked)


def test_lopsided_matches_are_rated_where_full_steps_would_overshoot() -> None:
    lopsided = {("a", "b"): 10**5, ("a", "c"): 10**6, ("b", "d"): 10**6, ("d", "c"): 1}
    rated = ratings({beat(*pair): count for pair, count in lopsided.items()})
    assert sorted(rated, key=lambda bot: -rated[bot].value) == ["a", "b", "d", "c"]
    assert rated["a"].value - rated["c"].value < 5_000


def test_bots_that_no_matches_join_are_groups_of_their_own() -> None:
    one = {beat("a", "c"): 5, beat("c", "a"): 3, in_order("c", "a", "e"): 2}
    two = {beat("d", "b"): 4, beat("b", "d"): 1}
    rated = ratings(one | two)
    assert {bot: rating.group for bot, rating in rated.items()} == {
        "a": 1,
        "b": 2,
        "c": 1,
        "d": 2,
        "e": 1,
    }
    for part in (one, two):  # neither changes the other
        for bot, rating in ratings(part).items():
            assert rated[bot].value == pytest.approx(rating.value, abs=1e-6)
            assert rated[bot].standard_error == pytest.approx(rating.standard_error)


def test_finishes_are_taken_a_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {in_order(*order): len(order) for order in permutations("abcd", 3)}
    counts |= {beat("a", "b"): 5, in_order(*NAMES): 1}
    whole = ratings(counts)
    monkeypatch.setattr("sandlot_server.tournament.rating._ROWS", 5)
    for bot, again in ratings(counts).items():
        assert again.value == pytest.approx(whole[bot].value, abs=1e-6)
        assert again.standard_error == pytest.approx(whole[bot].standard_error)


def test_nobody_who_has_not_played_is_rated() -> None:
    assert ratings({}) == {}


def test_a_finish_is_the_same_in_whatever_order_it_is_told() -> None:
    assert Finish.of({"b": 1, "a": 2}) == Finish.of({"a": 2, "b": 1}) == (("a", "b"), (2, 1))


def test_the_json_form_is_plain() -> None:
    told = Rating(1500.0, 10.0, 1).to_json()
    assert told == {
        "value": 1500.0,
        "standard_error": 10.0,
        "low": pytest.approx(1480.4, abs=1e-3),
        "high": pytest.approx(1519.6, abs=1e-3),
        "group": 1,
    }
