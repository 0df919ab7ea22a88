"""``sandlot new``: a bot to start from."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from sandlot_server.cli import complete

STARTER: Final = ("bot.py", "league.toml", "test_bot.py", "README.md")
"""The files of a new bot, as they lie in ``starter/``; `PLACEHOLDER` stands for the bot's name."""

PLACEHOLDER: Final = "mybot"


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def new(directory: Path) -> None:
    """Start a bot: a folder with one that plays.

    Writes DIR with a bot of thirty lines, a test, a league file against two house bots and a
    README that tells what to do with them. DIR may exist if it is empty.

    \b
    Example:
      sandlot new mybot
    """
    if directory.exists() and not (directory.is_dir() and not any(directory.iterdir())):
        what = "is not empty" if directory.is_dir() else "is a file"
        raise click.ClickException(f"{directory} {what}: name a folder that is not there yet.")
    directory.mkdir(parents=True, exist_ok=True)
    name = bot_name(directory)
    for file in STARTER:
        text = (files("sandlot_server.cli") / "starter" / file).read_text("utf-8")
        (directory / file).write_text(text.replace(PLACEHOLDER, name), "utf-8")
    click.echo(
        f"{directory}: {', '.join(STARTER)}\n"
        "\n"
        "Next:\n"
        f"  cd {shlex.quote(str(directory))}\n"
        "  sandlot play bot.py caller           watch it play a match\n"
        "  sandlot check bot.py                 is it legal, fast enough, free of crashes?\n"
        "  sandlot tournament run league.toml   a round-robin (pip install 'sandlot[server]')"
    )


def bot_name(directory: Path) -> str:
    """Return a name for the bot of a folder: the folder's, and never a house bot's.

    >>> bot_name(Path("My Bots/River Rat"))
    'river-rat'
    >>> bot_name(Path("caller"))
    'my-caller'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", directory.resolve().name.lower()).strip("-")
    return f"my-{slug}" if slug in complete.house_bots() else slug or PLACEHOLDER
