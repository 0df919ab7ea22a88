"""``sandlot replay``: a match in the terminal.

What a match looks like lies in ``replays/``. When that is meant to change, renew it and read the
difference::

    SANDLOT_RENEW_PAGES=1 python -m pytest tests/cli/test_replay.py; git diff tests/cli/replays
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from records.handled import records
from rich.console import Console
from support.command import SCRIPTS, Command, plain_environment
from support.faulty import faulty_match, played_with, scripted
from support.reducing import setup_for
from support.terminal import Terminal

from sandlot.game.events import Acted, Dealt, Revealed
from sandlot.pack import PACK
from sandlot.played import Entrant
from sandlot.records import read, replay_hand, write
from sandlot_server.cli import replay_page, stepping
from sandlot_server.cli.table_view import Look
from sandlot_server.cli.telling import tell

REPLAYS = Path(__file__).parent / "replays"
RENEW = "SANDLOT_RENEW_PAGES" in os.environ
CARD = re.compile(r"(?<![0-9A-Za-z])[2-9TJQKA][cdhs](?![0-9A-Za-z])")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that holds a clean match, one without clocks, and one full of faults."""
    path = tmp_path / "friday.jsonl"
    path.write_text("".join(records().values()), newline="")
    return path


def plain(names: int) -> Look:
    """How it looks where there is no colour."""
    return Look(tuple(f"bot-{seat}" for seat in range(names)), "39", colour=False, plain=False)


@pytest.mark.parametrize(
    ("page", "arguments"),
    [
        ("open", ["--match", "1-1-1"]),
        ("as-seat-1", ["--match", "1-1-1", "--seat", "1"]),
        ("faults", ["--match", "1-1-3"]),
        ("faults-as-seat-1", ["--match", "1-1-3", "--hand", "1", "--seat", "1"]),
    ],
)
@pytest.mark.usefixtures("file")
def test_a_match_looks_as_we_mean_it(page: str, arguments: list[str], sandlot: Command) -> None:
    ran = sandlot("replay", "friday.jsonl", *arguments)
    known = REPLAYS / f"{page}.txt"
    if RENEW:
        known.write_text(ran.out, "utf-8")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == known.read_text("utf-8")


@pytest.mark.usefixtures("file")
def test_without_a_match_the_first_is_shown_and_the_others_named(sandlot: Command) -> None:
    ran = sandlot("replay", "friday.jsonl")
    assert ran.status == 0
    assert ran.out.startswith("Match 1-1-1 of friday · baseball · all cards open\n")
    assert (
        "friday.jsonl holds more matches, for --match:\n"
        "  1-1-2  bot-0 +1, bot-1 -1\n"
        "  1-1-3  bot-0 -2, bot-1 +4, bot-2 -2\n"
        "  1-1-4  bot-0 +1, bot-1 -1\n"
        "\n"
    ) in ran.out


def test_of_many_matches_a_few_are_named(sandlot: Command, tmp_path: Path) -> None:
    texts = [
        write(
            played_with(setup_for(hands=1, match=f"1-1-{number}"), scripted()),
            "2026-03-01T12:00:00Z",
            "2026-03-01T12:00:00Z",
        )
        for number in range(1, 13)
    ]
    (tmp_path / "many.jsonl").write_text("".join(texts), newline="")
    lines = sandlot("replay", "many.jsonl").out.splitlines()
    at = lines.index("many.jsonl holds more matches, for --match:")
    assert [line.split()[0] for line in lines[at + 1 : at + 9]] == [
        f"1-1-{number}" for number in range(2, 10)
    ]
    assert lines[at + 9 : at + 11] == ["  and more", ""]
    assert sandlot("replay", "many.jsonl", "--match", "1-1-12").status == 0


