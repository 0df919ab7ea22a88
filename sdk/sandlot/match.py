"""A match as a pure reducer: seats, clocks, faults, hands.

Things that happen go in (``Answered``, ``TimedOut``, ...), effects come out (``Ask``, ``Tell``,
...). There is no network, no clock and no randomness in it: the shell round it moves messages and
measures time, the seed of the set-up fixes the cards. The arbiter, the arena and ``verify`` all run
this reducer.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from sandlot.errors import RuleError
from sandlot.game import VARIANTS, Action, Event, Hand
from sandlot.game.money import plus
from sandlot.kept import Kept
from sandlot.notices import HandEnd, MatchEnd, MatchStart, Notice
from sandlot.observation import Observation
from sandlot.pack import Card
from sandlot.played import (
    FAULT_CAUSES,
    Decision,
    MatchSetup,
    PlayedHand,
    PlayedMatch,
    places,
)
from sandlot.seeds import bot_seed, commitment, hand_seed, shuffle

ANSWER_LIMIT = 200
"""Characters of an answer that the record keeps."""

# What happens to a match. ``elapsed`` is in seconds since the seat's clock was started; the reducer
# counts whole milliseconds (see ``_milliseconds``).


class Answered(NamedTuple):
    """The seat has answered a decision."""

    seat: int
    decision: int
    action: Action
    elapsed: float


class Illegible(NamedTuple):
    """Something came from the seat that cannot be read; it counts as its answer."""

    seat: int
    elapsed: float
    text: str


class Raised(NamedTuple):
    """The seat's bot has raised an exception instead of answering; ``text`` names it."""

    seat: int
    decision: int
    elapsed: float
    text: str


class TimedOut(NamedTuple):
    """The seat's clock has run out."""

    seat: int
    decision: int
    elapsed: float


class Gone(NamedTuple):
    """The seat's bot is gone: it crashed, or its session was ended after time-outs.

    The seat is out at once. A session that is ended while the seat is asked has not used up the
    seat's time, or it would have been ``TimedOut``: no more than what was allowed is counted.
    """

    seat: int
    cause: str = "crash"
    text: str = ""
    elapsed: float = 0.0


Happening: TypeAlias = Answered | Illegible | Raised | TimedOut | Gone

# What the shell must do about it.


class Ask(NamedTuple):
    """Ask the seat to decide within ``allowed`` seconds, of which ``bank`` are its bank's."""

    seat: int
    decision: int
    allowed: float
    bank: float
    seen: Observation


class Tell(NamedTuple):
    """Tell the seat."""

    seat: int
    notice: Notice


class Warn(NamedTuple):
    """Warn the seat: an answer of its was dropped, or it was at fault."""

    seat: int
    decision: int
    text: str


class Faulted(NamedTuple):
    """The seat was at fault: for its author's account, not for other seats.

    ``out`` is True when this fault put the seat out for the rest of the match.
    """

    seat: int
    decision: int
    cause: str
    text: str
    seen: Observation
    out: bool


class Ended(NamedTuple):
    """The match is over."""

    played: PlayedMatch


Effect: TypeAlias = Ask | Tell | Warn | Faulted | Ended


class _Seat:
    """How one seat stands in the match."""

    __slots__ = ("bank", "faults", "gone", "out", "strikes")

    def __init__(self, bank: int) -> None:
        self.bank = bank  # milliseconds left
        self.strikes = 0
        self.out = False
        self.gone: Gone | None = None  # not yet in the record: it will be at its next decision
        self.faults: dict[str, int] = {}


