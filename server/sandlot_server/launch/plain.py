"""No confinement: the bot runs with the rights and in the environment of who starts it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from sandlot_server.launch.bots import LaunchedBot, search_path
from sandlot_server.launch.confining import Start


class Plain:
    """Starts bots as they are, for those that are trusted."""

    limits = None

    def check(self) -> None:
        """Find nothing in the way, wherever this is."""

    @contextmanager
    def confine(self, bot: LaunchedBot, own: Mapping[str, str]) -> Iterator[Start]:
        """Give the bot's own program, in its own place."""
        environment = {**os.environ, "PATH": search_path(bot.environment), **own}
        yield Start(tuple(bot.argv()), bot.place, environment)


PLAIN: Final = Plain()
"""The one there is: it holds nothing."""
