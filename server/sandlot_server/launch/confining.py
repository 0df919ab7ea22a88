"""The seam between a bot that is to be started and how it is confined.

The launcher asks a ``Confinement`` what is really started. There are two: ``plain.Plain`` confines
nothing, ``bubblewrap.Bubblewrap`` puts the bot into a sandbox. Nothing takes one for the other: who
asks for a sandbox where there can be none gets an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.launch.limits import Limits


@dataclass(frozen=True, slots=True)
class Start:
    """What is really started for a bot.

    Attributes:
        argv: the program, with its path, and its arguments.
        place: the directory it is started in.
        environment: all of it.
        files: numbers of open files that it inherits.
        shell_status: whether the end by a signal comes as a status of 128 and its number.

    """

    argv: tuple[str, ...]
    place: Path
    environment: Mapping[str, str]
    files: tuple[int, ...] = ()
    shell_status: bool = False


class Confinement(Protocol):
    """A way of confinement."""

    @property
    def limits(self) -> Limits | None:
        """What the launcher itself is to hold a bot to, None for nothing."""

    def check(self) -> None:
        """See whether bots can be confined like this here.

        Raises:
            BotError: they cannot; one line with the reason and what to do.

        """

    def confine(self, bot: LaunchedBot, own: Mapping[str, str]) -> AbstractContextManager[Start]:
        """Give what is to be started; its files are open within the context.

        Args:
            bot: as its user wrote it.
            own: the environment variables that are the bot's own.

        Raises:
            BotError: there is no such program or file, or it cannot be confined.

        """


Confine: TypeAlias = Callable[[tuple[Path, ...]], Confinement]
"""Gives a confinement, told the files and folders that no bot may be shown."""
