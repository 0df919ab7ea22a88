"""The store: one database that holds many tournaments by name, and is the truth about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection

from sandlot.errors import StoreError
from sandlot_server.store import attempts, entries, reading, seasons, sums
from sandlot_server.store.attempts import OnVoid
from sandlot_server.store.database import Held
from sandlot_server.store.entries import Configuration, Difference, Entry
from sandlot_server.store.opening import is_made, open_database
from sandlot_server.store.place import Place
from sandlot_server.store.registered import StoredMatch
from sandlot_server.store.values import FinishedMatch, StoredTournament, VoidAttempt, chunks
from sandlot_server.tournament.standings import Sums


class Store:
    """The results and records of tournaments, in one database.

    Whatever moment the process is killed at, a match is stored whole or not at all. Methods may be
    called from any thread, and several processes may have the same database open.

    Args:
        place: the file of the database, or what ``place_of`` makes of the URL of one on a server.
        create: make it if it is not there.
        migrate: bring it up to date if it is of an earlier version; else that is refused.

    Raises:
        StoreError: there is none, it is not one of ours or of a later version, the disk is full,
            the file is read-only, damaged or locked; the server is not there or refuses us. So does
            every method, and ``LostError`` when the server has gone meanwhile.

    """

    def __init__(self, place: Place, *, create: bool = False, migrate: bool = True) -> None:
        self.place = place
        self.lock: Held | None = None
        with _named(place):
            self._database = open_database(place, create=create, migrate=migrate)

    @staticmethod
    def is_made(place: Place) -> bool:
        """Tell whether there is a database at a place; if not, one can be made there.

        Raises:
            StoreError: what is there is not one of ours or of a later version, or there is no such
                directory, no such server.

        """
        with _named(place):
            return is_made(place)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, and let another run have the tournament."""
        self._database.close()
        self.let_go()

    def size(self) -> int:
        """Return how many bytes the database has on the disk."""
        with _named(self.place):
            return self._database.size()

    # To play a tournament.

    def open_tournament(
        self,
        name: str,
        configuration: Configuration,
        *,
        rounds: int,
        bots: Mapping[str, str],
        difference: Difference,
        seed: bytes | None = None,
    ) -> StoredTournament:
        """Begin a tournament, or take it up where it was left, and hold it until ``close``.

        The attempts that a dead run left without a result become void: what is to be played is the
        schedule minus ``done``.

        Args:
            name: what the tournament is called.
            configuration: what must stay the same, as JSON can hold it; without rounds and seed.
            rounds: how often the schedule is to be played; may grow from run to run.
            bots: version by name, in the order of the league.
            difference: says in words how the stored configuration (first) and this one differ.
            seed: the tournament's seed; if absent the one stored, or else a new one.

        Raises:
            StoreError: another process plays it, it is a season, or it was begun with another
                configuration, seed, more rounds or other versions of its bots. Nothing is changed
                then.

        """
        if self.lock is not None:
            raise RuntimeError("a Store holds one tournament at a time: open another Store")
        self.check_no_season(name)
        entry = Entry(name, configuration, rounds, bots, seed)
        with _named(self.place):
            lock = self._database.hold(name)
        try:
            with self.writing() as connection:
                if name in entries.names(connection):
                    entries.take_up(connection, entry, difference)
                    tournament = entries.id_of(connection, name)
                    attempts.void_all(connection, tournament, attempts.RUN_ENDED)
                else:
                    entries.begin(connection, entry)
                stored = entries.stored(connection, name)
        except BaseException:
            lock.release()
            raise
        self.lock = lock
        return stored

    def check_no_season(self, name: str) -> None:
        """Keep the name of a season from the tournaments of league files.

        Raises:
            StoreError: there is a season of that name.

        """
        with self.reading() as connection:
            entries.check_no_season(connection, name)

    def take_up(self, season: str, on_void: OnVoid = lambda match, attempt: None) -> None:
        """Hold a season until ``let_go`` or ``close``, and go on where a dead server left it.

        Its attempts without a result become void, as those of ``open_tournament`` do.

        Args:
            season: its name.
            on_void: called with each of them; if the store fails after that, again the next time.

        Raises:
            StoreError: another process has it, or there is none of that name.

        """
        if self.lock is not None:
            raise RuntimeError("a Store holds one tournament at a time: let go of the other first")
        with _named(self.place):
            lock = self._database.hold(season)
        try:
            with self.writing() as connection:
                seasons.by_name(connection, season)
                of = entries.id_of(connection, season)
                attempts.void_all(connection, of, attempts.RUN_ENDED, on_void)
        except BaseException:
            lock.release()
            raise
        self.lock = lock

    def let_go(self) -> None:
        """Let others have what this store holds; also where the database is gone meanwhile."""
        if self.lock is not None:
            lock, self.lock = self.lock, None
            lock.release()

    def begin_attempts(self, tournament: str, matches: Sequence[str]) -> dict[str, int]:
        """Begin an attempt at each match; return its number, counted from 1, by match.

        When this returns it is on the disk: the first card may be dealt.

        Raises:
            StoreError: one of the matches is being played already, or has its result.

        """
        with self.writing() as connection:
            return attempts.begin(connection, entries.id_of(connection, tournament), matches)

    def finish(
        self, tournament: str, finished: Sequence[FinishedMatch], begins: Sequence[str] = ()
    ) -> dict[str, int]:
        """Store results and records, then begin attempts at other matches, in one transaction.

        Returns:
            The numbers of the attempts that have begun, as of ``begin_attempts``.

        Raises:
            StoreError: one of the attempts is not running: it was never begun, has its result, or
                was made void meanwhile; or a match cannot begin. Then nothing of it all is stored.

        """
        with self.writing() as connection:
            of = entries.id_of(connection, tournament)
            attempts.finish(connection, of, finished)
            return attempts.begin(connection, of, begins)

    def void(self, tournament: str, numbers: Mapping[str, int], reason: str) -> None:
        """Make running attempts, numbers by match, void: a fault of the server's side, no result.

        Raises:
            StoreError: one of them is not running. Then none is changed.

        """
        with self.writing() as connection:
            attempts.void(connection, entries.id_of(connection, tournament), numbers, reason)

    def void_running(
        self, tournament: str, reason: str, on_void: OnVoid = lambda match, attempt: None
    ) -> None:
        """Make every attempt void that has no result yet: the run that plays them is stopped.

        ``on_void`` is called with each of them, as by ``take_up``.
        """
        with self.writing() as connection:
            of = entries.id_of(connection, tournament)
            attempts.void_all(connection, of, reason, on_void)

    def withdraw(self, tournament: str, bot: str, reason: str) -> None:
        """Take a bot out of the rest of a tournament; what it has played stays."""
        with self.writing() as connection:
            entries.withdraw(connection, entries.id_of(connection, tournament), bot, reason)

    # To read.

    def tournaments(self) -> list[StoredTournament]:
        """Return all tournaments, in the order in which they were begun."""
        with self.reading() as connection:
            return [entries.stored(connection, name) for name in entries.names(connection)]

    def tournament(self, name: str | None = None) -> StoredTournament:
        """Return one tournament; without a name the only one there is.

        Raises:
            StoreError: there is none, none of that name (with the nearest), or several.

        """
        with self.reading() as connection:
            names = entries.names(connection)
            if name is None and not names:
                raise StoreError(
                    "there is no tournament in it: play one with `sandlot tournament run FILE`"
                )
            if name is None and len(names) > 1:
                raise StoreError(
                    f"there are {len(names)} tournaments in it, {', '.join(names)}: "
                    "choose one with --tournament"
                )
            return entries.stored(connection, names[0] if name is None else name)

    def done(self, tournament: str, among: Iterable[str] | None = None) -> frozenset[str]:
        """Return the ids of the matches that have a result, all or those among these."""
        with self.reading() as connection:
            return reading.done(connection, entries.id_of(connection, tournament), among)

    def digests(self, tournament: str) -> dict[str, str]:
        """Return the digest of each match that has a result, in the order of their numbers."""
        with self.reading() as connection:
            return reading.digests(connection, entries.id_of(connection, tournament))

    def records(self, tournament: str, match: str | None = None) -> Iterator[tuple[str, str]]:
        """Yield match id and record, of one match or of all, in the order of the ids' numbers.

        What is stored at the first step comes, whatever is added meanwhile. No lock is held
        between steps.

        Raises:
            StoreError: the match that was asked for has no result.

        """
        with self.reading() as connection:
            of = entries.id_of(connection, tournament)
            where = reading.where_stored(connection, of, match)
        for some in chunks(where, 100):
            with self.reading() as connection:
                texts = reading.records(connection, (attempt for _, attempt in some))
            for one, attempt in some:
                yield one, texts[attempt]

    def matches(
        self,
        tournament: str,
        *,
        bot: str | None = None,
        most: int = 50,
        before: int | None = None,
    ) -> list[StoredMatch]:
        """Return matches with a result, the one that was begun last first.

        Args:
            tournament: its name.
            bot: only those that it sat in; in a season an entrant, or a bot in all its versions.
            most: how many, at most.
            before: the ``position`` of the match that was the last of the page before.

        """
        with self.reading() as connection:
            of = entries.id_of(connection, tournament)
            return reading.matches(connection, of, bot, most, before)

    def voids(self, tournament: str) -> list[VoidAttempt]:
        """Return the attempts that have no result and never will, by match and number."""
        with self.reading() as connection:
            return reading.voids(connection, entries.id_of(connection, tournament))

    def sums(self, tournament: str) -> Sums:
        """Return what standings are made of, all at one moment.

        Bots come in the order of the league, also those without a match. A pair that has met comes
        twice, once for each as the first. Money and first places are whole 840ths.
        """
        with self.reading() as connection:
            of = entries.id_of(connection, tournament)
            return sums.sums(connection, of)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Return a transaction that writes, for the other rooms of the store."""
        with _named(self.place), self._database.writing() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Return a transaction that reads, for the other rooms of the store."""
        with _named(self.place), self._database.reading() as connection:
            yield connection


@contextmanager
def _named(place: Place) -> Iterator[None]:
    """Have every ``StoreError`` say which database it is about."""
    try:
        yield
    except StoreError as error:
        raise type(error)(f"database {place}: {error}") from error
