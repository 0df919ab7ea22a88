"""The bots that come with Sandlot, as entrants of the standing league."""

from __future__ import annotations

from pathlib import Path

from sandlot_server.launch.bots import HOUSE, LaunchedBot, bot_as_written


def house_bot(name: str, place: Path) -> LaunchedBot:
    """Return how a house bot is started; ``place`` is an empty folder.

    Raises:
        BotError: there is none of that name.

    >>> str(house_bot("caller", Path("house")))
    'sandlot_bots.caller:Caller'
    """
    return bot_as_written(name, place)


def house_hashes() -> dict[str, str]:
    """Return the SHA-256 in hex of the files of each house bot, by its name."""
    here = Path(__file__).parent
    return {name: house_bot(name, here).version() for name in HOUSE}
