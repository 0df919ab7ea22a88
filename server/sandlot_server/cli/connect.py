"""``sandlot connect``: a bot plays from its author's machine in the league of a server."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sandlot.errors import BotError
from sandlot_server.cli import complete
from sandlot_server.cli.calling import server_option
from sandlot_server.cli.printable import printable

if TYPE_CHECKING:
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.logins import Login
    from sandlot_server.launch.bots import CommandBot, LaunchedBot


@click.command()
@click.argument("bot", shell_complete=complete.bots_or_folders)
@click.option("--name", metavar="NAME", help="What it is called in the league.")
@click.option("--new", is_flag=True, help="It is another bot than before: the next version.")
@click.option("--quiet", is_flag=True, help="Do not tell how its matches end.")
@server_option
def connect(bot: str, name: str | None, new: bool, quiet: bool, server: str | None) -> None:
    """Play from here in the league of a server.

    BOT stays on this machine, and plays over the network for as long as this runs. It is a house
    name, module:Class, file.py[:Class], a folder with a bot.toml, or "a command line"; such a
    program finds SANDLOT_ADDRESS, SANDLOT_TOKEN and SANDLOT_CA in its environment.

    Without --name it is called as its bot.toml or its file is. Nobody can see on the server whether
    it is the same bot as yesterday: with --new it plays as a version of its own, with results of
    its own.

    A connection that is lost comes back by itself; the clock runs on meanwhile. ^C leaves when the
    decision that it is at is made.

    \b
    Examples:
      sandlot connect mybot.py
      sandlot connect river-rat --new
      sandlot connect "node bot.js" --name river-rat
    """
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League, login_for
    from sandlot_server.launch.bots import CommandBot

    written, called = _bot_given(bot)
    called = name or called
    if not called:
        raise click.UsageError(f"What is {bot} to be called in the league? Add --name NAME.")
    program = written.argv() if isinstance(written, CommandBot) else []
    loaded = None if isinstance(written, CommandBot) else written.load()
    login = login_for(server)
    with League(login) as league:
        entered = league.ask(pb.ConnectRequest(bot=called, new=new), pb.ConnectResponse)
    click.echo(printable(_greeting(login, entered)))
    if loaded is None:
        assert isinstance(written, CommandBot)
        _run(written, program, login, entered.token)
    else:
        from sandlot_server.cli.at_home import play_at_home

        play_at_home(loaded, login, entered, quiet=quiet)
        click.echo("The server has ended the session.")


def _bot_given(bot: str) -> tuple[LaunchedBot, str]:
    """Return the bot that an argument names, and what it is called; that may be empty."""
    from sandlot_server.cli.folder import bot_of, packed_folder
    from sandlot_server.cli.mistaken import bot_given
    from sandlot_server.launch.bots import ClassBot

    packed = packed_folder(bot, "sandlot connect {} plays it")
    if packed is not None:
        return bot_of(packed.manifest, bot), packed.manifest.name
    written = bot_given(bot)
    if not isinstance(written, ClassBot):
        return written, ""
    source = written.spec.rpartition(":")[0] or written.spec
    return written, Path(source).stem if source.endswith(".py") else ""


def _greeting(login: Login, entered: pb.ConnectResponse) -> str:
    version = entered.version
    entrant = f"{version.bot}@{version.number}"
    if not entered.variant:
        return f"{entrant} is connected to {login.address}; no season is under way."
    return f"{entrant} plays {entered.variant} at {login.address}; ^C leaves."


def _run(bot: CommandBot, program: list[str], login: Login, token: str) -> None:
    """Run a program of its own to its end.

    Raises:
        BotError: it ended with another status than 0.
    """
    environment = os.environ | {
        "SANDLOT_ADDRESS": login.address,
        "SANDLOT_TOKEN": token,
        "SANDLOT_CA": login.ca,
    }
    # ^C at a terminal goes to the program as well; how it ends is its own affair, and waited for.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with subprocess.Popen(program, cwd=bot.place, env=environment) as running:
            status = running.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if status == -signal.SIGINT:
        raise KeyboardInterrupt
    if status:
        ended = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        raise BotError(f"{bot} {ended}: what it said stands above")
