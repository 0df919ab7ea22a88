"""Calls to a league server: which one, in whose name, and what is said where one fails.

Only a command that is carried out imports gRPC; its help does not wait for that.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import click

from sandlot.errors import CallError
from sandlot_server.cli.logins import Login, read_logins

if TYPE_CHECKING:
    import grpc
    from google.protobuf.message import Message

R = TypeVar("R", bound="Message")
C = TypeVar("C", bound=Callable[..., Any])

SERVICE: Final = "sandlot.v1.LeagueService"

HERE: Final = "127.0.0.1:7400"
"""Where a league server is that nobody has said anything else about: its default, and ours."""

PATIENCE: Final = 60.0
"""Seconds that one answer may take."""

LONGEST_WAIT: Final = 5.0
"""Seconds that are waited where calls come too often; where it would be longer it is said."""

TRIES: Final = 20
"""How often one call is made at the most, where the server has it wait."""

ADDRESS_VARIABLE: Final = "SANDLOT_LEAGUE"
TOKEN_VARIABLE: Final = "SANDLOT_LEAGUE_TOKEN"
CA_VARIABLE: Final = "SANDLOT_CA"

_TOKEN: Final = re.compile("[!-~]+")
_SECONDS: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?")
_DETAILS: Final = "grpc-status-details-bin"
"""What a league server sends with every refusal of its own, and what lies between does not."""


def server_option(function: C) -> C:
    """Add the option ``--server`` to a command that has no use for a local store."""
    return click.option(
        "--server",
        metavar="ADDRESS",
        help="The league server; else that of your latest login, or SANDLOT_LEAGUE.",
    )(function)


def login_for(server: str | None) -> Login:
    """Return where the server is that a command means, and the token for it.

    A token is sent to the server that it was given for, and to no other.

    Args:
        server: the address that was given; if None the latest login, else ``SANDLOT_LEAGUE``.

    Raises:
        CallError: no server is known, or no token for it.
        SessionError: the address is none.
    """
    from sandlot.address import Address

    logins = read_logins()
    address = server or (logins[0].address if logins else os.environ.get(ADDRESS_VARIABLE, ""))
    if not address:
        raise CallError(
            "no league server is known here: run sandlot login ADDRESS, or set "
            f"{ADDRESS_VARIABLE} and {TOKEN_VARIABLE}"
        )
    for login in logins:
        if login.address == address:
            return login
    ca = os.environ.get(CA_VARIABLE, "")
    Address.parse(address, ca)  # what is no address, nobody can log in to
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise CallError(
            f"there is no token for {address}: run sandlot login {address}, or set {TOKEN_VARIABLE}"
        )
    return Login(address, token, ca)


class League:
    """The league at an address, as the owner of a token may ask it; a context manager.

    A call is named by its request: ``ask(WhoAmIRequest(), WhoAmIResponse)``.

    Raises:
        SessionError: the address cannot be one.
        CallError: in every method: the server refuses, or cannot be reached.
    """

    def __init__(self, login: Login) -> None:
        from sandlot.address import Address, channel

        self.login = login
        self._address = Address.parse(login.address, login.ca)
        if not _TOKEN.fullmatch(login.token):  # gRPC would say no more than that it failed
            raise CallError(
                f"the token for {login.address} is none: it is one word, without spaces"
            )
        self._metadata = (("authorization", f"Bearer {login.token}"),)
        self._channel: grpc.Channel = channel(self._address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def ask(self, request: Message, answer: type[R]) -> R:
        """Make a call that has one answer, and return that.

        Whoever asks for many pages calls oftener than a server likes, and waits then as it says.
        """
        method = self._channel.unary_unary(
            _path(request),
            request_serializer=_written,
            response_deserializer=answer.FromString,
        )
        with self._told():
            for _ in range(TRIES):
                call = method.future(request, timeout=PATIENCE, metadata=self._metadata)
                wait = _wait(call)
                if wait is None or wait > LONGEST_WAIT:
                    break
                time.sleep(wait)
            answered: R = call.result()
            return answered

    def follow(self, request: Message, answer: type[R]) -> Generator[R, None, None]:
        """Make a call that has many answers, and yield them as they come; to be closed.

        It takes as long as it takes: that the server has gone without a word, a ping finds out.
        """
        method = self._channel.unary_stream(
            _path(request),
            request_serializer=_written,
            response_deserializer=answer.FromString,
        )
        with self._told():
            call = method(request, metadata=self._metadata)
            try:
                yield from call
            finally:
                call.cancel()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Have an error of gRPC say in one line what to do."""
        import grpc

        try:
            yield
        except grpc.RpcError as error:
            raise self._error(error) from error

    def _error(self, error: Any) -> CallError:
        from sandlot.address import no_connection

        status, said = error.code().name, error.details() or ""
        of_the_server = any(key == _DETAILS for key, _ in error.trailing_metadata() or ())
        if status == "UNAUTHENTICATED":
            said = f"{said}; log in again: sandlot login {self.login.address}"
        elif status == "UNAVAILABLE" and not of_the_server:
            said = no_connection(self._address, said, "league server")
        elif status == "DEADLINE_EXCEEDED" and not of_the_server:
            said = f"{self._address} has not answered in time: try again later"
        elif status == "UNIMPLEMENTED":
            said = (
                f"what listens at {self._address} knows no such call: see that it is a league "
                "server, and of this version"
            )
        elif not of_the_server:
            said = f"the call to {self._address} failed: {said} ({status})"
        return CallError(said, status=status)


def _wait(call: Any) -> float | None:
    """Return the seconds after which a call may be made again that came too soon, else None."""
    if call.exception() is None:
        return None
    for key, value in call.trailing_metadata() or ():
        if key == "retry-after" and _SECONDS.fullmatch(value):
            return float(value)
    return None


def _path(request: Message) -> str:
    return f"/{SERVICE}/{type(request).__name__.removesuffix('Request')}"


def _written(request: Message) -> bytes:
    return request.SerializeToString()
