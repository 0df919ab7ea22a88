"""``PlayResponse``: what the arbiter tells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import DecodeError

from sandlot.clock import Clock
from sandlot.errors import ClockError, WireError
from sandlot.game.variants import VARIANTS
from sandlot.notices import HandEnd, MatchEnd, MatchStart, Notice
from sandlot.observation import Observation
from sandlot.v1 import arbiter_pb2
from sandlot.wire.fields import delimited, head, number, packed, text, texts
from sandlot.wire.parts import PlayResponse
from sandlot.wire.table import HistoryReader, ObservationWriter, read_fraction, read_parts


@dataclass(frozen=True, slots=True)
class Welcome:
    """The arbiter has heard the hello and knows the bot by this name.

    ``grace`` is how many seconds the bot may be away when its connection is lost; 0 where it need
    not come back.
    """

    protocol: int
    server: str
    bot: str
    grace: float = 0.0


class Request(NamedTuple):
    """The bot is to decide within ``allowed`` seconds, of which ``bank`` are its bank's.

    ``allowed`` is infinite where nobody is timed.
    """

    seen: Observation
    allowed: float
    bank: float


@dataclass(frozen=True, slots=True)
class Warned:
    """The bot did something wrong; ``match`` is empty and ``decision`` 0 where it names none."""

    match: str
    decision: int
    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that this version does not know: its match, where there is one, is to be refused.

    ``decision`` is 0 where no decision was asked for.
    """

    match: str
    decision: int
    error: WireError


Told: TypeAlias = Welcome | Request | Notice | Warned | Unknown


def _item(kind: int, message: bytes) -> bytes:
    """Return a ``PlayResponse`` with one item; put together, they are one with many."""
    return delimited(1, delimited(kind, message))


def write_welcome(welcome: Welcome) -> bytes:
    """Return a ``PlayResponse`` that welcomes the bot."""
    said = number(1, welcome.protocol) + text(2, welcome.server) + text(3, welcome.bot)
    return _item(1, said + number(4, round(welcome.grace * 1000)))


def write_warning(warned: Warned) -> bytes:
    """Return a ``PlayResponse`` that warns the bot."""
    where = text(1, warned.match) + number(2, warned.decision)
    return _item(6, where + text(3, warned.text))


class _Money:
    """Writes what a hand changed and where that leaves the seats: once for all of them."""

    def __init__(self) -> None:
        self._net: tuple[Fraction, ...] = ()
        self._written = b""

    def write(self, net: tuple[Fraction, ...], balance: tuple[Fraction, ...]) -> bytes:
        if net is not self._net:
            self._net = net
            self._written = texts(5, net) + texts(6, balance)
        return self._written


_MONEY = _Money()


class SeatWriter:
    """Writes what one seat is told and asked in one match."""

    __slots__ = ("_observations",)

    def __init__(self) -> None:
        self._observations = ObservationWriter()

    def ask(self, request: Request) -> bytes:
        """Return a ``PlayResponse`` that asks for a decision; times in whole milliseconds."""
        seen, allowed, bank = request
        pieces = self._observations.write(seen)
        times = _write_times(allowed, bank)
        # Three messages, each in the next: their heads are put before the pieces, from the inside
        # out, so that the pieces are copied but once.
        length = sum(map(len, pieces))
        pieces.append(times)
        inner = head(1, length)
        length += len(inner) + len(times)
        middle = head(3, length)
        length += len(middle)
        return b"".join([head(1, length), middle, inner, *pieces])

    def tell(self, notice: Notice) -> bytes:
        """Return a ``PlayResponse`` with the notice."""
        match notice:
            case MatchStart():
                return _item(2, _write_start(notice))
            case HandEnd():
                which = text(1, notice.match) + number(2, notice.hand)
                who = number(3, notice.seat) + number(4, notice.dealer)
                money = _MONEY.write(notice.net, notice.balance)
                events = self._observations.history(notice.hand, notice.seat, notice.events)
                return _item(4, which + who + money + events)
            case MatchEnd():
                who = text(1, notice.match) + number(2, notice.seat)
                return _item(5, who + texts(3, notice.net) + packed(4, notice.places))


@lru_cache(maxsize=1 << 12)
def _write_times(allowed: float, bank: float) -> bytes:
    milliseconds = 0 if allowed == math.inf else round(allowed * 1000)
    return number(2, milliseconds) + number(3, round(bank * 1000))


