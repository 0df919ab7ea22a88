"""Where the stores of these tests are."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A place where there is nothing yet."""
    return tmp_path / "a.db"
