"""``sandlot submit``: what is sent, how the trial is told, and what a refusal says."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from support.command import Command
from support.fake_league import Answer, FakeLeague
from support.terminal import PATIENCE, Terminal

from sandlot.v1 import league_pb2
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.submissions.packing import pack

BOT = """
from sandlot import Action, Bot

class Caller(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
"""


def at(status: str, reason: str = "", account: str = "") -> league_pb2.SubmitResponse:
    """The third version of river-rat, with this status."""
    version = league_pb2.Version(
        bot="river-rat",
        owner="ann",
        number=3,
        kind="submitted",
        hash="ab" * 32,
        status=status,
        reason=reason,
        account=account,
        received="2026-12-01T12:00:00Z",
    )
    return league_pb2.SubmitResponse(version=version)


@pytest.fixture
def folder(league: FakeLeague) -> Path:
    """A folder with a bot, beside a server that takes it."""
    path = Path("river-rat")
    path.mkdir()
    (path / "bot.py").write_text(BOT)
    (path / "bot.toml").write_text('name = "river-rat"\nrun = "bot.py"\n')
    league.answer("Submit", at("received"), at("building"), at("trying"), at("active"))
    return path


def heading(folder: Path) -> str:
    packed = pack(folder)
    size = packed.contents.size
    return f"river-rat: 2 files, {size} bytes, version\n  {packed.contents.version}\n\n"


def test_a_folder_is_sent_and_its_trial_is_told(
    folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    assert sandlot("submit", "river-rat") == (
        0,
        heading(folder) + "river-rat@3 has arrived\n"
        "river-rat@3 is being built\n"
        "river-rat@3 is being tried\n"
        "river-rat@3 is active: it plays from the next round on\n",
        "",
    )
    [request] = league.of(league_pb2.SubmitRequest)
    assert request.name == "river-rat"
    assert request.archive == pack(folder).archive


def test_one_file_is_sent_under_a_name(league: FakeLeague, folder: Path, sandlot: Command) -> None:
    Path("mybot.py").write_text(BOT)
    ran = sandlot("submit", "mybot.py", "--name", "river-rat")
    assert ran.status == 0
    assert ran.out.startswith("river-rat: 1 file, ")
    [request] = league.of(league_pb2.SubmitRequest)
    assert request.name == "river-rat"


def test_a_refusal_says_why_with_all_that_its_author_needs(
    folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    account = "Traceback (most recent call last):\n  KeyError: 'x\x1b[2J'\n"
    league.answer("Submit", at("received"), at("refused", "it fails in act", account))
    assert sandlot("submit", "river-rat") == (
        1,
        heading(folder) + "river-rat@3 has arrived\n",
        "Traceback (most recent call last):\n  KeyError: 'x?[2J'\n"
        "Error: river-rat@3 is refused: it fails in act\n",
    )


@pytest.mark.parametrize(("status", "exit_status"), [("active", 0), ("refused", 1)])
def test_the_json_is_how_it_stands_at_last(
    status: str, exit_status: int, folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Submit", at("received"), at(status, "why", "lines"))
    ran = sandlot("submit", "river-rat", "--json")
    assert (ran.status, ran.err) == (exit_status, "")
    assert json.loads(ran.out) == {
        "bot": "river-rat",
        "number": 3,
        "owner": "ann",
        "kind": "submitted",
        "version": "ab" * 32,
        "status": status,
        "reason": "why",
        "account": "lines",
        "received": "2026-12-01T12:00:00Z",
        "settled": None,
    }


def test_nobody_has_to_wait_for_the_trial(
    folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    assert sandlot("submit", "river-rat", "--no-wait") == (
        0,
        heading(folder) + "river-rat@3 has arrived\n"
        "Its trial goes on: sandlot status river-rat shows how it stands.\n",
        "",
    )
    ran = sandlot("submit", "river-rat", "--no-wait", "--json")
    assert (ran.status, json.loads(ran.out)["status"]) == (0, "received")


def test_an_interrupt_after_the_upload_says_that_the_trial_goes_on(
    folder: Path, league: FakeLeague, config: Path
) -> None:
    gone = threading.Event()

    def never_settled(request: object) -> Iterator[Answer]:
        yield at("received")
        yield at("trying")
        gone.wait(PATIENCE)

    league.answer_by("Submit", never_settled)
    with Terminal("submit", str(folder.resolve()), XDG_CONFIG_HOME=str(config)) as terminal:
        terminal.wait_for("river-rat@3 is being tried")
        terminal.press("\x03")
        status, shown = terminal.end()
    gone.set()
    assert status == 128 + signal.SIGINT
    assert (
        "river-rat@3 is on the server and its trial goes on: sandlot status river-rat shows how it "
        "stands." in " ".join(shown.split())
    )


def test_a_server_that_goes_in_the_middle_leaves_no_doubt_about_what_it_has(
    folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Submit", at("received"), grpc.StatusCode.UNAVAILABLE)
    ran = sandlot("submit", "river-rat")
    assert ran.status == 1
    assert ran.err == (
        "Error: river-rat@3 is on the server and its trial goes on, but nothing more is heard of "
        f"it (no league server at {league.address}, or it is gone: something between; see that it "
        "runs, and try again); sandlot status river-rat shows how it went\n"
    )


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            RefusedError(Reason.QUOTA, "3 wait already: submit later"),
            "3 wait already: submit later",
        ),
        (RefusedError(Reason.NOT_ALLOWED, "a reader submits nothing"), "a reader submits nothing"),
        (
            RefusedError(Reason.DRAINING, "the server stops: try later"),
            "the server stops: try later",
        ),
        (grpc.StatusCode.UNAVAILABLE, "no league server at ADDRESS, or it is gone: something "),
        (grpc.StatusCode.INTERNAL, "the call to ADDRESS failed: something between (INTERNAL)"),
        (grpc.StatusCode.UNIMPLEMENTED, "what listens at ADDRESS knows no such call: "),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "ADDRESS has not answered in time: try again later"),
    ],
    ids=str,
)
def test_what_is_not_taken_gets_one_line(
    answer: Answer, says: str, folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Submit", answer)
    ran = sandlot("submit", "river-rat")
    assert (ran.status, ran.out) == (1, heading(folder))
    assert ran.err.startswith(f"Error: {says.replace('ADDRESS', league.address)}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["no-bot"], 1, "no-bot: there is no such file or folder"),
        (["river-rat", "--name", "other"], 2, "--name is for one file: the bot.toml says 'river-r"),
        (["river-rat/bot.toml"], 1, "one file is submitted if it is Python; name the folder"),
        ([], 2, "Missing argument 'DIR|FILE'"),
    ],
    ids=str,
)
def test_what_cannot_be_submitted_is_said_before_anybody_is_called(
    arguments: list[str],
    status: int,
    says: str,
    folder: Path,
    league: FakeLeague,
    sandlot: Command,
) -> None:
    ran = sandlot("submit", *arguments)
    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert league.asked == []


def test_a_server_that_says_nothing_is_no_success(
    folder: Path, league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Submit")
    ran = sandlot("submit", "river-rat")
    assert ran.status == 1
    assert ran.err == f"Error: {league.address} has ended the call without a word: try again\n"
