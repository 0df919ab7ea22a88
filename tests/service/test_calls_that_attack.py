"""Calls that attack: each is refused with a reason, and an honest call still works after it."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import grpc
import pytest
from support.arbiter_room import Room
from support.league_client import Failure, failure
from support.league_room import LeagueRoom
from support.one_loop import run
from support.reducing import setup_for
from support.scripted_bot import answer, message

from sandlot.game.events import Dealt, Revealed
from sandlot.pack import Card
from sandlot.v1 import league_pb2 as pb
from sandlot_server.arbiter import Running, Watched
from sandlot_server.service.calls import SERVICE
from sandlot_server.service.limits import Limits

METHODS = [method.name for method in SERVICE.methods]
FOR_OWNERS = ["Submit", "Status", "Logs", "Retire", "Connect"]
OWN = [
    ("Status", pb.StatusRequest(bot="hers")),
    ("Logs", pb.LogsRequest(bot="hers")),
    ("Retire", pb.RetireRequest(bot="hers")),
]


def attack(
    folder: Path, scene: Callable[[LeagueRoom], Awaitable[None]], limits: Limits, **more: Any
) -> None:
    """Run an attack, then make an honest call."""

    async def scenes() -> None:
        async with LeagueRoom(folder, limits, **more) as room:
            await scene(room)
            room.now += 60
            told = await room.call("ann", "WhoAmI", pb.WhoAmIRequest(), wait_for_ready=True)
            assert told.owner.name == "ann"

    run(scenes())


def refused(failed: Failure) -> tuple[grpc.StatusCode, str]:
    return failed.status, failed.reason


@pytest.mark.parametrize("method", METHODS)
def test_without_a_good_token_nothing_is_answered(method: str, tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        room.tokens["cid"] = room.registry.add_owner("cid", "admin", "tests")
        room.registry.revoke_tokens("cid", "tests")
        none = await room.fails(None, method, b"")
        assert refused(none) == (grpc.StatusCode.UNAUTHENTICATED, "NO_TOKEN")
        basic = await room.fails(None, method, b"", metadata=(("authorization", "Basic YTpi"),))
        assert basic == none
        wrong = await room.fails("sandlot_guessed", method, b"")
        assert refused(wrong) == (grpc.StatusCode.UNAUTHENTICATED, "WRONG_TOKEN")
        for token in ("cid", "", "x" * 5000, room.tokens["ann"][:-1], "a b"):
            assert await room.fails(token, method, b"") == wrong

    attack(tmp_path, scene, Limits())


@pytest.mark.parametrize("method", FOR_OWNERS)
def test_a_reader_is_refused_what_is_for_owners(method: str, tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        failed = await room.fails("ida", method, b"")
        assert refused(failed) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_ALLOWED")

    attack(tmp_path, scene, Limits())


@pytest.mark.parametrize(("method", "request_"), OWN)
def test_what_is_anothers_is_refused_as_if_it_were_not_there(
    method: str, request_: Any, tmp_path: Path
) -> None:
    async def scene(room: LeagueRoom) -> None:
        absent = await room.fails("bob", method, request_)
        assert refused(absent) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOURS")
        hers = room.submitted("ann", "hers")
        room.reception.logs["hers@1"] = "what it said"
        assert await room.fails("bob", method, request_) == absent
        assert room.registry.version(hers.id).status == "active"
        await room.call("ann", method, request_)

    attack(tmp_path, scene, Limits())


def test_a_revoked_token_is_worthless_at_once(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        await room.call("bob", "WhoAmI", b"")
        room.registry.revoke_tokens("bob", "tests")
        assert (await room.fails("bob", "WhoAmI", b"")).reason == "WRONG_TOKEN"

    attack(tmp_path, scene, Limits())


def test_who_guesses_is_slowed_down_and_locks_out_nobody_for_long(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        await room.call("ann", "WhoAmI", b"")
        guesses = [room.fails(f"guess {number}", "WhoAmI", b"") for number in range(100)]
        reasons = [each.reason for each in await asyncio.gather(*guesses)]
        assert reasons.count("WRONG_TOKEN") == 20
        assert reasons.count("TOO_MANY_CALLS") == 80
        await room.call("ann", "WhoAmI", b"")  # behind the same address
        late = await room.fails("bob", "WhoAmI", b"")
        assert refused(late) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CALLS")
        room.now += float(late.metadata["retry_after"])
        await room.call("bob", "WhoAmI", b"")

    attack(tmp_path, scene, Limits(wrong_tokens=20, wrong_tokens_a_minute=60))


def test_who_calls_too_often_waits_and_the_others_do_not(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        calls = [room.stream("bob", "WhoAmI", b"") for _ in range(5)]
        await asyncio.gather(*calls)
        failed = await room.fails("bob", "WhoAmI", b"")
        assert refused(failed) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CALLS")
        await room.call("ann", "WhoAmI", b"")
        room.now += float(failed.metadata["retry_after"])
        await room.call("bob", "WhoAmI", b"")

    attack(tmp_path, scene, Limits(calls=5, calls_a_minute=60))


@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_message_is_refused_and_never_breaks_anything(
    method: str, tmp_path: Path
) -> None:
    draw = random.Random(method)

    async def scene(room: LeagueRoom) -> None:
        room.reception.changes.put_nowait(None)
        failed = await room.fails("ann", method, b"\xff\xff\xff garbage")
        assert refused(failed) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED")
        for _ in range(60):
            room.reception.changes.put_nowait(None)
            try:
                await room.stream("ann", method, draw.randbytes(draw.randrange(40)))
            except grpc.aio.AioRpcError as error:
                told = failure(error)
                assert told.reason not in ("", "BROKEN", "STORE"), told

    attack(tmp_path, scene, Limits(calls=1000))


@pytest.mark.parametrize("method", METHODS)
def test_a_message_that_is_too_large_is_refused(method: str, tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        failed = await room.fails("ann", method, b"\x0a" * (1 << 20))
        assert refused(failed) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE")

    attack(tmp_path, scene, Limits(archive=1 << 19))


def test_a_message_that_grpc_itself_does_not_take_is_refused(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        failed = await room.fails("ann", "Submit", bytes(3 << 20))
        assert failed.status in (
            grpc.StatusCode.INVALID_ARGUMENT,
            grpc.StatusCode.RESOURCE_EXHAUSTED,
        )

    attack(tmp_path, scene, Limits(), receive=2 << 20)


def test_a_text_that_is_too_long_is_refused_by_its_name(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        failed = await room.fails("ann", "Logs", pb.LogsRequest(bot="x" * 201))
        assert refused(failed) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID")
        assert failed.metadata == {"field": "bot"}
        for name in ("\0", "\x1b[31m", "'; drop table bots", "é" * 200, "\u202e"):
            failed = await room.fails("ann", "Logs", pb.LogsRequest(bot=name))
            assert failed.reason == "NOT_YOURS"
            assert failed.text.isprintable()

    attack(tmp_path, scene, Limits())


def test_methods_that_are_not_there_are_said_not_to_be(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        for method in ("Seed", "whoami", "", "../ArbiterService/Play", "WhoAmI/x"):
            failed = await room.fails("ann", method, b"")
            assert failed.status is grpc.StatusCode.UNIMPLEMENTED

    attack(tmp_path, scene, Limits())


def test_a_message_that_never_comes_is_not_waited_for(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        call: Any = room.channel.stream_stream("/sandlot.v1.LeagueService/WhoAmI")(
            metadata=room.metadata("ann")
        )
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        assert refused(failure(caught.value)) == (grpc.StatusCode.DEADLINE_EXCEEDED, "TOO_SLOW")

    attack(tmp_path, scene, Limits(arrival=0.1))


def test_a_call_without_a_message_is_refused(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        call: Any = room.channel.stream_stream("/sandlot.v1.LeagueService/WhoAmI")(
            metadata=room.metadata("ann")
        )
        await call.done_writing()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        assert failure(caught.value).reason == "MALFORMED"

    attack(tmp_path, scene, Limits())


def test_huge_metadata_is_refused_by_the_server(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        more = (*room.metadata("ann"), ("x-more", "x" * (1 << 20)))
        channel = room.new_channel()
        failed = await room.fails("ann", "WhoAmI", b"", metadata=more, channel=channel)
        assert failed.status in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
        await channel.close()

    attack(tmp_path, scene, Limits())


async def connections(room: LeagueRoom) -> AsyncGenerator[list[grpc.aio.Channel], None]:
    """Give twenty connections: of one, gRPC itself refuses more than a hundred calls at once."""
    channels = [room.new_channel() for _ in range(20)]
    yield channels
    await asyncio.gather(*[channel.close() for channel in channels])


async def held_calls(room: LeagueRoom, most: int) -> list[str]:
    """Make a thousand calls at once that take as long as the test likes; return how they ended."""
    room.reception.hold = asyncio.Event()
    ended: list[str] = []
    enough = asyncio.Event()

    async def one(channel: grpc.aio.Channel) -> None:
        try:
            await room.stream("bob", "Logs", pb.LogsRequest(bot="his"), channel=channel)
            ended.append("answered")
        except grpc.aio.AioRpcError as error:
            ended.append(failure(error).reason)
        if len(ended) == 1000 - most:
            enough.set()

    async for channels in connections(room):
        async with asyncio.TaskGroup() as group:
            for channel in channels * 50:
                group.create_task(one(channel))
            await enough.wait()
            # The others are served meanwhile.
            assert (await room.call("ann", "WhoAmI", b"")).owner.name == "ann"
            room.reception.hold.set()
    return ended


def test_of_a_thousand_calls_at_once_few_are_taken_and_nothing_is_left_of_them(
    tmp_path: Path,
) -> None:
    async def scene(room: LeagueRoom) -> None:
        room.submitted("bob", "his")
        left = []
        for _ in range(2):
            ended = await held_calls(room, 16)
            assert ended.count("answered") == 16
            assert ended.count("TOO_MANY_CALLS") == 984
            room.now += 3600
            gc.collect()
            left.append(len(gc.get_objects()))
        assert left[1] - left[0] < 500

    attack(tmp_path, scene, Limits(at_once=16, calls=2000))


def test_only_so_many_archives_are_in_memory_at_once(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        room.reception.hold = asyncio.Event()
        first = room.begin("bob", "Submit", pb.SubmitRequest(name="one"))
        await room.reception.entered.wait()
        failed = await room.fails("bob", "Submit", pb.SubmitRequest(name="two"))
        assert refused(failed) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CALLS")
        room.reception.hold.set()
        await first.read()
        # The first one is being tried now, and no longer counts.
        second = room.begin("bob", "Submit", pb.SubmitRequest(name="two"))
        assert await second.read() is not grpc.aio.EOF
        for call in (first, second):
            call.cancel()

    attack(tmp_path, scene, Limits(uploads=1))


def test_a_thousand_calls_without_a_token_are_all_refused(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        async for channels in connections(room):
            calls = [
                room.fails(None, "Submit", bytes(10_000), channel=channel)
                for channel in channels * 50
            ]
            assert {each.reason for each in await asyncio.gather(*calls)} == {"NO_TOKEN"}

    attack(tmp_path, scene, Limits())


async def endless(closed: asyncio.Event) -> AsyncGenerator[Watched, None]:
    try:
        while True:
            yield Watched(1, Revealed(0, (), "long " * 10_000, ()))
            await asyncio.sleep(0)
    finally:
        closed.set()


def test_a_watcher_that_does_not_read_is_sent_away(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        closed = asyncio.Event()
        room.hall.matches = [Running(setup_for(hands=1), 0)]
        room.hall.seen = endless(closed)
        call = room.begin("bob", "Watch", pb.WatchRequest(match=setup_for().match))
        await closed.wait()
        call.cancel()

    attack(tmp_path, scene, Limits(unread=0.2))


def test_a_watcher_that_goes_leaves_nothing_behind(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        closed = asyncio.Event()
        room.hall.matches = [Running(setup_for(hands=1), 0)]
        room.hall.seen = endless(closed)
        call = room.begin("bob", "Watch", pb.WatchRequest(match=setup_for().match))
        for _ in range(2):  # that it began, and something that happened: it is being watched
            await call.read()
        call.cancel()
        await closed.wait()

    attack(tmp_path, scene, Limits())


def test_only_so_many_matches_are_watched_at_once(tmp_path: Path) -> None:
    async def scene(room: LeagueRoom) -> None:
        match = setup_for().match
        closed = [asyncio.Event() for _ in range(3)]
        room.hall.matches = [Running(setup_for(hands=1), 0)]
        calls = []
        for each in closed[:2]:
            room.hall.seen = endless(each)
            calls.append(room.begin("bob", "Watch", pb.WatchRequest(match=match)))
            for _ in range(2):  # that it has begun, and what is seen of it
                await calls[-1].read()
        failed = await room.fails("bob", "Watch", pb.WatchRequest(match=match))
        assert failed.reason == "TOO_MANY_CALLS"
        await room.call("bob", "WhoAmI", b"")  # other calls are counted apart
        calls[0].cancel()
        await closed[0].wait()
        room.hall.seen = endless(closed[2])
        again = room.begin("bob", "Watch", pb.WatchRequest(match=match))
        for _ in range(2):
            assert await again.read() is not grpc.aio.EOF
        for call in (calls[1], again):
            call.cancel()
        await asyncio.gather(closed[1].wait(), closed[2].wait())

    attack(tmp_path, scene, Limits(watches=2))


def folding(number: int) -> Callable[[list[str]], str]:
    """Return a way to play that folds now and then, so that hands end without a showdown."""
    draw = random.Random(number)
    return lambda legal: draw.choice(legal)


class ArbitersHall:
    """What is played at an arbiter."""

    def __init__(self, room: Room) -> None:
        self._arbiter = room.arbiter
        self.running = room.arbiter.running
        self.watch = room.arbiter.watch


def cards_in(seen: list[pb.WatchResponse]) -> set[tuple[int, int]]:
    """Return every card that stands anywhere in what was seen, with its hand."""
    found: set[tuple[int, int]] = set()
    for each in seen:
        event = each.happened.event
        cards = [*event.down, *event.five, *event.action.cards]
        cards += [event.card] if event.HasField("card") else []
        found |= {(each.happened.hand, card) for card in cards}
    return found


@pytest.mark.parametrize("seats", [2, 4])
def test_a_watcher_of_a_running_match_never_learns_a_hidden_card(
    seats: int, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with Room(seats) as room, LeagueRoom(tmp_path, hall=ArbitersHall(room)) as league:
            bots = [await room.connected(seat) for seat in range(seats)]
            playing = room.play(hands=6, seats=seats)
            asked = await bots[0].asked()
            call = league.begin("bob", "Watch", pb.WatchRequest(match="1-1-1"))
            told = aiter(call)
            raw = [await anext(told)]
            await bots[0].say(message(answer(asked)))
            others = [asyncio.create_task(bot.play_on(folding(2))) for bot in bots]
            raw += [each async for each in told]
            played = await playing
            for other in others:
                other.cancel()
            seen = [pb.WatchResponse.FromString(each) for each in raw]
            # There is nothing in the bytes but what the fields say.
            assert [each.SerializeToString(deterministic=True) for each in seen] == raw
            assert [Fraction(net) for net in seen[-1].ended.net] == list(played.net)
            assert list(seen[-1].ended.places) == list(played.places)
            shown: set[tuple[int, int]] = set()
            hidden: set[tuple[int, int]] = set()
            for hand in played.hands:
                for event in hand.events:
                    if isinstance(event, Dealt):
                        assert isinstance(event.card, Card)
                        (shown if event.up else hidden).add((hand.hand, int(event.card)))
                    elif isinstance(event, Revealed):
                        shown |= {(hand.hand, int(card)) for card in event.down}
            assert hidden - shown, "nothing was hidden: the test shows nothing"
            assert cards_in(seen) == shown
            assert all(played.setup.seed not in each for each in raw)
            assert all(played.setup.seed.hex().encode() not in each for each in raw)

    run(scene())
