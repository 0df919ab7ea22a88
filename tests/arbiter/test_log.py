"""What the server logs is for a person, and for nobody a way to a seed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog

from sandlot_server.log import only_errors


@pytest.fixture(autouse=True)
def configuration_is_put_back() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def test_a_traceback_is_shown_without_the_values_of_variables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    only_errors()

    def fail() -> None:
        seed = bytes([0xC0, 0xDE] * 8)
        raise ValueError(f"{len(seed)} bytes")

    try:
        fail()
    except ValueError:
        structlog.get_logger("sandlot.arbiter").exception("match broken off", match="1-1-1")
    shown = capsys.readouterr().err
    assert "match broken off" in shown
    assert "1-1-1" in shown
    assert "ValueError: 16 bytes" in shown
    assert "in fail" in shown
    assert "seed = b" not in shown
    assert "xde" not in shown


def test_warnings_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    only_errors()
    structlog.get_logger("sandlot.arbiter").warning("bot refused")
    assert capsys.readouterr().err == ""
