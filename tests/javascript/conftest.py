"""The example in JavaScript, installed once for all tests."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from support import javascript


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example; return its folder."""
    if not javascript.is_here():
        pytest.skip("node or npm is not installed")
    folder = tmp_path_factory.mktemp("javascript") / "caller"
    javascript.install(folder)
    return folder


@pytest.fixture
def node(installed: Path) -> javascript.Node:
    """Return what runs a file of the example."""
    return partial(javascript.run, installed)
