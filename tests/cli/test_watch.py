"""``sandlot watch``: what is being played, and a match as everybody at its table can see it.

What one looks like lies in ``replays/watched.txt``; renew it as `test_replay` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from records.handled import records
from support.command import Command
from support.fake_league import Answer, FakeLeague

from sandlot.game.events import Event
from sandlot.played import PlayedMatch
from sandlot.records import read
from sandlot.v1 import league_pb2, table_pb2
from sandlot.wire.table import write_event
from sandlot_server.service.refusals import Reason, RefusedError

PAGE = Path(__file__).parent / "replays" / "watched.txt"
RENEW = "SANDLOT_RENEW_PAGES" in os.environ

MATCH = league_pb2.RunningMatch(
    match="1-1-3",
    bots=["ann@1", "bob@2", "cid@1"],
    variant="baseball",
    hands=2,
    first_dealer=0,
    completed=1,
)


def played(name: str) -> PlayedMatch:
    [record] = read(records()[name])
    return record.played


def started(variant: str = "baseball") -> league_pb2.WatchResponse:
    match = league_pb2.RunningMatch()
    match.CopyFrom(MATCH)
    match.variant = variant
    return league_pb2.WatchResponse(started=match)


def happened(hand: int, dealer: int, event: Event) -> league_pb2.WatchResponse:
    written = table_pb2.Event.FromString(write_event(event.seen_by(None)))
    public = league_pb2.PublicEvent(hand=hand, dealer=dealer, event=written)
    return league_pb2.WatchResponse(happened=public)


def public_events(match: PlayedMatch) -> Iterator[league_pb2.WatchResponse]:
    for hand in match.hands:
        for event in hand.events:
            yield happened(hand.hand, hand.dealer, event)


def watched(match: PlayedMatch) -> list[Answer]:
    """Return all that a spectator of a match is sent."""
    end = league_pb2.WatchedEnd(net=map(str, match.net), places=match.places)
    return [started(), *public_events(match), league_pb2.WatchResponse(ended=end)]


def test_a_match_is_shown_as_everybody_can_see_it(league: FakeLeague, sandlot: Command) -> None:
    league.answer("Watch", *watched(played("faulty")))
    ran = sandlot("watch", "1-1-3")
    assert (ran.status, ran.err) == (0, "")
    if RENEW:
        PAGE.write_text(ran.out, "utf-8")
    assert ran.out == PAGE.read_text("utf-8")
    assert league.of(league_pb2.WatchRequest)[0].match == "1-1-3"


@pytest.mark.parametrize("name", ["clean", "faulty"])
def test_the_money_after_each_hand_is_that_of_the_record(
    name: str, league: FakeLeague, sandlot: Command
) -> None:
    match = played(name)
    league.answer("Watch", *watched(match))
    lines = sandlot("watch", "1-1-3").out.splitlines()
    tables = [at for at, line in enumerate(lines) if line.split() == ["net", "balance"]]
    assert len(tables) == len(match.hands)
    for at, hand in zip(tables, match.hands, strict=True):
        shown = [line.split()[-2:] for line in lines[at + 1 : at + 4]]
        nets = [text.removeprefix("+") for text, _ in shown]
        balances = [text.removeprefix("+") for _, text in shown]
        assert nets == list(map(str, hand.net))
        assert balances == list(map(str, hand.balance))


def test_the_json_has_one_event_a_line_and_no_card_that_lies_face_down(
    league: FakeLeague, sandlot: Command
) -> None:
    match = played("faulty")
    league.answer("Watch", *watched(match))
    ran = sandlot("watch", "1-1-3", "--json")
    assert (ran.status, ran.err) == (0, "")
    first, *events, last = map(json.loads, ran.out.splitlines())
    assert first["started"]["bots"] == list(MATCH.bots)
    assert [event["event"] for event in events] == [
        event.seen_by(None).to_json() for hand in match.hands for event in hand.events
    ]
    assert [event["hand"] for event in events if event["event"]["event"] == "ante"] == [1] * 3 + [
        2
    ] * 3
    hidden = [event for event in events if event["event"].get("up") is False]
    assert len(hidden) > 0
    assert {event["event"]["card"] for event in hidden} == {None}
    assert last == {"ended": {"net": [str(net) for net in match.net], "places": [*match.places]}}


def test_lines_come_as_things_happen(league: FakeLeague, sandlot: Command) -> None:
    answers = watched(played("clean"))
    league.answer("Watch", *answers[:-1], grpc.StatusCode.UNAVAILABLE)
    ran = sandlot("watch", "1-1-3")
    assert ran.status == 1
    assert ran.err.startswith(f"Error: no league server at {league.address}, or it is gone: ")
    league.answer("Watch", *answers)
    whole = sandlot("watch", "1-1-3").out
    assert whole.startswith(ran.out)
    assert "Result" in whole.removeprefix(ran.out)


def test_a_match_that_is_broken_off_is_said_to_be_void(
    league: FakeLeague, sandlot: Command
) -> None:
    ended = league_pb2.WatchResponse(ended=league_pb2.WatchedEnd())
    league.answer("Watch", *watched(played("clean"))[:5], ended)
    ran = sandlot("watch", "1-1-3")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith("\nThe match was broken off; it is void, and is played again.\n")


def test_the_matches_that_are_played_now_are_listed(league: FakeLeague, sandlot: Command) -> None:
    league.answer("Running", league_pb2.RunningResponse(season="autumn", matches=[MATCH]))
    ran = sandlot("watch")
    assert (ran.status, ran.err) == (0, "")
    assert [line.split() for line in ran.out.splitlines()] == [
        ["match", "bots", "hand"],
        ["1-1-3", "ann@1,", "bob@2,", "cid@1", "2", "of", "2"],
    ]
    assert json.loads(sandlot("watch", "--json").out) == {
        "season": "autumn",
        "matches": [
            {
                "match": "1-1-3",
                "bots": ["ann@1", "bob@2", "cid@1"],
                "variant": "baseball",
                "hands": 2,
                "first_dealer": 0,
                "completed": 1,
            }
        ],
    }


@pytest.mark.parametrize(("season", "says"), [("autumn", "season autumn"), ("", "no season")])
def test_where_nothing_is_played_it_says_so(
    season: str, says: str, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Running", league_pb2.RunningResponse(season=season))
    assert sandlot("watch").out == f"No match is being played now; {says} is under way.\n"


UNKNOWN = league_pb2.WatchResponse(
    happened=league_pb2.PublicEvent(hand=1, event=table_pb2.Event(event="swap"))
)


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([RefusedError(Reason.NO_MATCH, "match 9-9-9 is not being played")], "9-9-9 is not being"),
        ([started("omaha")], "the game 'omaha' is unknown to this version of Sandlot"),
        ([started(), UNKNOWN], "'swap'"),
        ([UNKNOWN], "the server tells of a match before it has said which"),
        ([], "the server has ended the call before the match was over"),
    ],
)
def test_what_cannot_be_watched_gets_one_line(
    answers: list[Answer], says: str, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Watch", *answers)
    ran = sandlot("watch", "9-9-9")
    assert ran.status == 1
    assert says in ran.err
    assert ran.err.count("\n") == 1
