"""The registry of the standing league: owners, bots, versions, seasons, and the audit log.

Every change is written together with its line in the audit log, in one transaction; so the number
of the latest line tells whether anything has changed, whichever process has done it. The course of
a season alone, who enters and what is drawn, is the server's own and has no lines there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from sandlot.errors import StoreError
from sandlot_server.store import audit, house, owners, seasons, versions
from sandlot_server.store.registered import (
    HOUSE_OWNER,
    LIVE,
    REMOTE,
    AuditLine,
    OwnedBot,
    Owner,
    Role,
    Round,
    Season,
    SeasonStatus,
    Status,
    Version,
)
from sandlot_server.store.store import Store
from sandlot_server.store.values import ConflictError

SERVER: Final = "server"
"""Who does what nobody has asked for, in the audit log."""


class Registry:
    """What the standing league keeps in a store.

    Its methods may be called from any thread, and several processes may have the same database
    open. ``by`` is who does it, for the audit log. Every method may raise ``StoreError`` for what
    the medium does not allow.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def generation(self) -> int:
        """Return a number that grows with every change that the audit log tells of."""
        with self._store.reading() as connection:
            return audit.latest(connection)

    def audit(self, most: int = 100, before: int | None = None) -> list[AuditLine]:
        """Return at most so many lines of the audit log, the latest first.

        Args:
            most: how many.
            before: the number of the line that was the last of the page before.
        """
        with self._store.reading() as connection:
            return audit.lines(connection, most, before)

    # Owners.

    def add_owner(self, name: str, role: Role, by: str) -> str:
        """Add an owner; return the token, which is kept nowhere.

        Raises:
            StoreError: it cannot be called that, there is one of that name, or it is the house's.
        """
        _check_not_house(name)
        with self._store.writing() as connection:
            token = owners.give_token(connection, owners.add(connection, name, role))
            audit.note(connection, by, "owner add", name, f"role {role}")
            return token

    def renew_token(self, name: str, by: str) -> str:
        """Return a new token of an owner; those it had before are worthless.

        Raises:
            StoreError: there is none of that name, or it is the house's.
        """
        _check_not_house(name)
        with self._store.writing() as connection:
            owner = owners.id_of(connection, name)
            revoked = owners.revoke(connection, owner)
            audit.note(connection, by, "owner token", name, f"{revoked} revoked")
            return owners.give_token(connection, owner)

    def revoke_tokens(self, name: str, by: str) -> None:
        """Let an owner in no more, until it gets a new token.

        Raises:
            MissingError: there is none of that name.
        """
        with self._store.writing() as connection:
            revoked = owners.revoke(connection, owners.id_of(connection, name))
            audit.note(connection, by, "owner revoke", name, f"{revoked} revoked")

    def owners(self) -> list[Owner]:
        """Return the owners by name."""
        with self._store.reading() as connection:
            return owners.all_owners(connection)

    def owner_of(self, token: str) -> Owner | None:
        """Return whose token it is, None if nobody's or revoked."""
        with self._store.reading() as connection:
            return owners.by_token(connection, token)

    # Bots and their versions.

    def bots(self, owner: str | None = None) -> list[OwnedBot]:
        """Return the bots of an owner, or of all, by name."""
        with self._store.reading() as connection:
            of = None if owner is None else owners.id_of(connection, owner)
            return versions.all_bots(connection, of)

    def bot(self, name: str) -> OwnedBot:
        """Return a bot.

        Raises:
            MissingError: there is none of that name.
        """
        with self._store.reading() as connection:
            return versions.bot(connection, name)

    def version(self, version: int) -> Version:
        """Return a version by its ``id``, as it stands now."""
        with self._store.reading() as connection:
            return versions.by_id(connection, version)

    def with_status(self, statuses: Collection[Status]) -> list[Version]:
        """Return the versions that stand so, by bot and number."""
        with self._store.reading() as connection:
            return versions.with_status(connection, statuses)

    def receive(
        self,
        owner: str,
        bot: str,
        hash: str,  # noqa: A002
        manifest: Mapping[str, Any],
        most: int,
    ) -> Version:
        """Take a submission in as the next version of its bot.

        Args:
            owner: whose it is.
            bot: its name.
            hash: of its files.
            manifest: what its ``bot.toml`` says.
            most: how many versions of one owner may wait at once, this one with them.

        Raises:
            ConflictError: too many wait, or the bot cannot be called that, is somebody else's or
                disqualified.
        """
        with self._store.writing() as connection:
            of = owners.id_of(connection, owner)
            if versions.pending_of(connection, of) >= most:
                raise ConflictError(
                    f"{most} submissions of yours wait to be tried: submit again when one is done"
                )
            version = versions.add(
                connection,
                of,
                bot,
                kind="submitted",
                hash=hash,
                manifest=manifest,
                status="received",
            )
            audit.note(connection, owner, "submit", version.entrant, hash)
            return version

    def enroll(
        self,
        owner: str,
        bot: str,
        *,
        new: bool = False,
        allow: Callable[[Collection[OwnedBot]], None] = lambda bots: None,
    ) -> Version:
        """Return the active version of a bot that plays from its owner's machine.

        Args:
            owner: whose it is.
            bot: its name.
            new: whether it is another one than before: the next version then.
            allow: called with the bots of the owner before a version is written; what it raises is
                raised, and nothing is written.

        Raises:
            ConflictError: the bot cannot be called that, is somebody else's or disqualified.
        """
        with self._store.writing() as connection:
            of = owners.id_of(connection, owner)
            known = {each.name: each for each in versions.all_bots(connection, of)}
            active = known[bot].active if bot in known else None
            if active is not None and active.kind == "remote" and not new:
                return active
            allow(known.values())
            version = versions.add(
                connection,
                of,
                bot,
                kind="remote",
                hash=REMOTE,
                manifest={},
                status="received",
            )
            versions.activate(connection, version)
            audit.note(connection, owner, "connect", version.entrant)
            return versions.by_id(connection, version.id)

    def house(self, hashes: Mapping[str, str]) -> list[Version]:
        """See that the bots that come with Sandlot are there, in the versions that they have now.

        Args:
            hashes: of their files, by their names.

        Returns:
            Those that play, by name.
        """
        with self._store.writing() as connection:
            for version in house.renew(connection, hashes):
                audit.note(connection, SERVER, version.status, version.entrant, version.reason)
            of = owners.house(connection)
            return [bot.active for bot in versions.all_bots(connection, of) if bot.active]

    def set_status(
        self, version: Version, status: Status, reason: str = "", account: str = ""
    ) -> Version:
        """Write how a version stands; return it as it is now.

        What has become active replaces the version of its bot that was, unless that is a later one.
        A version that was retired, disqualified or replaced meanwhile stays so.
        """
        with self._store.writing() as connection:
            if versions.by_id(connection, version.id).status in LIVE:
                if status == "active":
                    versions.activate(connection, version, reason, account)
                else:
                    versions.set_status(connection, version.id, status, reason, account)
                after = versions.by_id(connection, version.id)
                audit.note(connection, SERVER, after.status, version.entrant, after.reason)
            return versions.by_id(connection, version.id)

    def retire(self, bot: str, by: str) -> list[Version]:
        """Take a bot out of the league; its owner may submit it again. Return what was stopped.

        Raises:
            MissingError: there is none of that name.
            ConflictError: nothing of it plays or waits.
        """
        with self._store.writing() as connection:
            stopped = versions.stop(connection, bot, "retired", f"by {by}")
            if not stopped:
                raise ConflictError(
                    f"bot {bot!r} does not play, and nothing of it waits to be tried"
                )
            audit.note(connection, by, "retire", bot, ", ".join(one.entrant for one in stopped))
            return stopped

    def disqualify(self, bot: str, reason: str, by: str) -> None:
        """Let a bot play no more, in no version to come either; what it has played stays.

        Raises:
            MissingError: there is none of that name.
        """
        with self._store.writing() as connection:
            versions.disqualify(connection, bot, reason)
            audit.note(connection, by, "disqualify", bot, reason)

    # Seasons.

    def seasons(self) -> list[Season]:
        """Return the seasons, the first one first."""
        with self._store.reading() as connection:
            return seasons.all_seasons(connection)

    def season(self, name: str | None = None) -> Season | None:
        """Return a season; without a name the one that is not closed, None if there is none.

        Raises:
            MissingError: there is none of that name.
        """
        with self._store.reading() as connection:
            if name is not None:
                return seasons.by_name(connection, name)
            return seasons.under_way(connection)

    def start_season(
        self, name: str, configuration: Mapping[str, Any], by: str, seed: bytes | None = None
    ) -> Season:
        """Start a season.

        Args:
            name: what it is called, as a tournament in the store.
            configuration: see ``Season``.
            by: who does it.
            seed: raw bytes that all its chance comes from; drawn if absent.

        Raises:
            StoreError: it cannot be called that, another one is not closed, or there is a
                tournament of that name.
        """
        with self._store.writing() as connection:
            season = seasons.start(connection, name, configuration, seed)
            audit.note(connection, by, "season start", name, f"commitment {season.commitment}")
            return season

    def pause_season(self, name: str, by: str) -> None:
        """Let no match of a season begin until it is resumed; those under way go on.

        Raises:
            StoreError: there is none of that name, or it is closed.
        """
        self._change(name, "paused", "season pause", by)

    def resume_season(self, name: str, by: str) -> None:
        """Let a paused season go on.

        Raises:
            StoreError: there is none of that name, or it is closed.
        """
        self._change(name, "open", "season resume", by)

    def close_season(self, name: str, by: str) -> None:
        """End a season for good; matches under way still count.

        Raises:
            StoreError: there is none of that name, or it is closed.
        """
        self._change(name, "closed", "season close", by)

    def _change(self, season: str, status: SeasonStatus, did: str, by: str) -> None:
        with self._store.writing() as connection:
            seasons.set_status(connection, season, status)
            audit.note(connection, by, did, season)

    def enter(self, season: str, entering: Iterable[Version]) -> None:
        """Make versions entrants of a season, where they are none yet."""
        with self._store.writing() as connection:
            seasons.enter(connection, season, entering)

    def draw_round(self, season: str, drawn: Round) -> None:
        """Write the next round of a season: it is on the disk before any of it is played.

        Raises:
            StoreError: it is not the next one.
        """
        with self._store.writing() as connection:
            seasons.draw(connection, season, drawn)

    def complete_round(self, season: str, number: int) -> None:
        """Write that nothing more of a round is to be played."""
        with self._store.writing() as connection:
            seasons.complete(connection, season, number)

    def latest_rounds(self, season: str, most: int) -> list[Round]:
        """Return at most so many of the rounds that were drawn last, in their order."""
        with self._store.reading() as connection:
            return seasons.latest_rounds(connection, season, most)

    def matches_played(self, season: str) -> dict[str, int]:
        """Return how many matches with a result each entrant has that has one."""
        with self._store.reading() as connection:
            return seasons.matches_played(connection, season)

    def void_match(self, season: str, match: str, reason: str, by: str) -> None:
        """Take a result out of a season; the record is kept, outside the standings.

        While its round is under way the match is played again, as the next attempt.

        Raises:
            StoreError: there is no such season, or the match has no result in it.
        """
        with self._store.writing() as connection:
            seasons.by_name(connection, season)
            seasons.void_match(connection, season, match, reason)
            audit.note(connection, by, "void", f"{season} {match}", reason)


def _check_not_house(owner: str) -> None:
    if owner == HOUSE_OWNER:
        raise StoreError(
            f"{owner!r} owns the bots that come with Sandlot, and has no token: take another name"
        )
