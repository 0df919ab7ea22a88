"""The reception: takes submissions, builds and tries them, and says how each one stands.

A submission is taken when its archive and its row are on the disk; only then is its sender told. A
loop builds and tries what is pending, one at a time, the owners in turn, of each what was sent
first. What is pending stands in the store alone: whenever the server is killed, the next one starts
it over, from its archive.

What goes wrong is either the author's doing, and the version is refused with all that is needed to
mend it; or it is not (a full disk, a sandbox that does not work, a store that is away), and the
version stays pending, the log says why, and it is tried again after a while.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias

import structlog

from sandlot.errors import SandlotError, StoreError, SubmissionError
from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.launch.confining import Confine
from sandlot_server.league.house import house_hashes
from sandlot_server.league.keeping import (
    clear,
    drop_environment,
    keep,
    sweep,
    tidy,
    write_aside,
)
from sandlot_server.league.places import DataFolder
from sandlot_server.league.quotas import Quotas, kept_of
from sandlot_server.league.reading import MOST, LogPart, read_part
from sandlot_server.league.starting import launched
from sandlot_server.league.trial import Terms, try_version
from sandlot_server.store.registered import PENDING, OwnedBot, Owner, Status, Version
from sandlot_server.store.registry import Registry
from sandlot_server.submissions.building import Interruption, build
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.manifest import LONGEST, MANIFEST, Manifest, manifest_of
from sandlot_server.submissions.unpacking import content, examine, unpack

Outcome: TypeAlias = Literal["active", "refused", "put off"]
"""What has come of a submission; it is put off where that is not its author's doing."""

LOOK: Final = 1.0
"""Seconds after which a follower looks for changes that another process has made."""

AGAIN: Final = 60.0
"""Seconds after which it is tried again what the server could not do."""

KEPT: Final = timedelta(hours=1)
"""How long a version that was replaced keeps its environment: matches of it may be under way."""


