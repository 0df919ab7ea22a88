"""``sandlot login``, and which server and token the other commands take."""

from __future__ import annotations

import io
import stat
from pathlib import Path

import pytest
from support.certificates import certificate
from support.command import Command
from support.fake_league import OWNER, TOKEN, FakeLeague, serving
from support.terminal import Terminal

from sandlot.v1 import league_pb2
from sandlot_server.cli import login
from sandlot_server.cli.logins import Login, keep, login_file, read_logins


def piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_login_says_who_one_is_and_keeps_the_token_where_nobody_else_reads_it(
    config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped(monkeypatch, f"{TOKEN}\n")
    with serving(FakeLeague()) as league:
        ran = sandlot("login", league.address)
        file = config / "sandlot" / "login.toml"
        assert ran == (
            0,
            "You are ann, an owner: sandlot submit DIR hands in a bot.\n"
            f"The token for {league.address} is kept in {file}\n",
            "",
        )
        assert read_logins() == [Login(league.address, TOKEN)]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["login.toml"]


def test_the_token_may_come_from_the_environment(
    config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDLOT_LEAGUE_TOKEN", TOKEN)
    with serving(FakeLeague()) as league:
        assert sandlot("login", league.address).status == 0
    assert read_logins()[0].token == TOKEN


def test_without_an_address_it_is_the_server_of_the_environment_or_of_this_machine(
    config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped(monkeypatch, "\n")
    monkeypatch.setattr(login, "HERE", "127.0.0.1:1")
    monkeypatch.setenv("SANDLOT_LEAGUE_TOKEN", TOKEN)
    assert sandlot("login").err == (
        "Error: no league server at 127.0.0.1:1, or it is gone: Connection refused; see that it "
        "runs, and try again\n"
    )
    with serving(FakeLeague()) as league:
        monkeypatch.setenv("SANDLOT_LEAGUE", league.address)
        assert sandlot("login").status == 0
    assert read_logins() == [Login(league.address, TOKEN)]


@pytest.mark.parametrize(
    ("role", "says"),
    [
        ("admin", "You are ann, an admin: you may see to the bots of all."),
        ("reader", "You are ann, a reader: sandlot standings --server shows the table."),
        ("umpire", "You are ann, umpire."),
    ],
)
def test_a_login_says_what_one_may_do(
    role: str, says: str, config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANDLOT_LEAGUE_TOKEN", TOKEN)
    league = FakeLeague()
    owner = league_pb2.Owner(name="ann", role=role)
    league.answer("WhoAmI", league_pb2.WhoAmIResponse(owner=owner))
    with serving(league):
        assert sandlot("login", league.address).out.splitlines()[0] == says


def test_the_token_is_asked_for_without_echo(config: Path) -> None:
    with (
        serving(FakeLeague()) as league,
        Terminal("login", league.address, XDG_CONFIG_HOME=str(config)) as terminal,
    ):
        terminal.wait_for(f"Token for {league.address}: ")
        terminal.press(f"{TOKEN}\n")
        status, shown = terminal.end()
        assert status == 0
        assert "You are ann" in shown
        assert TOKEN not in terminal.raw


def test_over_tls_the_authority_is_kept_with_the_login(
    tmp_path: Path, config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = certificate(tmp_path / "made", "localhost")
    piped(monkeypatch, TOKEN)
    with serving(FakeLeague(), "localhost", made.pair) as league:
        assert sandlot("login", league.address, "--ca", "made/ca.pem").status == 0
        assert read_logins() == [Login(league.address, TOKEN, str(made.authority))]
        assert sandlot("watch").status == 1  # the fake knows no such call, but was reached
        assert len(league.of(league_pb2.RunningRequest)) == 1


def test_a_server_whose_authority_is_unknown_gets_no_token(
    tmp_path: Path, config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = certificate(tmp_path / "made", "localhost")
    piped(monkeypatch, TOKEN)
    with serving(FakeLeague(), "localhost", made.pair) as league:
        ran = sandlot("login", league.address)
        assert (ran.status, ran.out) == (1, "")
        assert "give its authority's file with --ca FILE" in ran.err
        assert ran.err.count("\n") == 1
        assert league.asked == []
    assert read_logins() == []


@pytest.mark.parametrize(
    ("arguments", "token", "status", "says"),
    [
        (["league.example"], "", 1, "'league.example' is no address: "),
        (["league.example:443"], "", 1, "write tls://league.example:443"),
        (["127.0.0.1:1"], TOKEN, 1, "no league server at 127.0.0.1:1, or it is gone"),
        (["127.0.0.1:1"], " \n", 1, "no token came on standard input"),
        (["127.0.0.1:1"], "to ken", 1, "the token for 127.0.0.1:1 is none"),
        (["127.0.0.1:1"], "tök", 1, "the token for 127.0.0.1:1 is none"),
        (["tls://h:1", "--ca", "no.pem"], TOKEN, 2, "File 'no.pem' does not exist"),
        (["--forget"], "", 1, "there is no token for any league server here"),
        (["127.0.0.1:1", "--forget"], "", 1, "there is no token for 127.0.0.1:1 here"),
    ],
    ids=str,
)
def test_what_cannot_be_logged_in_to_gets_one_line_and_keeps_nothing(
    arguments: list[str],
    token: str,
    status: int,
    says: str,
    config: Path,
    sandlot: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piped(monkeypatch, token)
    ran = sandlot("login", *arguments)
    assert (ran.status, ran.out) == (status, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert not config.exists()


def test_a_wrong_token_is_not_kept(
    config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped(monkeypatch, "another")
    with serving(FakeLeague()) as league:
        assert sandlot("login", league.address) == (
            1,
            "",
            f"Error: the token is nobody's; log in again: sandlot login {league.address}\n",
        )
    assert not config.exists()


def test_a_token_that_others_can_read_is_not_used(league: FakeLeague, sandlot: Command) -> None:
    file = login_file()
    file.chmod(0o644)
    assert sandlot("status") == (
        1,
        "",
        f"Error: {file} holds your token and others can read it: chmod 600 {file}\n",
    )
    assert league.asked == []
    file.chmod(0o600)
    sandlot("status")
    assert league.asked != []


@pytest.mark.parametrize("text", ["login", "login = 3", "[[login]]\naddress = 'a'\n", "x = 1", "é"])
def test_a_damaged_file_says_what_to_do(text: str, config: Path, sandlot: Command) -> None:
    file = login_file()
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode("latin-1"))
    file.chmod(0o600)
    ran = sandlot("status")
    assert ran.err == (
        f"Error: {file} is damaged: remove it, and log in again with sandlot login ADDRESS\n"
    )


def test_each_server_has_its_own_token_and_the_latest_login_comes_first(
    config: Path, sandlot: Command
) -> None:
    keep(Login("127.0.0.1:1", "one"))
    keep(Login("127.0.0.1:2", "two", '/a \\ "b" \x7f ☃.pem'))
    keep(Login("127.0.0.1:1", "three"))
    assert read_logins() == [
        Login("127.0.0.1:1", "three"),
        Login("127.0.0.1:2", "two", '/a \\ "b" \x7f ☃.pem'),
    ]
    ran = sandlot("login", "127.0.0.1:2", "--forget")
    assert ran == (0, "The token for 127.0.0.1:2 is forgotten.\n", "")
    assert [login.token for login in read_logins()] == ["three"]
    assert sandlot("login", "--forget").out == "The token for 127.0.0.1:1 is forgotten.\n"
    assert not login_file().exists()


def test_a_token_is_not_sent_to_another_server(league: FakeLeague, sandlot: Command) -> None:
    with serving(FakeLeague()) as other:
        assert sandlot("status", "--server", other.address) == (
            1,
            "",
            f"Error: there is no token for {other.address}: run sandlot login {other.address}, or "
            "set SANDLOT_LEAGUE_TOKEN\n",
        )
        assert other.asked == league.asked == []


def test_without_a_login_the_environment_names_server_and_token(
    config: Path, sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = sandlot("status")
    assert ran.err == (
        "Error: no league server is known here: run sandlot login ADDRESS, or set SANDLOT_LEAGUE "
        "and SANDLOT_LEAGUE_TOKEN\n"
    )
    with serving(FakeLeague()) as league:
        league.answer("List", league_pb2.ListResponse())
        monkeypatch.setenv("SANDLOT_LEAGUE", league.address)
        assert "there is no token for" in sandlot("status").err
        monkeypatch.setenv("SANDLOT_LEAGUE_TOKEN", TOKEN)
        assert sandlot("status").status == 0
        assert league.of(league_pb2.ListRequest)[0].owner == OWNER.name


def test_the_logins_lie_in_the_home_where_no_other_place_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", value)
        assert login_file() == tmp_path / ".config" / "sandlot" / "login.toml"
