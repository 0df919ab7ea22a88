"""A bot as its user wrote it: what to load in this process, and what to start in one of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from sandlot.errors import BotError
from sandlot.loading import BotClass, is_file, load_bot, nearest, split_spec
from sandlot_server.launch.versions import version_of_class, version_of_command

HOUSE: Final = ("random", "caller", "tight", "odds", "watcher")
"""The bots that come with Sandlot, by the names they are called by."""

FORMS: Final = 'a house name, module:Class, file.py[:Class] or "a command line"'

_MODULE = re.compile(r"[\w.]+:\w+")


def programs(environment: Path) -> Path:
    """Return the folder of an environment that its Python lies in, as ``python`` and ``python3``.

    An environment is a folder as ``submissions.building`` makes it.
    """
    return environment / "bin"


@dataclass(frozen=True, slots=True)
class ClassBot:
    """A class in a module or file, ``spec``, as seen from the directory ``place``.

    It is run by the Python of its ``environment``, or by this one if it has none of its own.
    """

    spec: str
    place: Path
    environment: Path | None = None

    def __str__(self) -> str:
        return self.spec

    def load(self) -> BotClass:
        """Return the class, imported into this process; see ``sandlot.loading.load_bot``."""
        return load_bot(self.spec, self.place)

    def version(self) -> str:
        """Return the SHA-256 of the bot's files in hex; nothing is imported.

        Raises:
            BotError: there is no such file or module.

        """
        return version_of_class(self.spec, self.place)

    def argv(self) -> list[str]:
        """Return the program and its arguments, to be started in ``place``."""
        # -P: else a file beside the bot that is called, say, random.py would be taken for the
        # standard one by everything that is imported before the bot is. The loader puts the
        # bot's directory on the path afterwards.
        own = self.environment
        python = sys.executable if own is None else str(programs(own) / "python")
        return [python, "-P", "-m", "sandlot.client", self.spec]


@dataclass(frozen=True, slots=True)
class CommandBot:
    """A program in any language, with its arguments, started in the directory ``place``.

    The programs of its ``environment``, if it has one of its own, come first on its PATH.
    """

    command: tuple[str, ...]
    place: Path
    environment: Path | None = None

    def __str__(self) -> str:
        return shlex.join(self.command)

    def load(self) -> BotClass:
        """Refuse: a program of its own cannot be loaded into this process.

        Raises:
            BotError: always.

        """
        raise BotError(f"{self} is a program of its own: play it with --isolated")

    def version(self) -> str:
        """Return the SHA-256 of the files among the command's words in hex."""
        return version_of_command(self.command, self.place)

    def argv(self) -> list[str]:
        """Return the program, with its path, and its arguments, to be started in ``place``.

        Raises:
            BotError: there is no such program.

        """
        program = self.command[0]
        # Seen from the bot's place, not from ours, if it is written with a slash.
        path = str(self.place / program) if "/" in program else program
        found = shutil.which(path, path=search_path(self.environment))
        if found is None:
            where = path if "/" in program else "on the PATH"
            raise BotError(f"{self}: there is no program {program!r} ({where}) that can be run")
        return [found, *self.command[1:]]


LaunchedBot: TypeAlias = ClassBot | CommandBot


def search_path(environment: Path | None) -> str:
    """Return the PATH of this process, the programs of an environment before it."""
    ours = os.environ.get("PATH", os.defpath)
    return ours if environment is None else f"{programs(environment)}{os.pathsep}{ours}"


def bot_as_written(text: str, place: Path | None = None) -> LaunchedBot:
    """Return the bot that a command's argument names.

    Args:
        text: a house name, ``module:Class``, ``file.py[:Class]`` or a command line.
        place: the directory that files are seen from; the working directory if absent.

    Raises:
        BotError: it is none of these.

    >>> bot_as_written("caller").spec
    'sandlot_bots.caller:Caller'
    >>> bot_as_written("mybot.py").spec
    'mybot.py'
    >>> bot_as_written("node bot.js --bold").command
    ('node', 'bot.js', '--bold')
    """
    place = (place or Path.cwd()).resolve()
    if text in HOUSE:
        return ClassBot(f"sandlot_bots.{text}:{text.capitalize()}", place)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise BotError(f"{text!r} is no command line: {error}") from error
    single = len(words) == 1
    if single and _MODULE.fullmatch(text):
        return ClassBot(text, place)
    source = text.rpartition(":")[0] or text
    for candidate in (text, source):  # a colon may belong to the name of the file
        if is_file(candidate) and (single or (place / candidate).is_file()):
            return ClassBot(text, place)
    if len(words) > 1 or "/" in text:
        return CommandBot(words, place)
    names = [*HOUSE, *(file.name for file in place.glob("*.py"))]
    raise BotError(f"there is no bot {text!r}: a bot is {FORMS}{nearest(text, names)}")


def bot_in_league(run: str, place: Path) -> ClassBot:
    """Return the bot of a league's ``run = "..."``, a class in a module or file.

    Raises:
        BotError: it is not written like one.

    """
    split_spec(run)
    return ClassBot(run, place.resolve())