@pytest.mark.usefixtures("file")
def test_one_hand_is_shown_without_the_result(sandlot: Command) -> None:
    ran = sandlot("replay", "friday.jsonl", "--match", "1-1-3", "--hand", "2")
    assert "Hand 2 of 2" in ran.out
    assert "Hand 1 of 2" not in ran.out
    assert "Result" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--match", "9-9-9"], "holds no match '9-9-9'; it holds 1-1-1, 1-1-2, 1-1-3, 1-1-4."),
        (["--hand", "2"], "Match 1-1-1 has no hand 2; its hands are 1 to 1."),
        (["--hand", "0"], "Match 1-1-1 has no hand 0; its hands are 1 to 1."),
        (["--seat", "3"], "There is no seat 3; the seats are 0 bot-0, 1 bot-1, 2 bot-2."),
        (["--seat", "-1"], "There is no seat -1; the seats are 0 bot-0, 1 bot-1, 2 bot-2."),
        (
            ["--seat", "bot2"],
            "No bot 'bot2' sits here; the seats are 0 bot-0, 1 bot-1, 2 bot-2; "
            "did you mean 'bot-2'? See: sandlot replay --help",
        ),
        (["--seat", "x"], "No bot 'x' sits here; the seats are 0 bot-0, 1 bot-1, 2 bot-2. See"),
        (["--step"], "--step needs a terminal; leave it out, or use --json."),
        (["--step", "--json"], "--step is for a person and --json for a script"),
    ],
)
@pytest.mark.usefixtures("file")
def test_what_cannot_be_shown_gets_one_line(
    arguments: list[str], says: str, sandlot: Command
) -> None:
    ran = sandlot("replay", "friday.jsonl", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert says in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (records()["clean"][:-20], "friday.jsonl, line 3: the line is cut short"),
        (
            records()["clean"].replace('"amount":"22"', '"amount":"23"'),
            'friday.jsonl, line 2: events[46].amount is "23"; expected "22"',
        ),
        ("", "friday.jsonl: it is empty"),
        ("hello\n", "friday.jsonl, line 1: no JSON object"),
    ],
)
def test_a_record_that_does_not_hold_is_not_shown(
    content: str, says: str, sandlot: Command, tmp_path: Path
) -> None:
    (tmp_path / "friday.jsonl").write_text(content, newline="")
    for arguments in ([], ["--json"]):
        ran = sandlot("replay", "friday.jsonl", *arguments)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err.startswith(f"Error: {says}")
        assert ran.err.count("\n") == 1


def test_damage_behind_the_match_is_noted(sandlot: Command, tmp_path: Path) -> None:
    (tmp_path / "friday.jsonl").write_text(records()["clean"] + records()["short"][:50], newline="")
    ran = sandlot("replay", "friday.jsonl")
    assert ran.status == 0
    assert (
        "What follows in the file does not hold: friday.jsonl, line 4: the line is cut" in ran.out
    )


def test_a_file_that_is_missing_gets_one_line(sandlot: Command) -> None:
    assert sandlot("replay", "no.jsonl") == (1, "", "Error: no.jsonl: No such file or directory\n")


def test_a_record_comes_from_standard_input(
    sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = records()["short"].encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))
    assert sandlot("replay", "-").out.startswith("Match 1-1-4 of friday")


@pytest.mark.usefixtures("file")
def test_a_seat_is_named_by_its_bot_too(sandlot: Command) -> None:
    by_name = sandlot("replay", "friday.jsonl", "--seat", "bot-1")
    assert by_name.status == 0
    assert by_name == sandlot("replay", "friday.jsonl", "--seat", "1")


def test_a_bot_that_sits_twice_is_not_guessed_at_and_a_number_is_a_seat(
    sandlot: Command, tmp_path: Path
) -> None:
    setup = setup_for(seats=3, hands=1, bots=("tight", "0", "tight"))
    played = played_with(setup, scripted())
    (tmp_path / "twice.jsonl").write_text(
        write(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"), newline=""
    )
    ran = sandlot("replay", "twice.jsonl", "--seat", "tight")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "Error: tight sits in seats 0 and 2: say which, as --seat 0. See: sandlot replay --help\n"
    )
    ran = sandlot("replay", "twice.jsonl", "--seat", "0")
    assert ran.out.splitlines()[0].endswith("as seat 0, tight, saw it")


# What a seat knew.


@pytest.mark.parametrize("seed", range(6))
def test_as_a_seat_no_card_is_printed_that_it_has_not_seen(seed: int) -> None:
    played = faulty_match(
        setup_for(seats=2 + seed % 5, hands=4, seed=bytes([seed]) * 32), random.Random(seed), 0.1
    )
    look = plain(len(played.setup.entrants))
    for seat in range(len(played.setup.entrants)):
        for hand in played.hands:
            moments = list(replay_hand(played, hand.hand, seat))
            page = "\n".join(line.plain for line in replay_page.hand_page(moments, played, look))
            seen = set()
            for event in hand.events:
                if isinstance(event, Dealt) and (event.up or event.seat == seat):
                    seen.add(str(event.card))
                elif isinstance(event, Revealed):
                    seen.update(map(str, event.down))
                    seen.update(stands_for for _, stands_for in event.five)
            assert set(CARD.findall(page)) <= seen
            assert set(CARD.findall(page)) >= {str(card) for card in moments[-1].seats[seat].down}


