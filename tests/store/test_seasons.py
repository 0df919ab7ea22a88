"""Seasons: started, paused and closed; their rounds, their entrants, and results that are void."""

from __future__ import annotations

import hashlib
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from sqlalchemy import select
from support.registered import BY, active, drawn, open_season
from support.stored import open_friday, play

from sandlot.errors import StoreError
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store import Place, Registry, Store, unpack
from sandlot_server.store.attempts import RUN_ENDED
from sandlot_server.store.registered import StoredSeat, Version
from sandlot_server.store.schema import struck


def test_a_season_is_kept_as_it_was_started(registry: Registry, store: Store) -> None:
    settings = SeasonSettings(seats=4, every=1.5)
    season = registry.start_season("spring", settings.configuration(), BY, bytes(range(16)))
    assert registry.season() == registry.season("spring") == season
    assert registry.seasons() == [season]
    assert SeasonSettings.of(season.configuration) == settings
    assert (season.status, season.rounds, season.closed) == ("open", 0, None)
    assert season.seed == bytes(range(16))
    assert season.commitment == hashlib.sha256(season.seed).hexdigest()
    assert season.seed.hex() not in repr(season)
    assert repr(season.seed) not in repr(season)
    assert store.tournament("spring").season == "open"
    (line,) = registry.audit()
    assert (line.did, line.subject) == ("season start", "spring")
    assert line.detail == f"commitment {season.commitment}"


def test_each_season_draws_a_seed_of_its_own(registry: Registry) -> None:
    first = open_season(registry, "one")
    registry.close_season("one", BY)
    assert len(first.seed) == 32
    assert open_season(registry, "two").seed != first.seed


def test_there_is_one_season_at_a_time(registry: Registry) -> None:
    open_season(registry, "one")
    said = "season 'one' is open: close it first, with `sandlot admin season close one`"
    with pytest.raises(StoreError, match=re.escape(said)):
        open_season(registry, "two")
    registry.pause_season("one", BY)
    with pytest.raises(StoreError, match="season 'one' is paused: close it first"):
        open_season(registry, "two")
    registry.close_season("one", BY)
    with pytest.raises(StoreError, match="there is a tournament 'one' already"):
        open_season(registry, "one")
    open_season(registry, "two")
    assert [season.name for season in registry.seasons()] == ["one", "two"]


def test_a_season_is_paused_goes_on_and_ends_for_good(registry: Registry) -> None:
    open_season(registry)
    found = []
    for change in (registry.pause_season, registry.resume_season, registry.close_season):
        change("spring", BY)
        (season,) = registry.seasons()
        found.append(season.status)
    assert found == ["paused", "open", "closed"]
    assert season.closed is not None
    assert registry.season() is None
    for change in (registry.pause_season, registry.resume_season, registry.close_season):
        with pytest.raises(StoreError, match="season 'spring' is closed, and stays so"):
            change("spring", BY)
        with pytest.raises(StoreError, match="no season 'sprung'; there is: spring"):
            change("sprung", BY)
    assert [line.did for line in registry.audit()] == [
        "season close",
        "season resume",
        "season pause",
        "season start",
    ]


@pytest.mark.parametrize("name", ["Spring", "..", "a/b", "a\0", "s" * 33])
def test_what_cannot_be_a_name_is_no_season(registry: Registry, name: str) -> None:
    with pytest.raises(StoreError, match=re.escape(f"{name!r} cannot be a season's name")):
        open_season(registry, name)
    with pytest.raises(StoreError, match="there is no season"):
        registry.season(name)
    assert registry.seasons() == []


def test_of_many_who_start_a_season_at_once_one_succeeds(place: Place) -> None:
    Store(place, create=True).close()
    start = threading.Barrier(4)

    def begin(number: int) -> bool:
        with Store(place) as store:
            start.wait()
            try:
                open_season(Registry(store), f"season-{number}")
            except StoreError:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        started = [each.result() for each in [pool.submit(begin, number) for number in range(4)]]
    assert started.count(True) == 1
    with Store(place) as store:
        assert len(Registry(store).seasons()) == 1


def test_a_league_file_does_not_play_a_season(registry: Registry, store: Store) -> None:
    open_season(registry)
    with pytest.raises(StoreError, match="'spring' is a season, which the league server plays"):
        open_friday(store, name="spring")
    assert open_friday(store).season is None


