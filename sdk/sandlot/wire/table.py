"""``table.proto``: actions, events and observations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sandlot.errors import WireError
from sandlot.game.actions import Action
from sandlot.game.events import (
    Acted,
    Anted,
    Awarded,
    Dealt,
    Opened,
    Revealed,
    acted,
    dealt,
    exact,
)
from sandlot.game.view import SeatView
from sandlot.kept import Kept
from sandlot.observation import Observation
from sandlot.pack import PACK, RANKS, Card
from sandlot.v1 import table_pb2
from sandlot.wire import parts
from sandlot.wire.fields import cards, delimited, number, packed, present, text

if TYPE_CHECKING:
    from sandlot.game.events import Event

_PLAIN: Final = {
    action.name: action
    for action in (Action.CHECK, Action.BET, Action.CALL, Action.RAISE, Action.FOLD)
}
# What a card of the best five stands for: a card, or the fifth of a rank, written ``8*``.
_STANDS_FOR: Final = {str(card): int(card) for card in PACK} | {
    f"{rank}*": 52 + place for place, rank in enumerate(RANKS)
}
_STOOD_FOR: Final = {number: text for text, number in _STANDS_FOR.items()}


@lru_cache(maxsize=1 << 12)
def read_fraction(written: str) -> Fraction:
    """Return the amount written ``7`` or ``7/2``.

    Raises:
        WireError: it is no amount.
    """
    try:
        return exact(written)
    except ValueError:
        raise WireError(f"{written[:40]!r} is no amount: amounts are written 7 or 7/2") from None


def read_cards(numbers: Iterable[int]) -> tuple[Card, ...]:
    """Return the cards of these numbers.

    Raises:
        WireError: a number is above 51.
    """
    try:
        return tuple([PACK[number] for number in numbers])
    except IndexError:
        raise WireError(f"{list(numbers)} are no cards: cards run from 0 to 51") from None


def write_action(action: Action) -> bytes:
    """Return the action as a message ``Action``.

    Raises:
        WireError: the name is no text, or the amount or a card no ``uint32``.
    """
    try:
        return _write_action(action)
    except (AttributeError, TypeError, ValueError) as error:
        nameless: Any = action  # its name may be no text
        raise WireError(f"the action {nameless.name!r} cannot travel: {error}") from None


@lru_cache(maxsize=1 << 10)
def _write_action(action: Any) -> bytes:
    if not isinstance(action.name, str):
        raise TypeError("its name is no text")
    return text(1, action.name) + present(2, action.amount) + packed(3, action.cards)


def read_action(message: table_pb2.Action) -> Action:
    """Return any action, known or not: whether it is legal is for the hand to say.

    Raises:
        WireError: its cards are no cards.
    """
    if message.cards or message.HasField("amount"):
        amount = message.amount if message.HasField("amount") else None
        return Action(message.name, amount, read_cards(message.cards))
    name = message.name
    return _PLAIN.get(name) or Action(name)


def _known(name: str) -> Action:
    try:
        return _PLAIN[name]
    except KeyError:
        raise WireError(
            f"the action {name!r} is unknown to this version of sandlot, which knows "
            f"{', '.join(_PLAIN)}; a later version may play this game"
        ) from None


def _write_legal(actions: tuple[Action, ...]) -> bytes:
    """Return the choices as they stand in an observation."""
    return b"".join(
        [
            delimited(
                14,
                text(1, action.name)
                + present(2, action.amount)
                + present(3, action.amount)
                + packed(4, action.cards),
            )
            for action in actions
        ]
    )


# The cache is by the bytes: reading fields one by one costs far more than writing them at once.
@lru_cache(maxsize=1 << 8)
def _read_choice(written: bytes) -> Action:
    choice = table_pb2.Choice.FromString(written)
    action = _known(choice.name)
    if choice.HasField("least") or choice.HasField("most") or choice.cards:
        raise WireError(
            f"the action {choice.name!r} leaves an amount or cards to the player, which is unknown "
            "to this version of sandlot; a later version may play this game"
        )
    return action


def write_event(event: Event) -> bytes:
    """Return the event as a message ``Event``.

    Raises:
        WireError: the event is of a kind that has no words on the wire.
    """
    match event:
        case Anted(seat, paid):
            return text(1, "ante") + present(2, seat) + number(8, paid)
        case Dealt(street, seat, card, up, bonus):
            what = present(4, card) + number(5, up) + number(6, bonus)
            return text(1, "deal") + present(2, seat) + number(3, street) + what
        case Opened(street, seat):
            return text(1, "open") + present(2, seat) + number(3, street)
        case Acted(street, seat, action, paid, level, pot):
            who = text(1, "action") + present(2, seat) + number(3, street)
            amounts = number(8, paid) + number(9, level) + number(10, pot)
            return who + delimited(7, write_action(action)) + amounts
        case Revealed(seat, down, category, five):
            who = text(1, "reveal") + present(2, seat)
            received = cards(13, [_STANDS_FOR[card] for card, _ in five])
            stand_for = cards(14, [_STANDS_FOR[card] for _, card in five])
            return who + cards(11, down) + text(12, category) + received + stand_for
        case Awarded(seat, amount):
            return text(1, "award") + present(2, seat) + text(15, str(amount))
    raise WireError(f"the event {event!r} cannot travel: this version has no words for it")


def read_event(message: table_pb2.Event) -> Event:
    """Return the event.

    Raises:
        WireError: the event or its action is unknown to this version, by name.
    """
    kind, seat = message.event, message.seat
    if not message.HasField("seat") and kind:
        raise WireError(
            f"the event {kind!r} of the whole table is unknown to this version of sandlot; a later "
            "version may play this game"
        )
    match kind:
        case "action":
            action = _known(message.action.name)
            return acted(message.street, seat, action, message.paid, message.level, message.pot)
        case "deal":
            card = read_cards([message.card])[0] if message.HasField("card") else None
            return dealt(message.street, seat, card, message.up, message.bonus)
        case "ante":
            return Anted(seat, message.paid)
        case "open":
            return Opened(message.street, seat)
        case "reveal":
            return Revealed(seat, read_cards(message.down), message.category, _read_five(message))
        case "award":
            return Awarded(seat, read_fraction(message.amount))
    raise WireError(
        f"the event {kind!r} is unknown to this version of sandlot; a later version may play this "
        "game"
    )


def _read_five(message: table_pb2.Event) -> tuple[tuple[str, str], ...]:
    try:
        return tuple(
            [
                (_STOOD_FOR[received], _STOOD_FOR[stands_for])
                for received, stands_for in zip(message.five, message.five_as, strict=True)
            ]
        )
    except (KeyError, ValueError):
        raise WireError(
            f"the five cards {list(message.five)} standing for {list(message.five_as)} are no hand"
        ) from None


# The parts of an observation, kept: the same ones come up at every table.


def _in_history(event: Event, seat: int) -> bytes:
    """Write the event into the history of a seat, as the seat sees it."""
    return delimited(15, write_event(event.seen_by(seat)))


def _in_history_of(seat: int) -> Kept:
    return Kept(lambda event: _in_history(event, seat))


_HISTORY: Final = tuple([_in_history_of(seat) for seat in range(10)])
_LEGAL: Final = Kept(_write_legal)
_WILD: Final = Kept(lambda wild: text(7, wild))


@lru_cache(maxsize=1 << 10)
def _read_legal(written: tuple[bytes, ...]) -> tuple[Action, ...]:
    return tuple(map(_read_choice, written))


class ObservationWriter:
    """Writes what one seat sees, each event of a hand once though it is sent many times."""

    __slots__ = ("_balances", "_hand", "_history", "_known", "_length", "_match", "_seat", "_where")

    def __init__(self) -> None:
        self._seat = 0
        self._known = _HISTORY[0]
        self._hand = 0
        self._length = 0
        self._history = b""
        # What changes between hands only, written at the first decision of a hand.
        self._balances: list[bytes] = []
        self._match = self._where = b""

    def write(self, seen: Observation) -> list[bytes]:
        """Return the observation as a message ``Observation``, in pieces."""
        hand = seen.hand
        if hand != self._hand:
            self._begin(hand, seen.seat or 0)
        if not self._balances:
            self._balances = [text(6, str(seat.balance)) for seat in seen.seats]
            self._match = text(1, seen.match) + number(2, hand)
            self._where = number(4, self._seat) + number(5, seen.dealer)
        pieces = [
            self._match,
            number(3, seen.decision),
            self._where,
            number(6, seen.street),
            _WILD[seen.wild],
            cards(8, seen.down),
        ]
        for (up, down, live, paid_round, paid_hand, _), balance in zip(
            seen.seats, self._balances, strict=True
        ):
            standing = [
                cards(1, up),
                number(2, down),
                number(3, live),
                number(4, paid_round),
                number(5, paid_hand),
                balance,
            ]
            pieces.append(delimited(9, b"".join(standing)))
        pieces.append(number(10, seen.pot))
        pieces.append(number(11, seen.level))
        pieces.append(number(12, seen.raises_left))
        pieces.append(number(13, seen.to_call))
        pieces.append(_LEGAL[seen.legal])
        # The table's own list, of which the observation is a look at the beginning: so it need not
        # be looked at through the seat's eyes from its beginning every time.
        self._extend(seen._history[self._length : seen._length])
        pieces.append(self._history)
        return pieces

    def history(self, hand: int, seat: int, events: tuple[Event, ...]) -> bytes:
        """Return all the events of a hand, as a list under the number of ``history``."""
        if hand != self._hand:
            self._begin(hand, seat)
        self._extend(events[self._length :])
        return self._history

    def _begin(self, hand: int, seat: int) -> None:
        self._seat = seat
        self._known = _HISTORY[seat] if seat < len(_HISTORY) else _in_history_of(seat)
        self._hand = hand
        self._length = 0
        self._history = b""
        self._balances = []

    def _extend(self, events: Sequence[Event]) -> None:
        self._length += len(events)
        if events and type(events[-1]) is Awarded:  # the end of the hand
            written = [self._written(event) for event in events]
        else:
            written = list(map(self._known.__getitem__, events))
        self._history += b"".join(written)

    def _written(self, event: Event) -> bytes:
        # What is revealed hardly ever comes up again: it would drive out what does.
        return _in_history(event, self._seat) if type(event) is Revealed else self._known[event]


def write_observation(seen: Observation) -> bytes:
    """Return the observation as a message ``Observation``."""
    return b"".join(ObservationWriter().write(seen))


class HistoryReader:
    """Reads the history of one seat's hands, each event once though it is told many times."""

    __slots__ = ("_events", "_hand")

    def __init__(self) -> None:
        self._hand = 0
        self._events: list[Event] = []

    def read(self, hand: int, written: Sequence[bytes]) -> list[Event]:
        """Return the events of the hand so far; the list goes on growing as the hand does.

        Raises:
            WireError: an event is unknown to this version.
        """
        if hand != self._hand:
            self._hand = hand
            self._events = []
        for event in written[len(self._events) :]:
            self._events.append(_read_event(event))
        return self._events


