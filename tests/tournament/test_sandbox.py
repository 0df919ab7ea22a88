"""A league whose bots are in a sandbox: what its file says, and how it is played."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from launch.sandboxed import ATTACKS, WHO, Room, needs_sandbox, room_of
from support.command import SCRIPTS, run_sandlot, run_to_end
from tournament.running import ZOO, pairings, run

from sandlot.errors import LeagueError
from sandlot.records import verify
from sandlot_server.launch.limits import Limits
from sandlot_server.store import Store
from sandlot_server.tournament.jobs import PlayingBot
from sandlot_server.tournament.league import League, read_league

SEED = "00112233445566778899aabbccddeeff"


def league(folder: Path, *, all_of_them: str = "", one: str = "", sandbox: str = "") -> League:
    """Read a league of three bots, of which the second may say something of its own."""
    path = folder / "league.toml"
    path.write_text(
        f"""
[tournament]
name = "friday"
seats = 2
{all_of_them}

[[bots]]
name = "first"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "second"
run = "sandlot_bots.caller:Caller"
{one}

{sandbox}
"""
    )
    return read_league(path)


def sandboxed(league: League) -> list[bool]:
    return [bot.sandbox for bot in league.bots]


def test_a_sandbox_is_asked_for_all_or_for_one(tmp_path: Path) -> None:
    assert sandboxed(league(tmp_path)) == [False, False]
    assert sandboxed(league(tmp_path, all_of_them="sandbox = true")) == [True, True]
    assert sandboxed(league(tmp_path, one="sandbox = true")) == [False, True]
    both = league(tmp_path, all_of_them="sandbox = true", one="sandbox = false")
    assert sandboxed(both) == [True, False]


def test_the_limits_of_a_sandbox(tmp_path: Path) -> None:
    assert league(tmp_path, one="sandbox = true", sandbox="[sandbox]").limits == Limits()
    keys = """
[sandbox]
memory = "512M"
processes = 32
files = 100
scratch = "1M"
output = "100K"
cpu = "1.5s"
"""
    assert league(tmp_path, one="sandbox = true", sandbox=keys).limits == Limits(
        memory=512 << 20, processes=32, files=100, scratch=1 << 20, output=100 << 10, cpu=2
    )


def test_results_do_not_depend_on_it(tmp_path: Path) -> None:
    plain = league(tmp_path).configuration()
    keys = '[sandbox]\nmemory = "2G"'
    assert league(tmp_path, all_of_them="sandbox = true", sandbox=keys).configuration() == plain


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('memory = "1T"', "[sandbox] memory '1T' is no size: write a number and a unit, as in"),
        ("memory = 64", '[sandbox] memory is 64 (a whole number); write memory = "1G"'),
        ("processes = 0", "[sandbox] processes 0 is too few; write 1 or more, as in processes ="),
        ('cpu = "soon"', "[sandbox] cpu 'soon' is no duration"),
        ('cpu = "1ms"', "[sandbox] cpu '1ms' is no time at all; write 1s or more"),
        ("memroy = 1", '[sandbox] has no key "memroy"; did you mean memory? Write memory = "1G"'),
    ],
)
def test_a_wrong_limit_gets_one_line(keys: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(LeagueError) as caught:
        league(tmp_path, all_of_them="sandbox = true", sandbox=f"[sandbox]\n{keys}")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_limits_without_a_sandbox_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(LeagueError, match="has limits, and no bot is in a sandbox; write sandbox"):
        league(tmp_path, sandbox='[sandbox]\nmemory = "2G"')


def test_a_sandbox_above_all_sections_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "league.toml"
    path.write_text('sandbox = true\n[tournament]\nname = "x"\nseats = 2\n[[bots]]\nname = "a"\n')
    with pytest.raises(LeagueError, match=r"sandbox stands above all sections; write it under \["):
        read_league(path)


@pytest.fixture(params=WHO)
def room(request: pytest.FixtureRequest) -> Iterator[Room]:
    """A room of root's or of an ordinary user's."""
    with room_of(request.param) as made:
        yield made


def played(room: Room, attacker: str, limits: str = "") -> tuple[str, str]:
    """Play an attacker against an honest house bot; return what was said, and its log."""
    folder = room.league
    (folder / "mine").mkdir()
    for path in ATTACKS.glob("*.py"):
        shutil.copy(path, folder / "mine")
    (folder / "league.toml").write_text(
        f"""