@pytest.mark.parametrize("seed", range(6))
def test_step_by_step_no_card_comes_before_its_time(seed: int) -> None:
    played = faulty_match(
        setup_for(seats=2 + seed % 5, hands=1, seed=bytes([seed]) * 32), random.Random(seed), 0.0
    )
    look = plain(len(played.setup.entrants))
    for seat in range(len(played.setup.entrants)):
        moments = list(replay_hand(played, 1, seat))
        seen: set[str] = set()
        for at, event in enumerate(played.hands[0].events):
            if isinstance(event, Dealt) and (event.up or event.seat == seat):
                seen.add(str(event.card))
            elif isinstance(event, Revealed):
                seen.update(map(str, event.down))
                seen.update(stands_for for _, stands_for in event.five)
            page = "\n".join(line.plain for line in stepping.page(moments, at, played, look, 40))
            assert set(CARD.findall(page)) <= seen


# How it is drawn.


def longest_table() -> str:
    """A record of six seats with long names, of which one gets all four 4s face up."""
    setup = setup_for(seats=6, hands=1, seed=(238).to_bytes(32))
    names = ("a-bot-with-a-long-name", "日本語のボット名前", "c", "d", "e", "f")
    setup = replace(setup, entrants=tuple(Entrant(name, "1") for name in names))
    played = played_with(setup, scripted())  # nobody folds: everybody gets all cards
    return write(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z")


def test_six_seats_fit_in_80_columns_and_a_step_in_24_lines() -> None:
    (record,) = read(longest_table())
    names = [entrant.bot for entrant in record.played.setup.entrants]
    look = Look.of(Console(width=80, file=io.StringIO()), names, "39")
    moments = list(replay_hand(record.played, 1))
    assert max(len(seat.up) for seat in moments[-1].seats) == 8
    for line in replay_page.hand_page(moments, record.played, look):
        assert line.cell_len <= 80, line.plain
    for at in range(len(moments)):
        for height in (24, 14):
            page = stepping.page(moments, at, record.played, look, height)
            assert len(page) == height
            assert max(line.cell_len for line in page) <= 80
            assert "space next" in page[-1].plain
            latest = tell(moments[at], look).plain.splitlines()[-1]
            assert latest in [line.plain for line in page]


def test_a_bot_cannot_give_the_terminal_orders(sandlot: Command, tmp_path: Path) -> None:
    setup = setup_for(seats=2, hands=2, bots=("\x1b]0;hacked\x07", "\x1b[31mred"))
    setup = replace(setup, tournament="\x1b[2Jfriday")
    played = faulty_match(setup, random.Random(4), 0.9)
    (tmp_path / "bad.jsonl").write_text(
        write(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"), newline=""
    )
    for arguments in ([], ["--seat", "1"], ["--seat", "7"], ["--json"]):
        ran = sandlot("replay", "bad.jsonl", *arguments)
        assert "\x1b" not in ran.out + ran.err
        assert "\x07" not in ran.out + ran.err


def test_where_there_is_only_ascii_nothing_else_is_printed(tmp_path: Path) -> None:
    (tmp_path / "friday.jsonl").write_text(longest_table(), newline="")
    ran = subprocess.run(
        [SCRIPTS / "sandlot", "replay", "friday.jsonl"],
        cwd=tmp_path,
        env=plain_environment() | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert ran.stderr == b""
    assert b"Match 3-12-1 of friday - baseball - all cards open\n" in ran.stdout
    assert ran.stdout.isascii()


def test_in_colour_cards_are_faces_with_the_signs_of_their_suits() -> None:
    look = Look(("a", "b"), "39", colour=True, plain=False)
    faces = {str(card): look.card(card) for card in PACK}
    assert [faces[card].plain for card in ("Kc", "Kd", "Kh", "Ks")] == ["K♣", "K♦", "K♥", "K♠"]
    assert len({str(faces[card].style) for card in ("Kc", "Kd", "Kh", "Ks")}) == 4
    assert faces["9s"].style != faces["Ks"].style  # wild
    assert look.card(None).plain == "▒▒"
    ascii_only = Look(("a", "b"), "39", colour=True, plain=True)
    assert ascii_only.card(PACK[0]).plain == "2c"
    assert ascii_only.sign("─", "-") == "-"


# JSON.


@pytest.mark.usefixtures("file")
def test_json_is_one_event_a_line_with_the_table_as_it_was_seen(sandlot: Command) -> None:
    ran = sandlot("replay", "friday.jsonl", "--json", "--seat", "1")
    (record,) = read(records()["clean"])
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["event"] for line in lines] == [
        event.seen_by(1).to_json() for event in record.played.hands[0].events
    ]
    assert [line["step"] for line in lines] == list(range(1, 48))
    dealt = lines[11]
    assert dealt["viewer"] == 1
    assert dealt["seats"][1] == {
        "down": ["9c", "Jd"],
        "up": ["Kh"],
        "live": True,
        "paid_round": 0,
        "paid_hand": 1,
        "balance": "0",
    }
    assert dealt["seats"][2]["down"] == [None, None]
    assert lines[-2]["seats"][2]["down"] == ["3h", "5h", "As"]  # shown by then
    assert (lines[-2]["net"], lines[-1]["net"]) == (None, ["-4", "-9", "13"])


# Step by step, at a terminal.


def test_step_by_step_goes_forth_and_back_and_on_to_the_next_hand(file: Path) -> None:
    with Terminal("replay", str(file), "--match", "1-1-3", "--step") as terminal:
        terminal.wait_for("1 of 40")
        terminal.press(" ")
        terminal.wait_for("2 of 40")
        terminal.press("\r")
        terminal.wait_for("3 of 40")
        terminal.press("b")
        terminal.wait_for("2 of 40")
        terminal.press("\x1b[C")
        terminal.wait_for("3 of 40")
        terminal.press("h")
        assert "Hand 2 of 2" in terminal.wait_for("1 of 18")
        terminal.press("x")  # no key of ours
        terminal.press("h")
        terminal.wait_for("18 of 18")
        assert "\x1b[" in terminal.raw
        terminal.press(" ")
        assert "Result" in terminal.wait_for("the end")
        terminal.press(" ")
        status, shown = terminal.end()
        assert status == 0
        assert "Result" in shown


def test_where_the_keys_of_a_step_lead() -> None:
    *_, record = (each for each in read("".join(records().values())) if each.played.setup.hands > 1)
    moments = [moment for hand in (1, 2) for moment in replay_hand(record.played, hand)]
    second = next(at for at, moment in enumerate(moments) if moment.hand == 2)
    end = len(moments)
    decisions = [at for at, moment in enumerate(moments) if isinstance(moment.event, Acted)]

    def pressed(keys: str, at: int = 0) -> int:
        for key in keys:
            at = stepping.whither(key, moments, at)
        return at

    assert [pressed("d" * count) for count in range(1, len(decisions) + 3)] == [
        *decisions,
        end - 1,
        end,
    ]
    assert [pressed("h" * count) for count in range(1, 5)] == [second, end - 1, end, end]
    assert pressed("n", end) == end
    assert pressed("b", end) == end - 1
    assert pressed("b") == 0
    assert [pressed("p" * count, end) for count in range(4)] == [end, second, 0, 0]
    assert pressed("p", second + 3) == 0
    assert pressed("p", 3) == 0
    assert pressed("x", 3) == 3


def test_the_last_page_says_that_it_is_the_end_and_of_what(file: Path) -> None:
    (record,) = read(records()["clean"])
    played = record.played
    look = plain(3)
    moments = list(replay_hand(played, 1))
    lines = [line.plain for line in stepping.end_page(moments, 47, played, look, 24)]
    assert len(lines) == 24
    assert "The end of the match" in lines[0]
    assert any("bot-2" in line and "+13" in line for line in lines)
    assert lines[-1].endswith("the end")
    with Terminal("replay", str(file), "--match", "1-1-3", "--hand", "1", "--step") as terminal:
        terminal.wait_for("1 of 40")
        terminal.press("h ")
        shown = terminal.wait_for("the end")
        assert "The end of hand 1 of 2" in shown
        assert "Result" not in shown
        terminal.press("b")
        terminal.wait_for("40 of 40")
        terminal.press(" q")
        assert terminal.end()[0] == 0


def test_step_by_step_ends_when_the_reader_has_had_enough(file: Path) -> None:
    for key in ("q", "\x04"):
        with Terminal("replay", str(file), "--step") as terminal:
            terminal.wait_for("1 of 47")
            terminal.press(key)
            status, shown = terminal.end()
            assert status == 0
            assert "Result" not in shown


def test_step_by_step_is_interrupted_from_the_keyboard(file: Path) -> None:
    with Terminal("replay", str(file), "--step") as terminal:
        terminal.wait_for("1 of 47")
        terminal.press("\x03")
        status, shown = terminal.end()
        assert status == 130
        assert "Traceback" not in shown


def test_at_a_terminal_there_is_colour_unless_it_is_not_wanted(file: Path) -> None:
    with Terminal("replay", str(file)) as terminal:
        status, shown = terminal.end()
        assert status == 0
        assert "K♥" in shown
        assert "\x1b[1;" in terminal.raw
    with Terminal("replay", str(file), NO_COLOR="1") as terminal:
        _, shown = terminal.end()
        assert "Kh" in shown
        assert "K♥" not in shown
