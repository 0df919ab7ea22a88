"""The commands against the league's own service, with a real store behind it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import pytest
from records.handled import records
from support.command import Command, Ran
from support.league_room import LeagueRoom
from support.one_loop import run

from sandlot_server.cli.logins import Login, keep
from sandlot_server.store import FinishedMatch, SeatResult, pack

BOT = """
from sandlot import Bot

class Mine(Bot):
    def act(self, seen):
        return seen.legal[0]
"""

Scene: TypeAlias = Callable[[LeagueRoom], None]


@pytest.fixture
def as_owner(config: Path, sandlot: Command) -> Callable[..., Ran]:
    """Return a function that runs a command against a room, as one of its owners."""

    def call(room: LeagueRoom, who: str, *arguments: str) -> Ran:
        keep(Login(room.address, room.tokens.get(who, who)))
        return sandlot(*arguments)

    return call


def in_a_room(folder: Path, scene: Scene) -> None:
    """Play a scene in a thread beside the loop of a room."""

    async def play() -> None:
        async with LeagueRoom(folder) as room:
            await asyncio.to_thread(scene, room)

    run(play())


def test_a_bot_is_submitted_and_shown(
    tmp_path: Path, as_owner: Callable[..., Ran], config: Path
) -> None:
    Path("mybot.py").write_text(BOT)

    def scene(room: LeagueRoom) -> None:
        room.reception.changes.put_nowait(None)
        ran = as_owner(room, "ann", "submit", "mybot.py", "--no-wait")
        assert (ran.status, ran.err) == (0, "")
        assert "mybot@1 has arrived\n" in ran.out
        assert as_owner(room, "ann", "status").out.splitlines()[1].startswith("mybot@1")
        told = json.loads(as_owner(room, "ann", "status", "mybot", "--json").out)
        assert told["versions"][0]["status"] == "received"
        room.reception.logs["mybot@1"] = "it says\n"
        assert as_owner(room, "ann", "logs", "mybot") == (0, "it says\n", "")
        room.registry.set_status(room.registry.bot("mybot").versions[0], "active")
        assert as_owner(room, "ann", "retire", "mybot", "--yes").out == "mybot@1 is retired.\n"

    in_a_room(tmp_path, scene)


def test_what_is_not_ones_own_is_refused_in_one_line(
    tmp_path: Path, as_owner: Callable[..., Ran]
) -> None:
    Path("mybot.py").write_text(BOT)

    def scene(room: LeagueRoom) -> None:
        room.submitted("bob", "tight")
        for who, arguments in (
            ("ann", ["logs", "tight"]),
            ("ann", ["retire", "tight", "--yes"]),
            ("ida", ["submit", "mybot.py"]),
            ("nobody", ["status"]),
        ):
            ran = as_owner(room, who, *arguments)
            assert ran.status == 1
            assert ran.err.startswith("Error: ")
            assert ran.err.count("\n") == 1
        assert ran.err.endswith(f"; log in again: sandlot login {room.address}\n")
        assert as_owner(room, "ann", "status", "tight").out.startswith("tight, of bob\n")
        assert as_owner(room, "ida", "status").out.splitlines()[1].startswith("tight@1")

    in_a_room(tmp_path, scene)


def test_a_season_is_read_from_the_server_as_from_its_store(
    tmp_path: Path, as_owner: Callable[..., Ran]
) -> None:
    def scene(room: LeagueRoom) -> None:
        room.season("spring", *(room.submitted(*one) for one in (("ann", "rat"), ("bob", "fox"))))
        for number in range(1, 4):
            room.play("spring", f"{number}-1-1", {"rat@1": number, "fox@1": -number})
        attempts = room.store.begin_attempts("spring", ["4-1-1"])
        seats = (SeatResult("rat@1", Fraction(0), 1), SeatResult("fox@1", Fraction(0), 1))
        record = pack(records()["clean"])
        finished = FinishedMatch("4-1-1", attempts["4-1-1"], 8, "d", record, seats)
        room.store.finish("spring", [finished])
        for arguments in (
            ["standings"],
            ["standings", "--json"],
            ["matches"],
            ["matches", "--json", "--bot", "rat"],
            ["record", "4-1-1"],
        ):
            here = as_owner(room, "ida", *arguments, "--db", "league.db")
            assert (here.status, here.err) == (0, "")
            assert as_owner(room, "ida", *arguments, "--server") == here
        first = json.loads(
            as_owner(room, "ida", "matches", "--server", "--most", "3", "--json").out
        )
        assert [match["match"] for match in first["matches"]] == ["4-1-1", "3-1-1", "2-1-1"]
        rest = json.loads(
            as_owner(room, "ida", "matches", "--server", "--page", first["next_page"], "--json").out
        )
        assert [match["match"] for match in rest["matches"]] == ["1-1-1"]
        assert rest["next_page"] is None
        assert as_owner(room, "ida", "watch").out == (
            "No match is being played now; season spring is under way.\n"
        )

    in_a_room(tmp_path, scene)


@pytest.mark.parametrize(
    "arguments",
    [
        ["standings", "--server"],
        ["standings", "--server", "--season", "no"],
        ["matches", "--server"],
        ["matches", "--server", "--page", "x"],
        ["record", "1-1-1", "--server"],
        ["watch", "1-1-1"],
        ["logs", "nobody"],
        ["status", "nobody"],
        ["retire", "nobody", "--yes"],
    ],
    ids=" ".join,
)
def test_what_is_not_there_gets_one_line_of_the_service(
    arguments: list[str], tmp_path: Path, as_owner: Callable[..., Ran]
) -> None:
    def scene(room: LeagueRoom) -> None:
        ran = as_owner(room, "ann", *arguments)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err.startswith("Error: ")
        assert "failed" not in ran.err
        assert ran.err.count("\n") == 1

    in_a_room(tmp_path, scene)
