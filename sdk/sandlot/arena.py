"""Whole matches in one process, for authors and training: the same reducer, no network, no clock.

>>> from sandlot import Action, Bot
>>> class Caller(Bot):
...     def act(self, seen):
...         return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
>>> played = list(play([Caller, Caller], matches=2, seed=bytes(16)))
>>> [sum(match.net) for match in played]
[Fraction(0, 1), Fraction(0, 1)]
"""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sandlot.game.actions import Action
from sandlot.host import BotClass, Failure, Host
from sandlot.match import Answered, Ask, Effect, Ended, Faulted, Happening, Match, Raised, Tell
from sandlot.observation import Observation
from sandlot.played import Entrant, MatchSetup, PlayedMatch
from sandlot.seeds import commitment, match_seed, new_seed, table_order


@dataclass(frozen=True, slots=True)
class Fault:
    """A bot was at fault in the arena: what it saw, what it did, its traceback if it raised.

    ``account`` is the traceback, from the bot's own code on, or "" where nothing was raised.
    """

    match: str
    bot: str
    seat: int
    cause: str
    text: str
    account: str
    seen: Observation


def print_fault(fault: Fault) -> None:
    """Print a fault to standard error, with the traceback."""
    print(
        f"{fault.account}{fault.bot} at seat {fault.seat}, match {fault.match}, "
        f"hand {fault.seen.hand}, decision {fault.seen.decision}: {fault.cause}: {fault.text}",
        file=sys.stderr,
    )


def play(
    bots: Sequence[BotClass] | Mapping[str, BotClass | Host],
    matches: int = 1,
    seed: bytes | None = None,
    *,
    variant: str = "baseball",
    hands: int = 8,
    strikes: int = 3,
    tables: int = 1,
    tournament: str = "arena",
    versions: Sequence[str] = (),
    on_fault: Callable[[Fault], None] = print_fault,
) -> Iterator[PlayedMatch]:
    """Play matches between all the bots at one table; yield each when it is over.

    The bots change seats as in a tournament: their circular order and the first dealer's seat are
    drawn from the seed anew in each round of as many matches as there are bots, and each match of
    a round turns the table by one seat. Faults are counted as in a tournament, but there is no
    clock: a bot that hangs, hangs the arena.

    Args:
        bots: the classes, two or more, by name in a mapping, else named after the class. A
            mapping may name a host instead, for who wants to look on while a bot is asked.
        matches: how many matches.
        seed: the tournament's raw seed, 16 bytes or more; drawn if absent.
        variant: the game.
        hands: hands a match.
        strikes: faults that put a bot out for the rest of a match.
        tables: matches under way at once; a ``BatchBot`` gets the observations of all of them.
        tournament: the tournament's name, for the record.
        versions: the bots' versions, for the record; ``in-process`` if absent.
        on_fault: called with every fault; by default it is printed to standard error.

    Raises:
        RuleError: the variant is unknown, or not for so many seats.
        BotError: a class is not a bot or cannot be made.

    """
    named = bots if isinstance(bots, Mapping) else dict(_named(bots))
    hosts = [bot if isinstance(bot, Host) else Host(bot) for bot in named.values()]
    entrants = [
        Entrant(name, version)
        for name, version in zip(named, versions or ("in-process",) * len(named), strict=True)
    ]
    seed = new_seed() if seed is None else seed
    seats = len(entrants)
    live: deque[_Table] = deque()
    said: set[str] = set()
    for seating in seatings(seed, seats, matches):
        setup = MatchSetup(
            match=seating.match,
            tournament=tournament,
            attempt=1,
            variant=variant,
            entrants=tuple([entrants[bot] for bot in seating.bots]),
            first_dealer=seating.first_dealer,
            seed=match_seed(seed, seating.match, 1),
            hands=hands,
            tournament_commitment=commitment(seed),
            clock=None,
            strikes=strikes,
        )
        table = _Table(Match(setup), [hosts[bot] for bot in seating.bots], on_fault, said)
        live.append(table)
        while len(live) >= tables:
            yield from _turn(live)
    while live:
        yield from _turn(live)


