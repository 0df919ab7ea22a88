"""Every figure is taken in a fresh process, so that no side lives with what another has loaded.

``python -m bench.taking MODULE:FUNCTION`` is that process: it prints a line of JSON, the figures by
part, or what is missing. Where figures of the pure build are wanted while the installed one is
compiled, the process sees the source tree before what is installed, by ``PYTHONPATH``: a tree is
always pure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from bench.rows import Build
from bench.timing import MissingError
from sandlot.build import compiled

ROOT = Path(__file__).resolve().parents[1]
SOURCES = tuple(str(ROOT / name) for name in ("sdk", "server", "bots"))

LONGEST = 600
"""Seconds after which a figure is given up."""


def take(function: str, build: Build | None) -> dict[str, float]:
    """Return the figures of a function by part, "" where it returns one alone.

    Raises:
        MissingError: a peer, a build or something of the machine is not there; the text names it.
        RuntimeError: it has failed; the text is the end of what its process wrote.

    """
    if build == "compiled" and not compiled():
        raise MissingError("a compiled build: what is installed is pure Python")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if build == "pure" and compiled():
        environment["PYTHONPATH"] = os.pathsep.join(SOURCES)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "bench.taking", function, build or "any"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{function} was not done after {LONGEST} s") from None
    if ended.returncode != 0:
        raise RuntimeError(f"{function} has failed:\n{ended.stderr[-2000:]}")
    said: dict[str, dict[str, float] | str] = json.loads(ended.stdout.splitlines()[-1])
    figures = said.get("figures")
    if not isinstance(figures, dict):
        raise MissingError(said["missing"])
    return figures


def main(function: str, build: str) -> None:
    """Take the figures and print them."""
    if build != "any":
        assert compiled() == (build == "compiled"), f"this is not the {build} build"
    module, name = function.split(":")
    try:
        found = getattr(import_module(module), name)()
    except (MissingError, ImportError) as error:
        print(json.dumps({"missing": str(error)}))
        return
    print(json.dumps({"figures": found if isinstance(found, dict) else {"": found}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
