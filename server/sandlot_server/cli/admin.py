"""``sandlot admin``: the commands of who runs a league server, known by one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sandlot_server.cli.lazy import Entry, LazyGroup

OWNER: Final = {
    "Commands": (
        Entry("add", "admin_owners", "Add an owner, and print the token."),
        Entry("token", "admin_owners", "Print a new token of an owner; the old one is worthless."),
        Entry("revoke", "admin_owners", "Let an owner in no more."),
        Entry("list", "admin_owners", "Print the owners."),
    ),
}

OWNER_HELP: Final = """Let people in, or out.

\b
Examples:
  sandlot admin owner add ann
  sandlot admin owner list
"""

SEASON: Final = {
    "Commands": (
        Entry("start", "admin_seasons", "Start a season."),
        Entry("pause", "admin_seasons", "Let no match of a season begin until it is resumed."),
        Entry("resume", "admin_seasons", "Let a paused season go on."),
        Entry("close", "admin_seasons", "End a season for good."),
        Entry("list", "admin_seasons", "Print the seasons."),
    ),
}

SEASON_HELP: Final = """Start, pause and end seasons.

\b
Examples:
  sandlot admin season start spring --seats 4
  sandlot admin season close spring
"""

ADMIN: Final = {
    "Commands": (
        Entry("owner", "", "Let people in, or out."),
        Entry("season", "", "Start, pause and end seasons."),
        Entry("disqualify", "admin_bots", "Let a bot play no more, in no version to come."),
        Entry("void", "admin_bots", "Take the result of a match out of a season."),
        Entry("audit", "admin_audit", "Print who has done what, the latest first."),
    ),
}

ADMIN_HELP: Final = """Keep a league: its owners, its seasons, its peace.

It works on the store, whether a server runs or not; one that runs heeds it within a second.

\b
Examples:
  TOKEN=$(sandlot admin owner add ann)
  sandlot admin season start spring
  sandlot admin disqualify river-rat --reason "plays into fox's hands"
  sandlot admin audit --most 20
"""


def _group(
    name: str, entries: Mapping[str, tuple[Entry, ...]], text: str, *of: LazyGroup
) -> LazyGroup:
    return LazyGroup(name, entries, of, help=text, short_help=text.splitlines()[0])


admin = _group(
    "admin",
    ADMIN,
    ADMIN_HELP,
    _group("owner", OWNER, OWNER_HELP),
    _group("season", SEASON, SEASON_HELP),
)
