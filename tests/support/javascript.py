"""The example in JavaScript: where it lies, how it is installed, how a file of it is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

REPOSITORY: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = REPOSITORY / "docs" / "examples" / "javascript"
PROTO = REPOSITORY / "proto"

PINS: Final[dict[str, str]] = json.loads(
    (REPOSITORY / "tests" / "javascript" / "pins.json").read_text("utf-8")
)
"""The versions of what the example's packages need in turn; a lock file would hold hosts."""

Node: TypeAlias = "Callable[[str, str], subprocess.CompletedProcess[str]]"
"""Runs a file of the example with an arbiter's address, to its end."""


def is_here() -> bool:
    """Tell whether there are node and npm."""
    return shutil.which("node") is not None and shutil.which("npm") is not None


def install(folder: Path) -> None:
    """Copy the example into a folder that is not there yet, and install what it needs."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("node_modules"))
    package = json.loads((folder / "package.json").read_text("utf-8"))
    (folder / "package.json").write_text(json.dumps(package | {"overrides": PINS}), "utf-8")
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=folder, check=True, timeout=300)


def environment(address: str, token: str = "secret") -> dict[str, str]:
    """Return the environment that an arbiter at this address starts the example in."""
    given = {"SANDLOT_ADDRESS": address, "SANDLOT_TOKEN": token}
    return os.environ | given | {"SANDLOT_PROTO": str(PROTO)}


def run(folder: Path, file: str, address: str) -> subprocess.CompletedProcess[str]:
    """Run a file of the example to its end."""
    return subprocess.run(
        ["node", file],
        cwd=folder,
        env=environment(address),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