class Match:
    """One match. Call ``start`` once, then ``handle`` for each thing that happens.

    Raises:
        RuleError: the variant is unknown or the set-up is not one that it allows.
    """

    def __init__(self, setup: MatchSetup) -> None:
        variant = VARIANTS.get(setup.variant)
        if variant is None:
            known = ", ".join(VARIANTS)
            raise RuleError(f"the variant {setup.variant!r} is unknown; there is {known}")
        if setup.hands < 1:
            raise RuleError(f"{setup.hands} hands: a match has at least one (R8.1)")
        self.setup = setup
        self.variant = variant
        self.over = False
        self.strays = 0  # answers that came to no open decision
        seats = len(setup.entrants)
        # Where nobody is timed a seat has all the time there is.
        self._limit = math.inf if setup.clock is None else _milliseconds(setup.clock.decision)
        bank = 0 if setup.clock is None else _milliseconds(setup.clock.bank)
        self._seats = [_Seat(bank) for _ in range(seats)]
        self._balance: tuple[Fraction, ...] = (Fraction(0),) * seats
        self._hands: list[PlayedHand] = []
        self._decisions: list[Decision] = []
        self._number = 0  # of the latest decision, all seats counted
        self._asked: Ask | None = None
        self._deck: tuple[Card, ...] = ()
        self._cut = 0
        self._hand = self._deal()

    @property
    def asked(self) -> Ask | None:
        """The decision that the match waits for; None when it is over."""
        return self._asked

    @property
    def hands_completed(self) -> int:
        """How many hands have been completed (R7.3)."""
        return len(self._hands)

    def completed(self, hand: int) -> PlayedHand:
        """Return a hand that has been completed, by its number from 1."""
        return self._hands[hand - 1]

    def events(self, hand: int) -> tuple[Event, ...]:
        """Return what has happened in a hand that is completed or, as the next, under way."""
        if hand <= len(self._hands):
            return self._hands[hand - 1].events
        return self._hand.events

    def start(self) -> list[Effect]:
        """Begin: every seat is told, the first is asked."""
        setup = self.setup
        names = tuple(
            f"seat {seat}" if setup.anonymous else entrant.bot
            for seat, entrant in enumerate(setup.entrants)
        )
        effects: list[Effect] = [
            Tell(
                seat,
                MatchStart(
                    match=setup.match,
                    seat=seat,
                    bots=names,
                    variant=setup.variant,
                    rules=self.variant.rules,
                    wild=self.variant.wild,
                    hands=setup.hands,
                    first_dealer=setup.first_dealer,
                    clock=setup.clock,
                    commitment=commitment(setup.seed),
                    seed=bot_seed(setup.seed, seat),
                ),
            )
            for seat in range(len(names))
        ]
        self._go_on(effects)
        return effects

    def handle(self, happening: Happening) -> list[Effect]:
        """Take what has happened; return what to do about it, in order."""
        effects: list[Effect] = []
        asked = self._asked
        if isinstance(happening, Gone):
            self._gone(happening, effects)
        elif (
            asked is None
            or happening.seat != asked.seat
            or (not isinstance(happening, Illegible) and happening.decision != asked.decision)
        ):
            self._stray(happening, effects)
        else:
            self._came(asked, happening, effects)
        return effects

    def _came(
        self, asked: Ask, happening: Answered | Illegible | Raised | TimedOut, effects: list[Effect]
    ) -> None:
        """Take what has come to the open decision, or that nothing has."""
        ms = _milliseconds(happening.elapsed)
        allowed = self._allowed(asked.seat)
        if ms > allowed or isinstance(happening, TimedOut):
            came = str(happening.action) if isinstance(happening, Answered) else None
            text = f"no answer within {asked.allowed:.3f} s"
            if came is not None:
                text = f"the answer {came} took {happening.elapsed:.3f} s of {asked.allowed:.3f} s"
            if allowed < math.inf:  # a clock may ring a trifle early, but it rang at the end
                ms = max(ms, int(allowed) + 1)
            self._fault(asked, "timeout", came, text, ms, effects)
        elif isinstance(happening, Answered):
            action = happening.action
            if self._hand.accepts(action):
                self._settle(asked, action.name, action, None, ms)  # as a legal one is written
                self._go_on(effects)
            else:
                legal = ", ".join(map(str, asked.seen.legal))
                text = f"{str(action)[:ANSWER_LIMIT]} is not legal here; legal: {legal}"
                self._fault(asked, "illegal", str(action), text, ms, effects)
        else:
            cause = "exception" if isinstance(happening, Raised) else "malformed"
            self._fault(asked, cause, happening.text, happening.text, ms, effects)

    def _allowed(self, seat: int) -> float:
        """Return the milliseconds that the seat has for one decision, its bank with them."""
        return self._limit + self._seats[seat].bank

    def _stray(self, happening: Happening, effects: list[Effect]) -> None:
        """Drop an answer that no open decision waits for, count it, and tell the bot."""
        if isinstance(happening, TimedOut):
            return  # a clock that ran out while the answer was being read
        self.strays += 1
        number = 0 if isinstance(happening, (Illegible, Gone)) else happening.decision
        effects.append(
            Warn(happening.seat, number, f"decision {number} is not open; the answer was dropped")
        )

    def _gone(self, gone: Gone, effects: list[Effect]) -> None:
        seat = self._seats[gone.seat]
        if seat.out or self.over:
            return
        seat.out = True
        asked = self._asked
        if asked is not None and asked.seat == gone.seat:
            ms = _milliseconds(gone.elapsed)
            allowed = self._allowed(gone.seat)
            if gone.cause == "timeout" and ms > allowed:
                ms = int(allowed)
            self._fault(asked, gone.cause, None, gone.text, ms, effects)
        else:
            seat.gone = gone

    def _fault(
        self,
        asked: Ask,
        cause: str,
        came: str | None,
        text: str,
        ms: int,
        effects: list[Effect],
    ) -> None:
        """Count the fault; the seat checks if it may, else folds."""
        self._count(asked.seat, asked.decision, cause, text, asked.seen, effects)
        self._settle(asked, came, self._default(), cause, ms)
        self._go_on(effects)

    def _count(
        self,
        number: int,
        decision: int,
        cause: str,
        text: str,
        seen: Observation,
        effects: list[Effect],
    ) -> None:
        assert cause in FAULT_CAUSES
        seat = self._seats[number]
        seat.faults[cause] = seat.faults.get(cause, 0) + 1
        seat.strikes += 1
        if seat.strikes >= self.setup.strikes:
            seat.out = True
        effects.append(Faulted(number, decision, cause, text, seen, seat.out))

    def _default(self) -> Action:
        return Action.CHECK if self._hand.accepts(Action.CHECK) else Action.FOLD

    def _settle(
        self, asked: Ask, came: str | None, applied: Action, fault: str | None, ms: int
    ) -> None:
        if ms > self._limit:
            seat = self._seats[asked.seat]
            seat.bank = max(0, seat.bank - (ms - int(self._limit)))
        self._decide(asked.seat, came, applied, fault, ms)
        self._asked = None

    def _decide(
        self, seat: int, came: str | None, applied: Action, fault: str | None, ms: int
    ) -> None:
        legal = _NAMES[self._hand.legal]
        answer = None if came is None else _as_text(came[:ANSWER_LIMIT])
        self._decisions.append(Decision(seat, legal, answer, applied.name, fault, ms))
        self._hand.apply(applied)

    def _go_on(self, effects: list[Effect]) -> None:
        """Play on until a seat must be asked or the match is over."""
        while True:
            while (number := self._hand.to_act) is not None:
                self._number += 1
                seat = self._seats[number]
                if not seat.out:
                    self._ask(number, effects)
                    return
                fault = "out"
                if seat.gone is not None:
                    fault = seat.gone.cause
                    seen = self._observe(number)
                    self._count(number, self._number, fault, seat.gone.text, seen, effects)
                    seat.gone = None
                self._decide(number, None, self._default(), fault, 0)
            self._complete_hand(effects)
            if len(self._hands) == self.setup.hands:
                self._end(effects)
                return
            self._hand = self._deal()

    def _ask(self, number: int, effects: list[Effect]) -> None:
        allowed, bank = self._allowed(number) / 1000, self._seats[number].bank / 1000
        self._asked = Ask(number, self._number, allowed, bank, self._observe(number))
        effects.append(self._asked)

    def _observe(self, seat: int) -> Observation:
        hand = len(self._hands) + 1
        return Observation(self._hand, seat, self._balance, self.setup.match, hand, self._number)

    def _deal(self) -> Hand:
        setup = self.setup
        number = len(self._hands)
        shuffled = shuffle(hand_seed(setup.seed, number + 1))
        self._deck, self._cut = shuffled.deck, shuffled.cut
        seats = len(setup.entrants)
        dealer = (setup.first_dealer + number) % seats  # one seat to the left each hand (R2.1)
        return self.variant.deal(seats, dealer, self._deck)

    def _complete_hand(self, effects: list[Effect]) -> None:
        hand, number = self._hand, len(self._hands) + 1
        net, events = hand.net, hand.events
        self._balance = tuple(
            [plus(before, change) for before, change in zip(self._balance, net, strict=True)]
        )
        self._hands.append(
            PlayedHand(
                number,
                hand.dealer,
                self._deck,
                self._cut,
                events,
                tuple(self._decisions),
                net,
                self._balance,
            )
        )
        self._decisions.clear()
        for seat in range(hand.seats):
            seen = tuple([event.seen_by(seat) for event in events])
            end = HandEnd(self.setup.match, number, seat, hand.dealer, seen, net, self._balance)
            effects.append(Tell(seat, end))

    def _end(self, effects: list[Effect]) -> None:
        self.over = True
        net = self._balance
        place = places(net)
        match = self.setup.match
        effects.extend([Tell(seat, MatchEnd(match, seat, net, place)) for seat in range(len(net))])
        faults = tuple(dict(seat.faults) for seat in self._seats)
        effects.append(Ended(PlayedMatch(self.setup, tuple(self._hands), net, place, faults)))


_NAMES: Final = Kept(lambda legal: tuple([action.name for action in legal]))


def _milliseconds(elapsed: float) -> int:
    """Return a time in seconds as whole milliseconds; one that has begun counts as whole.

    The record holds milliseconds, and nothing finer decides here: so a record that is run through
    the reducer again finds the same banks and the same time-outs. Within a microsecond of a whole
    one a time counts as that, or a float's rounding would add one.
    """
    return max(0, int(elapsed * 1000 + 0.999))


def _as_text(answer: str) -> str:
    """Return what came as text that every reader can read: half a character becomes a ``?``."""
    return answer if answer.isascii() else answer.encode(errors="replace").decode()
