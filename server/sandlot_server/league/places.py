"""Where the standing league keeps what is no table of the store: ``--data DIR``.

::

    DIR/sandlot.db                      the store, unless it is on a PostgreSQL server
    DIR/submissions/BOT/NUMBER/         a version: archive.tar.gz, files/, environment/, trial.log
    DIR/logs/SEASON/ENTRANT.log         what a bot wrote while it played, and its faults
    DIR/run/                            the ledger of the bots that run (``launch/ledger.py``)
    DIR/house/                          empty: where the house bots are started

Only who runs the server may enter ``DIR``. A sandboxed bot is bound its own ``files`` and
``environment`` and nothing else of it, by who may enter; so these two are open to all within, for
under root a bot is another user.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandlot_server.tournament.accounts import log_file

DATABASE: Final = "sandlot.db"
"""The store's file."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The folder of a league server.

    >>> DataFolder(Path("/srv/league")).log("season-1", "river-rat@2")
    PosixPath('/srv/league/logs/season-1/river-rat@2.log')
    """

    root: Path

    def __post_init__(self) -> None:
        # Bots are started elsewhere than here.
        object.__setattr__(self, "root", self.root.absolute())

    def make(self) -> None:
        """Make the folder, and those in it, where they are not there yet; let nobody else in.

        Raises:
            OSError: they cannot be made, or belong to somebody else.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root.chmod(0o700)
        for folder in (self.submissions, self.logs, self.run, self.house):
            folder.mkdir(exist_ok=True)

    @property
    def database(self) -> Path:
        """The store, where it is a file."""
        return self.root / DATABASE

    @property
    def submissions(self) -> Path:
        """What was submitted: a folder a bot, and in it one a version."""
        return self.root / "submissions"

    @property
    def logs(self) -> Path:
        """A folder a season."""
        return self.root / "logs"

    @property
    def run(self) -> Path:
        """What the server must remember of the bots that it has started."""
        return self.root / "run"

    @property
    def house(self) -> Path:
        """An empty folder, where the bots that come with Sandlot are started."""
        return self.root / "house"

    def season_logs(self, season: str) -> Path:
        """Return the folder of the logs of a season's entrants."""
        return self.logs / season

    def log(self, season: str, entrant: str) -> Path:
        """Return the log of an entrant of a season, which need not be there."""
        return log_file(self.season_logs(season), entrant)

    def version(self, bot: str, number: int) -> VersionFolder:
        """Return the folder of a version, which need not be there."""
        return VersionFolder(self.submissions / bot / str(number))


@dataclass(frozen=True, slots=True)
class VersionFolder:
    """What is kept of one version that was submitted."""

    root: Path

    @property
    def archive(self) -> Path:
        """What was sent, as it was sent."""
        return self.root / "archive.tar.gz"

    @property
    def files(self) -> Path:
        """What was in it: in the sandbox the bot's own folder."""
        return self.root / "files"

    @property
    def environment(self) -> Path:
        """The Python that it is played with; gone when it plays no more."""
        return self.root / "environment"

    @property
    def trial_log(self) -> Path:
        """What it wrote in its trial, with its faults; there when the trial is over."""
        return self.root / "trial.log"
