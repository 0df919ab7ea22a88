"""Block designs: every bot plays equally often, every pair meets equally often or nearly so."""

import hashlib
import re
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path

import pytest

from sandlot_server.tournament import designs
from sandlot_server.tournament.designs import (
    DIFFERENCE_SETS,
    Design,
    balanced_design,
    full_design,
    sizes,
    symmetries,
)

SMALL = [(bots, seats) for seats in range(2, 7) for bots in range(seats, 13)]
LARGER = [(bots, seats) for seats in range(3, 7) for bots in (13, 16, 19, 20)]
LEADS = {(13, 4): 3, (11, 5): 3, (11, 6): 3, (16, 6): 3, (21, 5): 4, (31, 6): 4}
"""Where the lead is more than 2: any two of the tables share a bot there."""


def meetings(design: Design) -> set[int]:
    met = Counter(pair for table in design.tables for pair in combinations(table, 2))
    return {met[pair] for pair in combinations(range(design.bots), 2)}


@pytest.mark.parametrize(("bots", "seats"), SMALL + LARGER + [(21, 5), (31, 6)])
def test_every_pair_meets_equally_often(bots: int, seats: int) -> None:
    design = balanced_design(bots, seats)
    played = Counter(bot for table in design.tables for bot in table)
    assert played == dict.fromkeys(range(bots), design.each_plays)
    assert all(list(table) == sorted(set(table)) for table in design.tables)
    assert {len(table) for table in design.tables} == {seats}
    assert meetings(design) == {design.meetings[0]}
    assert design.meetings[0] == design.meetings[1] >= 1
    assert len(design.tables) <= comb(bots, seats)
    assert design.lead <= LEADS.get((bots, seats), 2)


@pytest.mark.parametrize(("bots", "seats"), DIFFERENCE_SETS)
def test_difference_sets_make_planes_where_every_pair_meets_once(bots: int, seats: int) -> None:
    members = DIFFERENCE_SETS[bots, seats]
    differences = [(one - other) % bots for one in members for other in members if one != other]
    assert sorted(differences) == list(range(1, bots))
    design = balanced_design(bots, seats)
    assert design.source == "difference set"
    assert len(design.tables) == bots
    assert design.meetings == (1, 1)


def test_the_table_in_docs_schedule_md_is_what_is_played() -> None:
    page = (Path(__file__).parents[2] / "docs" / "schedule.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \|(.*)\|$", page, flags=re.MULTILINE)
    assert len(rows) == 12
    for bots, cells in rows:
        for seats, cell in zip(range(3, 7), cells.split("|"), strict=True):
            design = balanced_design(int(bots), seats)
            least, most = design.meetings
            met = f"{least}" if least == most else f"{least}-{most}"
            assert cell.strip() == f"{len(design.tables)} ({met})", (bots, seats)


@pytest.mark.parametrize("bots", range(2, 13))
def test_at_two_seats_a_balanced_schedule_is_the_full_one(bots: int) -> None:
    assert balanced_design(bots, 2) == full_design(bots, 2)


@pytest.mark.parametrize(("bots", "seats"), [(6, 3), (9, 3), (12, 6), (15, 5), (16, 6)])
def test_the_number_of_tables_is_one_that_counting_allows(bots: int, seats: int) -> None:
    design = balanced_design(bots, seats)
    allowed = [tables for tables, _, _ in sizes(bots, seats)]
    assert len(design.tables) in allowed[: designs.SIZES]
    for tables, plays, meet in sizes(bots, seats):
        assert tables * seats == bots * plays
        assert plays * (seats - 1) == meet * (bots - 1)
        assert bots <= tables < comb(bots, seats)


def test_where_no_even_design_is_found_the_nearest_is_taken_and_its_spread_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(designs, "STEPS", 5)
    design = balanced_design.__wrapped__(15, 5)
    least, most = design.meetings
    assert least < most
    assert len(design.tables) == next(sizes(15, 5))[0]
    played = Counter(bot for table in design.tables for bot in table)
    assert set(played.values()) == {design.each_plays}
    assert design.explain() == (
        f"21 tables a round (search): each bot plays at 7, "
        f"each pair meets {least} to {most} times, as even as the search came"
    )


def test_the_search_does_the_same_work_every_time() -> None:
    for bots, seats in ((10, 4), (12, 6), (13, 3)):
        assert balanced_design.__wrapped__(bots, seats) == balanced_design(bots, seats)


@pytest.mark.parametrize(("bots", "tables", "plays"), [(9, 12, 4), (12, 22, 11), (16, 20, 5)])
def test_symmetries_divide_what_they_turn(bots: int, tables: int, plays: int) -> None:
    found = symmetries(bots, tables, plays)
    assert found[-1] == 1
    for turn in found:
        assert tables % turn == 0
        assert bots % turn in (0, 1)
    assert all(plays % turn == 0 for turn in found if bots % turn == 1)


def test_the_designs_are_those_that_tournaments_have_begun_with() -> None:
    # A half-played tournament finds its matches by id. If this fails because an algorithm was
    # changed on purpose, give the kind of schedule its next number in schedule.KINDS.
    every = hashlib.sha256()
    chosen = hashlib.sha256()
    for bots, seats in SMALL:
        every.update(repr(full_design(bots, seats).tables).encode())
        chosen.update(repr(balanced_design(bots, seats).tables).encode())
    assert every.hexdigest()[:16] == "ca91cfdc93dac9f6"
    assert chosen.hexdigest()[:16] == "08772c2b6648ced4"
