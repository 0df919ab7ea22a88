"""What a hand is worth as people say it: its category, the five cards that count, and words."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

from sandlot.pack import PACK, RANKS


class Category(IntEnum):
    """The ten categories of R6.2; a higher one always wins.

    >>> Category.FULL_HOUSE.label
    'full house'
    """

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    FIVE_OF_A_KIND = 9

    @property
    def label(self) -> str:
        """The name as R6.2 has it, in lower case."""
        return LABELS[self]


LABELS: Final = tuple([category.name.lower().replace("_", " ") for category in Category])
"""The names of the categories as R6.2 has them, in lower case, by their numbers."""


class Value:
    """What a hand is worth: totally ordered, and equal to all that it ties with (R5.5, R6.6).

    ``sandlot.hands.showdown`` and ``exposed`` make it. Any two values may be compared.

    >>> from sandlot import cards, hands
    >>> value = hands.showdown(cards("Qd 9d 7d As Qc Qh 4h 2h"))
    >>> value, value.category.label, hex(value.rank)
    (<four queens, ace>, 'four of a kind', '0x7ce000')
    """

    __slots__ = ("_cards", "_wild", "rank")

    def __init__(self, rank: int, cards: Collection[int], wild: str) -> None:
        self.rank: Final = rank
        """The rank number (``sandlot.hands.ranking``): bigger is better, equal is a tie."""
        self._cards: Final = tuple(cards)
        self._wild: Final = wild

    @property
    def category(self) -> Category:
        """The category (R6.2)."""
        return Category(self.rank >> 20)

    @property
    def five(self) -> tuple[tuple[str, str], ...]:
        """The five cards that count: pairs of the card received and the card it stands for.

        Of equal fives it is the one with the most natural cards, then the lowest card numbers. The
        natural cards stand first, in the order in which one reads the hand; then the wilds, in the
        order of their numbers, take in the same order what is missing, in the lowest suits that are
        free. Five of a kind names the four suits and then ``8*`` (R6.3). Where fewer than five
        cards are exposed, there are as many pairs as cards (R5.2).

        >>> from sandlot import cards, hands
        >>> hands.showdown(cards("Ah Kh 8h 5h 9c")).five
        (('Ah', 'Ah'), ('Kh', 'Kh'), ('8h', '8h'), ('5h', '5h'), ('9c', 'Qh'))
        """
        # Sets of cards are numbers with a bit for each card, the 2c lowest; sets of suits alike.
        held = 0
        for card in self._cards:
            held |= 1 << card
        wild = _cards_of(self._wild)
        wilds, naturals = held & wild, held & ~wild
        ranks: list[int] = _as_read(self.rank)
        suits = _ALL_SUITS
        if self.rank >> 20 in _FLUSHES:
            suits = _suit_of(ranks, naturals)

        five: list[tuple[str, str]] = []
        missing: list[int] = []
        named = 0
        for rank in ranks:
            first = 4 * rank - 8  # its card in clubs
            having = naturals >> first & suits
            if having:
                lowest = having & -having
                naturals ^= lowest << first
                named |= lowest << first
                five.append(_AS_ITSELF[first + _SUIT[lowest]])
            else:
                missing.append(rank)
        for rank in missing:
            first = 4 * rank - 8
            number = (wilds & -wilds).bit_length() - 1
            wilds ^= 1 << number
            stands_for = RANKS[rank - 2] + "*"
            free = suits & ~(named >> first)
            if free:
                lowest = free & -free
                named |= lowest << first
                stands_for = _AS_ITSELF[first + _SUIT[lowest]][0]
            five.append((_AS_ITSELF[number][0], stands_for))
        return tuple(five)

    @property
    def text(self) -> str:
        """The value in words; the words are the same where the hands tie.

        >>> from sandlot import cards, hands
        >>> hands.showdown(cards("Kd Kc 9s 4c 4d 2h")).text
        'full house, kings over fours'
        >>> hands.exposed(cards("3s 7d 9h Jc")).text
        'three jacks, seven'
        """
        wording, leading = _WORDING[self.category]
        names = [_NAMES[rank - 2] for rank in _deciding(self.rank)]
        one, two = names[0], names[leading - 1]
        words = wording.format(one=one, ones=_plural(one), twos=_plural(two))
        return ", ".join([words, *names[leading:]])

    def __reduce__(self) -> tuple[Any, ...]:
        return Value, (self.rank, self._cards, self._wild)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __hash__(self) -> int:
        return hash(self.rank)

    def __eq__(self, other: object) -> bool:
        return self.rank == other.rank if isinstance(other, Value) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self.rank < other.rank if isinstance(other, Value) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.rank <= other.rank if isinstance(other, Value) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.rank > other.rank if isinstance(other, Value) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.rank >= other.rank if isinstance(other, Value) else NotImplemented


# How many cards there are of each rank that decides; for straights see `_as_read`.
_GROUPS: Final = {
    int(category): sizes
    for category, sizes in {
        Category.HIGH_CARD: (1, 1, 1, 1, 1),
        Category.PAIR: (2, 1, 1, 1),
        Category.TWO_PAIR: (2, 2, 1),
        Category.THREE_OF_A_KIND: (3, 1, 1),
        Category.FLUSH: (1, 1, 1, 1, 1),
        Category.FULL_HOUSE: (3, 2),
        Category.FOUR_OF_A_KIND: (4, 1),
        Category.FIVE_OF_A_KIND: (5,),
    }.items()
}
_STRAIGHTS: Final = (int(Category.STRAIGHT), int(Category.STRAIGHT_FLUSH))
_FLUSHES: Final = (int(Category.FLUSH), int(Category.STRAIGHT_FLUSH))

# How a value begins, and how many of the deciding ranks that names; the others follow it.
_WORDING: Final = {
    Category.HIGH_CARD: ("{one} high", 1),
    Category.PAIR: ("pair of {ones}", 1),
    Category.TWO_PAIR: ("two pair, {ones} and {twos}", 2),
    Category.THREE_OF_A_KIND: ("three {ones}", 1),
    Category.STRAIGHT: ("{one}-high straight", 1),
    Category.FLUSH: ("{one}-high flush", 1),
    Category.FULL_HOUSE: ("full house, {ones} over {twos}", 2),
    Category.FOUR_OF_A_KIND: ("four {ones}", 1),
    Category.STRAIGHT_FLUSH: ("{one}-high straight flush", 1),
    Category.FIVE_OF_A_KIND: ("five {ones}", 1),
}

# A natural card stands for itself.
_AS_ITSELF: Final = tuple((str(card), str(card)) for card in PACK)

_NAMES: Final = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("jack", "queen", "king", "ace"),
)


def _deciding(rank_number: int) -> list[int]:
    """Return the ranks, 2 to 14, that decide within the category, from the top."""
    digits = [rank_number >> shift & 0xF for shift in (16, 12, 8, 4, 0)]
    return [rank for rank in digits if rank]


@lru_cache(maxsize=1 << 13)  # there are not many more
def _as_read(rank_number: int) -> list[int]:
    """Return the ranks of the five as one reads them: groups first, and from the top.

    >>> _as_read(0x6D4000), _as_read(0x450000)
    ([13, 13, 13, 4, 4], [5, 4, 3, 2, 14])
    """
    category, deciding = rank_number >> 20, _deciding(rank_number)
    if category in _STRAIGHTS:
        top = deciding[0]
        return [rank if rank > 1 else _ACE for rank in range(top, top - 5, -1)]
    ranks: list[int] = []
    for rank, size in zip(deciding, _GROUPS[category], strict=False):  # fewer where cards are fewer
        ranks += [rank] * size
    return ranks


_ACE: Final = 14
_ALL_SUITS: Final = 0b1111
_SUIT: Final = [0, 0, 1, 0, 2, 0, 0, 0, 3]  # the number of a suit, by the set of it alone


def _suit_of(ranks: list[int], naturals: int) -> int:
    """Return, as a set of suits, the one of a flush of these ranks.

    It is the one in which most of them are natural cards; of equals, where those have the lowest
    numbers.
    """
    most: list[int] = []
    suit = 0
    for each in range(4):
        cards = sorted([card for rank in ranks if naturals >> (card := 4 * rank - 8 + each) & 1])
        if len(cards) > len(most) or (len(cards) == len(most) and cards < most):
            most, suit = cards, each
    return 1 << suit


@lru_cache(maxsize=1 << 6)
def _cards_of(ranks: str) -> int:
    """Return the set of all cards of these ranks."""
    return sum([1 << card for card in PACK if RANKS[card >> 2] in ranks])


def _plural(name: str) -> str:
    return name + ("es" if name == "six" else "s")