class Reception:
    """Takes submissions, builds and tries them. Use it as an asynchronous context.

    Args:
        registry: where they are written down.
        folder: where they are kept; it is made.
        confine: gives the sandbox that they are tried in.
        limits: how large one may be.
        on_change: called whenever a version stands otherwise than before.
        on_outcome: called with what has come of building and trying a version.
        quotas: how much one owner may hand in.
        terms: how they are tried.
        index: arguments for pip that say where wheels are, in place of its configuration.
        again: seconds after which it is tried again what the server could not do.
    """

    def __init__(
        self,
        registry: Registry,
        folder: DataFolder,
        *,
        confine: Confine,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        on_change: Callable[[], None] = lambda: None,
        on_outcome: Callable[[Outcome], None] = lambda outcome: None,
        quotas: Quotas = Quotas(),  # noqa: B008 - a frozen value
        terms: Terms = Terms(),  # noqa: B008 - a frozen value
        index: Sequence[str] = (),
        again: float = AGAIN,
    ) -> None:
        self._registry = registry
        self._folder = folder
        self._confine = confine
        self._limits = limits
        self._on_change = on_change
        self._on_outcome = on_outcome
        self._quotas = quotas
        self._terms = terms
        self._index = index
        self._again = again
        self._house = frozenset(house_hashes())
        self._taking = threading.Lock()  # from the check of the quotas to the row and its archive
        self._wake = asyncio.Event()
        self._put_off: dict[int, float] = {}  # until when, by the version's id
        self._turns: dict[str, int] = {}  # when it was an owner's turn, by its name
        self._followers: dict[int, set[asyncio.Queue[Version]]] = {}
        self._receiving: set[asyncio.Task[Version]] = set()
        self._interruption = Interruption()
        self._log = structlog.get_logger("sandlot.reception")

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._folder.make)
        for path in await asyncio.to_thread(sweep, self._folder):
            self._log.warning("half-made and taken away", path=str(path))
        await asyncio.to_thread(tidy, self._folder, self._registry, timedelta())
        self._working = asyncio.create_task(self._work(), name="reception")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._interruption.come()
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working
        await asyncio.gather(*self._receiving, return_exceptions=True)

    # What owners ask for.

    async def submit(self, owner: Owner, archive: bytes, name: str | None = None) -> Version:
        """Take a submission; when this returns, its archive and its row are on the disk.

        Args:
            owner: whose it is.
            archive: what was sent.
            name: what the bot of one file is called; see ``manifest_of``.

        Raises:
            SubmissionError: it is refused; nothing is left of it.
            StoreError: the bot is disqualified, or the disk or the store does not take it.
        """
        # Who goes away in the middle has submitted it or not, and never a half of it.
        taking = asyncio.create_task(asyncio.to_thread(self._receive, owner, archive, name))
        self._receiving.add(taking)
        taking.add_done_callback(self._received)
        return await asyncio.shield(taking)

    async def enroll(self, owner: Owner, bot: str, *, new: bool) -> Version:
        """Return the version of a bot that plays from its owner's machine; see ``Registry.enroll``.

        Raises:
            QuotaError: it would be one more than its owner may have.
            ConflictError: see there.
        """

        def enroll() -> Version:
            bots = self._registry.bots(owner.name)
            active = next((one.active for one in bots if one.name == bot), None)
            kept = 0
            if new or active is None or active.kind != "remote":  # else nothing is written
                self._quotas.check(bot, bots, 0)  # before the disk is looked through
                kept = kept_of(bots, self._folder)
            return self._registry.enroll(
                owner.name, bot, new=new, allow=lambda bots: self._quotas.check(bot, bots, kept)
            )

        return await asyncio.to_thread(enroll)

    async def follow(self, version: Version) -> AsyncIterator[Version]:
        """Yield a version whenever it stands otherwise than before, until it is settled.

        Raises:
            StoreError: the store is away.
        """
        changes: asyncio.Queue[Version] = asyncio.Queue()
        followers = self._followers.setdefault(version.id, set())
        followers.add(changes)
        try:
            known = version.status
            now = await asyncio.to_thread(self._registry.version, version.id)
            while True:
                if now.status != known:
                    known = now.status
                    yield now
                if known not in PENDING:
                    return
                try:
                    async with asyncio.timeout(LOOK):
                        now = await changes.get()
                except TimeoutError:  # another process may have changed it
                    now = await asyncio.to_thread(self._registry.version, version.id)
        finally:
            followers.discard(changes)
            if not followers:
                self._followers.pop(version.id, None)

    def launched(self, version: Version) -> LaunchedBot:
        """Return how an active version is started: what was submitted, or a house bot.

        Raises:
            BotError: it plays from its owner's machine.
        """
        return launched(version, self._folder)

    async def log_of(
        self, version: Version, season: str | None, after: int = 0, most: int = MOST
    ) -> LogPart:
        """Return a part of a version's log: of its trial, then of a season. It is its owner's.

        Args:
            version: of a bot that was submitted; others have no trial.
            season: its name; None for the trial alone.
            after: where the part begins: 0, or the ``next`` of the part before.
            most: bytes at most.

        Raises:
            OSError: it cannot be read.
        """
        logs = [self._folder.version(version.bot, version.number).trial_log]
        if season is not None:
            logs.append(self._folder.log(season, version.entrant))
        return await asyncio.to_thread(read_part, logs, after, most)

    # Taking them.

    def _receive(self, owner: Owner, archive: bytes, name: str | None) -> Version:
        contents = examine(archive, self._limits)
        text = content(archive, MANIFEST, LONGEST + 1, self._limits)
        manifest = manifest_of(contents.files, text, name)
        with self._taking:
            self._check(owner, manifest, contents.version, len(archive) + contents.size)
            try:
                return self._write(owner, manifest, contents.version, archive)
            except OSError as error:
                raise StoreError(
                    f"the server's disk does not take it ({error.strerror}): nothing is kept of "
                    "it; send it again later, or tell the operator"
                ) from error

    def _check(self, owner: Owner, manifest: Manifest, hash_: str, size: int) -> None:
        """Refuse what need not be built to be refused."""
        name = manifest.name
        if name in self._house:
            raise SubmissionError(
                f"the name {name!r} is that of a bot that comes with Sandlot; give the bot another"
            )
        bots = self._registry.bots(owner.name)
        for bot in bots:
            if bot.name == name:
                _check_new(bot, hash_)
        self._quotas.check(name, bots, kept_of(bots, self._folder) + size)

    def _write(self, owner: Owner, manifest: Manifest, hash_: str, archive: bytes) -> Version:
        """Write the archive and the row; return the version when both are on the disk."""
        aside = write_aside(self._folder, archive)
        try:
            version = self._registry.receive(
                owner.name, manifest.name, hash_, manifest.to_json(), self._quotas.waiting
            )
            try:
                keep(aside, self._folder.version(version.bot, version.number))
            except OSError as error:
                self._registry.set_status(version, "refused", f"the server's disk: {error}")
                raise
        finally:
            aside.unlink(missing_ok=True)
        return version

    def _received(self, taking: asyncio.Task[Version]) -> None:
        self._receiving.discard(taking)
        if not taking.cancelled() and taking.exception() is None:
            self._log.info("submission taken", version=taking.result().entrant)
            self._on_change()
            self._wake.set()

    # Building and trying them.

    async def _work(self) -> None:
        """Build and try what is pending, for ever."""
        while True:
            self._wake.clear()
            version: Version | None = None
            try:
                version = await asyncio.to_thread(self._next)
                if version is not None:
                    self._put_off.pop(version.id, None)
                    await self._settle(version)
                    continue
            # Whatever it is, it is not the author's doing, and the next submission may go well.
            except Exception as error:
                entrant = None if version is None else version.entrant
                known = isinstance(error, SandlotError | OSError)
                self._log.error(
                    "submission put off",
                    version=entrant,
                    reason=str(error) or type(error).__name__,
                    exc_info=not known,
                )
                self._on_outcome("put off")
                if version is not None:
                    self._put_off[version.id] = time.monotonic() + self._again
                    continue
            with suppress(TimeoutError):
                async with asyncio.timeout(self._again):
                    await self._wake.wait()

    def _next(self) -> Version | None:
        """Return the version whose turn it is: who sends many does not keep the others waiting."""
        with self._taking:  # a row whose archive is not there yet is not to be found
            pending = self._registry.with_status(PENDING)
        found = min(
            (one for one in pending if one.kind == "submitted" and not self._is_put_off(one)),
            key=lambda one: (self._turns.get(one.owner, 0), one.id),
            default=None,
        )
        if found is not None:
            self._turns[found.owner] = 1 + max(self._turns.values(), default=0)
        return found

    def _is_put_off(self, version: Version) -> bool:
        return self._put_off.get(version.id, 0.0) > time.monotonic()

    async def _settle(self, version: Version) -> None:
        """Build and try a version, and write what has come of it."""
        log = self._log.bind(version=version.entrant)
        kept = self._folder.version(version.bot, version.number)
        await asyncio.to_thread(tidy, self._folder, self._registry, KEPT)
        later = (await asyncio.to_thread(self._registry.bot, version.bot)).active
        if later is not None and later.number > version.number:  # it was put off meanwhile
            await self._stands(version, "replaced", f"by version {later.number}")
            return
        try:
            if await self._stands(version, "building"):
                await asyncio.to_thread(self._build, version)
                if await self._stands(version, "trying"):
                    await try_version(
                        version, self._folder, confine=self._confine, terms=self._terms
                    )
        except SubmissionError as error:
            log.info("submission refused", reason=str(error))
            await asyncio.to_thread(drop_environment, kept)
            await self._stands(version, "refused", str(error), error.account)
            self._on_outcome("refused")
        else:
            if await self._stands(version, "active"):
                self._on_outcome("active")
                log.info("submission active")
            else:
                await asyncio.to_thread(drop_environment, kept)

    async def _stands(
        self, version: Version, status: Status, reason: str = "", account: str = ""
    ) -> bool:
        """Write how a version stands; tell whether it does: it may have been retired meanwhile."""
        now = await asyncio.to_thread(self._registry.set_status, version, status, reason, account)
        for follower in self._followers.get(version.id, ()):
            follower.put_nowait(now)
        self._on_change()
        return now.status == status

    def _build(self, version: Version) -> None:
        """Make what a version is played with from its archive."""
        kept = self._folder.version(version.bot, version.number)
        try:
            archive = kept.archive.read_bytes()
        except FileNotFoundError:
            raise SubmissionError(
                "the server has ended before it kept the archive; submit it again"
            ) from None
        clear(kept)
        if unpack(archive, kept.files, self._limits).version != version.hash:
            raise SubmissionError("its archive was changed on the server's disk; submit it again")
        build(
            Manifest.of(version.bot, version.manifest),
            kept.files,
            kept.environment,
            index=self._index,
            interruption=self._interruption,
        )


def _check_new(bot: OwnedBot, hash_: str) -> None:
    """Refuse files that play or wait already."""
    for version in bot.versions:
        if version.hash == hash_ and version.status in (*PENDING, "active"):
            stands = "plays" if version.status == "active" else "waits to be tried"
            raise SubmissionError(
                f"nothing has changed: these are the files of {version.entrant}, which {stands}"
            )
