"""``sandlot verify``: records checked, in one line a file."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from records.handled import records
from support.command import Command
from support.terminal import Terminal

from sandlot import Action, Bot, Observation
from sandlot.arena import play
from sandlot.records import write
from sandlot_server.cli.verify import LONG

SEED = bytes(range(16))


class Odd(Bot):
    """Any legal action."""

    def act(self, seen: Observation) -> Action:
        return self.rng.choice(seen.legal)


def put(name: str, *texts: str) -> None:
    Path(name).write_text("".join(texts), newline="")


def played(matches: int, hands: int = 1) -> str:
    return "".join(
        write(match, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
        for match in play([Odd, Odd], matches, seed=SEED, hands=hands)
    )


def test_a_file_that_holds_gets_a_line_with_what_is_in_it(sandlot: Command) -> None:
    put("friday.jsonl", *records().values())
    put("one.jsonl", records()["short"])
    assert sandlot("verify", "friday.jsonl", "one.jsonl") == (
        0,
        "friday.jsonl: ok: 4 matches, 5 hands, 46 decisions\n"
        "one.jsonl: ok: 1 match, 1 hand, 2 decisions\n",
        "",
    )


def test_the_first_difference_is_named_and_the_status_says_no(sandlot: Command) -> None:
    put("friday.jsonl", records()["clean"].replace('"paid":1', '"paid":2', 1))
    assert sandlot("verify", "friday.jsonl") == (
        1,
        "",
        "Error: friday.jsonl, line 2: events[0].paid is 2; expected 1\n",
    )


def test_every_file_is_looked_at_whatever_is_wrong_with_another(sandlot: Command) -> None:
    put("cut.jsonl", records()["clean"], records()["short"][:-50])
    put("right.jsonl", records()["clean"])
    put("empty.jsonl")
    ran = sandlot("verify", "cut.jsonl", "no.jsonl", ".", "right.jsonl", "empty.jsonl")
    assert ran == (
        1,
        "right.jsonl: ok: 1 match, 1 hand, 18 decisions\n",
        "Error: cut.jsonl, line 6: the line is cut short: it is the beginning of a JSON object, "
        "not a whole one\n"
        "Error: no.jsonl: No such file or directory\n"
        "Error: .: it is a folder, not a record: name a file in it, as cut.jsonl\n"
        "Error: empty.jsonl: it is empty; a record has at least one match\n",
    )


def test_the_file_is_left_as_it_was(sandlot: Command) -> None:
    put("cut.jsonl", records()["clean"][:-50])
    before = Path("cut.jsonl").read_bytes()
    sandlot("verify", "cut.jsonl")
    assert Path("cut.jsonl").read_bytes() == before
    assert list(Path().iterdir()) == [Path("cut.jsonl")]


def test_json_says_what_held_and_what_did_not(sandlot: Command) -> None:
    put("right.jsonl", records()["clean"])
    put("wrong.jsonl", records()["clean"], records()["short"].replace('"net":["1"', '"net":["2"'))
    ran = sandlot("verify", "--json", "right.jsonl", "wrong.jsonl", "no.jsonl")
    assert ran.status == 1
    assert json.loads(ran.out) == [
        {"file": "right.jsonl", "ok": True, "matches": 1, "hands": 1, "decisions": 18},
        {
            "file": "wrong.jsonl",
            "ok": False,
            "matches": 1,
            "hands": 1,
            "decisions": 18,
            "error": 'wrong.jsonl, line 5: net[0] is "2"; expected "1"',
            "line": 5,
            "path": "net[0]",
        },
        {
            "file": "no.jsonl",
            "ok": False,
            "matches": 0,
            "hands": 0,
            "decisions": 0,
            "error": "[Errno 2] No such file or directory: 'no.jsonl'",
            "line": None,
            "path": "",
        },
    ]


def test_with_the_tournaments_seed_the_whole_chain_is_checked(sandlot: Command) -> None:
    put("friday.jsonl", played(4))
    assert sandlot("verify", "friday.jsonl", "--tournament", SEED.hex()).status == 0
    ran = sandlot("verify", "friday.jsonl", "--tournament", bytes(16).hex())
    assert ran.status == 1
    assert ran.err.startswith("Error: friday.jsonl, line 1: tournament_commitment is ")
    assert ran.err.endswith("as the tournament's seed gives\n")


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([], 2, "Missing argument 'FILE...'"),
        (["x.jsonl", "--tournament", "abc"], 1, "a seed is written as whole bytes"),
        (["x.jsonl", "--tournament", "zz" * 16], 1, "a seed is written in hexadecimal"),
        (["x.jsonl", "--tournament", "00"], 1, "a seed of 1 byte is too short"),
    ],
)
def test_bad_input_gets_one_line(
    arguments: list[str], status: int, says: str, sandlot: Command
) -> None:
    ran = sandlot("verify", *arguments)
    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(("end", "status"), [(None, 0), (-9, 1)])
def test_a_record_comes_from_standard_input(
    end: int | None, status: int, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = records()["short"].encode()[:end]
    stdin = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stdin)
    ran = sandlot("verify", "-")
    assert ran.status == status
    assert ran.out == ("-: ok: 1 match, 1 hand, 2 decisions\n" if status == 0 else "")


def test_a_long_file_shows_how_far_it_is_to_a_person_only(tmp_path: Path, sandlot: Command) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(played(60, hands=8), newline="")
    assert path.stat().st_size > LONG
    with Terminal("verify", str(path)) as terminal:
        status, shown = terminal.end()
    assert status == 0
    assert "%" in shown
    assert "long.jsonl: ok: 60 matches, 480 hands," in shown
    ran = sandlot("verify", "long.jsonl")
    assert "%" not in ran.out + ran.err
