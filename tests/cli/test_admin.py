"""``sandlot admin``: what an operator types and is told; the store does as it was told."""

from __future__ import annotations

import json
import os
import pwd
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command import Command
from support.registered import active, received
from support.stored import play

from sandlot.seeds import commitment
from sandlot_server.cli import in_league
from sandlot_server.league.places import DataFolder
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store import Registry, Server, Store

SEED = "00112233445566778899aabbccddeeff"
BY = f"operator {pwd.getpwuid(os.getuid()).pw_name}"


@pytest.fixture
def store(sandlot: Command) -> Iterator[Store]:
    """The store of the league in the folder of the commands."""
    league().make()
    with Store(league().database, create=True) as store:
        yield store


@pytest.fixture
def registry(store: Store) -> Registry:
    """Its registry."""
    return Registry(store)


def league() -> DataFolder:
    """The folder of the commands, seen from where they run."""
    return DataFolder(Path("sandlot-data"))


def printed(sandlot: Command, *arguments: str) -> Any:
    ran = sandlot(*arguments, "--json")
    assert ran.status == 0, ran.err
    return json.loads(ran.out)


def trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def without_times(text: str) -> str:
    return re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-03-01T12:00:00Z", trimmed(text))


def test_the_token_of_a_new_owner_is_all_of_standard_output(sandlot: Command) -> None:
    ran = sandlot("admin", "owner", "add", "ann")
    token = ran.out.removesuffix("\n")
    assert re.fullmatch(r"sandlot_[A-Za-z0-9_-]{43}", token)
    assert (ran.status, ran.err) == (
        0,
        "The token of ann, shown once: keep it; `sandlot login` asks for it\n",
    )
    with Store(league().database) as store:
        owner = Registry(store).owner_of(token)
        assert owner is not None
        assert (owner.name, owner.role) == ("ann", "owner")
        assert [line.who for line in Registry(store).audit()] == [BY]


def test_the_first_owner_makes_the_league_which_nobody_else_may_enter(sandlot: Command) -> None:
    assert sandlot("admin", "owner", "add", "ann", "--data", "deep/league").status == 0
    assert Path("deep/league").stat().st_mode & 0o777 == 0o700
    assert DataFolder(Path("deep/league")).database.is_file()
    assert not league().root.exists()


def test_a_new_token_comes_as_the_first_did(sandlot: Command, registry: Registry) -> None:
    first = printed(sandlot, "admin", "owner", "add", "ann", "--role", "admin")
    second = printed(sandlot, "admin", "owner", "token", "ann")
    assert (second["name"], second["role"]) == (first["name"], first["role"]) == ("ann", "admin")
    assert registry.owner_of(first["token"]) is None
    assert registry.owner_of(second["token"]) is not None
    third = sandlot("admin", "owner", "token", "ann")
    assert registry.owner_of(third.out.strip()) is not None
    assert sandlot("admin", "owner", "revoke", "ann") == (
        0,
        "ann is let in no more; `sandlot admin owner token ann` gives a new token\n",
        "",
    )
    assert registry.owner_of(third.out.strip()) is None


OWNERS = """\
owner  role    token  bots  since
ann    owner   good      2  2026-03-01T12:00:00Z
bob    reader  none      0  2026-03-01T12:00:00Z
house  reader  none      1  2026-03-01T12:00:00Z
"""


def test_the_owners_are_listed(sandlot: Command, registry: Registry) -> None:
    registry.house({"caller": "c"})
    active(registry, "ann", "rat")
    received(registry, "ann", "other")
    registry.add_owner("bob", "reader", BY)
    registry.revoke_tokens("bob", BY)
    ran = sandlot("admin", "owner", "list")
    assert (ran.status, without_times(ran.out)) == (0, OWNERS)
    told = printed(sandlot, "admin", "owner", "list")
    assert [(each["name"], each["role"], each["tokens"], each["bots"]) for each in told] == [
        ("ann", "owner", 1, 2),
        ("bob", "reader", 0, 0),
        ("house", "reader", 0, 1),
    ]


SEASONS = """\
season  status  variant          seats  hands  rounds  started               closed
spring  closed  baseball             2      8       0  2026-03-01T12:00:00Z  2026-03-01T12:00:00Z
summer  open    seven-card-stud      7      1       0  2026-03-01T12:00:00Z  -
"""


