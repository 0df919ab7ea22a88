"""The order of play: no bot gets far ahead of another, at any moment."""

from itertools import combinations
from math import comb

import pytest

from sandlot_server.tournament.play_order import lead, level_order, nearly_level_order

SIZES = [(bots, seats) for seats in range(2, 8) for bots in range(seats, 13)]


def lead_by_hand(bots: int, groups: tuple[tuple[int, ...], ...]) -> int:
    prefixes = (groups[:end] for end in range(1, len(groups) + 1))
    counts = ([sum(bot in group for group in prefix) for bot in range(bots)] for prefix in prefixes)
    return max(max(count) - min(count) for count in counts)


@pytest.mark.parametrize(("bots", "seats"), SIZES)
def test_every_group_once_and_no_bot_more_than_one_ahead(bots: int, seats: int) -> None:
    order = level_order(bots, seats)
    assert sorted(order) == list(combinations(range(bots), seats))
    assert lead(bots, order) == (0 if bots == seats else 1)


@pytest.mark.parametrize(("bots", "seats"), [(13, 5), (14, 3), (30, 2), (31, 2), (101, 2)])
def test_larger_fields_are_level_too(bots: int, seats: int) -> None:
    order = level_order(bots, seats)
    assert len(set(order)) == comb(bots, seats)
    assert lead(bots, order) == 1


@pytest.mark.parametrize(("bots", "seats"), [(4, 2), (7, 3), (6, 4), (9, 4)])
def test_the_lead_is_what_counting_every_prefix_gives(bots: int, seats: int) -> None:
    in_rows = tuple(combinations(range(bots), seats))
    assert lead(bots, in_rows) == lead_by_hand(bots, in_rows)
    assert lead(bots, in_rows) > 1  # row by row the first bots get ahead
    level = level_order(bots, seats)
    assert lead_by_hand(bots, level) == 1


def test_given_groups_keep_their_number_also_when_one_comes_twice() -> None:
    groups = [(0, 1), (0, 1), (2, 3), (2, 3)]
    order = nearly_level_order(4, groups)
    assert sorted(order) == sorted(groups)
    assert lead(4, order) == 1
