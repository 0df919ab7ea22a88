"""What happens in a hand, as frozen values.

Events are the whole truth of a hand: its state is folded from them (``sandlot.game.table``), the
record stores them, and a seat's view is folded from those that it may see and nothing else.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from sandlot.errors import RecordError
from sandlot.game.actions import Action, of_its_kind
from sandlot.game.money import whole
from sandlot.pack import PACK, Card, cards

Json: TypeAlias = dict[str, Any]
Value = TypeVar("Value")

_EXACT: Final = re.compile("-?[0-9]+(/[1-9][0-9]*)?")


@of_its_kind
class Anted(NamedTuple):
    """A seat has anted (R2.2). ``paid`` in units."""

    seat: int
    paid: int

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it; ``None`` is a spectator. An ante is public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form."""
        return {"event": "ante", "seat": self.seat, "paid": self.paid}


@of_its_kind
class Dealt(NamedTuple):
    """A seat has been dealt a card (R3); ``bonus`` when a 4 dealt face up gave it (R3.3).

    ``card`` is None where another seat's down card is seen from behind.
    """

    street: int
    seat: int
    card: Card | None
    up: bool
    bonus: bool

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it: another's down card without its face."""
        if self.up or self.seat == seat:
            return self
        return dealt(self.street, self.seat, None, False, self.bonus)

    def to_json(self) -> Json:
        """Return the record's form; the card is null where it was not seen."""
        return {
            "event": "deal",
            "street": self.street,
            "seat": self.seat,
            "card": None if self.card is None else str(self.card),
            "up": self.up,
            "bonus": self.bonus,
        }


@of_its_kind
class Opened(NamedTuple):
    """A betting round has begun; the seat with the best exposed hand opens it (R4.2)."""

    street: int
    seat: int

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it. The opener is public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form."""
        return {"event": "open", "street": self.street, "seat": self.seat}


@of_its_kind
class Acted(NamedTuple):
    """A seat has acted (R4): what it paid by it, and the level and the pot after it, in units."""

    street: int
    seat: int
    action: Action
    paid: int
    level: int
    pot: int

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it. Betting is public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form."""
        return {
            "event": "action",
            "street": self.street,
            "seat": self.seat,
            "action": self.action.name,
            "paid": self.paid,
            "level": self.level,
            "pot": self.pot,
        }


@of_its_kind
class Revealed(NamedTuple):
    """A seat has shown its down cards (R7.1).

    ``category`` is the label of what all its cards are worth, ``five`` the pairs (card received,
    card it stands for) that make it, as text.
    """

    seat: int
    down: tuple[Card, ...]
    category: str
    five: tuple[tuple[str, str], ...]

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it. What is shown is public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form."""
        return {
            "event": "reveal",
            "seat": self.seat,
            "down": [str(card) for card in self.down],
            "category": self.category,
            "five": [list(pair) for pair in self.five],
        }


@of_its_kind
class Awarded(NamedTuple):
    """A seat has been awarded the pot or its exact share of it, in units (R7.2, R4.10)."""

    seat: int
    amount: Fraction

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it. Awards are public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form; the amount is exact text, ``7/2``."""
        return {"event": "award", "seat": self.seat, "amount": str(self.amount)}


Event: TypeAlias = Anted | Dealt | Opened | Acted | Revealed | Awarded

# The same few thousand events come up in every hand, and making a frozen value is dear: keep them.
anted = lru_cache(maxsize=1 << 10)(Anted)
opened = lru_cache(maxsize=1 << 10)(Opened)
dealt = lru_cache(maxsize=1 << 14)(Dealt)
acted = lru_cache(maxsize=1 << 14)(Acted)


@lru_cache(maxsize=1 << 10)
def awarded(seat: int, won: int | Fraction) -> Awarded:
    """Return the event that the seat is awarded so much."""
    return Awarded(seat, whole(won))


@lru_cache(maxsize=1 << 8)
def dealt_to(street: int, seat: int, up: bool, bonus: bool) -> list[Dealt]:
    """Return the event of each card of the pack when it is dealt to the seat.

    A list, which compiled code looks up faster than a tuple; nobody changes it.
    """
    return [dealt(street, seat, card, up, bonus) for card in PACK]


def event_from_json(form: Json) -> Event:
    """Return the event that ``event.to_json()`` wrote.

    Raises:
        RecordError: the event is of a kind that this version does not know, or is misshapen.
    """
    try:
        match kind := form["event"]:
            case "ante":
                return anted(_the(int, form, "seat"), _the(int, form, "paid"))
            case "deal":
                return dealt(
                    _the(int, form, "street"),
                    _the(int, form, "seat"),
                    None if form["card"] is None else Card(_the(str, form, "card")),
                    _the(bool, form, "up"),
                    _the(bool, form, "bonus"),
                )
            case "open":
                return opened(_the(int, form, "street"), _the(int, form, "seat"))
            case "action":
                return acted(
                    _the(int, form, "street"),
                    _the(int, form, "seat"),
                    Action(_the(str, form, "action")),
                    _the(int, form, "paid"),
                    _the(int, form, "level"),
                    _the(int, form, "pot"),
                )
            case "reveal":
                return Revealed(
                    _the(int, form, "seat"),
                    cards(_texts(form["down"])),
                    _the(str, form, "category"),
                    tuple([(card, stands_for) for card, stands_for in map(_texts, form["five"])]),
                )
            case "award":
                return Awarded(_the(int, form, "seat"), exact(_the(str, form, "amount")))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"the event {form!r} is misshapen: {error!r}") from None
    raise RecordError(f"the event {kind!r} is unknown to this version; a later Sandlot may read it")


def _the(kind: type[Value], form: Json, key: str) -> Value:
    """Return what stands under the key, of just this type.

    ``3.0`` and ``true`` equal whole numbers in Python: an event made of them would be kept (see
    above) in the place of the right one, and be written otherwise.
    """
    value = form[key]
    if type(value) is not kind:
        raise TypeError(f"{key} is {value!r}, not {kind.__name__}")
    return value


def _texts(items: object) -> list[str] | tuple[str, ...]:
    if isinstance(items, (list, tuple)) and all(type(item) is str for item in items):
        return items
    raise TypeError(f"{items!r} is no list of texts")


def exact(text: str) -> Fraction:
    """Return the number that prints so, ``7/2``; not ``14/4`` or ``1e9``.

    Raises:
        ValueError: no exact number is written like that.
    """
    if not _EXACT.fullmatch(text) or str(number := Fraction(text)) != text:
        raise ValueError(f"{text!r} is no exact number as in '7/2'")
    return number