def test_a_season_is_started_paused_resumed_and_closed(sandlot: Command) -> None:
    told = commitment(bytes.fromhex(SEED))
    for command, out in (
        (["start", "spring", "--seed", SEED], f"season spring is open; commitment {told}"),
        (
            ["pause", "spring"],
            "season spring is paused; `sandlot admin season resume spring` lets it go on",
        ),
        (["resume", "spring"], "season spring is open"),
        (
            ["close", "spring"],
            "season spring is closed; `sandlot admin season start NAME` starts another",
        ),
    ):
        assert sandlot("admin", "season", *command) == (0, f"{out}\n", "")
    words = (
        "summer --variant seven-card-stud --seats 7 --hands 1 --decision 250ms --bank 0s "
        "--strikes 1 --rank-by places --anonymous --no-house --no-apart --every 1m"
    )
    started = printed(sandlot, "admin", "season", "start", *words.split())
    with Store(league().database) as store:
        registry = Registry(store)
        spring, summer = registry.seasons()
        assert SeasonSettings.of(spring.configuration) == SeasonSettings()
        settings = SeasonSettings.of(summer.configuration)
        assert (settings.seats, settings.hands, settings.strikes) == (7, 1, 1)
        assert (settings.clock.decision, settings.clock.bank, settings.every) == (0.25, 0, 60)
        assert (settings.rank_by, settings.anonymous) == ("places", True)
        assert (settings.house, settings.apart) == (False, False)
        assert [(line.did, line.who) for line in registry.audit()] == [
            ("season start", BY),
            ("season close", BY),
            ("season resume", BY),
            ("season pause", BY),
            ("season start", BY),
        ]
    ran = sandlot("admin", "season", "list")
    assert (ran.status, without_times(ran.out)) == (0, SEASONS)
    listed = sandlot("admin", "season", "list", "--json").out
    assert json.loads(listed)[1] == started
    assert started["commitment"] == summer.commitment
    assert SEED not in listed  # it tells all cards to come
    assert summer.seed.hex() not in listed


def test_a_bot_is_disqualified_for_all_to_see(sandlot: Command, registry: Registry) -> None:
    active(registry, "ann", "rat")
    ran = sandlot("admin", "disqualify", "rat", "--reason", " it\nspoke for  another ")
    assert ran == (0, "rat is disqualified: it spoke for another\n", "")
    assert registry.bot("rat").disqualified == "it spoke for another"


def test_a_match_is_made_void(sandlot: Command, store: Store, registry: Registry) -> None:
    rat, fox = active(registry, "ann", "rat"), active(registry, "bob", "fox")
    assert sandlot("admin", "season", "start", "spring").status == 0
    registry.enter("spring", [rat, fox])
    for match in ("1-1-1", "1-1-2"):
        play(store, match, {"rat@1": 1, "fox@1": -1}, tournament="spring")
    void = ("admin", "void", "--reason", "a wrong table")
    assert sandlot(*void, "1-1-1") == (0, "match 1-1-1 of spring is void: a wrong table\n", "")
    registry.close_season("spring", BY)
    ran = sandlot(*void, "1-1-2")
    said = "no season is under way: name the match's with --season NAME"
    assert (ran.status, ran.err) == (1, f"Error: {said}\n")
    assert sandlot(*void, "1-1-2", "--season", "spring").status == 0
    assert store.matches("spring") == []
    assert {void.reason for void in store.voids("spring")} == {"a wrong table"}


AUDIT = """\
at                    who            did         what   how or why
2026-03-01T12:00:00Z  operator tess  disqualify  rat    it spoke for another
2026-03-01T12:00:00Z  server         active      rat@1
"""


def test_the_audit_log_is_printed_the_latest_first(sandlot: Command, registry: Registry) -> None:
    active(registry, "ann", "rat")
    registry.disqualify("rat", "it spoke\nfor another", "operator tess")
    ran = sandlot("admin", "audit", "--most", "2")
    assert (ran.status, without_times(ran.out)) == (0, AUDIT)
    told = printed(sandlot, "admin", "audit")
    assert [line["did"] for line in told] == ["disqualify", "active", "submit", "owner add"]
    assert told[0]["detail"] == "it spoke\nfor another"
    assert [line["id"] for line in told] == [4, 3, 2, 1]


