"""Any bytes at all as a league file: they are a tournament that can be played, or refused."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.fuzzing import always_the_same, check_told, fuzzed
from support.mutating import nearly

from sandlot.errors import LeagueError
from sandlot_server.tournament.league import League, read_league

MADE = [
    b"""
[tournament]
name = "friday"
variant = "baseball"
seats = 2
hands = 8
rounds = 3
seed = "00112233445566778899aabbccddeeff"
schedule = "full"
rank_by = "places"
anonymous = true

[clock]
decision = "1s"
bank = "10s"

[faults]
strikes = 3
hello = "30s"

[[bots]]
name = "caller"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "other"
command = ["cat", "bot.js"]
sandbox = true

[sandbox]
memory = "256MiB"
""",
    b"""
[tournament]
name = "a"
seats = 3
schedule = "balanced"
[[bots]]
name = "a"
run = "sandlot_bots.caller:Caller"
[[bots]]
name = "b"
run = "sandlot_bots.caller:Caller"
[[bots]]
name = "c"
run = "sandlot_bots.caller:Caller"
""",
]

VALUES = st.sampled_from(
    [
        *(b"0", b"-1", b"2", b"1e999", b"nan", b"true", b'""', b'"x"', b"[]", b"{}", b'"1s"'),
        *(b"99999999999999999999", b'["a", 1]', b"1979-05-27", b'"\\u0000"', b'"0.0001ms"'),
        *(b'"9" ', b"'''\n'''", b'"\\u202e"', b'"seven-card-stud"', b"5"),
        *(b'"%s"' % (b"x" * 5000), b"[" * 3000, b'"\\u009b.py:Mine"', b'"../x.py:Mine"', b"a.b"),
    ]
)


@st.composite
def revalued(draw: st.DrawFn) -> bytes:
    """Return a league file of which one value is another."""
    text = draw(st.sampled_from(MADE))
    at = draw(st.sampled_from([found.span() for found in re.finditer(rb"(?<== ).+", text)]))
    return text[: at[0]] + draw(VALUES) + text[at[1] :]


FILES = st.one_of(revalued(), revalued(), nearly(MADE))


def league_of(text: bytes) -> League:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "league.toml")
        path.write_bytes(text)
        return read_league(path)


@given(FILES)
@fuzzed
def test_any_bytes_are_a_league_or_refused(text: bytes) -> None:
    try:
        league = league_of(text)
    except LeagueError as error:
        check_told(error)
        return
    assert league.rounds >= 1
    assert 2 <= league.seats <= len(league.bots)
    assert len({bot.name for bot in league.bots}) == len(league.bots)


def test_the_examples_reach_both_ends() -> None:
    """Were all refused, or none, the target above would show little."""
    taken, refused = set[str](), set[str]()

    @given(FILES)
    @always_the_same
    def sort(text: bytes) -> None:
        try:
            taken.add(str(league_of(text).configuration()))
        except LeagueError as error:
            refused.add(str(error).partition("league.toml")[2])

    sort()
    assert len(taken) > 5
    assert len(refused) > 15
