"""A season is read like a tournament: its table, its records; but no league file plays it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import Command
from support.registered import BY, active, drawn, open_season
from support.stored import play

from sandlot import Action, Bot, Observation, arena
from sandlot.played import PlayedMatch
from sandlot.records import Record
from sandlot_server.store import FinishedMatch, Registry, SeatResult, Store, pack

DATABASE = Path("sandlot.db")

LEAGUE = """
[tournament]
name = "spring"
seats = 2

[[bots]]
name = "caller"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "random"
run = "sandlot_bots.random:Random"
"""

PAGE = """\
spring: 5 matches, round 2, open
rank  bot                    net a hand *         first     rating  matches  faults
   1  rat@1 (replaced)      +0.458 ±0.781       100.0 %  1737 ±427        3  -
  2~  rat@2                        +0.375       100.0 %  1643 ±479        1  -
  3~  owl@1 (disqualified)  -0.188 ±0.794         0.0 %  1228 ±441        2  -
  4~  fox@1                 -0.344 ±0.677  25.0 ±79.6 %  1392 ±300        4  -
* ranked by mean net units a hand; ± is the 95 % interval over matches
~ not to be told apart from the bot above by the matches they shared
rating: by places taken; 1500 is the mean, 400 more are odds of ten to one
no room here for hands and places: a wider terminal or --json shows all

head to head, row against column
   bot         1       2
