"""``standings``, ``matches`` and ``record``: the same from a store here and from a server."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from records.handled import records
from support.command import Command
from support.fake_league import FakeLeague
from support.registered import active, open_season
from support.standing_league import matches_message, stored_match
from support.stored import play

from sandlot.v1 import league_pb2
from sandlot_server.cli import matches
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.service.tables import write_table
from sandlot_server.service.values import write_match
from sandlot_server.store import FinishedMatch, Registry, SeatResult, Store, pack
from sandlot_server.tournament.table import table_of

RECORD = records()["clean"]


def trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.fixture
def stored(sandlot: Command, tmp_path: Path) -> Path:
    """A store in the folder of the command: a season, with five matches."""
    path = tmp_path / "sandlot.db"
    with Store(path, create=True) as store:
        registry = Registry(store)
        bots = [active(registry, owner, bot) for owner, bot in (("a", "ann"), ("b", "bob"))]
        bots.append(active(registry, "c", "cid"))
        open_season(registry, "friday")
        registry.enter("friday", bots)
        for number in range(1, 5):
            one, other = ("ann@1", "bob@1") if number % 2 else ("cid@1", "ann@1")
            faults = {other: {"timeout": 2}} if number == 2 else {}
            play(store, f"{number}-1-1", {one: number, other: -number}, faults=faults)
        attempts = store.begin_attempts("friday", ["5-1-1"])
        seats = (SeatResult("ann@1", Fraction(0), 1), SeatResult("bob@1", Fraction(0), 1))
        finished = FinishedMatch("5-1-1", attempts["5-1-1"], 8, "d", pack(RECORD), seats)
        store.finish("friday", [finished])
    return path


def mirror(store: Store, league: FakeLeague) -> None:
    """Have a server tell what a store holds."""
    league.answer("Standings", write_table(table_of(store, "friday")))
    matches = map(write_match, store.matches("friday"))
    league.answer("Matches", league_pb2.MatchesResponse(season="friday", matches=matches))
    half = len(RECORD) // 2
    parts = (RECORD[:half].encode(), RECORD[half:].encode())
    league.answer("Record", *[league_pb2.RecordResponse(part=part) for part in parts])


@pytest.mark.parametrize(
    "arguments",
    [
        ["standings"],
        ["standings", "--json"],
        ["matches"],
        ["matches", "--json"],
        ["record", "5-1-1"],
    ],
    ids=" ".join,
)
def test_a_server_and_a_store_that_hold_the_same_are_shown_the_same(
    arguments: list[str], stored: Path, league: FakeLeague, sandlot: Command
) -> None:
    with Store(stored) as store:
        mirror(store, league)
    here = sandlot(*arguments)
    assert (here.status, here.err) == (0, "")
    assert sandlot(*arguments, "--server") == here
    assert sandlot(*arguments, "--server", league.address) == here


def test_matches_are_listed_with_the_latest_first(stored: Path, sandlot: Command) -> None:
    ran = sandlot("matches", "--most", "3")
    assert (ran.status, ran.err) == (0, "")
    lines = trimmed(ran.out).splitlines()
    assert lines[0] == "match  ended (UTC)       seat 0       seat 1"
    assert [line.split()[0] for line in lines[1:4]] == ["5-1-1", "4-1-1", "3-1-1"]
    assert lines[3].endswith("  1. ann@1 +3  2. bob@1 -3")
    assert lines[4:] == ["", "There are more: --page 3"]
    more = trimmed(sandlot("matches", "--page", "3").out).splitlines()
    assert [line.split()[0] for line in more[1:]] == ["2-1-1", "1-1-1"]
    assert more[1].endswith("  1. cid@1 +2  2. ann@1 -2 (timeout 2)")


def test_the_matches_of_one_bot_are_listed(stored: Path, sandlot: Command) -> None:
    told = json.loads(sandlot("matches", "--bot", "bob", "--json").out)
    assert [match["match"] for match in told["matches"]] == ["5-1-1", "3-1-1", "1-1-1"]
    assert told["tournament"] == "friday"
    assert told["next_page"] is None
    assert told["matches"][1]["seats"] == [
        {"seat": 0, "bot": "ann@1", "net": "3", "place": 1, "faults": {}},
        {"seat": 1, "bot": "bob@1", "net": "-3", "place": 2, "faults": {}},
    ]
    assert "zoe" in sandlot("matches", "--bot", "zoe").err


def test_a_page_of_a_server_is_asked_for_as_it_said(league: FakeLeague, sandlot: Command) -> None:
    league.answer("Matches", matches_message(stored_match("1-1-1", 7), following="a b"))
    ran = sandlot(
        *("matches", "--server", "--season", "autumn", "--bot", "river-rat", "--most", "1"),
        *("--page", "token"),
    )
    assert ran.status == 0
    assert trimmed(ran.out).endswith(
        "1. river-rat@2 +7/2  2. tight@1 -7/2 (timeout 2)\n\nThere are more: --page 'a b'\n"
    )
    [request] = league.of(league_pb2.MatchesRequest)
    assert (request.season, request.bot, request.page_size, request.page_token) == (
        "autumn",
        "river-rat",
        1,
        "token",
    )


def test_those_that_came_on_earlier_pages_meanwhile_are_found_and_none_from_before(
    league: FakeLeague, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "EVERY", 0.0)
    old, known, new, newer = (
        replace(stored_match(f"{number}-1-1", number), ended=f"2026-12-01T12:00:0{number}Z")
        for number in range(1, 5)
    )
    pages = iter(
        [
            matches_message(known, following="2"),
            matches_message(newer, following="4"),
            matches_message(new, known, following="2"),
            matches_message(old),
        ]
    )
    league.answer_by("Matches", lambda request: iter([next(pages)]))
    ran = sandlot("matches", "--server", "--next", "2", "--json")
    assert (ran.status, ran.err) == (0, "")
    assert [json.loads(line)["match"] for line in ran.out.splitlines()] == ["3-1-1", "4-1-1"]
    asked = league.of(league_pb2.MatchesRequest)
    assert [request.page_token for request in asked] == ["", "", "4", "2"]


@pytest.mark.parametrize("arguments", [["standings"], ["matches"], ["record", "1-1-1"]], ids=str)
def test_where_nothing_was_played_here_a_server_is_named(
    arguments: list[str], sandlot: Command
) -> None:
    ran = sandlot(*arguments)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.endswith("name another with --db, or read from a league server with --server\n")
    assert "--server" not in sandlot(*arguments, "--db", "other.db").err


def test_a_page_of_matches_to_come_is_refused(sandlot: Command) -> None:
    ran = sandlot("matches", "--page", "3", "--next", "2")
    assert (ran.status, ran.out) == (2, "")
    assert "--page is of matches that are over: leave it out, or --next." in ran.err


def test_a_list_without_matches_says_so(league: FakeLeague, sandlot: Command) -> None:
    league.answer("Matches", matches_message())
    assert sandlot("matches", "--server").out == "autumn: no match has been played yet\n"
    assert sandlot("matches", "--server", "--page", "x").out == "autumn: there are no more\n"


def test_a_record_goes_into_a_file_or_on_to_the_next_command(
    stored: Path, sandlot: Command
) -> None:
    assert sandlot("record", "5-1-1", "one.jsonl") == (
        0,
        "5-1-1 in one.jsonl; sandlot replay one.jsonl shows it\n",
        "",
    )
    assert Path("one.jsonl").read_text() == RECORD
    assert sandlot("verify", "one.jsonl").status == 0
    assert sandlot("record", "5-1-1", "one.jsonl").status == 2
    assert sandlot("record", "5-1-1", "one.jsonl", "--force").status == 0
    assert sandlot("record", "5-1-1").out == RECORD


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (
            ["standings", "--server", "--db", "sandlot.db"],
            2,
            "--db is a database here and --server",
        ),
        (["standings", "--server", "--seed"], 2, "--seed is in a database here; a server "),
        (["standings", "--server", "--season", "x"], 1, "there is no season 'x'"),
        (
            ["matches", "--page", "one"],
            2,
            "There is no page 'one': give what the page before named",
        ),
        (["matches", "--most", "0"], 2, "0 is too few: write 1 to 1,000"),
        (["matches", "--season", "fryday"], 1, "did you mean 'friday'?"),
        (["record", "9-9-9"], 1, "'9-9-9'"),
        (["record", "9-9-9", "--server"], 1, "match 9-9-9 has no result"),
        (["record", "--server"], 2, "Missing argument 'MATCH'"),
        (["record", "5-1-1", "no/out"], 2, "There is no directory no to write no/out in."),
        (["record", "5-1-1", "--server", "9-9-9"], 1, "'9-9-9' is no address"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_not_there_gets_one_line(
    arguments: list[str],
    status: int,
    says: str,
    stored: Path,
    league: FakeLeague,
    sandlot: Command,
) -> None:
    league.answer("Standings", RefusedError(Reason.NO_SEASON, "there is no season 'x'"))
    league.answer("Record", RefusedError(Reason.NO_MATCH, "match 9-9-9 has no result"))
    ran = sandlot(*arguments)
    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1


def test_bytes_that_are_no_record_are_not_passed_on(league: FakeLeague, sandlot: Command) -> None:
    league.answer("Record", league_pb2.RecordResponse(part=b"\xff"))
    assert sandlot("record", "1-1-1", "--server") == (
        1,
        "",
        "Error: what the server sent for match 1-1-1 is no record\n",
    )
