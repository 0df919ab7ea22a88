"""Versions that enter seasons which are drawn and not played."""

from __future__ import annotations

from sandlot_server.store.registered import Kind, Version


def version(bot: str, owner: str = "", number: int = 1, kind: Kind = "submitted") -> Version:
    """An active version; each bot has an owner of its own if none is said."""
    return Version(
        id=0,
        bot=bot,
        owner=owner or f"owner of {bot}",
        number=number,
        kind=kind,
        hash="0" * 64,
        manifest={},
        status="active",
        reason="",
        account="",
        received="",
        settled=None,
    )


def versions(number: int) -> list[Version]:
    """So many bots, in alphabetical order."""
    return [version(f"bot{place:03}") for place in range(number)]
