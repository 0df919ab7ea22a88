"""How the rounds of a season are drawn: who plays, who sits out, who catches up, who meets whom."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from league.entering import version, versions

from sandlot_server.league.drawing import CATCH_UP, CAUGHT_UP, EXTRA, draw
from sandlot_server.league.history import REMEMBERED, History
from sandlot_server.store.registered import HOUSE_OWNER, Drawn, Round, Version

SEED = bytes(range(16))
SEATS = st.integers(2, 6)
NUMBERS = st.integers(0, 30)
SEEDS = st.binary(min_size=16, max_size=16)


class Season:
    """A season whose matches all have a result as soon as they are drawn."""

    def __init__(self, seats: int = 2, apart: bool = True, seed: bytes = SEED) -> None:
        self.seats = seats
        self.apart = apart
        self.seed = seed
        self.history = History(seats)
        self.rounds: list[Round] = []
        self.tables: Counter[str] = Counter()
        self.met: Counter[tuple[str, str]] = Counter()

    def play(self, entrants: Sequence[Version]) -> Round:
        """Draw and play the next round."""
        drawn = draw(
            len(self.rounds) + 1,
            entrants,
            self.history,
            seats=self.seats,
            apart=self.apart,
            seed=self.seed,
        )
        self.rounds.append(drawn)
        self.history.draw(drawn)
        for match in drawn.matches:
            self.history.finish(match.bots)
        for table in tables_of(drawn):
            self.tables.update(table)
            self.met.update(combinations(sorted(table), 2))
        return drawn

    def spread(self, entrants: Sequence[Version]) -> int:
        """By how many tables these differ at most."""
        tables = [self.tables[one.entrant] for one in entrants]
        return max(tables) - min(tables)


def tables_of(drawn: Round) -> list[tuple[str, ...]]:
    """Who sits at each table, in the first rotation."""
    return [match.bots for match in drawn.matches if match.match.endswith("-1")]


def in_turn(drawn: Round) -> Counter[str]:
    """How many tables of the round each plays that are nobody's to catch up."""
    firsts = (each for each in drawn.matches if each.match.endswith("-1"))
    return Counter(bot for each in firsts if each.catching_up is None for bot in each.bots)


def behind(drawn: Round) -> Counter[str]:
    """How many tables are played to let each catch up."""
    firsts = (each for each in drawn.matches if each.match.endswith("-1"))
    return Counter(each.catching_up for each in firsts if each.catching_up is not None)


def by_table(drawn: Round) -> Iterator[list[Drawn]]:
    """The rotations of each table."""
    numbers = dict.fromkeys(match.match.rpartition("-")[0] for match in drawn.matches)
    for number in numbers:
        yield [each for each in drawn.matches if each.match.rpartition("-")[0] == number]


def owners(number: int, most: int, draw_one: Callable[[int], int]) -> list[Version]:
    """So many bots of at most so many owners."""
    return [version(f"bot{place:02}", f"owner {draw_one(most)}") for place in range(number)]


@given(NUMBERS, SEATS, SEEDS, st.integers(1, 10), st.randoms(use_true_random=False))
def test_a_round_is_tables_in_all_rotations(
    number: int, seats: int, seed: bytes, most: int, chance: random.Random
) -> None:
    entrants = owners(number, most, chance.randrange)
    history = History(
        seats, matches={each.entrant: chance.randrange(60) * seats for each in entrants}
    )
    drawn = draw(7, entrants, history, seats=seats, apart=True, seed=seed)
    ids = [match.match for match in drawn.matches]
    assert len(set(ids)) == len(ids)
    count = len(ids) // seats
    assert ids == [f"7-{table}-{r}" for r in range(1, seats + 1) for table in range(1, count + 1)]
    owner = {each.entrant: each.owner for each in entrants}
    for rotations in by_table(drawn):
        assert len({match.first_dealer for match in rotations}) == 1
        assert len({match.catching_up for match in rotations}) == 1
        for seat in range(seats):  # everybody once in every seat
            assert sorted(match.bots[seat] for match in rotations) == sorted(rotations[0].bots)
        assert len({*rotations[0].bots}) == seats
        if seats > 2:
            assert len({owner[bot] for bot in rotations[0].bots}) == seats


