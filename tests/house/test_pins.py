"""What CI installs is held by version, and by nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))

PIN = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)==(?P<version>[0-9][0-9A-Za-z.]*)")

FILES = ("constraints.txt", "constraints-oldest.txt", "constraints-protos.txt")

BASE = PROJECT["project"]["dependencies"]
EXTRAS = [each for extra in PROJECT["project"]["optional-dependencies"].values() for each in extra]
GROUPS = PROJECT["dependency-groups"]
HOOK = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
BUILD = PROJECT["build-system"]["requires"] + HOOK["requires"]


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirements: list[Any]) -> set[str]:
    texts = [each for each in requirements if isinstance(each, str)]
    return {plain(re.split(r"[<>=!~\[; ]", text, maxsplit=1)[0]) for text in texts}


def pins(file: str) -> dict[str, str]:
    lines = (REPOSITORY / file).read_text("utf-8").splitlines()
    matches = [PIN.fullmatch(line) for line in lines if line and not line.startswith("#")]
    assert None not in matches, f"{file} holds more than NAME==VERSION"
    return {plain(match["name"]): match["version"] for match in matches if match}


@pytest.mark.parametrize("file", FILES)
def test_a_pin_is_a_name_and_a_version_in_order_and_once(file: str) -> None:
    lines = (REPOSITORY / file).read_text("utf-8").splitlines()
    names = [line.split("==")[0].lower() for line in lines if not line.startswith("#")]
    assert names == sorted(names)
    assert len(names) == len(pins(file))


def test_every_requirement_has_a_pin() -> None:
    groups = GROUPS["test"] + GROUPS["lint"] + GROUPS["types"] + GROUPS["bench"]
    wanted = named(BASE + EXTRAS + BUILD + groups)
    assert wanted | {"tox"} <= pins("constraints.txt").keys()
    assert named(BASE + GROUPS["sdk"]) <= pins("constraints-oldest.txt").keys()
    assert named(GROUPS["protos"]) <= pins("constraints-protos.txt").keys()


def test_the_tests_build_with_what_a_build_requires() -> None:
    assert GROUPS["build"] == BUILD


def test_the_oldest_versions_are_the_bounds_of_the_base_install() -> None:
    oldest = pins("constraints-oldest.txt")
    for requirement in BASE:
        name, bound = re.split(r">=", requirement.split(",")[0])
        assert oldest[name] == bound or oldest[name].startswith(f"{bound}.")


@pytest.mark.skipif(
    "TOX_ENV_NAME" not in os.environ, reason="a developer's environment may hold more"
)
def test_everything_that_tox_installs_has_a_pin() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pip", "freeze", "--exclude", "sandlot"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    known = pins("constraints.txt")
    unpinned = {
        line for line in ended.stdout.splitlines() if plain(line.split("==")[0]) not in known
    }
    assert unpinned == set()


def test_the_lines_of_the_readme_are_the_two_that_we_promise() -> None:
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    assert (
        'python3 -m pip install ".[server]" && sandlot tournament run bots/league.toml\n' in readme
    )
    check = "python3 -m pip install tox && tox\n"
    assert check in readme
    assert check in (REPOSITORY / ".ci" / "run").read_text("utf-8")
