"""``BOT`` where it is a folder with a ``bot.toml``."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sandlot_server.cli import complete

if TYPE_CHECKING:
    from sandlot_server.launch.bots import LaunchedBot
    from sandlot_server.submissions.manifest import Manifest
    from sandlot_server.submissions.packing import Packed


def packed_folder(bot: str, advice: str) -> Packed | None:
    """Return what would be submitted of a folder with a ``bot.toml``; None for any other bot.

    Args:
        bot: as it was given.
        advice: what to do where that is the ``bot.toml`` itself; ``{}`` stands for the folder.

    Raises:
        SubmissionError: it would be refused.
    """
    from sandlot_server.submissions.manifest import MANIFEST

    folder = Path(bot)
    if folder.name == MANIFEST:
        there = shlex.quote(str(folder.parent))
        raise click.ClickException(f"{bot} says what its folder is: {advice.format(there)}")
    if bot in complete.house_bots() or not os.path.lexists(folder / MANIFEST):
        return None
    from sandlot_server.submissions.packing import pack

    return pack(folder)


def bot_of(manifest: Manifest, folder: str) -> LaunchedBot:
    """Return the bot that the ``bot.toml`` of a folder names."""
    from sandlot_server.launch.bots import ClassBot, CommandBot

    place = Path(folder).resolve()
    if manifest.run is not None:
        return ClassBot(manifest.run, place)
    return CommandBot(manifest.command or (), place)