@given(NUMBERS, SEATS, SEEDS, st.randoms(use_true_random=False))
def test_the_same_round_is_drawn_from_the_same_in_any_order(
    number: int, seats: int, seed: bytes, chance: random.Random
) -> None:
    entrants = versions(number)
    matches = {each.entrant: chance.randrange(20) * seats for each in entrants}
    first = draw(3, entrants, History(seats, (), matches), seats=seats, apart=True, seed=seed)
    chance.shuffle(entrants)
    again = draw(3, entrants, History(seats, (), matches), seats=seats, apart=True, seed=seed)
    assert again == first


@given(st.integers(2, 14), SEATS, SEEDS)
def test_at_every_moment_all_have_played_equally_often_but_for_one_table(
    number: int, seats: int, seed: bytes
) -> None:
    entrants, season = versions(number), Season(seats, seed=seed)
    for _ in range(25):
        drawn = season.play(entrants)
        assert not behind(drawn)
        assert season.spread(entrants) <= 1
    assert len(season.rounds[-1].matches) == number // seats * seats


@pytest.mark.parametrize(("number", "seats"), [(5, 3), (9, 5), (11, 6)])
def test_turns_stay_even_for_as_long_as_a_season_lasts(number: int, seats: int) -> None:
    entrants, season = versions(number), Season(seats)
    for _ in range(3 * REMEMBERED):
        season.play(entrants)
        assert season.spread(entrants) <= 1


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 7, 8, 10, 13, 16])
def test_pairs_meet_about_once_in_as_many_rounds_as_there_are_others(number: int) -> None:
    entrants, season = versions(number), Season()
    pairs = [*combinations([one.entrant for one in entrants], 2)]
    rounds = number - 1 if number % 2 == 0 else number
    for _ in range(rounds):
        season.play(entrants)
    assert max(season.met.values()) <= 2
    assert sum(season.met[pair] == 1 for pair in pairs) >= 0.6 * len(pairs)
    for _ in range(rounds, 10 * rounds):
        season.play(entrants)
    assert {season.met[pair] for pair in pairs} <= {8, 9, 10, 11, 12}


@pytest.mark.parametrize(("number", "seats"), [(8, 3), (9, 3), (12, 4), (20, 6)])
def test_at_larger_tables_all_meet_about_equally_often(number: int, seats: int) -> None:
    entrants, season = versions(number), Season(seats)
    for _ in range(60):
        season.play(entrants)
    pairs = [season.met[pair] for pair in combinations([one.entrant for one in entrants], 2)]
    mean = sum(pairs) / len(pairs)
    assert 0.7 * mean <= min(pairs)
    assert max(pairs) <= 1.3 * mean


def test_a_new_version_catches_up_and_then_takes_its_turn() -> None:
    entrants, season = versions(8), Season()
    for _ in range(20):
        season.play(entrants)
    new = version("new")
    everybody = [*entrants, new]
    drawn = season.play(everybody)
    assert behind(drawn) == {new.entrant: CATCH_UP}
    assert season.tables[new.entrant] == CATCH_UP
    for _ in range(15):
        drawn = season.play(everybody)
        assert sum(in_turn(drawn).values()) >= 8
        assert behind(drawn)[new.entrant] <= CATCH_UP
    assert not behind(drawn)
    assert in_turn(drawn)[new.entrant] == 1
    assert season.spread(everybody) <= 2
    met = [season.met[pair] for pair in season.met if new.entrant in pair]
    assert len(met) == 8
    assert max(met) - min(met) <= 2


def test_many_who_come_at_once_catch_up_with_few() -> None:
    few, season = versions(2), Season()
    for _ in range(30):
        season.play(few)
    everybody = [*few, *(version(f"new{place}") for place in range(10))]
    drawn = season.play(everybody)
    assert {season.tables[one.entrant] for one in everybody[2:]} == {CATCH_UP}
    for _ in range(20):
        drawn = season.play(everybody)
    assert not behind(drawn)
    assert season.spread(everybody) <= 2


def test_nobody_starves_by_an_author_who_submits_a_version_a_minute() -> None:
    steady, season = versions(9), Season()
    for _ in range(12):
        season.play(steady)
    sat_out: Counter[str] = Counter()
    for number in range(1, 61):
        newest = version("restless", number=number)
        drawn = season.play([*steady, newest])
        assert season.tables[newest.entrant] == CATCH_UP
        had_its_turn = in_turn(drawn) + behind(drawn)
        assert len(had_its_turn) >= 9  # of ten: one sits out at most
        for one in steady:
            sat_out[one.entrant] = 0 if had_its_turn[one.entrant] else sat_out[one.entrant] + 1
        assert max(sat_out.values()) <= 1
    assert season.spread(steady) <= 2


