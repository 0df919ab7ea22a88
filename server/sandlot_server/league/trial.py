"""The trial of a submission, in its sandbox, before it plays in the league.

First, for a class of Python, what ``sandlot check`` finds (``checking``). Then a match against each
house bot, over gRPC and by the clock, as in the league; the bot's own code has no part in how these
are judged. One fault of any kind in them, and the bot is refused.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandlot.clock import Clock
from sandlot.errors import BotError, SubmissionError, in_one_line
from sandlot_server.arbiter import Fault
from sandlot_server.launch.bots import HOUSE, ClassBot, LaunchedBot
from sandlot_server.launch.confining import Confine
from sandlot_server.launch.logs import tail
from sandlot_server.league.checking import checked
from sandlot_server.league.house import house_bot
from sandlot_server.league.places import DataFolder
from sandlot_server.league.starting import launched
from sandlot_server.store.registered import Version
from sandlot_server.tournament.accounts import account, log_file, note
from sandlot_server.tournament.jobs import Job, NotPlayed, Play, PlayingBot, StartError
from sandlot_server.tournament.worker import Worker

LONGEST: Final = 20_000
"""Characters of an account that are kept in the store; the log has the rest."""

_LINES: Final = 40  # of the end of what a bot wrote


@dataclass(frozen=True, slots=True)
class Terms:
    """How a submission is tried."""

    opponents: tuple[str, ...] = HOUSE
    """The house bots that it plays against, in a match each."""
    variant: str = "baseball"
    hands: int = 8
    clock: Clock = Clock()  # noqa: RUF009 - a frozen value
    strikes: int = 3
    check: float = 120.0
    """Seconds that the check may take; one that takes longer is left, and the matches decide."""
    patience: float = 30.0
    """Seconds from the start of a bot to its hello."""
    whole: float = 600.0
    """Seconds that check and matches may take together. A bot that thinks for a second at each
    decision is through in half of that."""


async def try_version(
    version: Version, folder: DataFolder, *, confine: Confine, terms: Terms
) -> None:
    """Try a version that has been built; return if there is nothing against it.

    Its log is in its folder afterwards, however it went.

    Raises:
        SubmissionError: it is refused; ``account`` is what its author needs to mend it.
        BotError, SessionError, OSError: the server could not try it, which is not its fault.
    """
    kept = folder.version(version.bot, version.number)
    room = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=".trial-", dir=kept.root))
    log = log_file(room, version.entrant)
    trial = _Trial(version, folder, confine, terms, log)
    bound = asyncio.timeout(terms.whole)
    try:
        async with bound:
            await trial.check()
            await trial.play()
    except TimeoutError:
        if not bound.expired():
            raise
        raise SubmissionError(
            f"its trial was not over within {terms.whole:g} s; let it answer sooner", _said(log)
        ) from None
    finally:
        await asyncio.to_thread(_keep, log, kept.trial_log, room)


class _Trial:
    """The trial of one version, whose log is in a folder of its own."""

    def __init__(
        self, version: Version, folder: DataFolder, confine: Confine, terms: Terms, log: Path
    ) -> None:
        self._version = version
        self._name = version.entrant
        self._folder = folder
        self._confine = confine
        self._terms = terms
        self._log = log
        self._faults: list[Fault] = []

    async def check(self) -> None:
        """Refuse what the check finds, if it is a class of Python that can be checked."""
        bot = launched(self._version, self._folder)
        if not isinstance(bot, ClassBot):
            return
        confinement = self._confine((self._folder.root,))
        await asyncio.to_thread(confinement.check)
        told = await checked(
            bot,
            name=self._name,
            confinement=confinement,
            run=self._folder.run,
            log=self._log,
            time=self._terms.check,
        )
        if isinstance(told, str):
            await asyncio.to_thread(note, self._log.parent, self._name, told)
        elif not told.ok:
            raise SubmissionError(
                in_one_line(f"sandlot check: {told.line}"), told.account[:LONGEST]
            )

    async def play(self) -> None:
        """Play the matches one after the other; refuse what is at fault in one of them."""
        wrong = ""
        try:
            async with Worker(
                self._plan(), on_fault=self._note_fault, confine=self._confine
            ) as worker:
                for number, opponent in enumerate(self._terms.opponents):
                    job = Job(f"trial-{number + 1}", 1, (self._name, opponent), number % 2)
                    wrong = self._judged(await worker.play(job), opponent)
                    if wrong:
                        break
        except StartError as error:
            if error.bot != self._name or error.is_ours:
                raise
            line = in_one_line(f"it does not start: {self._told(error.reason)}")
            raise SubmissionError(line, error.account[-LONGEST:]) from None
        if wrong:  # its process is gone now, and how it ended is in the log
            first = "".join(map(account, self._faults[:1]))
            raise SubmissionError(in_one_line(wrong), f"{first}{_said(self._log)}"[:LONGEST])

    def _judged(self, outcome: object, opponent: str) -> str:
        """Return what is to be said against the bot after a match, "" if nothing."""
        where = f"in its match against {opponent}"
        if isinstance(outcome, NotPlayed):
            if outcome.bot != self._name:
                raise BotError(f"house bot {outcome.bot!r} cannot be started: {outcome.reason}")
            return f"{where}: {self._told(outcome.reason)}"
        if not self._faults:
            return ""
        fault = self._faults[0]
        return f"{where}, hand {fault.seen.hand}: {fault.cause}: {fault.text}"

    def _told(self, reason: str) -> str:
        """Return why it did not start, without the path of a log that is not its author's."""
        return reason.removesuffix(f"; see {self._log}")

    def _note_fault(self, fault: Fault) -> None:
        if fault.bot == self._name:
            self._faults.append(fault)

    def _plan(self) -> Play:
        terms, folder = self._terms, self._folder
        bots = {self._name: launched(self._version, folder)}
        hashes = {self._name: self._version.hash}
        for opponent in terms.opponents:
            bots[opponent] = house_bot(opponent, folder.house)
            hashes[opponent] = bots[opponent].version()
        return Play(
            tournament="trial",
            variant=terms.variant,
            seats=2,
            hands=terms.hands,
            decision=terms.clock.decision,
            bank=terms.clock.bank,
            strikes=terms.strikes,
            anonymous=False,
            seed=secrets.token_hex(16),
            bots=tuple([_playing(name, bots[name], hashes[name]) for name in bots]),
            place=str(folder.house),
            logs=str(self._log.parent),
            run=str(folder.run),
            tables=len(bots),  # so that all stay up from the first match to the last
            patience=terms.patience,
            private=(str(folder.root),),
        )


def _playing(name: str, bot: LaunchedBot, version: str) -> PlayingBot:
    run, command = (bot.spec, ()) if isinstance(bot, ClassBot) else ("", bot.command)
    return PlayingBot(
        name,
        version,
        run,
        command,
        sandbox=True,
        place=str(bot.place),
        environment="" if bot.environment is None else str(bot.environment),
    )


def _said(log: Path) -> str:
    lines = tail(log, _LINES)
    return f"what it wrote last:\n{lines}" if lines else ""


def _keep(log: Path, kept: Path, room: Path) -> None:
    """Keep the log of a trial, and nothing else of it."""
    if log.exists():
        log.replace(kept)
    shutil.rmtree(room)
