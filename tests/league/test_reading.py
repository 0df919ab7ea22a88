"""A log read in parts: the parts together are the whole, whatever their size."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandlot_server.league.reading import MOST, LogPart, read_part


def in_parts(logs: list[Path], most: int) -> str:
    text, position = "", 0
    while True:
        part = read_part(logs, position, most)
        assert position <= part.next <= position + most
        if part.next == position:
            assert part.text == ""
            return text
        text, position = text + part.text, part.next


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(trial=st.text(), season=st.text(), most=st.integers(4, 50))
def test_the_parts_together_are_the_whole(
    trial: str, season: str, most: int, tmp_path: Path
) -> None:
    logs = [tmp_path / "trial.log", tmp_path / "season.log"]
    for log, text in zip(logs, (trial, season), strict=True):
        log.write_bytes(text.encode())
    assert in_parts(logs, most) == trial + season


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_bytes_that_are_no_text_do_not_stop_it(most: int, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\xff\xf0\x9f\x92 \xc3")
    read = in_parts([log], most)
    assert read.startswith("\N{REPLACEMENT CHARACTER}")
    assert " " in read


def test_a_letter_that_is_being_written_waits_for_its_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"a\xc3")
    assert read_part([log], 0) == LogPart("a", 1, False)
    log.write_bytes(b"a\xc3\xa9")
    assert read_part([log], 1) == LogPart("é", 3, False)


def test_a_log_that_is_not_there_is_empty(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("said")
    assert read_part([tmp_path / "none", log], 0) == LogPart("said", 4, False)
    assert read_part([], 0) == LogPart("", 0, False)
    assert read_part([log], 500) == LogPart("", 500, False)


def test_a_part_tells_whether_there_is_more(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("said it")
    assert read_part([log], 0, 4) == LogPart("said", 4, True)
    assert read_part([log], 4, 3) == LogPart(" it", 7, False)


def test_a_position_below_0_is_counted_from_the_end(tmp_path: Path) -> None:
    logs = [tmp_path / "trial.log", tmp_path / "season.log"]
    for log, text in zip(logs, ("tried", "played"), strict=True):
        log.write_text(text)
    assert read_part(logs, -8, 8) == LogPart("edplayed", 11, False)
    assert read_part(logs, -8, 4) == LogPart("edpl", 7, True)
    assert read_part(logs, -500) == LogPart("triedplayed", 11, False)


def test_no_part_is_longer_than_the_bound(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * (MOST + 1))
    assert read_part([log], 0, 10 * MOST).next == MOST
