"""The ``sandlot`` command in a process of its own, as a person's shell starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

SCRIPTS = Path(sys.executable).parent
"""Where the commands of this environment lie."""

LIMIT = 300
"""Seconds after which a command is taken to hang."""


class Ran(NamedTuple):
    """How a command ended: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Ran]
"""Runs ``sandlot`` with its arguments."""


def plain_environment(columns: int = 80) -> dict[str, str]:
    """Return this process's environment without what changes how the command prints."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("SANDLOT_")}
    ours.pop("FORCE_COLOR", None)
    path = f"{SCRIPTS}{os.pathsep}{ours.get('PATH', os.defpath)}"
    return ours | {"NO_COLOR": "1", "COLUMNS": str(columns), "PATH": path}


def run_python(*arguments: str, cwd: Path | None = None) -> Ran:
    """Run Python with these arguments to its end."""
    return run_to_end([sys.executable, *arguments], cwd)


def run_sandlot(*arguments: str, cwd: Path | None = None) -> Ran:
    """Run ``sandlot`` with these arguments to its end."""
    return run_to_end([str(SCRIPTS / "sandlot"), *arguments], cwd)


def run_to_end(command: list[str], cwd: Path | None) -> Ran:
    """Run a command to its end, without input and in a plain environment."""
    ended = subprocess.run(
        command,
        cwd=cwd,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    return Ran(ended.returncode, ended.stdout, ended.stderr)
