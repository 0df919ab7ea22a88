"""``sandlot check`` of a submission, in its sandbox: what its author would have been told at home.

The check runs in one process with the bot (``sandlot.testing.telling``), which may send us whatever
it likes in place of the report, or nothing. So it is advice: where it finds a fault the bot is
refused, with the finding; where it finds none, or does not come to an end, the matches after it
decide, which the bot's own code has no part in (``trial``). Whoever forges a report to be refused
has been refused; whoever forges one to be taken has gained nothing.

The report comes by a socket of its own, in the place where an arbiter's would be, so that what the
bot prints does not get into it.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any, Final

import msgspec

from sandlot.testing.telling import Told
from sandlot_server.launch.bots import ClassBot, CommandBot
from sandlot_server.launch.confining import Confinement
from sandlot_server.launch.processes import Launcher

LONGEST: Final = 1 << 20
"""Bytes of a report; a longer one is none."""

LAST: Final = 5.0
"""Seconds in which what a process has sent before its end is read."""

_HELPING: Final = 1 << 16


async def checked(
    bot: ClassBot,
    *,
    name: str,
    confinement: Confinement,
    run: Path,
    log: Path,
    time: float,
) -> Told | str:
    """Return what the check of a bot has told, or in a line why it has told nothing.

    Args:
        bot: a class, with an environment of its own.
        name: what the bot is called in the log.
        confinement: how it is confined.
        run: the directory of the launcher's ledger.
        log: what the bot writes is appended to it.
        time: seconds that the check may take.

    Raises:
        BotError: it cannot be started, which is not its fault.
        OSError: the disk does not take what is needed.
    """
    words = ("python", "-P", "-m", "sandlot.testing.telling", bot.spec)
    check = CommandBot(words, bot.place, bot.environment)
    report: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = b""
        while len(said) <= LONGEST and (piece := await reader.read(_HELPING)):
            said += piece
        writer.close()
        if not report.done():
            report.set_result(said)

    # A short path: the name of a unix socket may have about a hundred characters.
    with tempfile.TemporaryDirectory(prefix="sandlot-") as directory:
        socket = f"{directory}/arbiter"
        server = await asyncio.start_unix_server(listen, socket)
        async with server, Launcher(run, Path(directory)) as launcher:
            process = await launcher.start(
                check,
                name=name,
                address=f"unix:{socket}",
                token="",
                log=log,
                confinement=confinement,
            )
            ended = asyncio.create_task(process.wait())
            either: set[asyncio.Future[Any]] = {report, ended}
            await asyncio.wait(either, timeout=time, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                await asyncio.wait({report}, timeout=LAST)
            silence = f"ended without a word: it {process.exit}"
            if not ended.done():
                silence = f"was not over within {time:g} s"
            process.kill()
            await ended
    return read_report(report.result()) if report.done() else f"the check {silence}"


def read_report(said: bytes) -> Told | str:
    """Return what was told, or in a line that it was nothing of the kind; any bytes may come."""
    if len(said) <= LONGEST:
        try:
            return msgspec.json.decode(said, type=Told)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    return "the check told what is no report"
