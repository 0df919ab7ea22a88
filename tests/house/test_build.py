"""A wheel is compiled where it can be, and never fails to be built where it cannot.

What is built here is a copy of the tree with one small module to compile: that takes seconds. That
all of them are compiled is seen in the wheel that the suite runs on, by ``test_wheel.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from hatch_build import obstacle

REPOSITORY = Path(__file__).resolve().parents[2]
SHIPPED = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "sdk", "server", "bots")
COMPILED = "sdk/sandlot/game/money.py"

can_compile = pytest.mark.skipif(obstacle() is not None, reason=str(obstacle()))


class Built(NamedTuple):
    """What a build makes and says, and what it has left among the temporary files."""

    name: str
    files: list[str]
    said: str
    left: list[Path]

    @property
    def extensions(self) -> list[str]:
        return [file for file in self.files if file.endswith(tuple(EXTENSION_SUFFIXES))]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    for name in SHIPPED:
        if (REPOSITORY / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(REPOSITORY / name, tree / name, ignore=ignored)
        else:
            shutil.copy(REPOSITORY / name, tree)
    project = (tree / "pyproject.toml").read_text("utf-8")
    (listed,) = re.findall(r"^compile = \[.*?^\]$", project, re.MULTILINE | re.DOTALL)
    project = project.replace(listed, f'compile = ["{COMPILED}"]')
    (tree / "pyproject.toml").write_text(project, "utf-8")
    return tree


def contents(tree: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def build(tree: Path, out: Path, kind: str = "wheel", **settings: str) -> Built:
    """Build with what is installed here, and see that the tree is as it was."""
    before = contents(tree)
    temporary = out / "temporary"
    temporary.mkdir()
    program = f"import sys; from hatchling.build import build_{kind} as build; build(sys.argv[1])"
    clean = {
        name: value for name, value in os.environ.items() if name not in ("CC", "SANDLOT_PURE")
    }
    ended = subprocess.run(
        [sys.executable, "-B", "-c", program, str(out)],
        cwd=tree,
        env={**clean, "TMPDIR": str(temporary), **settings},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    assert contents(tree) == before
    (built,) = [path for path in out.iterdir() if path.is_file()]
    files = ZipFile(built).namelist() if built.suffix == ".whl" else []
    return Built(built.name, files, ended.stderr, list(temporary.iterdir()))


@can_compile
def test_a_wheel_is_compiled_and_says_for_what(tree: Path, tmp_path: Path) -> None:
    built = build(tree, tmp_path)
    assert built.said == ""
    suffix = EXTENSION_SUFFIXES[0]
    assert sorted(built.extensions) == [f"sandlot/game/money{suffix}", f"sandlot__mypyc{suffix}"]
    assert "sandlot/game/money.py" in built.files
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert re.fullmatch(rf"sandlot-[0-9.]+-{python}-{python}t?-\w+\.whl", built.name)
    assert built.left == []


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"SANDLOT_PURE": "1"}, "SANDLOT_PURE is set"),
        ({"CC": "/nonexistent/cc"}, "there is no C compiler (/nonexistent/cc)"),
        ({"PATH": "/nonexistent"}, "there is no C compiler (cc, gcc or clang)"),
        # A compiler that is there and fails: what is last said of it is what a person reads.
        ({"CC": "false"}, None),
    ],
    ids=["asked for", "CC names none", "none on PATH", "broken"],
)
def test_where_it_cannot_be_compiled_it_is_pure_and_says_why(
    settings: dict[str, str], why: str | None, tree: Path, tmp_path: Path
) -> None:
    built = build(tree, tmp_path, **settings)
    assert re.fullmatch(r"sandlot-[0-9.]+-py3-none-any\.whl", built.name)
    assert built.extensions == []
    assert built.left == []
    (line,) = built.said.splitlines()
    assert line.startswith("sandlot: building pure Python: ")
    assert why is None or line.endswith(why)


def test_without_mypyc_it_is_pure_and_says_why(tree: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden" / "mypyc"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError('there is no mypyc')\n")
    out = tmp_path / "out"
    out.mkdir()
    built = build(tree, out, PYTHONPATH=str(hidden.parent))
    assert built.extensions == []
    if obstacle() is None:
        assert (
            built.said == "sandlot: building pure Python: mypyc: ImportError: there is no mypyc\n"
        )


@pytest.mark.parametrize("kind", ["editable", "sdist"])
def test_nothing_is_compiled_for_a_working_tree_or_an_sdist(
    kind: str, tree: Path, tmp_path: Path
) -> None:
    built = build(tree, tmp_path, kind)
    assert built.said == ""
    assert built.extensions == []
    assert built.left == []
