"""What a submission holds, as a person reads it before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandlot_server.cli.counting import many

if TYPE_CHECKING:
    from rich.console import Console

    from sandlot_server.submissions.packing import Packed


def print_submission(packed: Packed, out: Console) -> None:
    """Print name, files, bytes and version of a submission, and an empty line."""
    contents = packed.contents
    files, size = many(len(contents.files), "file"), many(contents.size, "byte")
    out.print(f"{packed.manifest.name}: {files}, {size}, version")
    out.print(f"  {contents.version}\n")
