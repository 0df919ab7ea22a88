"""``sandlot export``: records out of the store, as they are or as PHH."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pokerkit import HandHistory
from records.handled import records
from support.command import Command
from support.stored import ended, open_friday

from sandlot_server.store import FinishedMatch, Store, pack

NETS = {"ann": 0, "bob": 0}


def finished(match: str, attempt: int, record: str) -> FinishedMatch:
    """Return a finished match with this record."""
    form = ended(match, attempt, NETS)
    return FinishedMatch(match, attempt, form.hands, form.digest, pack(record), form.seats)


@pytest.fixture
def stored(tmp_path: Path) -> list[str]:
    """A store in the folder of the command, with matches 1-1-1 to 1-1-4; gives their records."""
    texts = list(records().values())
    with Store(tmp_path / "sandlot.db", create=True) as store:
        open_friday(store)
        matches = [f"1-1-{number}" for number in range(1, 5)]
        attempts = store.begin_attempts("friday", matches)
        store.finish(
            "friday",
            [
                finished(match, attempts[match], text)
                for match, text in zip(matches, texts, strict=True)
            ],
        )
    return texts


def test_a_tournaments_records_are_the_bytes_that_were_stored(
    stored: list[str], sandlot: Command
) -> None:
    ran = sandlot("export", "--format", "jsonl", "friday.jsonl")
    assert ran == (
        0,
        "4 matches of friday in friday.jsonl; sandlot verify friday.jsonl checks them\n",
        "",
    )
    assert Path("friday.jsonl").read_bytes().decode() == "".join(stored)
    assert sandlot("verify", "friday.jsonl").status == 0
    assert sandlot("replay", "friday.jsonl", "--match", "1-1-3").status == 0


def test_one_match_is_written_alone(stored: list[str], sandlot: Command) -> None:
    ran = sandlot("export", "--format", "jsonl", "--match", "1-1-3", "one.jsonl")
    assert ran.out.startswith("1 match of friday in one.jsonl")
    assert Path("one.jsonl").read_bytes().decode() == stored[2]


@pytest.mark.parametrize("form", ["jsonl", "phh"])
def test_a_dash_is_standard_output(form: str, stored: list[str], sandlot: Command) -> None:
    ran = sandlot("export", "--format", form, "-")
    assert (ran.status, ran.err) == (0, "")
    if form == "jsonl":
        assert ran.out == "".join(stored)
    else:
        assert len(list(HandHistory.loads_all(ran.out))) == 5
    assert [path.name for path in Path().iterdir()] == ["sandlot.db"]


@pytest.mark.usefixtures("stored")
def test_phh_is_loaded_by_pokerkit_with_its_fields(sandlot: Command) -> None:
    assert sandlot("export", "--format", "phh", "friday.phhs") == (
        0,
        "4 matches of friday in friday.phhs\n",
        "",
    )
    with Path("friday.phhs").open("rb") as file:
        hands = list(HandHistory.load_all(file))
    assert [hand.table for hand in hands] == ["1-1-1", "1-1-2", "1-1-3", "1-1-3", "1-1-4"]
    assert {hand.user_defined_fields["_rules"] for hand in hands} == {"baseball/1"}


@pytest.mark.parametrize("form", ["jsonl", "phh"])
@pytest.mark.usefixtures("stored")
def test_what_is_there_is_not_overwritten_unless_it_is_meant(form: str, sandlot: Command) -> None:
    Path("out").write_text("dear to somebody")
    ran = sandlot("export", "--format", form, "out")
    assert ran.status == 2
    assert ran.err.startswith("Error: out is there already: choose another file, or add --force.")
    assert Path("out").read_text() == "dear to somebody"
    assert sandlot("export", "--format", form, "--force", "out").status == 0
    assert Path("out").read_text() != "dear to somebody"


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["out"], 2, "Missing option '--format'"),
        (["--format", "xml", "out"], 2, "'xml' is not one of 'jsonl', 'phh'"),
        (["--format", "jsonl", "--match", "9-9-9", "out"], 1, "9-9-9"),
        (["--format", "jsonl", "--tournament", "fryday", "out"], 1, "friday"),
        (["--format", "jsonl", "--db", "no.db", "out"], 1, "database no.db: "),
        (["--format", "jsonl", "."], 2, ". is a directory: name a file in it."),
        (["--format", "jsonl", "no/out"], 2, "There is no directory no to write no/out in."),
    ],
)
@pytest.mark.usefixtures("stored")
def test_bad_input_gets_one_line_and_leaves_nothing(
    arguments: list[str], status: int, says: str, sandlot: Command
) -> None:
    before = set(Path().iterdir())
    ran = sandlot("export", *arguments)
    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert set(Path().iterdir()) == before


def test_a_tournament_without_a_result_writes_no_file(tmp_path: Path, sandlot: Command) -> None:
    with Store(tmp_path / "sandlot.db", create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1"])
    ran = sandlot("export", "--format", "jsonl", "out.jsonl")
    assert ran == (
        1,
        "",
        "Error: tournament 'friday' has no result yet, so there is nothing to export\n",
    )
    assert not Path("out.jsonl").exists()


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, sandlot: Command) -> None:
    with Store(tmp_path / "sandlot.db", create=True) as store:
        open_friday(store)
        attempts = store.begin_attempts("friday", ["1-1-1", "1-1-2"])
        texts = [records()["clean"], records()["untimed"][:-30]]
        store.finish(
            "friday",
            [
                finished(match, attempts[match], text)
                for match, text in zip(attempts, texts, strict=True)
            ],
        )
    before = set(Path().iterdir())
    ran = sandlot("export", "--format", "phh", "out.phhs")
    assert ran.status == 1
    assert "line 3: the line is cut short" in ran.err
    assert set(Path().iterdir()) == before


def test_a_pipe_is_written_into(stored: list[str], sandlot: Command) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert sandlot("export", "--format", "jsonl", "--match", "1-1-4", "--force", "pipe").status == 0
    assert os.read(reader, 1 << 20).decode() == stored[3]
    os.close(reader)
