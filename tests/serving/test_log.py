"""The log of a server: one event a line; nobody learns a secret from it, and it stops nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.command import LIMIT, run_python

START = """
import logging, structlog, warnings
from sandlot_server.log import for_service
for_service({form!r}, {level!r})
log = structlog.get_logger("sandlot.arbiter")
"""


def script(body: str, form: str = "json", level: str = "info") -> str:
    return START.format(form=form, level=level) + body


def shown(body: str, form: str = "json", level: str = "info") -> str:
    ran = run_python("-c", script(body, form, level))
    assert (ran.status, ran.out) == (0, "")
    return ran.err


def events(body: str, level: str = "info") -> list[dict[str, Any]]:
    return [json.loads(line) for line in shown(body, "json", level).splitlines()]


def test_a_line_is_one_event_with_time_level_and_logger_first() -> None:
    (event,) = events('log.info("match begins", match="1-2-1", bots=("tight", "caller"))')
    assert list(event) == ["timestamp", "level", "event", "logger", "match", "bots"]
    assert event["timestamp"].endswith("Z")
    assert event["timestamp"][10] == "T"
    assert event | {"timestamp": ""} == {
        "timestamp": "",
        "level": "info",
        "event": "match begins",
        "logger": "sandlot.arbiter",
        "match": "1-2-1",
        "bots": ["tight", "caller"],
    }


BINDING = """
with structlog.contextvars.bound_contextvars(match="1-2-1", bot="tight"):
    log.info("inside")
    logging.getLogger("grpc.aio").warning("of a library")
log.bind(bot="caller").info("outside")
"""


def test_match_and_bot_can_be_bound_for_all_that_is_said_within() -> None:
    bound = [(event.get("match"), event.get("bot")) for event in events(BINDING)]
    assert bound == [("1-2-1", "tight"), ("1-2-1", "tight"), (None, "caller")]


def test_what_libraries_log_and_warn_of_has_the_same_form() -> None:
    library, warning = events(
        'logging.getLogger("alembic.runtime").info("version %d", 7)\nwarnings.warn("it is old")'
    )
    assert (library["level"], library["event"]) == ("info", "version 7")
    assert library["logger"] == "alembic.runtime"
    assert warning["level"] == "warning"
    assert "it is old" in warning["event"]


@pytest.mark.parametrize(("level", "shown"), [("info", ["it fails"]), ("error", [])])
def test_what_a_library_tells_of_each_start_is_left_out(level: str, shown: list[str]) -> None:
    body = (
        'import alembic.runtime.plugins\nit = logging.getLogger("alembic.runtime.plugins")\n'
        'it.info("it starts")\nit.warning("it fails")'
    )
    assert [event["event"] for event in events(body, level)] == shown


@pytest.mark.parametrize(
    ("level", "events_shown"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
@pytest.mark.parametrize("logger", ["log", 'logging.getLogger("alembic")'])
def test_nothing_below_the_level_is_shown(level: str, events_shown: list[str], logger: str) -> None:
    body = f'for name in ("debug", "info", "warning", "error"): getattr({logger}, name)(name)'
    assert [event["event"] for event in events(body, level)] == events_shown


FAILING = """
def fail():
    hole = "c0ffee" + "c0de"
    raise ValueError("7 bytes")

for logger in (log, logging.getLogger("asyncio")):
    try:
        fail()
    except ValueError:
        logger.exception("broken off")
"""


@pytest.mark.parametrize("form", ["json", "plain"])
def test_a_traceback_is_shown_without_the_values_of_variables(form: str) -> None:
    text = shown(FAILING, form)
    assert text.count("ValueError: 7 bytes") == 2
    assert text.count("in fail") == 2
    assert "c0ffeec0de" not in text


SECRETS = """
from sandlot import cards
from sandlot.played import Decision, Entrant, MatchSetup
secret = "c0ffee"
setup = MatchSetup("1-2-1", "friday", 1, "baseball", (Entrant("tight", "1"),), 0, secret.encode())
log.info("a", token=secret, seed=secret, match_seed=secret, Authorization=secret, password=secret)
log.info("b", deck=secret, down=[secret], down_cards=[secret], hidden={"bot": {"seed": secret}})
log.info("c", setup=setup, setups=[setup], raw=secret.encode(), dealt=cards("9c As"))
log.info("d", decision=Decision(0, (), secret, "fold", None, 1))
log.info("e", header=f"Bearer {secret}", metadata={"k": f"authorization: bearer {secret}"})
log.info("f", place=f"postgresql://sandlot:{secret}@localhost/league")
logging.getLogger("x").info("g %s", f"'Bearer {secret}'")
try:
    raise ValueError(f"Bearer {secret}")
except ValueError:
    log.exception("h", bot="tight")
with structlog.contextvars.bound_contextvars(token=secret):
    log.info("i")
"""


@pytest.mark.parametrize("form", ["json", "plain"])
def test_no_token_seed_or_hidden_card_is_ever_in_a_line(form: str) -> None:
    text = shown(SECRETS, form)
    assert "c0ffee" not in text
    assert text.count("<Card>") == 2  # neither by name nor by number
    assert "friday" not in text  # an object is shown by its kind alone
    assert text.count("sandlot.arbiter") == 8
    assert "tight" in text  # what is no secret is shown
    assert "postgresql://sandlot:***@localhost/league" in text


def test_what_a_stranger_said_is_neither_a_line_of_its_own_nor_an_order() -> None:
    body = r"""
said = "hello\n2026-12-01 [error] forged\x1b[2J"
log.warning(said, text=said)
logging.getLogger("grpc").warning(said)
"""
    assert len(events(body)) == 2
    plain = shown(body, "plain")
    assert len(plain.splitlines()) == 2
    assert "\x1b" not in plain


def test_the_plain_form_is_for_people() -> None:
    (line,) = shown('log.info("match begins", match="1-2-1")', "plain").splitlines()
    assert "[info     ] match begins" in line
    assert line.endswith("[sandlot.arbiter] match='1-2-1'")


def test_a_message_that_its_library_got_wrong_is_counted_and_stops_nothing() -> None:
    lines = events('logging.getLogger("x").info("%d", "seven")\nlog.info("on")')
    assert [event["event"] for event in lines] == ["on", "lines of the log were lost"]
    assert lines[1]["lines"] == 1


ENDLESS = """
for number in range(5000):
    log.info("a line of the log", number=number)
print("still here", flush=True)
input()
log.info("read again")
"""


def test_a_reader_that_is_gone_stops_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [sys.executable, "-c", script(ENDLESS)],
        input="\n",
        stdout=subprocess.PIPE,
        stderr=writing,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    os.close(writing)
    assert (ran.returncode, ran.stdout) == (0, "still here\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_full_disk_stops_nothing() -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-c", script(ENDLESS)],
            input="\n",
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    assert (ran.returncode, ran.stdout) == (0, "still here\n")


def test_a_reader_that_does_not_read_stops_nothing_and_is_told_what_it_missed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", script(ENDLESS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            assert child.stdout.readline() == b"still here\n"
            os.set_blocking(child.stderr.fileno(), False)
            before = child.stderr.read()
            child.stdin.write(b"\n")
            child.stdin.close()
            assert child.wait(LIMIT) == 0
            after = child.stderr.read()
        finally:
            child.kill()
    numbers = [json.loads(line)["number"] for line in before.splitlines()]
    assert numbers == list(range(len(numbers)))  # whole lines, from the first on
    read_again, lost = [json.loads(line) for line in after.splitlines() if line]
    assert read_again["event"] == "read again"
    assert lost["lines"] == 5000 - len(numbers)