def _read_seat(written: bytes) -> SeatView:
    # Up cards make every seat another one, while the rest comes up again and again. They stand
    # first; where they do not, or a list is written in pieces, they are read with the rest.
    start = 0
    if len(written) > 1 and written[0] == _UP_KEY and written[1] < 0x80:
        start = 2 + written[1]
    up, down, live, paid_round, paid_hand, balance = _read_standing(written[start:])
    return SeatView(read_cards(written[2:start]) + up, down, live, paid_round, paid_hand, balance)


_UP_KEY: Final = 1 << 3 | 2


@lru_cache(maxsize=1 << 14)
def _read_standing(written: bytes) -> SeatView:
    seat = table_pb2.Seat.FromString(written)
    balance = read_fraction(seat.balance)
    paid = (seat.paid_round, seat.paid_hand)
    return SeatView(read_cards(seat.up), seat.down, seat.live, *paid, balance)


@lru_cache(maxsize=1 << 14)
def _read_event(written: bytes) -> Event:
    return read_event(table_pb2.Event.FromString(written))


def read_observation(message: table_pb2.Observation) -> Observation:
    """Return the observation.

    Raises:
        WireError: something in it is unknown to this version.
    """
    return read_parts(parts.Observation.FromString(message.SerializeToString()), HistoryReader())


def read_parts(message: Any, history: HistoryReader) -> Observation:
    """Return the observation of a ``parts.Observation``; ``history`` is that of its seat.

    Raises:
        WireError: something in it is unknown to this version.
    """
    hand, seat = message.hand, message.seat
    # Lists of a message are taken by slices: to iterate over them costs twice as much.
    events = history.read(hand, message.history)
    return Observation.restore(
        seat,
        message.match,
        hand,
        message.decision,
        message.dealer,
        message.street,
        message.wild,
        read_cards(message.down[:]),
        tuple(map(_read_seat, message.seats[:])),
        message.pot,
        message.level,
        message.raises_left,
        message.to_call,
        seat,
        _read_legal(tuple(message.legal[:])),
        events,
    )
