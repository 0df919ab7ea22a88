"""What README and docs say happens when a reader does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.docpages import lay_out, run_page

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

pages = pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "node_modules" not in page.parts],
    ids=lambda page: str(page.relative_to(REPOSITORY)),
)


@pages
def test_the_code_of_a_page_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    lay_out(REPOSITORY, tmp_path)
    run_page(str(page.relative_to(REPOSITORY)), page.read_text("utf-8"), tmp_path)


@pages
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
