"""A worker: one arbiter with its bots, which plays the jobs that it is given."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from sandlot.clock import Clock
from sandlot.played import Entrant, MatchSetup
from sandlot.records import utc_now
from sandlot_server.arbiter import Arbiter, Fault
from sandlot_server.launch.confining import Confine
from sandlot_server.launch.processes import Launcher
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.accounts import note, write_account
from sandlot_server.tournament.jobs import Job, NotPlayed, Play, StartError
from sandlot_server.tournament.matches import Conditions, finished
from sandlot_server.tournament.pool import BotPool


class Worker:
    """Plays jobs with an arbiter of its own. Use it as an asynchronous context.

    Args:
        play: what it must know.
        start_all: start every bot once on entering, so that one that cannot start is found before
            the first card. Otherwise each is started when it is needed.
        on_second: called with a bot's name whenever its token was shown a second time while the bot
            was connected: it is refused, and the bot may want to know who has its token.
        on_fault: called with each fault, which has been written to the bot's log.
        confine: gives the sandbox of bots that are to be in one; bubblewrap if absent.

    Raises:
        StartError: a bot did not come up.
        BotError: bots are to be confined as they cannot be here.

    """

    def __init__(
        self,
        play: Play,
        *,
        start_all: bool = True,
        on_second: Callable[[str], None] = lambda bot: None,
        on_fault: Callable[[Fault], None] = lambda fault: None,
        confine: Confine | None = None,
    ) -> None:
        self._play = play
        self._on_second = on_second
        self._on_fault = on_fault
        self._confine = confine
        self._seconds: Counter[str] = Counter()
        self._start_all = start_all
        self._conditions = Conditions(
            tournament=play.tournament,
            variant=play.variant,
            hands=play.hands,
            clock=Clock(play.decision, play.bank),
            strikes=play.strikes,
            anonymous=play.anonymous,
            seed=bytes.fromhex(play.seed),
        )
        self._versions = {bot.name: bot.version for bot in play.bots}
        self._logs = Path(play.logs)
        self._stack = AsyncExitStack()
        self._pool: BotPool

    async def __aenter__(self) -> Self:
        play = self._play
        confined = play.confined(self._confine)
        for confinement in set(confined.values()):
            confinement.check()  # nothing else waits for this loop yet
        self._logs.mkdir(parents=True, exist_ok=True)
        async with AsyncExitStack() as stack:
            # A short path: the name of a unix socket may have about a hundred characters.
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="sandlot-"))
            self._arbiter = Arbiter(
                on_fault=self._account_for,
                on_end=self._session_ended,
                on_refused=self._second_session,
            )
            address = await self._arbiter.start(f"unix:{directory}/arbiter")
            stack.push_async_callback(self._arbiter.stop)
            # Left before the arbiter: it waits for the bots, and they for its streams.
            launcher = await stack.enter_async_context(Launcher(Path(play.run), Path(directory)))
            self._pool = BotPool(
                arbiter=self._arbiter,
                address=address,
                launcher=launcher,
                bots=play.launched(),
                confined=confined,
                logs=self._logs,
                variant=play.variant,
                most=play.tables * play.seats,
                patience=play.patience,
            )
            if self._start_all:
                await self._pool.start_all()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.closing()
        await self._stack.aclose()
        await self._pool.closed()

    async def play(self, job: Job) -> FinishedMatch | NotPlayed:
        """Play an attempt at a match.

        Raises:
            SessionError: it was broken off because the arbiter has stopped.
        """
        try:
            async with self._pool.seated(job.bots):
                started = utc_now()
                played = await self._arbiter.play(self._setup(job))
        except StartError as error:
            return NotPlayed(job, error.bot, error.reason)
        return await finished(played, started)

    def _setup(self, job: Job) -> MatchSetup:
        entrants = [Entrant(bot, self._versions[bot]) for bot in job.bots]
        return self._conditions.setup(job.match, job.attempt, entrants, job.first_dealer)

    def _account_for(self, fault: Fault) -> None:
        write_account(self._logs, fault)
        self._on_fault(fault)

    def _second_session(self, bot: str, text: str) -> None:
        self._seconds[bot] += 1
        if self._seconds[bot] == 1:  # who tries without end does not fill the disk
            note(self._logs, bot, "a second session with this bot's token was refused")
        self._on_second(bot)

    def _session_ended(self, bot: str, cause: str, text: str) -> None:
        self._pool.session_ended(bot, cause, text)