NONE_YET = (
    "there is no league in sandlot-data yet: `sandlot admin owner add NAME` makes one, or name "
    "another with --data"
)
LEAVES = [
    ["owner", "token", "ann"],
    ["owner", "revoke", "ann"],
    ["owner", "list"],
    ["season", "pause", "spring"],
    ["season", "resume", "spring"],
    ["season", "close", "spring"],
    ["season", "list"],
    ["disqualify", "rat", "--reason", "x"],
    ["void", "1-1-1", "--reason", "x"],
    ["audit"],
]


@pytest.mark.parametrize("command", LEAVES, ids=" ".join)
def test_where_there_is_no_league_that_is_said_and_none_is_made(
    command: list[str], sandlot: Command
) -> None:
    assert sandlot("admin", *command) == (1, "", f"Error: {NONE_YET}\n")
    assert not league().root.exists()
    league().make()
    assert sandlot("admin", *command) == (1, "", f"Error: {NONE_YET}\n")
    assert not league().database.exists()


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (["owner", "add", "Ann"], "'Ann' cannot be an owner's name; write 1 to 32 of a-z"),
        (["owner", "add", "house"], "'house' owns the bots that come with Sandlot"),
        (["owner", "token", "bob"], "there is no owner 'bob'; did you mean 'rob'?"),
        (["season", "start", "x", "--seats", "7"], "seats 7 is not for baseball; write seats = 2"),
        (
            ["season", "start", "x", "--every", "10"],
            "Invalid value for '--every': '10' has no unit",
        ),
        (["season", "start", "x", "--decision", "0s"], "a decision needs some time"),
        (["season", "start", "x", "--seed", "12"], "a seed of 1 byte is too short"),
        (["season", "start", "X"], "'X' cannot be a season's name"),
        (["season", "close", "x"], "there is no season 'x'; there is: none yet"),
        (["disqualify", "rat", "--reason", " "], "Invalid value for '--reason': say it in a few"),
        (["disqualify", "rat"], "Missing option '--reason'."),
        (["disqualify", "rat", "--reason", "x"], "there is no bot 'rat' in the league"),
        (["void", "1-1-1", "--reason", "x"], "no season is under way: name the match's"),
        (["owner", "ad"], "No such command 'ad'. Did you mean 'add'?"),
        (["audit", "--database", "league.db"], "--database league.db is a file: give its folder"),
        (["audit", "--database", "mysql://x/y"], "a database is a file or on PostgreSQL"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_gets_one_line(
    command: list[str], line: str, sandlot: Command, registry: Registry
) -> None:
    registry.add_owner("rob", "owner", BY)
    before = registry.generation()
    ran = sandlot("admin", *command)
    assert ran.status != 0
    assert ran.out == ""
    assert line in ran.err
    assert ran.err.count("\n") == 1
    assert registry.generation() == before


def test_a_folder_that_cannot_be_is_named(sandlot: Command) -> None:
    Path("sandlot-data").write_text("")
    ran = sandlot("admin", "owner", "add", "ann")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"Error: {league().root}: File exists\n"


def test_the_store_may_be_on_postgresql_named_here_or_in_the_environment(
    sandlot: Command, postgresql_place: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgresql_place.url
    ran = sandlot("admin", "audit", "--database", url)
    assert ran.err == (
        f"Error: there is no league in {postgresql_place} yet: `sandlot admin owner add NAME` "
        "makes one, or name another with --database\n"
    )
    assert sandlot("admin", "owner", "add", "ann", "--database", url).status == 0
    monkeypatch.setenv("SANDLOT_DATABASE", url)
    (owner,) = printed(sandlot, "admin", "owner", "list")
    assert owner["name"] == "ann"
    assert printed(sandlot, "admin", "season", "start", "spring")["status"] == "open"
    assert not league().root.exists()


def test_the_folder_may_be_named_in_the_environment(
    sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDLOT_DATA", "elsewhere")
    assert sandlot("admin", "season", "start", "spring").status == 0
    assert DataFolder(Path("elsewhere")).database.is_file()


def test_a_user_without_a_name_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(number: int) -> pwd.struct_passwd:
        raise KeyError(number)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert in_league.operator() == f"operator {os.getuid()}"
