from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from league.playing import League
from support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A place where submissions are taken."""
    with Desk(tmp_path / "data") as made:
        yield made


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """A league with an open season and nobody in it."""
    with League(tmp_path) as league:
        yield league
