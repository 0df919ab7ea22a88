"""``sandlot connect``: a bot plays at a server from here, tells how it goes, and leaves."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from support.command import Command
from support.fake_league import FakeLeague
from support.reducing import effects_of, setup_for
from support.scripted_arbiter import Conversation
from support.terminal import PATIENCE, Terminal

from sandlot.match import Ask, Tell
from sandlot.v1 import league_pb2
from sandlot.wire import REASON, Request, SeatWriter
from sandlot_server.service.refusals import Reason, RefusedError

BOT = """
from sandlot import Action, Bot

class Caller(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
"""

SLOW = """
import sys
from sandlot import Action, Bot

class Slow(Bot):
    def act(self, seen):
        print("it thinks", file=sys.stderr, flush=True)
        open("done").read()
        return seen.legal[0]
"""


HEARS = """
import os, signal, threading
from pathlib import Path
from sandlot import Action, Bot

main = Path(f"/proc/self/task/{os.getpid()}/syscall")

def interrupt():
    # Until the main thread waits for the file, and for no lock: that is number 202, or 98.
    while main.read_text().split()[0] in ("running", "202", "98"):
        pass
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

class Hears(Bot):
    def act(self, seen):
        threading.Thread(target=interrupt).start()
        open("done").read()
        return seen.legal[0]
"""


def entered(variant: str = "baseball") -> league_pb2.ConnectResponse:
    version = league_pb2.Version(bot="mybot", number=2, kind="remote", status="active")
    return league_pb2.ConnectResponse(
        token="session-token", version=version, grace_ms=30_000, variant=variant
    )


def told_to_seat_0(match: str) -> tuple[bytes, bytes, bytes]:
    """Return what seat 0 is sent: that the match begins, a request, and how the match ends."""
    setup = setup_for(match=match, hands=1, seed=bytes(16))
    writer = SeatWriter()
    notices: list[bytes] = []
    request = b""
    for effect in effects_of(setup, random.Random(1)):
        if isinstance(effect, Tell) and effect.seat == 0:
            notices.append(writer.tell(effect.notice))
        elif isinstance(effect, Ask) and effect.seat == 0 and not request:
            request = writer.ask(Request(effect.seen, effect.allowed, effect.bank))
    return notices[0], request, notices[-1]


@pytest.fixture
def home(league: FakeLeague) -> Path:
    """The folder of the command, with bots; beside a server that lets them in."""
    Path("mybot.py").write_text(BOT)
    Path("slow.py").write_text(SLOW)
    league.answer("Connect", entered())
    return Path.cwd()


def test_a_bot_plays_and_tells_how_its_matches_end(
    home: Path, league: FakeLeague, sandlot: Command
) -> None:
    heard: list[tuple[str, str]] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        authorization = dict(bot.context.invocation_metadata())["authorization"]
        for match in ("1-1-1", "1-2-1"):
            start, request, end = told_to_seat_0(match)
            yield start
            yield request
            [decision] = bot.decisions(1)
            heard.append((decision.match, str(authorization)))
            yield end

    league.play(script)
    ran = sandlot("connect", "mybot.py")
    first, *lines, last = ran.out.splitlines()
    assert first == f"mybot@2 plays baseball at {league.address}; ^C leaves."
    assert [line.split(":")[0] for line in lines[:2]] == ["1-1-1", "1-2-1"]
    assert lines[0].endswith(", against bot-1")
    assert lines[2].startswith("2 matches, ")
    assert last == "The server has ended the session."
    assert (ran.status, ran.err) == (0, "")
    assert heard == [("1-1-1", "Bearer session-token"), ("1-2-1", "Bearer session-token")]
    [request] = league.of(league_pb2.ConnectRequest)
    assert (request.bot, request.new) == ("mybot", False)


def test_it_may_be_quiet(home: Path, league: FakeLeague, sandlot: Command) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        start, _, end = told_to_seat_0("1-1-1")
        yield start
        yield end

    league.play(script)
    ran = sandlot("connect", "mybot.py", "--quiet")
    assert [line.split()[0] for line in ran.out.splitlines()] == ["mybot@2", "1", "The"]


def test_what_is_under_way_is_told_when_the_session_ends(
    home: Path, league: FakeLeague, sandlot: Command
) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        yield told_to_seat_0("1-1-1")[0]
        bot.context.set_trailing_metadata(((REASON, "replaced"),))
        bot.context.abort(grpc.StatusCode.ABORTED, "another session of the bot has begun")

    league.play(script)
    ran = sandlot("connect", "mybot.py")
    assert ran.status == 1
    assert ran.err == (
        "1 match under way: whoever connects it within 30 s plays on, later its seats are out.\n"
        f"Error: the arbiter at {league.address} ended the session: another session of the bot has "
        "begun (ABORTED)\n"
    )


def quits(bot: Conversation) -> Iterator[bytes]:
    yield from ()


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        (["mybot.py"], "mybot"),
        (["mybot.py:Caller"], "mybot"),
        (["mybot.py", "--name", "other"], "other"),
        (["caller", "--name", "other"], "other"),
        (["sandlot_bots.caller:Caller", "--name", "other"], "other"),
        (["folder"], "river-rat"),
        (["folder", "--name", "other"], "other"),
    ],
    ids=" ".join,
)
def test_it_is_called_as_its_folder_or_file_says_or_as_one_likes(
    arguments: list[str], called: str, home: Path, league: FakeLeague, sandlot: Command
) -> None:
    Path("folder").mkdir()
    Path("folder/bot.py").write_text(BOT)
    Path("folder/bot.toml").write_text('name = "river-rat"\nrun = "bot.py"\n')
    league.play(quits)
    assert sandlot("connect", *arguments).status == 0
    assert league.of(league_pb2.ConnectRequest)[0].bot == called


def test_another_bot_of_the_same_name_is_a_version_of_its_own(
    home: Path, league: FakeLeague, sandlot: Command
) -> None:
    league.play(quits)
    league.answer("Connect", entered(variant=""))
    ran = sandlot("connect", "mybot.py", "--new")
    assert league.of(league_pb2.ConnectRequest)[0].new is True
    assert ran.out.startswith(f"mybot@2 is connected to {league.address}; no season is under way.")


def test_a_program_finds_the_server_in_its_environment(
    home: Path, league: FakeLeague, sandlot: Command
) -> None:
    Path("program").write_text(
        f"#!{sys.executable}\nimport os\n"
        "print(*(os.environ['SANDLOT_' + key] for key in ('ADDRESS', 'TOKEN', 'CA')), sep='|')\n"
    )
    Path("program").chmod(0o755)
    ran = sandlot("connect", "./program --bold", "--name", "mybot")
    assert ran == (
        0,
        f"mybot@2 plays baseball at {league.address}; ^C leaves.\n"
        f"{league.address}|session-token|\n",
        "",
    )


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("exit 3", "./program ended with status 3: what it said stands above"),
        ("kill -9 $$", "./program was ended by signal 9: what it said stands above"),
    ],
)
def test_a_program_that_fails_is_said_to_have_failed(
    body: str, says: str, home: Path, league: FakeLeague, sandlot: Command
) -> None:
    Path("program").write_text(f"#!/bin/sh\n{body}\n")
    Path("program").chmod(0o755)
    ran = sandlot("connect", "./program", "--name", "mybot")
    assert (ran.status, ran.err) == (1, f"Error: {says}\n")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["caller"], 2, "What is caller to be called in the league? Add --name NAME."),
        (["./no-program", "--name", "x"], 1, "there is no program './no-program'"),
        (["nobody.py"], 1, "there is no file"),
        (["folder/bot.toml"], 1, "sandlot connect folder plays it"),
    ],
    ids=str,
)
def test_what_cannot_play_is_said_before_anybody_is_called(
    arguments: list[str],
    status: int,
    says: str,
    home: Path,
    league: FakeLeague,
    sandlot: Command,
) -> None:
    ran = sandlot("connect", *arguments)
    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert league.asked == []


def test_a_bot_that_may_not_come_in_gets_one_line(
    home: Path, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Connect", RefusedError(Reason.NOT_YOURS, "'mybot' is somebody else's bot"))
    assert sandlot("connect", "mybot.py") == (1, "", "Error: 'mybot' is somebody else's bot\n")


def test_an_interrupt_leaves_at_once_where_the_bot_waits(
    home: Path, league: FakeLeague, config: Path
) -> None:
    gone = threading.Event()

    def script(bot: Conversation) -> Iterator[bytes]:
        start, _, end = told_to_seat_0("1-1-1")
        try:  # who is gone at once is asked no more whether it is
            yield start
            yield end
            bot.closed()
        finally:
            gone.set()

    league.play(script)
    path = str(home / "mybot.py")
    with Terminal("connect", path, XDG_CONFIG_HOME=str(config)) as terminal:
        terminal.wait_for("1-1-1: ")
        terminal.press("\x03")
        status, shown = terminal.end()
    assert status == 128 + signal.SIGINT
    assert "1 match, " in shown
    assert "Traceback" not in shown
    assert gone.wait(PATIENCE)


def test_an_interrupt_lets_the_bot_make_its_decision_and_send_it(
    home: Path, league: FakeLeague, config: Path
) -> None:
    os.mkfifo(home / "done")
    decided: list[str] = []
    gone = threading.Event()

    def script(bot: Conversation) -> Iterator[bytes]:
        start, request, _ = told_to_seat_0("1-1-1")
        yield start
        yield request
        try:  # who is gone at once is asked no more whether it is
            decided.extend(decision.match for decision in bot.decisions(1))
            bot.closed()
        finally:
            gone.set()

    league.play(script)
    path = str(home / "slow.py")
    with Terminal("connect", path, XDG_CONFIG_HOME=str(config)) as terminal:
        terminal.wait_for("it thinks")
        terminal.press("\x03")
        terminal.wait_for("Leaving when this decision is made; once more leaves at once.")
        (home / "done").write_text("")
        status, shown = terminal.end()
    assert status == 128 + signal.SIGINT
    assert "1 match under way: " in shown
    assert "Traceback" not in shown
    assert gone.wait(PATIENCE)
    assert decided == ["1-1-1"]


def test_a_second_interrupt_does_not_wait_for_the_bot(
    home: Path, league: FakeLeague, config: Path
) -> None:
    os.mkfifo(home / "done")

    def script(bot: Conversation) -> Iterator[bytes]:
        start, request, _ = told_to_seat_0("1-1-1")
        yield start
        yield request
        bot.closed()

    league.play(script)
    path = str(home / "slow.py")
    with Terminal("connect", path, XDG_CONFIG_HOME=str(config)) as terminal:
        terminal.wait_for("it thinks")
        terminal.press("\x03")
        terminal.wait_for("once more leaves at once.")
        terminal.press("\x03")
        status, _ = terminal.end()
    assert status == 128 + signal.SIGINT


@pytest.mark.skipif(sys.platform != "linux", reason="what a thread waits for is read from /proc")
def test_an_interrupt_that_another_thread_is_given_is_heard_at_once(
    home: Path, league: FakeLeague, config: Path
) -> None:
    os.mkfifo(home / "done")

    def script(bot: Conversation) -> Iterator[bytes]:
        start, request, _ = told_to_seat_0("1-1-1")
        yield start
        yield request
        bot.closed()

    league.play(script)
    path = home / "hears.py"
    path.write_text(HEARS)
    with Terminal("connect", str(path), XDG_CONFIG_HOME=str(config)) as terminal:
        terminal.wait_for("Leaving when this decision is made; once more leaves at once.")
        (home / "done").write_text("")
        status, shown = terminal.end()
    assert status == 128 + signal.SIGINT
    assert "Traceback" not in shown
