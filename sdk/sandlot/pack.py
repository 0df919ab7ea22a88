"""Cards, packs and decks, and the text they are written in.

A card prints as rank and suit, ``Th``, and counts as an integer: ``4 * (rank - 2) + suit`` with the
suits c d h s as 0 to 3, so ``2c`` is 0 and ``As`` is 51.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any, Final

from sandlot.errors import CardError

RANKS: Final = "23456789TJQKA"
"""The rank characters from the lowest, 2, to the ace."""

SUITS: Final = "cdhs"
"""The suit characters in the order of their numbers."""


class Card(int):
    """One card of the pack: an integer from 0 to 51 that prints as ``Th``.

    Made from its text or its number.

    Raises:
        CardError: the text or number names no card.

    >>> Card("Th"), int(Card("Th")), Card(51)
    (Th, 34, As)
    >>> Card("Th").rank, Card("Th").suit
    (10, 2)
    """

    __slots__ = ()

    def __new__(cls, card: str | int) -> Card:
        """Return the card that the text or the number names."""
        if isinstance(card, str):
            found = _BY_TEXT.get(card)
            if found is None:
                raise CardError(f"{card!r} is not a card: {_why_not(card)}")
            return found
        try:
            number = index(card)
        except TypeError:
            raise CardError(
                f"{card!r} is not a card: write it as text, 'Th', or give its number, 0 to 51"
            ) from None
        if not 0 <= number < 52:
            raise CardError(f"{number} is not a card: card numbers run from 0 (2c) to 51 (As)")
        return PACK[number]

    @property
    def rank(self) -> int:
        """The rank as a number, 2 to 14; the ace is 14."""
        return (self >> 2) + 2

    @property
    def suit(self) -> int:
        """The suit as a number, 0 to 3 for c d h s."""
        return self & 3

    def __repr__(self) -> str:
        return _TEXTS[self]

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(_TEXTS[self], spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return Card, (int(self),)


_TEXTS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
PACK: Final[tuple[Card, ...]] = tuple(int.__new__(Card, number) for number in range(52))
"""All 52 cards, in the order of their numbers."""
_BY_TEXT: Final = {str(card): card for card in PACK}


def _why_not(text: str) -> str:
    """Say what is wrong with the text of a card, and what to write."""
    if text[:2] == "10":
        return f"the ten is written T, as in {'T' + (text[2:3] or 'h')!r}"
    if len(text) == 2 and text[0].upper() in RANKS and text[1].lower() in SUITS:
        return f"write {text[0].upper() + text[1].lower()!r}"
    pairs = text.replace(",", "")
    if len(pairs) > 2 and all(pairs[i : i + 2] in _BY_TEXT for i in range(0, len(pairs), 2)):
        return "put a space between two cards, as in 'Th 4c'"
    if len(text) != 2:
        return "a card is a rank and a suit, two characters, as in 'Th'"
    if text[0] not in RANKS:
        return f"the rank {text[0]!r} is none of {' '.join(RANKS)}"
    return f"the suit {text[1]!r} is none of {' '.join(SUITS)}"


def cards(text: str | Iterable[str | int]) -> tuple[Card, ...]:
    """Return the cards written in a text, apart by white space, or given one by one.

    Raises:
        CardError: something is not a card, or a card stands there twice; says which and where.

    >>> cards("8s 8h 3c")
    (8s, 8h, 3c)
    >>> cards("8s 10h")
    Traceback (most recent call last):
    sandlot.errors.CardError: card 2: '10h' is not a card: the ten is written T, as in 'Th'
    """
    found: dict[Card, int] = {}
    for place, item in enumerate(text.split() if isinstance(text, str) else text, start=1):
        try:
            card = Card(item)
        except CardError as error:
            raise CardError(f"card {place}: {error}") from None
        if card in found:
            raise CardError(f"card {place}: {card} is there already as card {found[card]}")
        found[card] = place
    return tuple(found)


class Deck(tuple[Card, ...]):
    """A whole deck: all 52 cards, top first, after the cut (R2.3). Equal to a tuple of them.

    That it is whole has been seen to where it was made, so nobody need look again.

    Raises:
        CardError: something is not a card, is there twice, or the deck is short.

    >>> Deck(PACK)[:3], Deck(PACK) == PACK
    ((2c, 2d, 2h), True)
    """

    __slots__ = ()

    def __new__(cls, cards: str | Iterable[str | int]) -> Deck:
        """Return the deck written in a text, or given card by card."""
        return deck(cards)

    @staticmethod
    def shuffled(cards: Iterable[Card]) -> Deck:
        """Return the pack in this order: for a shuffle, which knows that they are its 52 cards."""
        return _new(Deck, cards)


_new: Final = tuple.__new__
_ALL: Final = frozenset(PACK)
_ONLY_CARDS: Final = {Card}


def deck(text: str | Iterable[str | int]) -> Deck:
    """Return a whole deck: all 52 cards, top first, after the cut (R2.3).

    Raises:
        CardError: something is not a card, is there twice, or the deck is short.
    """
    found = tuple(text.split() if isinstance(text, str) else text)
    # Said at once of a deck that is one; else ``cards`` reads it, or says what is wrong with it.
    if len(found) != 52 or set(map(type, found)) != _ONLY_CARDS or set(found) != _ALL:
        found = cards(found)
        if len(found) != 52:
            missing = [str(card) for card in PACK if card not in set(found)]
            named = " ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
            raise CardError(f"the deck is short: {len(found)} cards of 52, without {named}")
    return _new(Deck, found)


def text_of(cards: Iterable[Card]) -> str:
    """Return cards as text, apart by one space; ``sandlot.pack.cards`` reads it back.

    >>> text_of(cards("8s  8h"))
    '8s 8h'
    """
    return " ".join(map(_TEXTS.__getitem__, cards))
