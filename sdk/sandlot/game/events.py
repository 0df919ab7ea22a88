"""What happens in a hand, as frozen values.

Events are the whole truth of a hand: its state is folded from them (``sandlot.game.table``), the
record stores them, and a seat's view is folded from those that it may see and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from sandlot.errors import RecordError
from sandlot.game.actions import Action
from sandlot.pack import Card

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Anted:
    """A seat has anted (R2.2). ``paid`` in units."""

    seat: int
    paid: int

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it; ``None`` is a spectator. An ante is public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form."""
        return {"event": "ante", "seat": self.seat, "paid": self.paid}


@dataclass(frozen=True, slots=True)
class Dealt:
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


@dataclass(frozen=True, slots=True)
class Opened:
    """A betting round has begun; the seat with the best exposed hand opens it (R4.2)."""

    street: int
    seat: int

    def seen_by(self, seat: int | None) -> Event:
        """Return the event as the seat sees it. The opener is public."""
        return self

    def to_json(self) -> Json:
        """Return the record's form."""
        return {"event": "open", "street": self.street, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Acted:
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


@dataclass(frozen=True, slots=True)
class Revealed:
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


@dataclass(frozen=True, slots=True)
class Awarded:
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
dealt = lru_cache(maxsize=1 << 14)(Dealt)
acted = lru_cache(maxsize=1 << 14)(Acted)


def event_from_json(form: Json) -> Event:
    """Return the event that ``event.to_json()`` wrote.

    Raises:
        RecordError: the event is of a kind that this version does not know, or is misshapen.
    """
    kind = form.get("event")
    try:
        match kind:
            case "ante":
                return Anted(form["seat"], form["paid"])
            case "deal":
                card = None if form["card"] is None else Card(form["card"])
                return dealt(form["street"], form["seat"], card, form["up"], form["bonus"])
            case "open":
                return Opened(form["street"], form["seat"])
            case "action":
                return acted(
                    form["street"],
                    form["seat"],
                    Action(form["action"]),
                    form["paid"],
                    form["level"],
                    form["pot"],
                )
            case "reveal":
                return Revealed(
                    form["seat"],
                    tuple(Card(card) for card in form["down"]),
                    form["category"],
                    tuple((received, stands_for) for received, stands_for in form["five"]),
                )
            case "award":
                return Awarded(form["seat"], Fraction(form["amount"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"the event {form!r} is misshapen: {error!r}") from None
    raise RecordError(f"the event {kind!r} is unknown to this version; a later Sandlot may read it")
