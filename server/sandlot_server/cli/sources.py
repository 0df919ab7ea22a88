"""Where a command reads what was played: a store on this machine, or a league server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from sandlot.errors import CallError, StoreError
from sandlot_server.cli import complete
from sandlot_server.cli.database import database_option

if TYPE_CHECKING:
    from sandlot_server.cli.calling import League
    from sandlot_server.store import Place, Store
    from sandlot_server.store.registered import StoredMatch
    from sandlot_server.tournament.table import TournamentTable

C = TypeVar("C", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A page of the matches of a tournament, the one that was begun last first.

    Attributes:
        tournament: its name.
        matches: the matches.
        following: what to ask for the next page with; None after the last.

    """

    tournament: str
    matches: tuple[StoredMatch, ...]
    following: str | None


class Source(Protocol):
    """What can be read. A season of a league is a tournament of its name.

    Without a name a store has the only tournament that there is, and a server the season under way,
    or else the last.

    Raises:
        StoreError, CallError: in every method, what was asked for is not there.
    """

    def table(self, tournament: str | None) -> TournamentTable:
        """Return the standings."""

    def matches(
        self, tournament: str | None, *, bot: str | None, most: int, page: str | None
    ) -> MatchPage:
        """Return a page of at most so many matches, of all or of those that a bot sat in."""

    def record(self, tournament: str | None, match: str) -> str:
        """Return the record of a match."""


def source_options(function: C) -> C:
    """Add the options that say where to read: ``--db`` and ``--server``; see ``opened``."""
    with_server = click.option(
        "--server",
        metavar="[ADDRESS]",
        is_flag=False,
        flag_value="",
        default=None,
        help="A league server, in place of a database; without ADDRESS that of your latest login.",
    )(function)
    return database_option("The database: a file, or postgresql://USER@HOST/NAME.")(with_server)


def name_option(function: C) -> C:
    """Add the option that says which tournament or season is meant."""
    return click.option(
        "--tournament",
        "--season",
        "name",
        metavar="NAME",
        shell_complete=complete.tournaments,
        help="Which tournament or season, where there are several.",
    )(function)


@contextmanager
def opened(db: Place, server: str | None) -> Iterator[Source]:
    """Open what the options name.

    Raises:
        UsageError: both were given.
        StoreError, CallError, SessionError: it cannot be opened.
    """
    if server is None:
        from sandlot_server.store import Store  # the one that needs the server extra

        try:
            store = Store(db)
        except StoreError as error:
            if isinstance(db, Path) and not db.exists() and not _chosen("db"):
                raise StoreError(f"{error}, or read from a league server with --server") from None
            raise
        with store:
            yield _Local(store)
        return
    if _chosen("db"):
        raise click.UsageError("--db is a database here and --server a league: leave one out.")
    from sandlot_server.cli.calling import League, login_for

    with League(login_for(server or None)) as league:
        yield _Remote(league)


def _chosen(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


class _Local:
    """A store on this machine."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def table(self, tournament: str | None) -> TournamentTable:
        from sandlot_server.tournament.table import table_of

        return table_of(self._store, tournament)

    def matches(
        self, tournament: str | None, *, bot: str | None, most: int, page: str | None
    ) -> MatchPage:
        name = self._store.tournament(tournament).name
        before = None if page is None else _position(page)
        # One more than is shown says whether there is another page.
        found = self._store.matches(name, bot=bot, most=most + 1, before=before)
        shown = tuple(found[:most])
        following = str(shown[-1].position) if len(found) > most else None
        return MatchPage(name, shown, following)

    def record(self, tournament: str | None, match: str) -> str:
        name = self._store.tournament(tournament).name
        ((_, text),) = self._store.records(name, match)
        return text


def _position(page: str) -> int:
    if not (page.isascii() and page.isdecimal() and len(page) < 19):
        raise click.UsageError(
            f"There is no page {page!r}: give what the page before named, or leave out --page."
        )
    return int(page)


class _Remote:
    """A league server."""

    def __init__(self, league: League) -> None:
        self._league = league

    def table(self, tournament: str | None) -> TournamentTable:
        from sandlot.v1 import league_pb2 as pb
        from sandlot_server.service.tables import read_table

        request = pb.StandingsRequest(season=tournament or "")
        return read_table(self._league.ask(request, pb.StandingsResponse))

    def matches(
        self, tournament: str | None, *, bot: str | None, most: int, page: str | None
    ) -> MatchPage:
        from sandlot.v1 import league_pb2 as pb
        from sandlot_server.service.values import read_match

        request = pb.MatchesRequest(
            season=tournament or "", bot=bot or "", page_size=most, page_token=page or ""
        )
        answer = self._league.ask(request, pb.MatchesResponse)
        matches = tuple(map(read_match, answer.matches))
        return MatchPage(answer.season, matches, answer.next_page_token or None)

    def record(self, tournament: str | None, match: str) -> str:
        from sandlot.v1 import league_pb2 as pb

        request = pb.RecordRequest(season=tournament or "", match=match)
        parts = [answer.part for answer in self._league.follow(request, pb.RecordResponse)]
        try:
            return b"".join(parts).decode()
        except UnicodeDecodeError:
            raise CallError(f"what the server sent for match {match} is no record") from None
