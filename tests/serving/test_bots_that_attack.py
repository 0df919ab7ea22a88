"""Bots that attack a real server: they pass their trial, and are held in the season."""

from __future__ import annotations

import asyncio
import re
import sys
from base64 import b64encode
from pathlib import Path

import grpc
import pytest
from launch.sandboxed import ATTACKS, needs_sandbox
from serving.besieged import BY, SEASON, SEED, Besieged
from support.one_loop import run
from support.scripted_bot import ScriptedBot, answer, decision, message

from sandlot.v1 import league_pb2 as pb
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.logs import tail

pytestmark = [
    needs_sandbox,
    pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd"),
]

SECRET = "of-the-operator-alone"
LOUDEST = Limits().output + (1 << 20)
"""Bytes of a log that holds all that is kept of what a bot writes, and accounts of its faults."""

HONEST = f"""
# {SECRET}
from sandlot import Action, Bot

class Honest(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
"""


def honest() -> dict[str, bytes]:
    return {"bot.py": HONEST.encode(), "bot.toml": b'name = "honest"\nrun = "bot.py:Honest"\n'}


def villain(server: Besieged) -> dict[str, bytes]:
    """Return the files of a bot that has every attack with it, and knows where all lies."""
    files = {path.name: path.read_bytes() for path in ATTACKS.glob("*.py")}
    others = server.folder.version("honest", 1)
    wanted = [
        server.folder.database,
        others.files / "bot.py",
        others.archive,
        server.folder.log(SEASON, "honest@1"),
        f"/proc/{server.process.pid}/environ",
        f"/proc/1/root{others.files}/bot.py",
    ]
    pid = server.process.pid
    plan = (
        "reads",
        f"connects {server.port} {server.folder.root}/socket sandlot",
        "takes_memory alone",
        "fills_disk bytes / .",
        "stays",
        f"harms {pid} {pid + 1} {pid + 2}",
        "forks",
    )
    return files | {
        "bot.toml": b'name = "villain"\nrun = "waits.py:Waits"\n',
        "mine/wanted": "\n".join([SECRET, *map(str, wanted)]).encode(),
        "plan": "\n".join(plan).encode(),
    }


async def stranger(server: Besieged, token: str) -> tuple[grpc.StatusCode, str]:
    """Open a session from outside with a token; return how that ends."""
    return await ScriptedBot(server.address, token).status()


async def floods(server: Besieged) -> None:
    """Connect a bot that answers for others' matches, then says more than anybody could hear."""
    entered = await server.call("zoe", "Connect", pb.ConnectRequest(bot="flood"))
    async with ScriptedBot(server.address, entered.token) as bot:
        await bot.connect()
        asked = await bot.asked()
        running = (await server.call("zoe", "Running", b"")).matches
        others = [match.match for match in running if "flood@1" not in match.bots]
        other = others[0] if others else "9-9-9"
        await bot.say(message(decision(other, 1, "fold"), answer(asked)))
        assert "no match of yours" in (await bot.warned()).text
        for _ in range(300):
            await bot.say(message(decision(other, 1, "fold")))
        code, _ = await bot.status()
        assert code in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INTERNAL)


async def attacked(server: Besieged) -> str:
    """Return the villain's log when all its attacks are over, and more than is kept is written."""
    log = server.folder.log(SEASON, "villain@1")
    while "--- cut: " not in tail(log):
        await server.hear("match stored")
    return log.read_text()


def check_held(log: str) -> None:
    """See that each attack was held, by what the villain says of it.

    It may say it more than once: who takes all memory may be killed for it, and is started anew.
    """
    said = log.splitlines()
    guesses = [line for line in said if line.startswith("a guess: ")]
    assert len(guesses) >= 5
    assert {*guesses} == {"a guess: StatusCode.UNAUTHENTICATED"}
    assert "its own again: StatusCode.ALREADY_EXISTS" in said
    successes = ("READ: ", "CONNECTED", "FORKED", "THREAD", "TAKEN", "FILLED", "KILLED", "TRACED")
    assert [line for line in said if any(word in line for word in successes)] == []
    for line in (
        "in files: ['wanted']",
        "in processes: []",
        "in its environment: []",
        "port held: Connection refused",
        "world held: Network is unreachable",
        "kill held: No such process",
        "trace held: No such process",
    ):
        assert line in said, line
    assert sum(line.startswith("file held: ") for line in said) >= 7
    assert "held: Resource temporarily unavailable" in said  # forks
    assert "held" in said  # memory
    assert "stays ended with 0" in said  # the daemon was left behind


async def besieged(server: Besieged) -> None:
    server.add_owners("ann", "eve", "zoe")
    server.add_owners("ida", role="reader")
    settled = await asyncio.gather(
        server.submit("ann", honest()), server.submit("eve", villain(server))
    )
    assert [(one.status, one.reason) for one in settled] == [("active", "")] * 2
    await floods(server)
    log = await attacked(server)
    check_held(log)
    assert len(log) < LOUDEST
    # With the token that it tells its author nobody plays in its place.
    (token, *_) = re.findall("its token: (.*)", await server.log_of("eve", "villain"))
    assert await stranger(server, token) == (grpc.StatusCode.UNAUTHENTICATED, "unknown-token")
    for _ in range(2):
        await server.hear("match stored", bots=["honest@1", "villain@1"])
    # Whoever had the seed of the season would know all cards to come.
    for who in ("ann", "eve", "ida"):
        told = await server.all_told(who, "honest" if who == "ann" else "villain")
        assert not any(form in told for form in (SEED, SEED.hex().encode(), b64encode(SEED)))
    # A daemon goes with its bot.
    assert server.processes("waits.py")
    server.registry.disqualify("villain", "it attacks", BY)
    await server.gone("waits.py")
    await server.gone("stays.py")
    assert await server.drained() == 0


def test_bots_that_attack_are_held_and_the_honest_one_is_never_at_fault(tmp_path: Path) -> None:
    server = Besieged(tmp_path / "data", SECRET)

    async def scene() -> None:
        async with server:
            await besieged(server)
            faults = server.faults("honest@1")
            assert len(faults) > 2
            assert not any(faults)

    run(scene(), limit=280)  # what it is tried in takes its time on a busy machine
    assert [each for each in server.said if each["level"] in ("error", "critical")] == []
    assert SECRET not in server.raw
