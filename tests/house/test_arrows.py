"""Who may import whom: arrows point one way."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

MAY_IMPORT = {
    "log": set(),
    "launch": set(),
    "arbiter": {"reasons"},
    "submissions": {"names"},
    "store": {"names", "tournament.standings", "tournament.rating"},
    "tournament": {"arbiter", "launch", "log", "names", "store"},
    "league": {"arbiter", "launch", "store", "submissions", "tournament"},
    "service": {"arbiter.door", "league", "reasons", "store", "submissions.limits", "tournament"},
    "serving": {"arbiter", "launch", "league", "service", "store"},
}
"""The rooms of the server, and what else of it each may import; ``cli`` may import them all."""


def package(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write the whole name of what is imported"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(*places: Path) -> list[Path]:
    found = [
        path
        for place in places
        for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place])
    ]
    assert found
    return found


def test_the_sdk_imports_neither_the_server_nor_the_house_bots() -> None:
    foreign = {
        f"{path.name}: {name}"
        for path in sources(package("sandlot"))
        for name in imports(path)
        if name.split(".")[0] in ("sandlot_server", "sandlot_bots")
    }
    assert foreign == set()


def test_every_room_of_the_server_has_its_arrows() -> None:
    rooms = {path.parent.name for path in package("sandlot_server").glob("*/__init__.py")}
    assert rooms == {*MAY_IMPORT, "cli"}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_of_the_server_imports_no_other_than_it_may(room: str) -> None:
    own = tuple(f"sandlot_server.{name}" for name in (room, *MAY_IMPORT[room]))
    foreign = {
        f"{path.name}: {name}"
        for path in sources(package("sandlot_server") / room)
        for name in imports(path)
        if name.startswith("sandlot_server.")
        and not any(name == each or name.startswith(f"{each}.") for each in own)
    }
    assert foreign == set()


def test_house_bots_import_nothing_but_the_sdk_and_the_standard_library() -> None:
    own = {"sandlot", "sandlot_bots", *sys.stdlib_module_names}
    foreign = {
        f"{path.name}: {name}"
        for path in sources(package("sandlot_bots"))
        for name in imports(path)
        if name.split(".")[0] not in own
    }
    assert foreign == set()


def test_the_game_imports_itself_and_the_standard_library() -> None:
    sdk = package("sandlot")
    own = ("sandlot.pack", "sandlot.hands", "sandlot.game", "sandlot.errors")
    foreign = {
        f"{path.name}: {name}"
        for path in sources(sdk / "pack.py", sdk / "hands", sdk / "game", sdk / "errors.py")
        for name in imports(path)
        if not name.startswith(own) and name.split(".")[0] not in sys.stdlib_module_names
    }
    assert foreign == set()


@pytest.mark.parametrize("name", ["os", "random", "time", "datetime", "socket", "secrets", "uuid"])
def test_the_game_has_no_clock_no_chance_and_no_input_of_its_own(name: str) -> None:
    sdk = package("sandlot")
    using = [
        path.name
        for path in sources(sdk / "pack.py", sdk / "hands", sdk / "game")
        if name in imports(path)
    ]
    assert using == []


def test_no_match_is_dealt_from_a_deck_for_training() -> None:
    using = [
        path.name
        for path in sources(package("sandlot"), package("sandlot_server"))
        if "sandlot.deals.shuffled" in imports(path)
    ]
    assert using == []
