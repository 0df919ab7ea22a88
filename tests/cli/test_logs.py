"""``sandlot logs``: what a bot has said, part by part, and its faults alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from support.command import Command
from support.fake_league import Answer, FakeLeague

from sandlot.v1 import league_pb2
from sandlot_server.cli import logs
from sandlot_server.service.refusals import Reason, RefusedError

FAULT = (
    "--- fault: timeout in match 1-1-1 (attempt 1), hand 2, decision 9, seat 0: too late\n"
    '    it saw {"match":"1-1-1"}\n'
)
LOG = f"begins\n{FAULT}\x1b[2Jclears\n\tindented\n{FAULT}ends"


def in_parts(text: str, size: int, entrant: str = "river-rat@2") -> Any:
    """Answer with so many bytes of a log at a time."""

    def answering(request: Any) -> Iterator[Answer]:
        part = text[request.after : request.after + size]
        yield league_pb2.LogsResponse(text=part, next=request.after + len(part), entrant=entrant)

    return answering


@pytest.mark.parametrize("size", [7, 1000])
def test_the_whole_log_is_shown_without_what_a_terminal_would_obey(
    size: int, league: FakeLeague, sandlot: Command
) -> None:
    league.answer_by("Logs", in_parts(LOG, size))
    assert sandlot("logs", "river-rat") == (0, LOG.replace("\x1b", "?") + "\n", "")


def test_a_long_log_is_read_as_fast_as_the_server_likes(
    league: FakeLeague, sandlot: Command
) -> None:
    answering = in_parts(LOG, 20)
    early = itertools.cycle((True, True, False))

    def now_and_then(request: Any) -> Iterator[Answer]:
        if next(early):
            yield RefusedError(Reason.TOO_MANY_CALLS, "too many calls", retry_after="0.0")
        yield from answering(request)

    league.answer_by("Logs", now_and_then)
    assert sandlot("logs", "river-rat") == (0, LOG.replace("\x1b", "?") + "\n", "")


@pytest.mark.parametrize("again", ["6.0", "soon", "1e400", "-1", "nan"])
def test_who_has_to_wait_long_is_told(again: str, league: FakeLeague, sandlot: Command) -> None:
    refusal = RefusedError(Reason.TOO_MANY_CALLS, f"try again in {again} s", retry_after=again)
    league.answer("Logs", refusal)
    assert sandlot("logs", "river-rat") == (1, "", f"Error: try again in {again} s\n")


def test_a_server_that_always_has_one_wait_is_not_asked_for_ever(
    league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Logs", RefusedError(Reason.TOO_MANY_CALLS, "not yet", retry_after="0.0"))
    assert sandlot("logs", "river-rat") == (1, "", "Error: not yet\n")


@pytest.mark.parametrize("size", [7, 1000])
def test_the_faults_are_shown_alone(size: int, league: FakeLeague, sandlot: Command) -> None:
    league.answer_by("Logs", in_parts(LOG, size))
    assert sandlot("logs", "river-rat", "--faults") == (0, FAULT * 2, "")


def test_the_version_is_kept_to_while_it_is_read(league: FakeLeague, sandlot: Command) -> None:
    league.answer_by("Logs", in_parts(LOG, 50))
    sandlot("logs", "river-rat", "--season", "autumn")
    asked = league.of(league_pb2.LogsRequest)
    assert [request.number for request in asked] == [0] + [2] * (len(asked) - 1)
    assert {request.season for request in asked} == {"autumn"}
    sandlot("logs", "river-rat", "--version", "1")
    assert league.of(league_pb2.LogsRequest)[len(asked)].number == 1


@pytest.mark.parametrize(
    ("arguments", "nothing"), [([], "nothing"), (["--faults"], "no fault")], ids=str
)
def test_an_empty_log_is_said_to_be_empty(
    arguments: list[str], nothing: str, league: FakeLeague, sandlot: Command
) -> None:
    league.answer_by("Logs", in_parts("" if nothing == "nothing" else "fine\n", 100))
    ran = sandlot("logs", "river-rat", *arguments)
    assert ran == (
        0,
        "",
        f"There is {nothing} in the log of river-rat@2; "
        "sandlot status river-rat says how it stands.\n",
    )


def test_what_comes_later_is_followed(
    league: FakeLeague, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "EVERY", 0.0)
    said = iter(["one\n", "", "tw", "", "o\n"])

    def answering(request: Any) -> Iterator[Answer]:
        text = next(said, None)
        if text is None:
            yield RefusedError(Reason.DRAINING, "the server stops: try again later")
        else:
            after = request.after + len(text)
            yield league_pb2.LogsResponse(text=text, next=after, entrant="river-rat@2")

    league.answer_by("Logs", answering)
    ran = sandlot("logs", "river-rat", "--follow")
    assert ran == (1, "one\ntwo\n", "Error: the server stops: try again later\n")


def test_anothers_log_is_refused_in_one_line(league: FakeLeague, sandlot: Command) -> None:
    league.answer("Logs", RefusedError(Reason.NOT_YOURS, "no bot of yours is called 'tight'"))
    assert sandlot("logs", "tight") == (1, "", "Error: no bot of yours is called 'tight'\n")
