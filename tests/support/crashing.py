"""A league for servers that are not spared: who is in it, who plays from elsewhere, what is sent.

It is written before the first server starts, and looked at when the last one is gone.
"""

from __future__ import annotations

import queue
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import grpc
import pytest
from google.protobuf.message import Message
from support.command import plain_environment
from support.league_client import failure
from support.live_server import DEADLINE, Home

from sandlot.clock import Clock
from sandlot.errors import CallError
from sandlot.v1 import league_pb2 as pb
from sandlot_server.cli.calling import League
from sandlot_server.cli.logins import Login
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store import Place, Registry, Store
from sandlot_server.store.registered import PENDING
from sandlot_server.submissions.packing import pack

SEASON: Final = "spring"
SEED: Final = bytes(range(32))
BY: Final = "operator tess"
OWNER: Final = "ann"

BOT: Final = """
import threading

from sandlot import Action, Bot

class Mine(Bot):  # {name}
    def act(self, seen):
        {first}
        return next(each for each in seen.legal if each is not Action.FOLD)
"""


def league_in(place: Place, **settings: Any) -> str:
    """Make a league with one owner and a season without pauses; return the owner's token."""
    asked: dict[str, Any] = {"hands": 1, "every": 0.0, "clock": Clock(60.0, 0.0)} | settings
    with Store(place, create=True) as store:
        registry = Registry(store)
        token = registry.add_owner(OWNER, "owner", BY)
        registry.start_season(SEASON, SeasonSettings(**asked).configuration(), BY, SEED)
    return token


def all_settled(place: Place, number: int) -> bool:
    """Tell whether so many submissions have come and are over."""
    with Store(place) as store:
        bots = Registry(store).bots(OWNER)
    sent = [one for bot in bots for one in bot.versions if one.kind == "submitted"]
    return len(sent) == number and all(one.status not in PENDING for one in sent)


def refusal(
    address: str,
    token: str,
    request: Message = pb.WhoAmIRequest(),  # noqa: B008 - nobody changes it
) -> tuple[grpc.StatusCode, str]:
    """Make a call that fails; return its status and the reason."""
    name = type(request).__name__.removesuffix("Request")
    shown = (("authorization", f"Bearer {token}"),)
    with grpc.insecure_channel(address) as channel:
        call: grpc.UnaryStreamMultiCallable[bytes, bytes]
        call = channel.unary_stream(f"/sandlot.v1.LeagueService/{name}")
        with pytest.raises(grpc.RpcError) as failed:
            next(call(request.SerializeToString(), timeout=DEADLINE, metadata=shown))
    assert isinstance(failed.value, grpc.Call)
    told = failure(failed.value)
    return told.status, told.reason


def submission(folder: Path, name: str, first: str = "pass") -> bytes:
    """Return the archive of a bot that does one thing first, and then checks or calls."""
    file = folder / f"{name}.py"
    file.write_text(BOT.format(name=name, first=first))
    return pack(file, name).archive


class Author:
    """Submits bots in a thread of its own, whatever becomes of the server meanwhile.

    Attributes:
        acknowledged: the entrants of which a server has said that it has them.

    """

    def __init__(self, home: Home, token: str) -> None:
        self._home = home
        self._login = Login(home.address, token)
        self._sent: queue.Queue[tuple[str, bytes] | None] = queue.Queue()
        self.acknowledged: list[str] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._sent.put(None)
        if kind is None:
            self._thread.join(DEADLINE)
            assert not self._thread.is_alive()
            if self._error is not None:
                raise self._error

    def submit(self, name: str, archive: bytes) -> None:
        """Have a bot submitted, as often as it takes until a server says that it has it."""
        self._sent.put((name, archive))

    def all_sent(self) -> list[str]:
        """Wait until all has been sent; return the entrants that were acknowledged."""
        self._sent.join()
        if self._error is not None:
            raise self._error
        return self.acknowledged

    def _run(self) -> None:
        try:
            while (one := self._sent.get()) is not None:
                try:
                    self._submit(*one)
                finally:
                    self._sent.task_done()
        except BaseException as error:
            self._error = error

    def _submit(self, name: str, archive: bytes) -> None:
        request = pb.SubmitRequest(archive=archive, name=name)
        seen = 0
        while True:
            seen = self._home.wait_for_a_server(seen)
            try:
                with (
                    League(self._login) as league,
                    closing(league.follow(request, pb.SubmitResponse)) as answers,
                ):
                    version = next(answers).version
                    self.acknowledged.append(f"{version.bot}@{version.number}")
                    return
            except CallError as error:
                # It may have been taken by a server that was killed before it could say so.
                if "nothing has changed: these are the files of " in str(error):
                    return
                if error.status != "UNAVAILABLE":
                    raise


REMOTE: Final = """
import sys
from sandlot import Action, Bot
from sandlot.address import Address
from sandlot.attendance import Attendance
from sandlot.errors import SandlotError
from sandlot.host import Host
from sandlot.session import play_session
from sandlot.v1 import league_pb2 as pb
from sandlot_server.cli.calling import League
from sandlot_server.cli.logins import Login

class Calls(Bot):
    def act(self, seen):
        if holds:
            print("asked", flush=True)
            sys.stdin.readline()
            holds.clear()
        return next(each for each in seen.legal if each is not Action.FOLD)

class AtOnce(Attendance):
    def ended(self, error):
        raise error  # the next line comes with the next server

address, token, *holds = sys.stdin.readline().split()
for line in sys.stdin:
    try:
        with League(Login(address, token)) as league:
            entered = league.ask(pb.ConnectRequest(bot="rover"), pb.ConnectResponse)
        play_session(Host(Calls), Address.parse(address), entered.token, attendance=AtOnce())
    except SandlotError as error:
        print(error, file=sys.stderr, flush=True)
"""


class RemoteBot:
    """``rover``, in a process of its own, which plays with each server that has the season."""

    def __init__(self, home: Home, token: str, *how: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", REMOTE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=plain_environment(),
        )
        self._home = home
        self._say(" ".join([home.address, token, *how]))
        home.on_season = self.go_on

    def is_asked(self) -> None:
        """Wait until it has been asked for its first decision."""
        asked = self._process.stdout
        assert asked is not None
        assert select.select([asked], [], [], DEADLINE)[0], f"{self._home.said}{self._home.log}"
        assert asked.readline() == "asked\n"

    def go_on(self) -> None:
        """Let it go on: with its decision, or with a server that has the season."""
        self._say("go on")

    def end(self) -> None:
        """End it."""
        self._home.on_season = lambda: None
        self._process.kill()
        self._process.communicate()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()


@contextmanager
def remote_bot(home: Home, token: str) -> Iterator[None]:
    """Have a remote bot play that checks or calls."""
    bot = RemoteBot(home, token)
    try:
        yield
    finally:
        bot.end()


@contextmanager
def holding_bot(home: Home, token: str) -> Iterator[RemoteBot]:
    """Have a remote bot play whose first decision waits for ``go_on``."""
    bot = RemoteBot(home, token, "holds")
    try:
        yield bot
    finally:
        bot.end()
