"""``sandlot standings``: the page as a person sees it, the JSON as a script does; refusals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from support.command import Command, Ran, run_sandlot
from support.stored import open_friday, play

from sandlot.played import PlayedMatch
from sandlot.records import read
from sandlot.seeds import commitment
from sandlot_server.store import Store

SEED = "00112233445566778899aabbccddeeff"
BOTS = """
from sandlot import Action, Bot

class Caller(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL

class Bettor(Caller):
    def act(self, seen):
        return Action.BET if Action.BET in seen.legal else super().act(seen)

class Wrong(Caller):
    def act(self, seen):
        return Action("pass") if seen.decision % 50 == 7 else super().act(seen)
"""
LEAGUE = f"""
[tournament]
name = "small"
seats = 2
rounds = 3
seed = "{SEED}"

[clock]
decision = "1m"

[[bots]]
name = "caller"
run = "bots.py:Caller"

[[bots]]
name = "bettor"
run = "bots.py:Bettor"

[[bots]]
name = "wrong"
run = "bots.py:Wrong"
"""

PAGE = """\
small: 18 matches
rank  bot      net a hand *         first     rating  matches  faults
   1  caller  +0.552 ±0.891  54.2 ±28.6 %  1518 ±128       12  -
  2~  wrong   -0.021 ±0.648  54.2 ±28.6 %  1518 ±128       12  illegal 14
  3~  bettor  -0.531 ±1.089  41.7 ±29.8 %  1463 ±129       12  -
* ranked by mean net units a hand; ± is the 95 % interval over matches
~ not to be told apart from the bot above by the matches they shared
rating: by places taken; 1500 is the mean, 400 more are odds of ten to one
no room here for hands and places: a wider terminal or --json shows all

head to head, row against column
   bot           1       2        3
1  caller            -2.33   +20.00
2  wrong     +2.33            -3.00
3  bettor   -20.00   +3.00
mean net difference a match; * where the interval excludes 0
"""

WIDE = """\
rank  bot      net a hand *         first     rating  matches  hands  places  faults
   1  caller  +0.552 ±0.891  54.2 ±28.6 %  1518 ±128       12     96  8-4     -
  2~  wrong   -0.021 ±0.648  54.2 ±28.6 %  1518 ±128       12     96  8-4     illegal 14
  3~  bettor  -0.531 ±1.089  41.7 ±29.8 %  1463 ±129       12     96  6-6     -
* ranked by mean net units a hand; ± is the 95 % interval over matches
"""

NEXT = """\

Next, for example:
  sandlot export --tournament small --format jsonl small.jsonl
  sandlot replay small.jsonl
  sandlot verify small.jsonl
  sandlot standings --tournament small --json
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """A folder with a league that has been played, and what the run printed."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "bots.py").write_text(BOTS)
    (folder / "league.toml").write_text(LEAGUE)
    return folder, run_sandlot("tournament", "run", "league.toml", cwd=folder)


@pytest.fixture
def here(played: tuple[Path, Ran], sandlot: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, called where the league was played."""
    monkeypatch.chdir(played[0])
    return sandlot


def trimmed(text: str) -> str:
    """The text without the blanks that fill a last column."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_a_run_ends_with_the_page_and_what_to_do_next(played: tuple[Path, Ran]) -> None:
    folder, ran = played
    assert ran.status == 0
    assert trimmed(ran.out) == PAGE + NEXT
    assert ran.err == (
        f"small: 18 matches; commitment {commitment(bytes.fromhex(SEED))}\n"
        f"wrong was at fault: illegal 14; see {folder}/sandlot-logs/small/wrong.log\n"
    )


def test_the_page_is_the_same_whenever_it_is_asked_for(here: Command) -> None:
    for arguments in ([], ["--tournament", "small"]):
        ran = here("standings", *arguments)
        assert (ran.status, trimmed(ran.out), ran.err) == (0, PAGE, "")
    ran = here("tournament", "run", "league.toml")  # nothing is left to play
    assert (ran.status, trimmed(ran.out)) == (0, PAGE + NEXT)
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("columns", "left_out"),
    [
        (100, ""),
        (88, ""),
        (87, "hands"),
        (81, "hands"),
        (80, "hands and places"),
        (79, "hands and places"),
    ],
)
def test_a_narrow_terminal_leaves_out_whole_columns_and_says_so(
    columns: int, left_out: str, here: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    page = trimmed(here("standings").out)
    heading = page.splitlines()[1]
    for column in ("hands", "places"):
        assert (column in heading) is (column not in left_out)
    assert (WIDE in page) is (left_out == "")
    told = [line.split(":")[0] for line in page.splitlines() if line.startswith("no room here")]
    assert told == ([f"no room here for {left_out}"] if left_out else [])
    assert max(map(len, page.splitlines())) <= columns


SETTINGS = {"seats": 2, "schedule": "full/1", "rank_by": "net"}


def table_of_nets(sandlot: Command, nets: dict[tuple[str, str], list[int]], *bots: str) -> str:
    """The page of matches that are given by their nets, in units, as the first bot sees them."""
    with Store(Path("sandlot.db"), create=True) as store:
        open_friday(store, configuration=SETTINGS, bots=dict.fromkeys(bots, "v"))
        for (one, other), values in nets.items():
            for number, net in enumerate(values):
                play(store, f"{one}-{other}-{number}", {one: net, other: -net})
    return trimmed(sandlot("standings").out)


def test_a_bot_ahead_of_the_one_above_it_is_marked_as_such(sandlot: Command) -> None:
    nets = {
        ("ann", "bob"): [-2, -4, -3, -3],
        ("ann", "cid"): [40, 50, 45, 45],
        ("bob", "cid"): [1, -1, 2, 2],
    }
    page = table_of_nets(sandlot, nets, "ann", "bob", "cid")
    marks = [line.split()[:2] for line in page.splitlines()[2:5]]
    assert marks == [["1", "ann"], ["2^", "bob"], ["3~", "cid"]]
    assert "^ ahead of the bot above in the matches they shared\n" in page
    assert "~ not to be told apart from the bot above by the matches they shared\n" in page


def test_where_each_bot_is_clearly_behind_the_one_above_nothing_is_marked(sandlot: Command) -> None:
    page = table_of_nets(sandlot, {("ann", "bob"): [4, 5, 6]}, "ann", "bob")
    assert [line.split()[:2] for line in page.splitlines()[2:4]] == [["1", "ann"], ["2", "bob"]]
    assert "~" not in page
    assert "^" not in page


def test_ratings_of_bots_that_no_matches_join_are_told_apart(sandlot: Command) -> None:
    nets = {("ann", "cid"): [4, 5, 6], ("bob", "dan"): [1, 1, 2]}
    page = table_of_nets(sandlot, nets, "dan", "cid", "bob", "ann", "eve")
    rows = [line.split() for line in page.splitlines()[2:7]]
    # Neither met the bot above: they are not to be told apart. Eve has not played.
    assert [row[:2] for row in rows] == [
        ["1", "ann"],
        ["2~", "bob"],
        ["3~", "dan"],
        ["4~", "cid"],
        ["-", "eve"],
    ]
    ratings = [(row[1], row[row.index("%") + 1], row[row.index("%") + 3]) for row in rows[:4]]
    assert ratings == [
        ("ann", "1703", "(1)"),
        ("bob", "1703", "(2)"),
        ("dan", "1297", "(2)"),
        ("cid", "1297", "(1)"),
    ]
    assert "(1), (2): no matches join these groups, so their ratings cannot be compared\n" in page


def matches() -> Iterator[PlayedMatch]:
    """The matches of the database, out of their records."""
    with Store(Path("sandlot.db")) as store:
        for _, text in store.records("small"):
            for record in read(text):
                yield record.played


def test_the_json_says_what_the_records_say(here: Command) -> None:
    told = json.loads(here("standings", "--json").out)
    seats = [
        (entrant.bot, net, place, faults)
        for match in matches()
        for entrant, net, place, faults in zip(
            match.setup.entrants, match.net, match.places, match.faults, strict=True
        )
    ]
    assert [row["rank"] for row in told["rows"]] == [1, 2, 3]
    for row in told["rows"]:
        own = [seat for seat in seats if seat[0] == row["bot"]]
        assert row["matches"] == len(own) == 12
        assert row["hands"] == 8 * len(own)
        mean = sum((net for _, net, _, _ in own), Fraction(0)) / row["hands"]
        assert row["net_a_hand"]["mean"] == float(mean)
        assert row["net_a_hand"]["low"] < mean < row["net_a_hand"]["high"]
        assert row["places"] == Counter(str(place) for _, _, place, _ in own)
        low, high = row["rating"]["low"], row["rating"]["high"]
        assert low < row["rating"]["value"] < high
        assert row["rating"]["group"] == 1
        assert row["faults"] == sum((Counter(faults) for *_, faults in own), Counter())
    assert [row["told_apart_from_above"] for row in told["rows"]] == [None, False, False]
    assert sum(row["rating"]["value"] for row in told["rows"]) / 3 == pytest.approx(1500)
    means = [row["net_a_hand"]["mean"] for row in told["rows"]]
    assert means == sorted(means, reverse=True)
    assert sum(net for _, net, _, _ in seats) == 0

    met = {(each["bot"], each["other"]): each for each in told["head_to_head"]}
    assert len(met) == 6
    for (bot, other), each in met.items():
        back = met[other, bot]
        assert each["matches"] == back["matches"] == 6
        assert each["net_difference"]["mean"] == -back["net_difference"]["mean"]
        low, high = each["net_difference"]["low"], each["net_difference"]["high"]
        assert each["told_apart"] is back["told_apart"] is (not low <= 0 <= high)
    assert told["matches"] == told["scheduled"] == 18
    assert told["void"] == []
    assert told["commitment"] == commitment(bytes.fromhex(SEED))
    assert "seed" not in told
    assert SEED not in json.dumps(told)


def test_the_seed_is_told_when_it_is_asked_for(here: Command) -> None:
    assert here("standings", "--seed").out.endswith(f"\nseed {SEED}\n")
    assert json.loads(here("standings", "--seed", "--json").out)["seed"] == SEED


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--tournament", "smal"],
            "database sandlot.db: there is no tournament 'smal' in it; did you mean 'small'?",
        ),
        (
            ["--db", "other.db"],
            "database other.db: there is none yet: `sandlot tournament run FILE` makes it, "
            "or name another with --db",
        ),
        (
            ["--db", "bots.py"],
            "database bots.py: it is not a Sandlot database: choose another file with --db; "
            "it was not changed",
        ),
        (
            ["--db", "no/such.db"],
            "database no/such.db: there is no directory no: make it, or name another file "
            "with --db",
        ),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_what_cannot_be_shown_gets_one_line(arguments: list[str], line: str, here: Command) -> None:
    before = sorted(Path().rglob("*"))
    assert here("standings", *arguments) == (1, "", f"Error: {line}\n")
    assert sorted(Path().rglob("*")) == before