@pytest.fixture
def two(registry: Registry) -> tuple[Version, Version]:
    """Two entrants of an open season."""
    versions = active(registry, "ann", "rat"), active(registry, "bob", "fox")
    open_season(registry)
    registry.enter("spring", versions)
    return versions


def test_entrants_are_the_bots_of_the_tournament(
    registry: Registry, store: Store, two: tuple[Version, Version]
) -> None:
    registry.enter("spring", two)  # once more changes nothing
    bots = store.tournament("spring").bots
    assert [(bot.name, bot.version, bot.withdrawn) for bot in bots] == [
        (version.entrant, version.hash, None) for version in two
    ]


def test_the_longest_names_fit(registry: Registry, store: Store) -> None:
    longest = active(registry, "o" * 32, "b" * 32)
    open_season(registry, "s" * 32)
    registry.enter("s" * 32, [longest])
    assert [bot.name for bot in store.tournament().bots] == [f"{'b' * 32}@1"]


def test_who_was_replaced_before_it_entered_enters_as_that(
    registry: Registry, store: Store
) -> None:
    old = active(registry, "ann", "rat")
    new = active(registry, "ann", "rat")
    open_season(registry)
    registry.enter("spring", [old, new])  # as it was read before
    bots = store.tournament("spring").bots
    assert [bot.withdrawn for bot in bots] == ["replaced: by version 2", None]


def test_rounds_follow_one_another_and_come_back_as_they_were_drawn(
    registry: Registry, two: tuple[Version, Version]
) -> None:
    assert registry.latest_rounds("spring", 9) == []
    for number in (1, 2):
        round_ = drawn(number, two, two[::-1])
        registry.draw_round("spring", round_)
        assert registry.latest_rounds("spring", 1) == [round_]
        registry.complete_round("spring", number)
        (latest,) = registry.latest_rounds("spring", 1)
        assert latest is not None
        assert latest.completed
    for wrong in (1, 2, 4):
        with pytest.raises(StoreError, match=f"round {wrong} of season 'spring' cannot follow"):
            registry.draw_round("spring", drawn(wrong, two))
    season = registry.season("spring")
    assert season is not None
    assert season.rounds == 2


def test_the_matches_played_are_those_with_a_result(
    registry: Registry, store: Store, two: tuple[Version, Version]
) -> None:
    one, other = (version.entrant for version in two)
    play(store, "1-1-1", {one: 1, other: -1}, tournament="spring")
    play(store, "1-1-2", {other: 0, one: 0}, tournament="spring")
    store.begin_attempts("spring", ["1-2-1"])
    assert registry.matches_played("spring") == {one: 2, other: 2}


def test_a_server_that_died_leaves_nothing_running(place: Place) -> None:
    with Store(place, create=True) as dead:
        open_season(Registry(dead))
        dead.take_up("spring")
        dead.begin_attempts("spring", ["1-1-1"])
    with Store(place) as store:
        store.take_up("spring")
        assert [(void.match, void.reason) for void in store.voids("spring")] == [
            ("1-1-1", RUN_ENDED)
        ]
        assert store.begin_attempts("spring", ["1-1-1"]) == {"1-1-1": 2}


def test_one_server_plays_a_season(place: Place) -> None:
    with Store(place, create=True) as one, Store(place) as other:
        open_season(Registry(one))
        one.take_up("spring")
        with pytest.raises(StoreError, match="'spring' is being played by process"):
            other.take_up("spring")
        one.let_go()
        one.let_go()  # there is nothing more to let go of
        other.take_up("spring")
        with pytest.raises(RuntimeError):
            other.take_up("spring")


def test_only_a_season_is_taken_up_as_one(registry: Registry, store: Store) -> None:
    with pytest.raises(StoreError, match="there is no season 'spring'; there is: none yet"):
        store.take_up("spring")
    assert store.lock is None
    open_friday(store)
    store.let_go()
    with pytest.raises(StoreError, match="there is no season 'friday'"):
        store.take_up("friday")