class Seating(NamedTuple):
    """Who sits where in one match.

    Attributes:
        match: the match's id.
        bots: which bot sits in seat 0, 1, ..., the bots being numbered from 0.
        first_dealer: the seat that deals the first hand.

    """

    match: str
    bots: tuple[int, ...]
    first_dealer: int


def seatings(seed: bytes, seats: int, matches: int) -> Iterator[Seating]:
    """Yield the seatings of so many matches of one table, as ``play`` has them.

    >>> for seating in seatings(bytes(16), seats=2, matches=2):
    ...     print(*seating)
    1-1-1 (0, 1) 1
    1-1-2 (1, 0) 1
    """
    for number in range(matches):
        rounds, rotation = divmod(number, seats)
        order, first_dealer = table_order(seed, rounds + 1, 1, seats)
        bots = tuple([order[(seat + rotation) % seats] for seat in range(seats)])
        yield Seating(f"{rounds + 1}-1-{rotation + 1}", bots, first_dealer)


def _named(bots: Sequence[BotClass]) -> Iterator[tuple[str, BotClass]]:
    """Name the bots after their classes, ``Caller`` and ``Caller-2`` where two are of one class."""
    taken: Counter[str] = Counter()
    for bot in bots:
        taken[bot.__name__] += 1
        number = taken[bot.__name__]
        yield bot.__name__ if number == 1 else f"{bot.__name__}-{number}", bot


class _Table:
    """One match under way, with the hosts of its bots by seat."""

    def __init__(
        self,
        match: Match,
        hosts: Sequence[Host],
        on_fault: Callable[[Fault], None],
        said: set[str],
    ) -> None:
        self.match = match
        self.hosts = hosts
        self.asked: Ask | None = None
        self.played: PlayedMatch | None = None
        self._on_fault = on_fault
        self._said = said  # accounts of failed hooks that have been printed: one is enough
        self._account = ""  # the latest traceback, until the reducer has named the fault
        self._carry_out(match.start())

    def answer(self, answer: Action | Failure, elapsed: float) -> None:
        """Take the answer to the open decision."""
        asked = self.asked
        assert asked is not None
        happening: Happening
        if isinstance(answer, Failure):
            self._account = "" if answer.account == f"{answer.text}\n" else answer.account
            happening = Raised(asked.seat, asked.decision, elapsed, answer.text)
        else:
            self._account = ""
            happening = Answered(asked.seat, asked.decision, answer, elapsed)
        self._carry_out(self.match.handle(happening))

    def _carry_out(self, effects: list[Effect]) -> None:
        self.asked = None
        for effect in effects:
            if isinstance(effect, Ask):
                self.asked = effect
            elif isinstance(effect, Tell):
                failure = self.hosts[effect.seat].tell(effect.notice)
                if failure is not None and failure.account not in self._said:
                    self._said.add(failure.account)
                    print(failure.account, file=sys.stderr, end="")
            elif isinstance(effect, Faulted):
                self._report(effect)
            elif isinstance(effect, Ended):
                self.played = effect.played

    def _report(self, fault: Faulted) -> None:
        setup = self.match.setup
        self._on_fault(
            Fault(
                setup.match,
                setup.entrants[fault.seat].bot,
                fault.seat,
                fault.cause,
                fault.text,
                self._account,
                fault.seen,
            )
        )


def _turn(tables: deque[_Table]) -> Iterator[PlayedMatch]:
    """Let every table have its open decision answered once; yield the matches that end by it."""
    by_host: dict[int, list[_Table]] = {}
    for table in tables:
        assert table.asked is not None
        by_host.setdefault(id(table.hosts[table.asked.seat]), []).append(table)
    for asking in by_host.values():
        asked = [table.asked for table in asking if table.asked is not None]
        host = asking[0].hosts[asked[0].seat]
        began = time.monotonic()
        answers = host.decide_many([ask.seen for ask in asked])
        elapsed = time.monotonic() - began
        for table, answer in zip(asking, answers, strict=True):
            table.answer(answer, elapsed)
    for table in list(tables):
        if table.played is not None:
            tables.remove(table)
            yield table.played