1  rat@2           +6.00
2  fox@1   -6.00
mean net difference a match; * where the interval excludes 0
owl@1 is disqualified: it spoke for another
elk@1 is retired: by di
1 version replaced by later ones; --json has them
"""


@pytest.fixture
def store(sandlot: Command) -> Iterator[Store]:
    """The store in the folder of the commands."""
    with Store(DATABASE, create=True) as store:
        yield store


def filled(store: Store) -> Registry:
    """A season in its second round: a bot has been replaced, another disqualified."""
    registry = Registry(store)
    old, fox, owl = (
        active(registry, *one) for one in (("ann", "rat"), ("bob", "fox"), ("cy", "owl"))
    )
    open_season(registry)
    registry.enter("spring", [old, fox, owl])
    registry.draw_round("spring", drawn(1, (old, fox)))
    for number, (one, other, net) in enumerate(
        [
            ("rat@1", "fox@1", 4),
            ("fox@1", "rat@1", -6),
            ("owl@1", "fox@1", -2),
            ("rat@1", "owl@1", 1),
        ]
    ):
        play(store, f"1-{number}-1", {one: net, other: -net}, tournament="spring")
    registry.complete_round("spring", 1)
    new = active(registry, "ann", "rat")
    never = active(registry, "di", "elk")
    registry.enter("spring", [new, never])
    registry.disqualify("owl", "it spoke\nfor another", BY)
    registry.retire("elk", "di")
    registry.draw_round("spring", drawn(2, (new, fox)))
    play(store, "2-1-1", {"rat@2": 3, "fox@1": -3}, tournament="spring")
    return registry


def trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_the_page_of_a_season_marks_who_plays_no_more(sandlot: Command, store: Store) -> None:
    filled(store)
    ran = sandlot("standings")
    assert (ran.status, trimmed(ran.out), ran.err) == (0, PAGE, "")


def test_the_json_has_everybody_and_how_the_season_stands(sandlot: Command, store: Store) -> None:
    registry = filled(store)
    told = json.loads(sandlot("standings", "--tournament", "spring", "--json").out)
    assert (told["status"], told["rounds"]) == ("open", 2)
    assert (told["matches"], told["scheduled"]) == (5, None)
    assert {bot["bot"]: bot["withdrawn"] for bot in told["bots"]} == {
        "rat@1": "replaced: by version 2",
        "fox@1": None,
        "owl@1": "disqualified: it spoke\nfor another",
        "rat@2": None,
        "elk@1": "retired: by di",
    }
    assert {row["bot"]: row["matches"] for row in told["rows"]} == {
        "rat@1": 3,
        "rat@2": 1,
        "owl@1": 2,
        "fox@1": 4,
        "elk@1": 0,
    }
    registry.void_match("spring", "2-1-1", "the table was wrong", BY)
    told = json.loads(sandlot("standings", "--json").out)
    assert [void["reason"] for void in told["void"]] == ["the table was wrong"]
    assert told["matches"] == 4


def test_of_many_that_play_no_more_the_latest_are_told_and_the_rest_counted(
    sandlot: Command, store: Store
) -> None:
    registry = Registry(store)
    open_season(registry)
    for number in range(13):
        for _ in range(2):
            registry.enter("spring", [active(registry, "ann", f"rat-{number}")])
        registry.retire(f"rat-{number}", "ann")
    page = sandlot("standings").out.splitlines()
    assert page[0] == "spring: 0 matches, round 0, open"
    assert page[-12:] == [
        *(f"rat-{number}@2 is retired: by ann" for number in range(3, 13)),
        "3 more play no more; --json has them",
        "13 versions replaced by later ones; --json has them",
    ]
    assert not [line for line in page if line.startswith("   -")]


def test_the_seed_is_not_told_before_a_season_is_closed(sandlot: Command, store: Store) -> None:
    registry = Registry(store)
    seed = open_season(registry).seed.hex()
    for status in ("open", "paused"):
        for form in ([], ["--json"]):
            ran = sandlot("standings", "--seed", *form)
            assert ran == (
                1,
                "",
                f"Error: season 'spring' is {status}, and its seed tells all cards to come: close "
                "it first, with `sandlot admin season close spring`\n",
            )
        registry.pause_season("spring", BY)
    registry.close_season("spring", BY)
    assert sandlot("standings", "--seed").out.endswith(f"\nseed {seed}\n")
    assert json.loads(sandlot("standings", "--seed", "--json").out)["seed"] == seed


class Odd(Bot):
    """Any legal action."""

    def act(self, seen: Observation) -> Action:
        return self.rng.choice(seen.legal)


def finished(played: PlayedMatch) -> FinishedMatch:
    record = Record(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
    setup = played.setup
    seats = [
        SeatResult(entrant.bot, net, place)
        for entrant, net, place in zip(setup.entrants, played.net, played.places, strict=True)
    ]
    return FinishedMatch(
        setup.match, setup.attempt, setup.hands, record.digest, pack(record.text), tuple(seats)
    )


def test_records_of_a_season_are_exported_shown_and_verified_against_its_seed(
    sandlot: Command, store: Store
) -> None:
    registry = Registry(store)
    registry.add_owner("bob", "owner", BY)
    rat, fox = active(registry, "ann", "rat"), registry.enroll("bob", "fox")
    season = open_season(registry, hands=2)
    registry.enter("spring", [rat, fox])
    for played in arena.play(
        {"rat@1": Odd, "fox@1": Odd},
        4,
        season.seed,
        hands=2,
        tournament="spring",
        versions=[rat.hash, fox.hash],
    ):
        assert store.begin_attempts("spring", [played.setup.match]) == {played.setup.match: 1}
        store.finish("spring", [finished(played)])
    registry.close_season("spring", BY)

    said = "4 matches of spring in out.jsonl; sandlot verify out.jsonl checks them\n"
    assert sandlot("export", "--format", "jsonl", "out.jsonl") == (0, said, "")
    seed = json.loads(sandlot("standings", "--seed", "--json").out)["seed"]
    ran = sandlot("verify", "out.jsonl", "--tournament", seed)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("out.jsonl: ok: 4 matches, 8 hands, ")
    ran = sandlot("verify", "out.jsonl", "--tournament", "00" * 16)
    assert ran.status == 1
    assert "out.jsonl, line 1: " in ran.err
    ran = sandlot("replay", "out.jsonl", "--match", "1-1-1")
    assert ran.status == 0
    assert "rat@1" in ran.out
    assert "fox@1" in ran.out
    assert sandlot("export", "--format", "phh", "out.phhs").status == 0
    assert "rat@1" in Path("out.phhs").read_text("utf-8")


@pytest.mark.parametrize("command", ["run", "plan"])
def test_no_league_file_plays_a_season(command: str, sandlot: Command, store: Store) -> None:
    open_season(Registry(store))
    Path("league.toml").write_text(LEAGUE)
    ran = sandlot("tournament", command, "league.toml")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == (
        "Error: database sandlot.db: 'spring' is a season, which the league server plays: give the "
        "tournament another name\n"
    )


def test_no_league_file_waits_for_the_server_that_plays_the_season(
    sandlot: Command, store: Store
) -> None:
    open_season(Registry(store))
    store.take_up("spring")
    Path("league.toml").write_text(LEAGUE)
    assert "give the tournament another name" in sandlot("tournament", "run", "league.toml").err