def test_who_lets_others_catch_up_plays_few_tables_more() -> None:
    steady, season = versions(6), Season()
    for _ in range(30):
        season.play(steady)
    news = [version(f"new{place}") for place in range(20)]
    for _ in range(10):
        drawn = season.play([*steady, *news])
        played = Counter(bot for table in tables_of(drawn) for bot in table)
        assert max(played[one.entrant] for one in steady) <= 1 + EXTRA
        assert min(played[one.entrant] for one in steady) >= 1


def test_nobody_catches_up_with_thousands_of_tables() -> None:
    entrants = versions(6)
    long = {one.entrant: 2 * 5_000 for one in entrants[:4]}
    back, new = entrants[4:]
    long[back.entrant] = 2 * CAUGHT_UP
    season = Season()
    season.history = History(2, (), long)
    for _ in range(60):
        drawn = season.play(entrants)
        assert back.entrant not in behind(drawn)
    assert not behind(drawn)
    assert season.tables[new.entrant] <= CAUGHT_UP + 60


def test_at_the_start_of_a_season_nobody_is_behind() -> None:
    season = Season()
    entrants: list[Version] = []
    for one in versions(12):  # one more comes before each of the first rounds
        entrants.append(one)
        if len(entrants) < 3:
            assert not behind(season.play(entrants))
    assert tables_of(season.rounds[0]) == []


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nobody_sits_out_for_ever_because_one_owner_has_many_bots(seats: int) -> None:
    many = [version(f"many{place}", "one owner") for place in range(6)]
    others = versions(seats - 1)
    season = Season(seats)
    for _ in range(12):
        drawn = season.play([*many, *others])
        for table in tables_of(drawn):
            if seats > 2:
                assert sum(bot.startswith("many") for bot in table) <= 1
    assert min(season.tables[one.entrant] for one in [*many, *others]) >= 2
    assert season.spread(many) <= 1


def test_bots_of_one_owner_share_tables_of_two_and_where_they_are_let() -> None:
    mine = [version(f"mine{place}", "me") for place in range(3)]
    assert len(tables_of(Season(2).play(mine))) == 1
    assert tables_of(Season(3).play(mine)) == []
    assert len(tables_of(Season(3, apart=False).play(mine))) == 1


def test_house_bots_share_tables() -> None:
    house = [version(f"house{place}", HOUSE_OWNER, kind="house") for place in range(6)]
    assert len(tables_of(Season(3).play(house))) == 2


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("apart", [True, False])
def test_two_versions_of_one_bot_never_share_a_table(seats: int, apart: bool) -> None:
    entrants = [version("twin", "me"), version("twin", "me", number=2), *versions(3)]
    season = Season(seats, apart)
    for _ in range(20):
        for table in tables_of(season.play(entrants)):
            assert not {"twin@1", "twin@2"} <= {*table}
    assert min(season.tables.values()) >= 8


@pytest.mark.parametrize("matches", [{}, {"bot000@1": 600, "bot001@1": 600}])
@pytest.mark.parametrize("seats", [2, 6])
def test_five_hundred_entrants_are_drawn_at_once(seats: int, matches: Mapping[str, int]) -> None:
    entrants, history = versions(500), History(seats, (), matches)
    taken = []
    for number in range(1, 4):
        start = time.process_time()
        drawn = draw(number, entrants, history, seats=seats, apart=True, seed=SEED)
        taken.append(time.process_time() - start)
        history.draw(drawn)
        assert len(drawn.matches) >= 500 // seats * seats
    assert min(taken) < 2  # a tenth of that on a quiet machine


def test_meetings_of_long_ago_are_forgotten() -> None:
    entrants, season = versions(4), Season()
    for _ in range(REMEMBERED + 7):
        season.play(entrants)
    assert sum(tables for _, tables in season.history.meetings()) == 2 * REMEMBERED
    again = History(2, season.rounds[-REMEMBERED:])
    assert dict(again.meetings()) == dict(season.history.meetings())


def test_a_history_that_is_read_again_draws_the_same_round() -> None:
    entrants, season = versions(5), Season(3)
    for _ in range(17):
        season.play(entrants)
    matches = {bot: 3 * tables for bot, tables in season.tables.items()}
    again = History(3, season.rounds, matches)
    drawn = draw(18, entrants, again, seats=3, apart=True, seed=SEED)
    assert drawn == season.play(entrants)
