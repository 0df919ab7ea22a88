"""What README and docs say happens when a reader does it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from launch.sandboxed import needs_sandbox
from support.docpages import lay_out, run_page

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES: Final = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

NAMES: Final = [
    str(page.relative_to(REPOSITORY)) for page in PAGES if "node_modules" not in page.parts
]

SANDBOXED: Final = ("docs/server.md",)
"""Pages on which bots play in the sandbox."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(name, marks=[needs_sandbox] if name in SANDBOXED else []) for name in NAMES],
)
def test_the_code_of_a_page_does_what_the_page_says(page: str, tmp_path: Path) -> None:
    lay_out(REPOSITORY, tmp_path)
    run_page(page, (REPOSITORY / page).read_text("utf-8"), tmp_path)


@pytest.mark.parametrize("page", NAMES)
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    path = REPOSITORY / page
    links = re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []
