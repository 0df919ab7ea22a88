"""How a version of the standing league is started."""

from __future__ import annotations

from sandlot.errors import BotError
from sandlot_server.launch.bots import ClassBot, CommandBot, LaunchedBot
from sandlot_server.league.house import house_bot
from sandlot_server.league.places import DataFolder
from sandlot_server.store.registered import Version
from sandlot_server.submissions.manifest import Manifest


def launched(version: Version, folder: DataFolder) -> LaunchedBot:
    """Return what is started for a version: what was submitted, or a house bot.

    Raises:
        BotError: it plays from its owner's machine.
    """
    if version.kind == "house":
        return house_bot(version.bot, folder.house)
    if version.kind == "remote":
        raise BotError(f"{version.entrant} plays from its owner's machine and is not started here")
    kept = folder.version(version.bot, version.number)
    manifest = Manifest.of(version.bot, version.manifest)
    if manifest.command is not None:
        return CommandBot(manifest.command, kept.files, kept.environment)
    assert manifest.run is not None  # one of the two is there
    return ClassBot(manifest.run, kept.files, kept.environment)
