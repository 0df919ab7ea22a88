"""What the calls of the league's service answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from fractions import Fraction
from pathlib import Path

import grpc
import pytest
from support.league_room import LeagueRoom
from support.one_loop import run
from support.reducing import setup_for

from sandlot.errors import SessionError, StoreError, SubmissionError
from sandlot.game.actions import Action
from sandlot.game.events import Acted, Anted, Awarded, Dealt
from sandlot.v1 import league_pb2 as pb
from sandlot_server.arbiter import Running, Watched
from sandlot_server.league.quotas import QuotaError
from sandlot_server.service.limits import Limits
from sandlot_server.service.tables import read_table
from sandlot_server.service.values import read_bot, read_match, read_version
from sandlot_server.tournament.table import table_of


def test_who_one_is(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            told = await room.call("ann", "WhoAmI", pb.WhoAmIRequest())
            assert (told.owner.name, told.owner.role, told.owner.tokens) == ("ann", "owner", 1)
            assert told.server.startswith("sandlot/")

    run(scene())


def test_a_submission_is_told_of_until_it_is_settled(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            call = room.begin("ann", "Submit", pb.SubmitRequest(archive=b"\1\2", name="mine"))
            told = aiter(call)
            first = read_version(pb.SubmitResponse.FromString(await anext(told)).version)
            assert (first.bot, first.hash, first.status) == ("mine", "0102", "received")
            for status in ("building", "building", "trying"):
                changed = room.registry.set_status(first, status)
                room.reception.changes.put_nowait(changed)
            why = room.registry.set_status(first, "refused", "it crashed", "Traceback")
            room.reception.changes.put_nowait(why)
            room.reception.changes.put_nowait(None)
            rest = [read_version(pb.SubmitResponse.FromString(raw).version) async for raw in told]
            assert [each.status for each in rest] == ["building", "trying", "refused"]
            assert rest[-1] == why

    run(scene())


def test_a_submission_that_is_refused_at_once_says_why(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.reception.refusal = SubmissionError("no bot.toml:\nwrite one")
            failed = await room.fails("ann", "Submit", pb.SubmitRequest())
            assert (failed.status, failed.reason) == (
                grpc.StatusCode.INVALID_ARGUMENT,
                "SUBMISSION",
            )
            assert failed.text == "no bot.toml: write one"

    run(scene())


def test_more_than_an_owner_may_hand_in_is_told_apart(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.reception.refusal = QuotaError("you have 20 bots, and 20 are allowed")
            for method in ("Submit", "Connect"):
                failed = await room.fails("ann", method, b"")
                assert failed.status is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert failed.reason == "QUOTA"

    run(scene())


def test_a_name_that_is_taken_is_a_conflict_without_the_name_of_the_database(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.submitted("bob", "river-rat")
            for method, request in (
                ("Submit", pb.SubmitRequest(name="river-rat")),
                ("Connect", pb.ConnectRequest(bot="river-rat")),
            ):
                failed = await room.fails("ann", method, request)
                assert failed.reason == "CONFLICT"
                assert failed.text.startswith("the name 'river-rat' is taken")
                assert "league.db" not in failed.text

    run(scene())


def test_who_leaves_during_a_trial_stops_only_listening(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            call = room.begin("ann", "Submit", pb.SubmitRequest(name="mine"))
            await call.read()
            call.cancel()
            told = await room.call("ann", "Status", pb.StatusRequest(bot="mine"))
            assert told.bot.versions[0].status == "received"

    run(scene())


def test_a_list_shows_bots_by_name_in_pages_without_what_is_their_owners(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            for bot in ("cid", "abe", "bea"):
                room.submitted("ann" if bot == "bea" else "bob", bot)
            first = await room.call("ida", "List", pb.ListRequest(page_size=2))
            assert [bot.name for bot in first.bots] == ["abe", "bea"]
            assert first.bots[0].versions[0].manifest == ""
            then = pb.ListRequest(page_size=2, page_token=first.next_page_token)
            second = await room.call("ida", "List", then)
            assert [bot.name for bot in second.bots] == ["cid"]
            assert second.next_page_token == ""
            anns = await room.call("ida", "List", pb.ListRequest(owner="ann"))
            assert [bot.name for bot in anns.bots] == ["bea"]
            failed = await room.fails("ida", "List", pb.ListRequest(owner="zoe"))
            assert failed.reason == "NO_OWNER"
            room.registry.disqualify("abe", "it cheated", "tests")
            third = await room.call("ida", "List", pb.ListRequest(page_size=1))
            assert third.bots[0].disqualified == "it cheated"

    run(scene())


def test_status_has_all_of_ones_own_bot_and_one_account(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            for number in (1, 2):
                sent = room.registry.receive("ann", "mine", f"{number}", {"run": "b.py"}, 9)
                room.registry.set_status(sent, "refused", f"why {number}", f"account {number}")
            last = await room.call("ann", "Status", pb.StatusRequest(bot="mine"))
            bot = read_bot(last.bot)
            assert [one.reason for one in bot.versions] == ["why 1", "why 2"]
            assert [one.account for one in bot.versions] == ["", "account 2"]
            assert bot.versions[0].manifest == {"run": "b.py"}
            first = await room.call("ann", "Status", pb.StatusRequest(bot="mine", number=1))
            assert [one.account for one in first.bot.versions] == ["account 1", ""]
            admins = await room.call("tess", "Status", pb.StatusRequest(bot="mine"))
            assert admins == last
            failed = await room.fails("ann", "Status", pb.StatusRequest(bot="mine", number=3))
            assert (failed.reason, failed.text) == (
                "NO_BOT",
                "bot 'mine' has no version 3; its last is 2",
            )

    run(scene())


def test_a_log_is_read_part_by_part_and_from_its_end(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.submitted("ann", "mine")
            room.reception.logs["mine@1"] = "one two three"
            first = await room.call("ann", "Logs", pb.LogsRequest(bot="mine", most=4))
            assert (first.text, first.next, first.more) == ("one ", 4, True)
            rest = await room.call("ann", "Logs", pb.LogsRequest(bot="mine", after=first.next))
            assert (rest.text, rest.more, rest.entrant) == ("two three", False, "mine@1")
            end = await room.call("ann", "Logs", pb.LogsRequest(bot="mine", tail=True, most=5))
            assert (end.text, end.next) == ("three", 13)
            failed = await room.fails("ann", "Logs", pb.LogsRequest(bot="mine", season="autumn"))
            assert failed.reason == "NO_SEASON"

    run(scene())


def test_what_is_retired_plays_no_more_and_the_hall_hears_of_it(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.submitted("ann", "mine")
            told = await room.call("ann", "Retire", pb.RetireRequest(bot="mine"))
            assert [(one.bot, one.status) for one in told.stopped] == [("mine", "retired")]
            assert room.hall.looks == 1
            assert room.registry.audit(1)[0].who == "ann"
            failed = await room.fails("ann", "Retire", pb.RetireRequest(bot="mine"))
            assert failed.reason == "CONFLICT"

    run(scene())


def test_standings_are_the_same_as_from_the_store(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path, Limits(fresh=5.0)) as room:
            assert (await room.fails("ida", "Standings", pb.StandingsRequest())).reason == (
                "NO_SEASON"
            )
            room.season("spring", room.submitted("ann", "mine"), room.submitted("bob", "his"))
            room.play("spring", "1-1-1", {"mine@1": 3, "his@1": -3})
            told = await room.call("ida", "Standings", pb.StandingsRequest())
            assert read_table(told).standings == table_of(room.store, "spring").standings
            assert (told.season, told.status, told.rounds) == ("spring", "open", 1)
            room.play("spring", "2-1-1", {"mine@1": 3, "his@1": -3})
            assert await room.call("ida", "Standings", pb.StandingsRequest()) == told
            room.now += 5
            later = await room.call("ida", "Standings", pb.StandingsRequest(season="spring"))
            assert later.rows[0].matches == 2

    run(scene())


def test_matches_come_in_pages_the_last_one_first(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.season("spring", room.submitted("ann", "mine"), room.submitted("bob", "his"))
            for number in (1, 2, 3):
                nets = {"mine@1": Fraction(number, 2), "his@1": -Fraction(number, 2)}
                room.play("spring", f"{number}-1-1", nets)
            first = await room.call("ida", "Matches", pb.MatchesRequest(page_size=2, bot="mine"))
            assert [each.match for each in first.matches] == ["3-1-1", "2-1-1"]
            assert read_match(first.matches[0]).seats[0].net == Fraction(3, 2)
            then = pb.MatchesRequest(page_size=2, page_token=first.next_page_token)
            second = await room.call("ida", "Matches", then)
            assert [each.match for each in second.matches] == ["1-1-1"]
            assert second.next_page_token == ""
            for request, reason in (
                (pb.MatchesRequest(bot="nobody"), "NO_BOT"),
                (pb.MatchesRequest(season="autumn"), "NO_SEASON"),
                (pb.MatchesRequest(page_token="1; drop"), "INVALID"),
            ):
                assert (await room.fails("ida", "Matches", request)).reason == reason

    run(scene())


def test_a_record_comes_as_it_was_stored_and_only_once_there_is_a_result(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path, Limits(part=7)) as room:
            room.season("spring", room.submitted("ann", "mine"), room.submitted("bob", "his"))
            room.play("spring", "1-1-1", {"mine@1": 3, "his@1": -3})
            room.store.begin_attempts("spring", ["2-1-1"])
            parts = await room.stream("ida", "Record", pb.RecordRequest(match="1-1-1"))
            assert len(parts) > 1
            assert b"".join(part.part for part in parts) == b"record of 1-1-1/1\n"
            failed = await room.fails("ida", "Record", pb.RecordRequest(match="2-1-1"))
            assert (failed.status, failed.reason) == (grpc.StatusCode.NOT_FOUND, "NO_MATCH")

    run(scene())


async def a_hand() -> AsyncGenerator[Watched, None]:
    yield Watched(1, Anted(0, 1))
    yield Watched(1, Anted(1, 1))
    yield Watched(1, Dealt(3, 0, None, up=False, bonus=False))
    yield Watched(1, Acted(3, 1, Action.BET, 2, 2, 4))
    yield Watched(1, Awarded(1, Fraction(4)))


def test_a_match_is_watched_from_its_beginning_to_its_nets(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            setup = setup_for(hands=1)
            room.hall.matches = [Running(setup, 0)]
            room.hall.seen = a_hand()
            [listed] = (await room.call("ida", "Running", pb.RunningRequest())).matches
            seen = await room.stream("ida", "Watch", pb.WatchRequest(match=setup.match))
            assert seen[0].started == listed
            assert list(listed.bots) == [each.bot for each in setup.entrants]
            events = [each.happened for each in seen[1:-1]]
            assert [each.event.event for each in events] == [
                *("ante", "ante", "deal", "action", "award")
            ]
            assert {(each.hand, each.dealer) for each in events} == {(1, setup.first_dealer)}
            assert list(seen[-1].ended.net) == ["-1", "1"]
            assert list(seen[-1].ended.places) == [2, 1]

    run(scene())


def test_a_match_that_is_broken_off_has_no_nets(tmp_path: Path) -> None:
    async def broken() -> AsyncGenerator[Watched, None]:
        yield Watched(1, Anted(0, 1))
        raise SessionError("match 1-1-1 is broken off")

    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            setup = setup_for(hands=1)
            room.hall.matches = [Running(setup, 0)]
            room.hall.seen = broken()
            seen = await room.stream("ida", "Watch", pb.WatchRequest(match=setup.match))
            assert seen[-1].WhichOneof("item") == "ended"
            assert list(seen[-1].ended.net) == []
            failed = await room.fails("ida", "Watch", pb.WatchRequest(match="9-9-9"))
            assert failed.reason == "NO_MATCH"

    run(scene())


def test_in_an_anonymous_season_a_watcher_is_told_seats(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.hall.matches = [Running(setup_for(hands=1, anonymous=True), 0)]
            [listed] = (await room.call("ida", "Running", pb.RunningRequest())).matches
            assert list(listed.bots) == ["seat 0", "seat 1"]

    run(scene())


def test_a_bot_that_plays_from_home_is_let_in_as_the_same_version_again(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.season(variant="baseball")
            first = await room.call("ann", "Connect", pb.ConnectRequest(bot="homer"))
            assert (first.token, first.grace_ms, first.variant) == (
                "session of homer@1",
                30_000,
                "baseball",
            )
            again = await room.call("ann", "Connect", pb.ConnectRequest(bot="homer"))
            assert again.version == first.version
            other = await room.call("ann", "Connect", pb.ConnectRequest(bot="homer", new=True))
            assert other.version.number == 2
            room.hall.refusal = SessionError("homer@2 is connected already: end the other session")
            failed = await room.fails("ann", "Connect", pb.ConnectRequest(bot="homer"))
            assert (failed.status, failed.reason) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "SESSION",
            )

    run(scene())


@pytest.mark.parametrize(
    ("method", "request_"),
    [("Submit", pb.SubmitRequest()), ("Connect", pb.ConnectRequest(bot="homer"))],
)
def test_a_server_that_is_about_to_stop_begins_nothing(
    method: str, request_: pb.SubmitRequest, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.league.draining.set()
            failed = await room.fails("ann", method, request_)
            assert (failed.status, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
            await room.call("ann", "WhoAmI", pb.WhoAmIRequest())

    run(scene())


def test_who_waits_for_a_trial_is_told_that_the_server_stops(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            call = room.begin("ann", "Submit", pb.SubmitRequest(name="mine"))
            await call.read()
            room.league.draining.set()
            with pytest.raises(grpc.aio.AioRpcError, match="what was submitted is kept"):
                await call.read()

    run(scene())


def test_a_store_that_fails_is_said_to_be_away_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("database league.db: the disk is full")

    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            monkeypatch.setattr(room.registry, "bots", fail)
            failed = await room.fails("ann", "List", pb.ListRequest())
            assert (failed.status, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE")
            assert "league.db" not in failed.text

    run(scene())


def test_what_nobody_has_thought_of_is_told_by_a_number_that_the_log_has_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.reception.refusal = ZeroDivisionError("the secret inside")
            failed = await room.fails("ann", "Submit", pb.SubmitRequest())
            assert (failed.status, failed.reason) == (grpc.StatusCode.INTERNAL, "BROKEN")
            assert "secret" not in failed.text
            logged = "".join(capsys.readouterr())
            assert failed.metadata["id"] in failed.text
            assert failed.metadata["id"] in logged
            assert "the secret inside" in logged

    run(scene())


def test_work_for_a_call_whose_deadline_is_over_is_stopped(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path) as room:
            room.submitted("ann", "mine")
            room.reception.hold = asyncio.Event()
            failed = await room.fails("ann", "Logs", pb.LogsRequest(bot="mine"), timeout=0.3)
            assert failed.status is grpc.StatusCode.DEADLINE_EXCEEDED
            await room.reception.cancelled.wait()

    run(scene())


def test_an_answer_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    async def scene() -> None:
        async with LeagueRoom(tmp_path, Limits(answer=0.1)) as room:
            room.submitted("ann", "mine")
            room.reception.hold = asyncio.Event()
            failed = await room.fails("ann", "Logs", pb.LogsRequest(bot="mine"))
            assert (failed.status, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE")
            assert room.reception.cancelled.is_set()

    run(scene())
