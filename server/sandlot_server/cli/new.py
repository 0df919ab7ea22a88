"""``sandlot new``: a bot to start from."""

from __future__ import annotations

import builtins
import keyword
import re
import shlex
import unicodedata
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from sandlot_server.cli import complete

STARTER: Final = ("bot.py", "bot.toml", "league.toml", "test_bot.py", "README.md")
"""The files of a new bot, as they lie in ``starter/``."""

PLACEHOLDER: Final = "mybot"
CLASS: Final = "MyBot"
"""What stands in them for the bot's name and for its class."""

LONGEST: Final = 32
"""Characters of the longest name that a league file takes."""

TAKEN: Final = ("Action", "Bot", "Caller", "Counter", "Fault", "Observation")
"""The names that the starter's own files import."""


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def new(directory: Path) -> None:
    """Start a bot: a folder with one that plays.

    Writes DIR with a bot of thirty lines, its bot.toml, a test, a league file against two house
    bots and a README that tells what to do with them. The bot is named after DIR: in river-rat it
    is the class RiverRat. DIR may exist if it is empty.

    \b
    Example:
      sandlot new river-rat
    """
    if directory.exists() and not (directory.is_dir() and not any(directory.iterdir())):
        what = "is not empty" if directory.is_dir() else "is a file"
        raise click.ClickException(f"{directory} {what}: name a folder that is not there yet.")
    directory.mkdir(parents=True, exist_ok=True)
    name = bot_name(directory)
    for file in STARTER:
        text = (files("sandlot_server.cli") / "starter" / file).read_text("utf-8")
        text = text.replace(PLACEHOLDER, name).replace(CLASS, class_name(name))
        (directory / file).write_text(text, "utf-8")
    click.echo(
        f"{directory}: {', '.join(STARTER)}\n"
        "\n"
        "Next:\n"
        f"  cd {shlex.quote(str(directory))}\n"
        "  sandlot play bot.py caller           watch it play a match\n"
        "  sandlot check .                      is it legal, fast enough, fit to be submitted?\n"
        "  sandlot tournament run league.toml   a round-robin (pip install 'sandlot[server]')\n"
        "  sandlot submit .                     into a league, once you have logged in to it"
    )


def bot_name(directory: Path) -> str:
    """Return a name for the bot of a folder: the folder's, and never a house bot's.

    >>> bot_name(Path("My Bots/River Rat"))
    'river-rat'
    >>> bot_name(Path("caller"))
    'my-caller'
    """
    letters = unicodedata.normalize("NFKD", directory.resolve().name.replace("ß", "ss"))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    name = f"my-{slug}" if slug in complete.house_bots() else slug or PLACEHOLDER
    return name[:LONGEST].strip("-")


def class_name(name: str) -> str:
    """Return a name for the class of a bot of that name, which is none that its files import.

    >>> class_name("river-rat"), class_name("mybot"), class_name("2fast"), class_name("none")
    ('RiverRat', 'MyBot', 'My2fast', 'MyNone')
    """
    if name == PLACEHOLDER:
        return CLASS
    found = "".join(word.capitalize() for word in name.split("-"))
    usable = found.isidentifier() and not keyword.iskeyword(found)
    return found if usable and not hasattr(builtins, found) and found not in TAKEN else f"My{found}"