[tournament]
name = "attacked"
seats = 2
seed = "{SEED}"
sandbox = true

[clock]
decision = "1m"

[faults]
hello = "2m"

[sandbox]
{limits}

[[bots]]
name = "caller"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "attacker"
run = "mine/{attacker}"
"""
    )
    room.give()
    command = [*room.as_who(), str(SCRIPTS / "sandlot"), "tournament", "run", "league.toml"]
    ran = run_to_end(command, folder)
    assert ran.status == 0, ran.err
    with Store(folder / "sandlot.db") as store:
        records = dict(store.records("attacked"))
    assert records.keys() == {"1-1-1", "1-1-2"}
    for text in records.values():
        (verified,) = verify(text, bytes.fromhex(SEED))
        record = verified.record
        seats = [entrant.bot for entrant in record.played.setup.entrants]
        assert not record.played.faults[seats.index("caller")]
    return ran.err, (folder / "sandlot-logs" / "attacked" / "attacker.log").read_text()


@needs_sandbox
def test_a_match_against_a_bot_that_attacks_with_all_it_has_ends_right(room: Room) -> None:
    limits = 'memory = "256M"\nscratch = "4M"\noutput = "100K"'
    _, log = played(room, "everything.py:Everything", limits)
    assert "--- cut: it has written 100K" in log
    assert len(log) < 110_000
    assert not [*(room.league / "mine").glob("[0-9]*")]


@needs_sandbox
def test_a_match_against_a_bot_that_is_killed_for_its_memory_ends_right(room: Room) -> None:
    _, log = played(room, "everything.py:Greedy", 'memory = "256M"\noutput = "1M"')
    assert "--- killed: its " in log


@needs_sandbox
def test_from_the_sandbox_no_token_is_guessed_and_no_second_session_opened(room: Room) -> None:
    err, log = played(room, "guesses.py:Guesses")
    guesses = [line for line in log.splitlines() if line.startswith(("a guess", "its own"))]
    assert set(guesses) == {
        "a guess: StatusCode.UNAUTHENTICATED",
        "its own again: StatusCode.ALREADY_EXISTS",
    }
    assert "second sessions with attacker's token, refused" in err


@needs_sandbox
@pytest.mark.parametrize(("name", "causes"), [("wrong_match", {"timeout"}), ("twice", set())])
def test_from_the_sandbox_nobody_speaks_for_anothers_seat(
    name: str, causes: set[str], tmp_path: Path
) -> None:
    shutil.copytree(ZOO, tmp_path / "zoo", ignore=shutil.ignore_patterns("__pycache__"))
    bots = [
        PlayingBot("good", "0", run="zoo/bad_classes.py:Good", sandbox=True),
        PlayingBot(name, "0", command=(sys.executable, "zoo/bad_bots.py", name), sandbox=True),
    ]
    outcome = run(tmp_path, bots, pairings(["good", name]), decision=4.0, strikes=1)
    outcome.check()
    assert outcome.causes(name) == causes
    assert outcome.causes("good") == set()


def test_without_bubblewrap_the_run_is_refused_before_the_first_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league(tmp_path, one="sandbox = true")
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = run_sandlot("tournament", "run", "league.toml", cwd=tmp_path)
    assert ran.status == 1
    assert ran.err.splitlines() == [
        "Error: a worker cannot play: a sandbox needs bubblewrap, and there is no bwrap on the "
        "PATH; install it, as with: apt install bubblewrap"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["league.toml"]