def _write_start(start: MatchStart) -> bytes:
    return b"".join(
        (
            text(1, start.match),
            number(2, start.seat),
            texts(3, start.bots),
            text(4, start.variant),
            text(5, start.rules),
            number(6, start.hands),
            number(7, start.first_dealer),
            text(8, start.wild),
            b"" if start.clock is None else delimited(9, _write_clock(start.clock)),
            text(10, start.commitment),
            delimited(11, start.seed) if start.seed else b"",
        )
    )


def _write_clock(clock: Clock) -> bytes:
    return number(1, round(clock.decision * 1000)) + number(2, round(clock.bank * 1000))


class ResponseReader:
    """Reads what the arbiter tells over one session."""

    def __init__(self) -> None:
        self._histories: dict[tuple[str, int], HistoryReader] = {}

    def read(self, raw: bytes) -> list[Told]:
        """Return what a ``PlayResponse`` tells, in order.

        Raises:
            WireError: it is no such message.
        """
        try:
            message = PlayResponse.FromString(raw)
            # Its parts are bytes until they are read: they may be no messages either.
            return [self._read(item) for item in message.items]
        except DecodeError:
            raise WireError(f"{len(raw)} bytes that are no PlayResponse") from None

    def _read(self, item: Any) -> Told:
        match item.WhichOneof("item"):
            case "decision_requested":
                return self._read_request(item.decision_requested)
            case "hand_ended":
                return self._read_hand_end(item.hand_ended)
            case "match_started":
                return _read_start(item.match_started)
            case "match_ended":
                return self._read_match_end(item.match_ended)
            case "warning":
                warning = item.warning
                return Warned(warning.match, warning.decision, warning.text)
            case "welcome":
                said = item.welcome
                return Welcome(said.protocol, said.server, said.bot, said.grace_ms / 1000)
        problem = "the arbiter told what this version of sandlot does not know; a later one may"
        return Unknown("", 0, WireError(problem))

    def _history(self, match: str, seat: int) -> HistoryReader:
        history = self._histories.get((match, seat))
        if history is None:
            history = self._histories[match, seat] = HistoryReader()
        return history

    def _read_request(self, message: Any) -> Request | Unknown:
        asked = message.observation
        try:
            seen = read_parts(asked, self._history(asked.match, asked.seat))
        except WireError as error:
            return Unknown(asked.match, asked.decision, error)
        allowed = message.allowed_ms / 1000 or math.inf
        return Request(seen, allowed, message.bank_ms / 1000)

    def _read_hand_end(self, end: Any) -> HandEnd | Unknown:
        try:
            events = tuple(self._history(end.match, end.seat).read(end.hand, end.events))
            net = tuple(map(read_fraction, end.net))
            balance = tuple(map(read_fraction, end.balance))
        except WireError as error:
            return Unknown(end.match, 0, error)
        return HandEnd(end.match, end.hand, end.seat, end.dealer, events, net, balance)

    def _read_match_end(self, end: arbiter_pb2.MatchEnded) -> MatchEnd | Unknown:
        self._histories.pop((end.match, end.seat), None)
        try:
            net = tuple(map(read_fraction, end.net))
        except WireError as error:
            return Unknown(end.match, 0, error)
        return MatchEnd(end.match, end.seat, net, tuple(end.places))


def _read_start(start: arbiter_pb2.MatchStarted) -> MatchStart | Unknown:
    variant = VARIANTS.get(start.variant)
    if variant is None or variant.rules != start.rules:
        known = ", ".join(each.rules for each in VARIANTS.values())
        problem = (
            f"the variant {start.variant!r} with the rules {start.rules!r} is unknown to this "
            f"version of sandlot, which knows {known}; a later version may play it"
        )
        return Unknown(start.match, 0, WireError(problem))
    clock = None
    if start.HasField("clock"):
        try:
            clock = Clock(start.clock.decision_ms / 1000, start.clock.bank_ms / 1000)
        except ClockError as error:
            return Unknown(start.match, 0, WireError(f"its clock cannot be: {error}"))
    return MatchStart(
        match=start.match,
        seat=start.seat,
        bots=tuple(start.bots),
        variant=start.variant,
        rules=start.rules,
        wild=start.wild,
        hands=start.hands,
        first_dealer=start.first_dealer,
        clock=clock,
        commitment=start.commitment,
        seed=start.seed,
    )
