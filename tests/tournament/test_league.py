"""League files: what a right one says, and the one line that a wrong one gets."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandlot.clock import Clock
from sandlot.errors import LeagueError
from sandlot_server.tournament.league import League, LeagueBot, difference, read_league
from sandlot_server.tournament.league_keys import SECTIONS, WRITE

SEED = "00112233445566778899aabbccddeeff"
TOURNAMENT = """
[tournament]
name = "friday"
variant = "baseball"
seats = 2
"""
BOTS = """
[[bots]]
name = "caller"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "mine"
run = "mybot.py:MyBot"

[[bots]]
name = "other"
command = ["node", "bot.js"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mybot.py").write_text("")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "league.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> str:
    """The one line that a league file gets, without the name of the file."""
    path = written(folder, text)
    with pytest.raises(LeagueError) as caught:
        read_league(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_the_least_that_a_league_file_must_say(folder: Path) -> None:
    least = TOURNAMENT.replace('variant = "baseball"\n', "")
    league = read_league(written(folder, least + BOTS))
    assert league == League(
        path=folder / "league.toml",
        name="friday",
        variant="baseball",
        rules="baseball/1",
        seats=2,
        hands=8,
        rounds=1,
        seed=None,
        schedule="full",
        rank_by="net",
        anonymous=False,
        clock=Clock(1.0, 10.0),
        strikes=3,
        hello=30.0,
        bots=(
            LeagueBot("caller", "sandlot_bots.caller:Caller", None),
            LeagueBot("mine", "mybot.py:MyBot", None),
            LeagueBot("other", None, ("node", "bot.js")),
        ),
    )
    assert league.folder == folder


def test_all_that_a_league_file_can_say(folder: Path) -> None:
    text = f"""
[tournament]
name = "2026-friday_night.1"
variant = "seven-card-stud"
seats = 3
hands = 10
rounds = 100
seed = "{SEED.upper()}"
schedule = "balanced"
rank_by = "places"
anonymous = true

[clock]
decision = "250ms"
bank = "2m"

[faults]
strikes = 5
hello = "1500ms"
"""
    league = read_league(written(folder, text + BOTS))
    assert league.name == "2026-friday_night.1"
    assert (league.variant, league.seats) == ("seven-card-stud", 3)
    assert (league.hands, league.rounds) == (10, 100)
    assert league.seed == bytes.fromhex(SEED)
    assert (league.schedule, league.rank_by, league.anonymous) == ("balanced", "places", True)
    assert league.clock == Clock(0.25, 120.0)
    assert (league.strikes, league.hello) == (5, 1.5)
    plan = league.plan(bytes(16))
    assert (plan.rounds, plan.seats, plan.kind) == (100, 3, "balanced")
    assert plan.bots == ("caller", "mine", "other")


def test_the_file_may_be_named_from_anywhere_and_bots_are_seen_from_its_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder, TOURNAMENT + BOTS)
    (folder / "deeper").mkdir()
    monkeypatch.chdir(folder / "deeper")
    league = read_league("../league.toml")
    assert league.path == Path("../league.toml")
    assert league.folder == folder.resolve()


def test_a_file_with_a_byte_order_mark_is_read(folder: Path) -> None:
    path = folder / "league.toml"
    path.write_bytes(b"\xef\xbb\xbf" + (TOURNAMENT + BOTS).encode())
    assert read_league(path).name == "friday"


WRONG = {
    # Unknown keys.
    "a key of [tournament] misspelt": (
        TOURNAMENT + "seets = 3\n" + BOTS,
        '[tournament] has no key "seets"; did you mean seats? Write seats = 2',
    ),
    "a key of [clock] misspelt": (
        TOURNAMENT + '[clock]\ndescision = "1s"\n' + BOTS,
        '[clock] has no key "descision"; did you mean decision? Write decision = "1s"',
    ),
    "a key of a bot misspelt": (
        TOURNAMENT + BOTS + 'commands = ["node"]\n',
        '[[bots]] 3 "other" has no key "commands"; did you mean command?',
    ),
    "a key like no other": (
        TOURNAMENT + 'xyzzy = "?"\n' + BOTS,
        '[tournament] has no key "xyzzy"; write one of name, variant, seats, hands, rounds, seed, '
        "schedule, rank_by, anonymous, sandbox, or take it out",
    ),
    "a key under the wrong section": (
        TOURNAMENT + 'bank = "10s"\n' + BOTS,
        '[tournament] has no key "bank"; write it under [clock]',
    ),
    "a key above all sections": (
        "seats = 2\n" + TOURNAMENT + BOTS,
        "seats stands above all sections; write it under [tournament]",
    ),
    "a section misspelt": (
        TOURNAMENT.replace("tournament", "tournement") + BOTS,
        '"tournement" is no section; did you mean [tournament]?',
    ),
    "bots misspelt": (TOURNAMENT + "[[bot]]\n" + BOTS, "is no section; did you mean [[bots]]?"),
    "a section like no other": (
        TOURNAMENT + "[xyzzy]\n" + BOTS,
        '"xyzzy" is no section; write one of [tournament], [clock], [faults], [sandbox], '
        "[[bots]], or take",
    ),
    "a key with a line break in it": (
        TOURNAMENT + '"a\\nb" = 1\n' + BOTS,
        '[tournament] has no key "a\\nb"; write one of',
    ),
    # Missing keys.
    "an empty file": ("", 'there is no [tournament]; write [tournament] with name = "friday"'),
    "no name": (
        TOURNAMENT.replace('name = "friday"\n', "") + BOTS,
        '[tournament] has no name; write name = "friday"',
    ),
    "no seats": (
        TOURNAMENT.replace("seats = 2\n", "") + BOTS,
        "[tournament] has no seats; write seats = 2",
    ),
    "a bot without a name": (
        TOURNAMENT + BOTS.replace('name = "mine"\n', ""),
        '[[bots]] 2 has no name; write name = "mine"',
    ),
    "no bots": (TOURNAMENT, "there are no bots; write [[bots]] for each"),
    "an empty list of bots": ("bots = []\n" + TOURNAMENT, "there are no bots; write [[bots]]"),
    # Wrong kinds.
    "seats in words": (
        TOURNAMENT.replace("seats = 2", 'seats = "two"') + BOTS,
        '[tournament] seats is "two" (text); write seats = 2',
    ),
    "seats with a point": (
        TOURNAMENT.replace("seats = 2", "seats = 2.0") + BOTS,
        "[tournament] seats is 2.0 (a number with a point); write seats = 2",
    ),
    "seats true": (
        TOURNAMENT.replace("seats = 2", "seats = true") + BOTS,
        "[tournament] seats is true (true or false); write seats = 2",
    ),
    "a date for a name": (
        TOURNAMENT.replace('"friday"', "2026-01-02") + BOTS,
        '[tournament] name is "2026-01-02" (a date or time); write name = "friday"',
    ),
    "anonymous in words": (
        TOURNAMENT + 'anonymous = "yes"\n' + BOTS,
        'anonymous is "yes" (text); write anonymous = true or anonymous = false',
    ),
    "a duration without a unit": (
        TOURNAMENT + "[clock]\nbank = 10\n" + BOTS,
        '[clock] bank is 10 (a whole number); write bank = "10s"',
    ),
    "a command as one text": (
        TOURNAMENT + BOTS.replace('["node", "bot.js"]', '"node bot.js"'),
        '[[bots]] 3 "other" command is "node bot.js" (text); write command = ["node", "bot.js"]',
    ),
    "a command with a number": (
        TOURNAMENT + BOTS.replace('["node", "bot.js"]', '["node", 3]'),
        'command is ["node", 3] (a list); write command = ["node", "bot.js"]',
    ),
    "a seed without quotes": (
        TOURNAMENT + f"seed = 1{'0' * 31}\n" + BOTS,
        '(a whole number); write seed = "..." with 32 hex digits or more, or leave it out',
    ),
    "an unknown schedule": (
        TOURNAMENT + 'schedule = "balance"\n' + BOTS,
        '[tournament] schedule is "balance" (text); write schedule = "full" or '
        "schedule = \"balanced\"; did you mean 'balanced'?",
    ),
    "an unknown way to rank": (
        TOURNAMENT + 'rank_by = "elo"\n' + BOTS,
        '[tournament] rank_by is "elo" (text); write rank_by = "net" or rank_by = "places"',
    ),
    "a section that is a number": (
        "tournament = 3\n" + BOTS,
        "tournament is 3 (a whole number), not a section; write [tournament]",
    ),
    "a clock that is a list": (
        TOURNAMENT + '[[clock]]\nbank = "1s"\n' + BOTS,
        "clock is [",
    ),
    "one table of bots": (
        TOURNAMENT + '[bots]\nname = "a"\n',
        "[bots] is one table; write [[bots]] before each bot",
    ),
    "bots that are texts": (
        'bots = ["caller", "tight"]\n' + TOURNAMENT,
        'bots is ["caller", "tight"] (a list); write [[bots]] before each bot',
    ),
    # Values that cannot be.
    "a name with a capital": (
        TOURNAMENT.replace("friday", "Friday Night") + BOTS,
        '[tournament] name "Friday Night" cannot be a name; write "friday-night"',
    ),
    "a name that leads elsewhere": (
        TOURNAMENT.replace("friday", "../x") + BOTS,
        '[tournament] name "../x" cannot be a name; write 1 to 32 of a-z 0-9 . _ -',
    ),
    "a name that is empty": (
        TOURNAMENT.replace("friday", "") + BOTS,
        '[tournament] name "" cannot be a name',
    ),
    "a name that is too long": (
        TOURNAMENT.replace("friday", "x" * 33) + BOTS,
        "cannot be a name; write 1 to 32",
    ),
    "a name with a line break": (
        TOURNAMENT.replace("friday", "a\\n") + BOTS,
        '[tournament] name "a\\n" cannot be a name',
    ),
    "a bot's name with a capital": (
        TOURNAMENT + BOTS.replace('"mine"', '"Mine"'),
        '[[bots]] 2 name "Mine" cannot be a name; write "mine"',
    ),
    "a bot's name beyond ASCII": (
        TOURNAMENT + BOTS.replace('"mine"', '"mïne"'),
        "cannot be a name; write 1 to 32",
    ),
    "two bots of one name": (
        TOURNAMENT + BOTS.replace('"other"', '"caller"'),
        '[[bots]] 3 "caller" has the name of [[bots]] 1; give it another name',
    ),
    "more seats than bots": (
        TOURNAMENT.replace("seats = 2", "seats = 4") + BOTS,
        "4 seats a table are more than the 3 bots: write fewer seats or enter more bots",
    ),
    "seats that the variant does not allow": (
        TOURNAMENT.replace("seats = 2", "seats = 7") + BOTS,
        "[tournament] seats 7 is not for baseball; write seats = 2 to 6",
    ),
    "one seat": (
        TOURNAMENT.replace("seats = 2", "seats = 1") + BOTS,
        "[tournament] seats 1 is not for baseball; write seats = 2 to 6",
    ),
    "a variant misspelt": (
        TOURNAMENT.replace('"baseball"', '"basball"') + BOTS,
        '[tournament] variant "basball" is unknown; write variant = "baseball"',
    ),
    "a variant unheard of": (
        TOURNAMENT.replace('"baseball"', '"xyzzy"') + BOTS,
        'variant "xyzzy" is unknown; write variant = "baseball" or variant = "seven-card-stud"',
    ),
    "negative rounds": (
        TOURNAMENT + "rounds = -1\n" + BOTS,
        "[tournament] rounds -1 is too few; write 1 or more, as in rounds = 10",
    ),
    "no hands": (
        TOURNAMENT + "hands = 0\n" + BOTS,
        "[tournament] hands 0 is too few; write 1 or more, as in hands = 8",
    ),
    "no strikes": (
        TOURNAMENT + "[faults]\nstrikes = 0\n" + BOTS,
        "[faults] strikes 0 is too few; write 1 or more, as in strikes = 3",
    ),
    "a seed that is too short": (
        TOURNAMENT + 'seed = "cafe"\n' + BOTS,
        "[tournament] seed: a seed of 2 bytes is too short: write at least 16 bytes",
    ),
    "a seed that is not hex": (
        TOURNAMENT + f'seed = "{"x" * 32}"\n' + BOTS,
        "[tournament] seed: a seed is written in hexadecimal, 0-9 and a-f: character 1 is 'x'",
    ),
    "a bad duration": (
        TOURNAMENT + '[clock]\ndecision = "1 second"\n' + BOTS,
        "[clock] decision '1 second' is no duration: write a number and a unit, as in \"250ms\"",
    ),
    "a duration with no unit": (
        TOURNAMENT + '[clock]\nbank = "10"\n' + BOTS,
        '[clock] bank \'10\' has no unit: write "10s" or "10ms"',
    ),
    "no time for a decision": (
        TOURNAMENT + '[clock]\ndecision = "0s"\n' + BOTS,
        "[clock] decision '0s' is no time at all; write 1ms or more",
    ),
    "no time for a hello": (
        TOURNAMENT + '[faults]\nhello = "0ms"\n' + BOTS,
        "[faults] hello '0ms' is no time at all; write 1ms or more",
    ),
    # Bots that cannot be started.
    "neither run nor command": (
        TOURNAMENT + BOTS.replace('run = "mybot.py:MyBot"\n', ""),
        '[[bots]] 2 "mine" has neither run nor command; write run = "mybot.py:MyBot" or command =',
    ),
    "both run and command": (
        TOURNAMENT + BOTS + 'run = "mybot.py:MyBot"\n',
        '[[bots]] 3 "other" has both run and command; keep one of them',
    ),
    "an empty command": (
        TOURNAMENT + BOTS.replace('["node", "bot.js"]', "[]"),
        '[[bots]] 3 "other" command is empty; write command = ["node", "bot.js"]',
    ),
    "an empty run": (
        TOURNAMENT + BOTS.replace("mybot.py:MyBot", ""),
        '[[bots]] 2 "mine" run "" names no class; write run = "mybot.py:MyBot"',
    ),
    "a run without a class": (
        TOURNAMENT + BOTS.replace("sandlot_bots.caller:Caller", "sandlot_bots.caller"),
        'run "sandlot_bots.caller" names no class; write run =',
    ),
    "a run whose class is no name": (
        TOURNAMENT + BOTS.replace("mybot.py:MyBot", "mybot.py:My Bot"),
        'run "mybot.py:My Bot" names no class; write run = "mybot.py:MyBot"',
    ),
    "a house bot by its short name": (
        TOURNAMENT + BOTS.replace("sandlot_bots.caller:Caller", "caller"),
        'run "caller" names no class; write run = "sandlot_bots.caller:Caller"',
    ),
    "a command line as run": (
        TOURNAMENT + BOTS.replace("mybot.py:MyBot", "node bot.js"),
        'run "node bot.js" names no class; write command = ["node", "bot.js"]',
    ),
    "a file that is not there": (
        TOURNAMENT + BOTS.replace("mybot.py:MyBot", "mybto.py:MyBot"),
        "mybto.py; did you mean 'mybot.py'?",
    ),
    # Files that are no TOML.
    "a broken line": (
        '[tournament]\nname = "friday"\nvariant "baseball"\n',
        "not TOML: Expected '=' after a key in a key/value pair (at line 3, column 9); mend it",
    ),
    "a key twice": (
        TOURNAMENT + "seats = 3\n" + BOTS,
        "not TOML: Cannot overwrite a value (at line 6, column 10); mend it",
    ),
    "a text without quotes": (
        "[tournament]\nname = friday\n",
        "not TOML: Invalid value (at line 2, column 8); mend it",
    ),
    "nesting without end": ("a = " + "[" * 5000, "is nested too deeply"),
    "a number without end": ("a = 1" + "0" * 5000, "not TOML: Exceeds the limit"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_a_mistake_gets_one_line_that_tells_what_to_write(
    folder: Path, text: str, said: str
) -> None:
    assert said in refusal(folder, text)


def test_too_many_groups_for_a_full_schedule_are_sent_to_the_balanced_one(folder: Path) -> None:
    bots = "".join(f'[[bots]]\nname = "bot{n}"\nrun = "mybot.py"\n' for n in range(30))
    text = TOURNAMENT.replace("seats = 2", "seats = 6")
    assert 'tables a round, more than 10,000: write schedule = "balanced"' in refusal(
        folder, text + bots
    )
    assert read_league(written(folder, text + 'schedule = "balanced"\n' + bots)).seats == 6


def test_a_missing_file_is_told_with_the_nearest_one_there_is(folder: Path) -> None:
    written(folder, TOURNAMENT + BOTS)
    with pytest.raises(LeagueError) as caught:
        read_league(folder / "leage.toml")
    message = str(caught.value)
    assert message.endswith("leage.toml: there is no such file; did you mean 'league.toml'?")
    with pytest.raises(
        LeagueError, match=r"no such file; sandlot new DIR makes one to begin with$"
    ):
        read_league(folder / "quite-another.toml")


def test_a_directory_is_no_league_file(folder: Path) -> None:
    with pytest.raises(LeagueError, match="cannot be read: Is a directory; name a league file"):
        read_league(folder)


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(folder: Path) -> None:
    path = folder / "league.toml"
    path.write_bytes(b'[tournament]\nname = "fr\xfcday"\n')
    with pytest.raises(LeagueError, match=r"league\.toml: line 2 is not UTF-8; save the file as"):
        read_league(path)


@settings(max_examples=200, deadline=None)
@given(
    section=st.sampled_from(list(WRITE)),
    data=st.data(),
    value=st.sampled_from(['""', '"\\n"', "-1", "0", "1e400", "nan", "[]", "{}", "[{}]", "true"])
    | st.text(alphabet="ab\"'\\ {}[]=#:.é", max_size=8).map(json.dumps),
)
def test_whatever_stands_for_a_value_gets_one_line_or_is_read(
    tmp_path_factory: pytest.TempPathFactory, section: str, data: st.DataObject, value: str
) -> None:
    key = data.draw(st.sampled_from(list(WRITE[section])))
    folder = tmp_path_factory.mktemp("league")
    header = "[[bots]]" if section == "bots" else f"[{section}]"
    text = f"{header}\n{key} = {value}\n"
    if section != "tournament":
        text += TOURNAMENT
    path = written(folder, text)
    with pytest.raises(LeagueError) as caught:  # something else is always missing
        read_league(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_every_key_says_what_to_write() -> None:
    assert WRITE.keys() == SECTIONS.keys()
    for name, keys in SECTIONS.items():
        assert list(WRITE[name]) == list(keys.__struct_fields__)


def test_the_seed_is_not_in_what_a_league_prints_or_configures(folder: Path) -> None:
    league = read_league(written(folder, TOURNAMENT + f'seed = "{SEED}"\n' + BOTS))
    assert league.seed == bytes.fromhex(SEED)
    for shown in (repr(league), json.dumps(league.configuration())):
        assert SEED not in shown
        assert repr(league.seed) not in shown


def test_the_configuration_is_json_and_says_what_results_depend_on(folder: Path) -> None:
    configuration = read_league(written(folder, TOURNAMENT + BOTS)).configuration()
    assert json.loads(json.dumps(configuration)) == configuration
    assert configuration == {
        "variant": "baseball",
        "rules": "baseball/1",
        "seats": 2,
        "hands": 8,
        "schedule": "full/1",
        "rank_by": "net",
        "anonymous": False,
        "clock": {"decision": "1s", "bank": "10s"},
        "strikes": 3,
        "bots": {
            "caller": {"run": "sandlot_bots.caller:Caller"},
            "mine": {"run": "mybot.py:MyBot"},
            "other": {"command": ["node", "bot.js"]},
        },
    }


def test_rounds_seed_place_order_and_spelling_do_not_change_the_configuration(
    folder: Path, tmp_path: Path
) -> None:
    first = read_league(written(folder, TOURNAMENT + BOTS))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mybot.py").write_text("")
    blocks = BOTS.split("\n\n")
    again = TOURNAMENT + f'rounds = 9\nseed = "{SEED}"\nschedule = "full"\n'
    again += '[clock]\ndecision = "1000ms"\n[faults]\nhello = "1m"\n'
    second = read_league(written(elsewhere, again + "\n\n".join(reversed(blocks))))
    assert second.configuration() == first.configuration()
    assert difference(first.configuration(), second.configuration()) == []
    seed = bytes(16)
    assert list(first.plan(seed)) == list(second.plan(seed).round(1))


@pytest.mark.parametrize(
    ("edited", "said"),
    [
        (TOURNAMENT.replace("seats = 2", "seats = 3") + BOTS, ["seats 2 -> 3"]),
        (TOURNAMENT + "hands = 10\n" + BOTS, ["hands 8 -> 10"]),
        (TOURNAMENT + 'rank_by = "places"\n' + BOTS, ['rank_by "net" -> "places"']),
        (TOURNAMENT + "anonymous = true\n" + BOTS, ["anonymous false -> true"]),
        (TOURNAMENT + '[clock]\nbank = "2m"\n' + BOTS, ['clock.bank "10s" -> "2m"']),
        (TOURNAMENT + "[faults]\nstrikes = 4\n" + BOTS, ["strikes 3 -> 4"]),
        (
            TOURNAMENT.replace('"baseball"', '"seven-card-stud"') + BOTS,
            [
                'variant "baseball" -> "seven-card-stud"',
                'rules "baseball/1" -> "seven-card-stud/1"',
            ],
        ),
        (
            TOURNAMENT + 'schedule = "balanced"\n' + BOTS,
            ['schedule "full/1" -> "balanced/1"'],
        ),
        (
            TOURNAMENT + BOTS.replace('"mine"', '"yours"'),
            ["bot 'mine' is gone", "bot 'yours' is new"],
        ),
        (
            TOURNAMENT + BOTS.replace('["node", "bot.js"]', '["node", "bot.js", "--bold"]'),
            [
                'bot \'other\': command = ["node", "bot.js"] '
                '-> command = ["node", "bot.js", "--bold"]'
            ],
        ),
        (
            TOURNAMENT + BOTS.replace('run = "mybot.py:MyBot"', 'command = ["./mine"]'),
            ['bot \'mine\': run = "mybot.py:MyBot" -> command = ["./mine"]'],
        ),
    ],
)
def test_an_edited_file_is_told_apart_in_words(folder: Path, edited: str, said: list[str]) -> None:
    before = read_league(written(folder, TOURNAMENT + BOTS)).configuration()
    after = read_league(written(folder, edited)).configuration()
    assert difference(before, after) == said
    assert difference(json.loads(json.dumps(before)), before) == []


def test_a_key_that_an_older_or_later_version_knows_is_told_too() -> None:
    assert difference({"a": 1}, {"b": 2}) == ["a 1 -> nothing", "b nothing -> 2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TOURNAMENT + "hands = 999999999999\n" + BOTS, "[tournament] hands is too many"),
        (TOURNAMENT + "rounds = 9223372036854775807\n" + BOTS, "[tournament] rounds is too many"),
        (TOURNAMENT + BOTS + '[clock]\nbank = "4294967296ms"\n', "longer than a day"),
        (TOURNAMENT + BOTS + f'[clock]\ndecision = "{"9" * 5000}s"\n', "no time that can be read"),
        (TOURNAMENT + BOTS.replace("node", "no\\u0000de"), "holds a NUL"),
    ],
)
def test_what_could_never_be_played_is_refused_before_anything_is_begun(
    text: str, said: str, folder: Path
) -> None:
    assert said in refusal(folder, text)
