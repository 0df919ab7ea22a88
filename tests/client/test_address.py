"""Where an arbiter is: how that is written, what is refused, and what a wrong certificate says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from support.certificates import Certificate, certificate
from support.scripted_arbiter import Conversation, scripted_arbiter

import sandlot
from sandlot import Action, Bot, Observation
from sandlot.address import Address, Keepalive, channel, no_connection
from sandlot.errors import SessionError
from sandlot.host import Host
from sandlot.session import play_session
from sandlot.wire import PLAY


class Caller(Bot):
    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Certificate]:
    """Return certificates, each made once."""
    kept: dict[tuple[str, bool], Certificate] = {}

    def make(host: str = "localhost", expired: bool = False) -> Certificate:
        if (host, expired) not in kept:
            kept[host, expired] = certificate(tmp_path_factory.mktemp("pem"), host, expired=expired)
        return kept[host, expired]

    return make


def ends_at_once(bot: Conversation) -> Iterator[bytes]:
    yield from ()


@pytest.mark.parametrize(
    ("text", "target", "tls"),
    [
        ("unix:/run/arbiter", "unix:/run/arbiter", False),
        ("localhost:1024", "localhost:1024", False),
        ("127.0.0.2:1024", "127.0.0.2:1024", False),
        ("[::1]:1024", "[::1]:1024", False),
        ("tls://localhost:1024", "localhost:1024", True),
        ("tls://league.example:443", "league.example:443", True),
        ("tls://[2001:db8::1]:443", "[2001:db8::1]:443", True),
    ],
)
def test_an_address_is_read_and_prints_as_it_was_written(text: str, target: str, tls: bool) -> None:
    address = Address.parse(text)
    assert (address.target, address.tls, address.authority) == (target, tls, None)
    assert str(address) == text


@pytest.mark.parametrize("text", ["league.example:443", "10.0.0.1:80", "0.0.0.0:80", "[::]:80"])
def test_no_token_travels_to_another_machine_in_the_open(text: str) -> None:
    with pytest.raises(SessionError, match=r"could read the token: write tls://"):
        Address.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "localhost", "localhost:", ":80", "localhost:0", "localhost:65536", "localhost:x"),
        *("https://localhost:80", "tls://localhost", "tls://me@localhost:80", "::1:80", "[]:80"),
    ],
)
def test_what_is_no_address_is_refused_with_how_one_is_written(text: str) -> None:
    with pytest.raises(SessionError, match="is no address: write host:port or unix:/path"):
        Address.parse(text)


def test_the_file_of_an_authority_is_read_where_there_is_tls(
    tmp_path: Path, made: Callable[..., Certificate]
) -> None:
    authority = made().authority
    assert Address.parse("tls://a.example:1", authority).authority == authority.read_bytes()
    assert Address.parse("localhost:1", tmp_path / "none").authority is None
    with pytest.raises(SessionError, match="cannot read the authority's certificate"):
        Address.parse("tls://a.example:1", tmp_path / "none")
    with pytest.raises(SessionError, match="holds no certificate"):
        Address.parse("tls://a.example:1", made().key)


@pytest.mark.parametrize("by", ["--ca", "SANDLOT_CA"])
def test_a_bot_plays_over_tls_with_an_authority_of_its_own(
    by: str, made: Callable[..., Certificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        heard.append(str(dict(bot.context.invocation_metadata())["authorization"]))
        yield from ()

    with scripted_arbiter("localhost:0", script, made().pair) as address:
        given = ["--address", f"tls://{address}", "--token", "t-1"]
        if by == "--ca":
            given += ["--ca", str(made().authority)]
        else:
            monkeypatch.setenv("SANDLOT_CA", str(made().authority))
        sandlot.run(Caller, given)
    assert heard == ["Bearer t-1"]


@pytest.mark.parametrize(
    ("shown", "trusted", "said"),
    [
        (("other.example",), ("other.example",), "is for another host"),
        ((), ("other.example",), "authority that is not known here.* --ca FILE"),
        (("localhost", True), ("localhost", True), "has expired"),
        (None, (), "does not speak TLS"),
    ],
    ids=["another host", "another authority", "expired", "no TLS"],
)
def test_what_is_wrong_with_a_certificate_is_said_in_one_line(
    shown: tuple[str | bool, ...] | None,
    trusted: tuple[str | bool, ...],
    said: str,
    made: Callable[..., Certificate],
) -> None:
    pair = None if shown is None else made(*shown).pair
    with scripted_arbiter("localhost:0", ends_at_once, pair) as address:
        there = Address.parse(f"tls://{address}", made(*trusted).authority)
        with pytest.raises(SessionError, match=said) as raised:
            play_session(Host(Caller), there, "secret")
    assert f"tls://{address}" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.lost


def test_a_server_with_tls_is_suspected_where_one_without_is_hung_up_on(
    made: Callable[..., Certificate],
) -> None:
    with scripted_arbiter("localhost:0", ends_at_once, made().pair) as address:
        there = Address.parse(address)
        with pytest.raises(SessionError, match=f"if it uses TLS, write tls://{address}"):
            play_session(Host(Caller), there, "secret")


def test_a_channel_that_does_not_wait_for_an_event_loop_reaches_the_same(
    made: Callable[..., Certificate],
) -> None:
    with scripted_arbiter("localhost:0", ends_at_once, made().pair) as address:
        there = Address.parse(f"tls://{address}", made().authority)
        with channel(there) as reached:
            method: grpc.StreamStreamMultiCallable[bytes, bytes] = reached.stream_stream(PLAY)
            call = method(iter([b""]), timeout=60)
            assert list(call) == []
            assert call.code() is grpc.StatusCode.OK


def test_who_is_missing_is_named() -> None:
    said = no_connection(Address.parse("localhost:1"), "refused", "server")
    assert (
        said == "no server at localhost:1, or it is gone: refused; see that it runs, and try again"
    )


def test_pings_are_written_as_grpc_has_them() -> None:
    options = dict(Keepalive(every=1.5, timeout=0.25).options())
    assert options["grpc.keepalive_time_ms"] == 1500
    assert options["grpc.keepalive_timeout_ms"] == 250
