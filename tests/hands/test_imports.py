"""The game stands alone: cards and hands import each other and the standard library."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from sandlot import hands, pack

FILES = [Path(pack.__file__), *Path(hands.__file__).parent.glob("*.py")]
OURS = {"sandlot.pack", "sandlot.errors", "sandlot.hands"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_cards_and_hands_import_nothing_else(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            modules = [node.module or ""]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            package = ".".join(module.split(".")[:2])
            assert package in OURS or module.split(".")[0] in sys.stdlib_module_names, module
