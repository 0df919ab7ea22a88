"""What the commands print with."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from sandlot import cards
from sandlot_server.cli import output


def test_json_writes_cards_and_fractions_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"net": (Fraction(7, 2), Fraction(-4)), "up": cards("Th 4c"), "out": None})
    assert json.loads(capsys.readouterr().out) == {
        "net": ["7/2", "-4"],
        "up": ["Th", "4c"],
        "out": None,
    }


def test_json_keeps_the_order_of_keys_and_refuses_what_it_does_not_know(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.print_json({"b": 1, "a": True, "ä": [1.5]})
    assert list(json.loads(capsys.readouterr().out)) == ["b", "a", "ä"]
    with pytest.raises(TypeError, match="has no form in JSON"):
        output.print_json({"a": object()})


def test_what_is_piped_is_plain_and_wide_and_brackets_mean_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    table = output.new_table("bot", "mean", right=["mean"])
    table.add_row("[red]:smile:", "-1.25")
    table.add_row(output.card_text("9c", wild="39"), "x" * 80)
    output.console().print(table)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("[red]:smile:  ")
    assert lines[2] == f"9c            {'x' * 80}"


def test_columns_decide_the_width_and_colour_is_for_those_who_want_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    console = output.console()
    assert console.width == 40
    console.print(output.card_text("Th", wild="39"), output.card_text("9c", wild="39"))
    assert capsys.readouterr().out == "\x1b[31mTh\x1b[0m \x1b[1;4m9c\x1b[0m\n"


def test_errors_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    output.console(stderr=True).print("oh")
    assert capsys.readouterr() == ("", "oh\n")


def test_nothing_that_is_printed_gives_the_terminal_orders(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "a\x1b]0;hacked\x07b\x9b2Jc\u202ed"
    output.print_json({hostile: hostile})
    output.print_json_line({hostile: hostile})
    table = output.new_table(hostile)
    table.add_row(hostile)
    out = output.console()
    out.print(hostile)
    out.print(table)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.isprintable()] == []
    assert json.loads(lines[3]) == json.loads("".join(lines[:3])) == {hostile: hostile}
    assert len(lines) == 7
    for line in lines[4:]:
        assert line.startswith("a?]0;hackedb?2J")  # rich itself leaves out the bell

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    output.console().print("\x1b[2J", style="bold")  # rich's own orders pass
    assert capsys.readouterr().out == "\x1b[1m?[2J\x1b[0m\n"