def test_a_void_match_is_out_of_all_sums_and_its_record_is_kept(
    registry: Registry, store: Store, two: tuple[Version, Version]
) -> None:
    one, other = (version.entrant for version in two)
    play(store, "1-1-1", {one: 1, other: -1}, tournament="spring")
    before = store.sums("spring")
    play(store, "1-1-2", {other: 9, one: -9}, tournament="spring", faults={one: {"timeout": 2}})
    assert store.sums("spring") != before
    registry.void_match("spring", "1-1-2", "they colluded\0", BY)
    assert store.sums("spring") == before
    assert store.done("spring") == {"1-1-1"}
    assert [match.match for match in store.matches("spring")] == ["1-1-1"]
    (void,) = store.voids("spring")
    assert (void.match, void.attempt, void.reason) == ("1-1-2", 1, "they colluded\\x00")
    with store.reading() as connection:
        (kept,) = connection.scalars(select(struck.c.record))
    assert unpack(kept) == "record of 1-1-2/1\n"
    line = registry.audit()[0]
    assert (line.did, line.subject, line.detail) == (
        "void",
        "spring 1-1-2",
        "they colluded\\x00",
    )


def test_a_match_that_was_made_void_is_played_again_and_may_be_once_more(
    registry: Registry, store: Store, two: tuple[Version, Version]
) -> None:
    one, other = (version.entrant for version in two)
    for attempt in (1, 2):
        assert store.begin_attempts("spring", ["1-1-1"]) == {"1-1-1": attempt}
        store.void("spring", {"1-1-1": attempt}, "broken off")
    for attempt in (3, 4):
        play(store, "1-1-1", {one: attempt, other: -attempt}, tournament="spring")
        (match,) = store.matches("spring")
        assert match.attempt == match.seats[0].net == attempt
        registry.void_match("spring", "1-1-1", "again", BY)
    assert [void.attempt for void in store.voids("spring")] == [1, 2, 3, 4]


@pytest.mark.parametrize("match", ["1-1-2", "9", "", "a\0b", "\udcff"])
def test_only_what_has_a_result_can_be_made_void(
    registry: Registry, store: Store, two: tuple[Version, Version], match: str
) -> None:
    store.begin_attempts("spring", ["1-1-2"])
    with pytest.raises(StoreError, match="of season 'spring' has no result: `sandlot matches`"):
        registry.void_match("spring", match, "why", BY)
    with pytest.raises(StoreError, match="there is no season"):
        registry.void_match("autumn", match, "why", BY)


def test_pages_of_matches_come_latest_first_and_by_bot(
    registry: Registry, store: Store, two: tuple[Version, Version]
) -> None:
    one, other = (version.entrant for version in two)
    newer = active(registry, "ann", "rat").entrant
    registry.enter("spring", registry.with_status(["active"]))
    play(store, "1-1-1", {one: 1, other: -1}, tournament="spring", faults={other: {"timeout": 2}})
    play(store, "2-1-1", {newer: 0, other: 0}, tournament="spring")
    play(store, "2-1-2", {newer: 0, one: 0}, tournament="spring")

    def found(**asked: object) -> list[str]:
        return [match.match for match in store.matches("spring", **asked)]  # type: ignore[arg-type]

    assert found() == ["2-1-2", "2-1-1", "1-1-1"]
    assert found(bot="rat") == ["2-1-2", "2-1-1", "1-1-1"]
    assert found(bot="rat@1") == ["2-1-2", "1-1-1"]
    assert found(bot="fox", most=1) == ["2-1-1"]
    last = store.matches("spring", most=2)[-1]
    assert found(before=last.position) == ["1-1-1"]
    (first,) = store.matches("spring", before=last.position)
    assert first.seats == (
        StoredSeat(one, Fraction(1), 1, {}),
        StoredSeat(other, Fraction(-1), 2, {"timeout": 2}),
    )
    for nobody in ("nobody", "ra", "rat@", ""):
        with pytest.raises(StoreError, match=f"there is no bot '{nobody}' in it"):
            store.matches("spring", bot=nobody)


def test_of_some_matches_those_are_told_that_have_a_result(
    store: Store, registry: Registry, two: tuple[Version, Version]
) -> None:
    one, other = (version.entrant for version in two)
    for match in ("1-1-1", "1-1-2"):
        play(store, match, {one: 1, other: -1}, tournament="spring")
    assert store.done("spring", ["1-1-2", "2-1-1"]) == {"1-1-2"}
    assert store.done("spring", []) == frozenset()
