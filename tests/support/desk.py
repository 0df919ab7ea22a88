"""A reception with a store and a folder of its own, and small bots that are handed in to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

from sandlot_server.launch.plain import PLAIN
from sandlot_server.league.places import DataFolder, VersionFolder
from sandlot_server.league.reception import Reception
from sandlot_server.league.trial import Terms
from sandlot_server.store import Store
from sandlot_server.store.registered import Owner, Version
from sandlot_server.store.registry import Registry
from sandlot_server.submissions.archive import write_archive

QUICK: Final = Terms(opponents=("caller",), hands=1)
"""A trial of one short match."""

GOOD: Final = """
import os, sys
from sandlot import Action, Bot, run

class Good(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
"""


def class_bot(source: str = "", name: str = "mine", **more: str) -> bytes:
    """Return the archive of a bot in Python; its source follows on that of ``Good``."""
    manifest = f'name = "{name}"\nrun = "bot.py:{"Mine" if "class Mine" in source else "Good"}"\n'
    return archive({"bot.py": GOOD + source, "bot.toml": manifest} | more)


def command_bot(source: str = "run(Good)\n", name: str = "mine", requires: str = "[]") -> bytes:
    """Return the archive of a bot that is a command; its source follows on that of ``Good``."""
    manifest = f'name = "{name}"\ncommand = ["python3", "bot.py"]\nrequirements = {requires}\n'
    return archive({"bot.py": GOOD + source, "bot.toml": manifest})


def archive(files: Mapping[str, str]) -> bytes:
    return write_archive({name: text.encode() for name, text in files.items()})


class Desk:
    """The owners ann and bob, and receptions one after the other in one folder.

    Attributes:
        folder: where all is kept.
        registry: where it is written down.
        ann, bob: owners.

    """

    def __init__(self, root: Path) -> None:
        self.folder = DataFolder(root)
        self.folder.make()
        self._store = Store(self.folder.database, create=True)
        self.registry = Registry(self._store)
        known = {one.name for one in self.registry.owners()}
        for name in {"ann", "bob"} - known:
            self.registry.add_owner(name, "owner", "a test")
        owners = {one.name: one for one in self.registry.owners()}
        self.ann: Owner = owners["ann"]
        self.bob: Owner = owners["bob"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def reception(self, **changes: Any) -> Reception:
        """Return a reception that confines nothing and tries in a short match, but for changes."""
        options: dict[str, Any] = {"confine": lambda private: PLAIN, "terms": QUICK} | changes
        return Reception(self.registry, self.folder, **options)

    def kept(self, version: Version) -> VersionFolder:
        """Return the folder of a version."""
        return self.folder.version(version.bot, version.number)

    def left(self) -> list[str]:
        """Return what is on the disk of submissions, by the names of files and folders."""
        root = self.folder.submissions
        return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


async def settled(reception: Reception, version: Version) -> Version:
    """Return a version as it stands when it is settled."""
    async for now in reception.follow(version):
        version = now
    return version
