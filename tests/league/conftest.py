from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A place where submissions are taken."""
    with Desk(tmp_path / "data") as made:
        yield made
