"""What is installed is what we mean to ship."""

from __future__ import annotations

import os
import tomllib
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import distribution, entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

from hatch_build import obstacle
from sandlot.build import compiled

PACKAGES = ("sandlot", "sandlot_server", "sandlot_bots")
REPOSITORY = Path(__file__).resolve().parents[2]

in_tox = pytest.mark.skipif(
    "TOX_ENV_NAME" not in os.environ, reason="a developer's environment shows the sources"
)


# What the machine allows, and the environment `pure` is there to do without.
COMPILED = obstacle() is None and os.environ.get("TOX_ENV_NAME") != "pure"
SUFFIX = EXTENSION_SUFFIXES[0]


def place(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@in_tox
@pytest.mark.parametrize("package", PACKAGES)
def test_the_suite_runs_on_the_installed_wheel(package: str) -> None:
    assert place(package).parent.name == "site-packages"
    assert distribution("sandlot").read_text("WHEEL") is not None
    sources = {"sandlot": "sdk", "sandlot_server": "server", "sandlot_bots": "bots"}
    assert not place(package).is_relative_to(REPOSITORY / sources[package])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_that_it_is_typed(package: str) -> None:
    assert (place(package) / "py.typed").exists()


@in_tox
def test_the_wheel_holds_every_file_of_the_packages_and_no_other() -> None:
    shipped = {str(file) for file in distribution("sandlot").files or ()}
    shipped = {file for file in shipped if "__pycache__" not in file}
    shipped = {file for file in shipped if not file.endswith(SUFFIX)}
    folders = (("sdk", "sandlot"), ("server", "sandlot_server"), ("bots", "sandlot_bots"))
    sources = {
        str(path.relative_to(REPOSITORY / room))
        for room, package in folders
        for path in (REPOSITORY / room / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {file for file in shipped if file.startswith(PACKAGES) and "-" not in file} == sources


@in_tox
def test_the_wheel_is_compiled_where_that_can_be() -> None:
    assert compiled() == COMPILED
    tags = (distribution("sandlot").read_text("WHEEL") or "").splitlines()
    assert ("Root-Is-Purelib: true" in tags) != COMPILED
    assert ("Tag: py3-none-any" in tags) != COMPILED


@in_tox
def test_all_that_is_to_be_compiled_runs_compiled() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    hot = {path for pattern in hook["compile"] for path in REPOSITORY.glob(pattern)}
    assert all(any(REPOSITORY.glob(pattern)) for pattern in hook["compile"])
    hot -= {path for path in hot for pattern in hook["interpret"] if path.match(pattern)}
    modules = [path.relative_to(REPOSITORY).with_suffix("").parts[1:] for path in hot]
    files = [import_module(".".join(module)).__file__ for module in modules]
    assert [file for file in files if (file or "").endswith(SUFFIX) != COMPILED] == []
    installed = [str(file) for file in distribution("sandlot").files or ()]
    extensions = [file for file in installed if file.endswith(SUFFIX)]
    assert len(extensions) == (len(hot) + 1 if COMPILED else 0)  # and the library they share


def test_the_command_is_the_one_we_test() -> None:
    (script,) = entry_points(group="console_scripts", name="sandlot")
    assert script.value == "sandlot_server.cli:main"
