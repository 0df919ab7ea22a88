"""One match in play: what happens goes into the reducer, what it wants done goes to its players."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from sandlot.match import Ask, Ended, Faulted, Gone, Happening, Match, Tell, Warn
from sandlot.notices import MatchStart
from sandlot.observation import Observation
from sandlot.played import MatchSetup
from sandlot.wire import Request as Asked
from sandlot.wire import SeatWriter, Warned
from sandlot_server.arbiter.requests import Request

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot.match import Effect
    from sandlot.played import PlayedMatch
    from sandlot_server.arbiter.player import Player


@dataclass(frozen=True, slots=True)
class Fault:
    """A bot was at fault: for its author's account. Other bots are not told.

    Attributes:
        setup: the match.
        bot, seat: who.
        decision: the ordinal of the decision within the match.
        cause: ``timeout``, ``illegal``, ``malformed``, ``exception`` or ``crash``.
        text: what came, or did not come, for a person.
        seen: the observation that the bot had.
        out: whether the seat is out for the rest of the match by it.

    """

    setup: MatchSetup
    bot: str
    seat: int
    decision: int
    cause: str
    text: str
    seen: Observation
    out: bool


class Table:
    """One match in play. ``done`` gives what it leaves behind.

    A player that is gone for good leaves its seat empty; the match goes on. Each of ``watchers`` is
    set when something has happened.
    """

    def __init__(
        self, setup: MatchSetup, players: Sequence[Player], on_fault: Callable[[Fault], None]
    ) -> None:
        self.match_id = setup.match
        self.done: asyncio.Future[PlayedMatch] = asyncio.get_running_loop().create_future()
        self.watchers: set[asyncio.Event] = set()
        self.setup = setup
        self._match = Match(setup)
        self._players: list[Player | None] = list(players)
        self._pens = [SeatWriter() for _ in players]
        self._starts: dict[int, MatchStart] = {}
        self._on_fault = on_fault
        self._log = structlog.get_logger("sandlot.arbiter").bind(match=setup.match)

    @property
    def hands_completed(self) -> int:
        """How many hands have been completed."""
        return self._match.hands_completed

    def events(self, hand: int) -> tuple[Event, ...]:
        """Return the events so far of a hand, hidden cards included; the next is the one played."""
        return self._match.events(hand)

    def begin(self) -> None:
        """Tell all seats, ask the first."""
        for player in self._players:
            assert player is not None
            player.tables[self.match_id] = self
        self._log.debug("match started", bots=[each.bot for each in self.setup.entrants])
        try:
            self._carry_out(self._match.start())
        except Exception as error:
            self._fail(error)

    def handle(self, happening: Happening) -> None:
        """Let something happen in the match."""
        if self.done.done():
            return
        try:
            expelled = self._carry_out(self._match.handle(happening))
        except Exception as error:
            self._fail(error)
        else:
            # Only now that all is carried out: it makes things happen at other tables, and here.
            for player in expelled:
                player.expel()
        if self.watchers:
            self._wake()

    def gone(self, player: Player, cause: str, text: str, elapsed: float) -> None:
        """Empty the player's seats: it does not come back to this match."""
        for seat, other in enumerate(self._players):
            if other is player:
                self._players[seat] = None
                self.handle(Gone(seat, cause, text, elapsed))

    def come_back(self, player: Player) -> None:
        """Tell a player that has been away what it needs to go on, and ask it again."""
        for seat, other in enumerate(self._players):
            if other is player:
                player.send(self._pens[seat].tell(self._starts[seat]))
        for request in player.requests:
            if request.table is self:
                player.send(self._written(request.ask), request)

    def break_off(self, error: BaseException) -> None:
        """End the match without a result: not by the fault of any bot."""
        if not self.done.done():
            self.done.set_exception(error)
        self._leave()
        self._wake()

    def _wake(self) -> None:
        for watcher in self.watchers:
            watcher.set()

    def _leave(self) -> None:
        for player in self._players:
            if player is not None:
                player.leave(self)

    def _fail(self, error: Exception) -> None:
        self._log.error("match broken off", exc_info=error)
        self.break_off(error)

    def _carry_out(self, effects: list[Effect]) -> list[Player]:
        """Do what the reducer wants; return the players that are out by time-outs."""
        expelled: list[Player] = []
        for effect in effects:
            kind = type(effect)
            if kind is Ask:
                self._ask(effect)  # type: ignore[arg-type]
            elif kind is Tell:
                self._tell(effect)  # type: ignore[arg-type]
            elif isinstance(effect, Faulted):
                self._fault(effect, expelled)
            elif isinstance(effect, Warn):
                player = self._players[effect.seat]
                if player is not None:
                    player.warn(Warned(self.match_id, effect.decision, effect.text))
            elif isinstance(effect, Ended):
                self._log.debug("match ended", net=[str(net) for net in effect.played.net])
                if not self.done.done():
                    self.done.set_result(effect.played)
                self._leave()
        return expelled

    def _ask(self, ask: Ask) -> None:
        player = self._players[ask.seat]
        if player is not None:
            request = Request(self, ask)
            player.requests.add(request)
            if player.listens:
                player.send(self._written(ask), request)

    def _written(self, ask: Ask) -> bytes:
        return self._pens[ask.seat].ask(Asked(ask.seen, ask.allowed, ask.bank))

    def _tell(self, tell: Tell) -> None:
        if isinstance(tell.notice, MatchStart):
            self._starts[tell.seat] = tell.notice
        player = self._players[tell.seat]
        if player is not None and player.listens:
            player.send(self._pens[tell.seat].tell(tell.notice))

    def _fault(self, fault: Faulted, expelled: list[Player]) -> None:
        bot = self.setup.entrants[fault.seat].bot
        self._log.info("fault", bot=bot, cause=fault.cause, text=fault.text, out=fault.out)
        player = self._players[fault.seat]
        if player is not None:
            text = f"{fault.cause}: {fault.text}" + ("; out for this match" if fault.out else "")
            player.warn(Warned(self.match_id, fault.decision, text))
            if fault.out and fault.cause == "timeout":
                expelled.append(player)
        self._on_fault(
            Fault(
                self.setup,
                bot,
                fault.seat,
                fault.decision,
                fault.cause,
                fault.text,
                fault.seen,
                fault.out,
            )
        )
