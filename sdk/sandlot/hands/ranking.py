"""The rank number of a hand: one integer, bigger for the better hand and equal for a tie.

How it counts. A hand is an integer with a bit for each of its natural cards, suit by suit, and
above them the number of its wilds: the sum of what its cards *weigh*. The thirteen bits of a suit
are a *set of ranks*, from the 2 in bit 0 to the ace in bit 12. There are only 8192 such sets, so
tables say what a set is worth as a flush, or as a straight, with so many wilds. The ranks held at
least once, twice, three and four times are four more such sets. Nothing is tried out: no five cards
of the eleven, no stand-in for a wild.

The number is the category, then the ranks that decide within the category, from the top, as
hexadecimal digits: ``0x6D4000`` is a full house (6), kings (D) over fours (4). Where there is no
card, as with fewer than five exposed, the digit is 0. So to compare the numbers is to compare the
hands (R5.4, R6.5).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NoReturn

from sandlot.errors import CardError
from sandlot.pack import PACK, RANKS
from sandlot.pack import cards as parse

_PAIR: Final = 0x100000
_TWO_PAIR: Final = 0x200000
_THREE_OF_A_KIND: Final = 0x300000
_STRAIGHT: Final = 0x400000
_FLUSH: Final = 0x500000
_FULL_HOUSE: Final = 0x600000
_FOUR_OF_A_KIND: Final = 0x700000
_STRAIGHT_FLUSH: Final = 0x800000
_FIVE_OF_A_KIND: Final = 0x900000
_FIVE_ACES: Final = 0x9E0000

_ALL: Final = 0x1FFF  # the set of all thirteen ranks
_ACE: Final = 0x1000  # the set of the ace alone


def _highest() -> list[int]:
    """Return for each set of ranks the set of its highest rank alone."""
    return [1 << ranks.bit_length() >> 1 for ranks in range(_ALL + 1)]


def _top_five() -> list[int]:
    """Return for each set of ranks its five highest as digits from the top, 0 where none is."""
    top = [0]
    for ranks in range(1, _ALL + 1):
        place = ranks.bit_length() - 1
        top.append((place + 2) << 16 | top[ranks ^ 1 << place] >> 4)
    return top


_HIGHEST: Final = _highest()
_TOP_FIVE: Final = _top_five()


def _flushes() -> list[list[int]]:
    """Return for 0 to 4 wilds and each set of ranks in one suit the digits of its flush, or 0.

    The five as named are different cards (R6.3). So in a flush a wild is a rank that the suit does
    not hold, best the highest of them, and never a second ace.
    """
    flush = [top if top & 0xF else 0 for top in _TOP_FIVE]
    tables = [flush]
    for _ in range(4):
        flush = [flush[ranks | _HIGHEST[ranks ^ _ALL]] for ranks in range(_ALL + 1)]
        tables.append(flush)
    return tables


def _straights() -> list[list[int]]:
    """Return for 0 to 4 wilds and each set of ranks the top card of its best straight, or 0.

    A straight is five ranks in a row, the ace above the king or below the 2 (R6.4). It is there
    when no more of the five are missing than there are wilds: they go into gaps and on top alike.
    """
    tables = []
    for wilds in range(5):
        best = [0] * 16  # of the ranks from the low ace to the 4
        for top in range(5, 15):
            # Of the ranks from the low ace to `top`: what is held of the last five, then the rest.
            below = len(best) // 16
            shorter, best = best, []
            for row in range(32):
                if row.bit_count() + wilds >= 5:
                    best += [top] * below
                else:
                    best += shorter[row % 16 * below :][:below]
        # The sets without the ace, then those that have it at both ends of the row.
        tables.append(best[: _ALL + 1 : 2] + best[_ALL + 2 :: 2])
    return tables


_FLUSHES: Final = _flushes()
_STRAIGHTS: Final = _straights()

_CARDS: Final = 52
_WILD: Final = 1 << _CARDS  # what a wild weighs

_BITS: Final = [1 << 13 * card.suit + card.rank - 2 for card in PACK]


@lru_cache
def weights(wild: str) -> tuple[int, ...]:
    """Return what each card of the pack weighs in a hand where these ranks are wild.

    Raises:
        CardError: a wild rank is none.

    >>> from sandlot.pack import Card
    >>> held = [Card(card) for card in "Kd Kc 9s 4c 4d 2h".split()]
    >>> hex(rank_of(sum(weights("39")[card] for card in held)))
    '0x6d4000'
    """
    for rank in wild:
        if rank not in RANKS:
            raise CardError(f"wild {wild!r}: the rank {rank!r} is none of {' '.join(RANKS)}")
    return tuple([_WILD if str(card)[0] in wild else _BITS[card] for card in PACK])


def rank_of(weight: int) -> int:
    """Return the rank number of a hand, given by what its cards weigh together.

    Why no stand-in need be tried (R6.3). A rank held n times and w wilds make n + w of a kind: in
    the suits that are free, the fifth being the exception that the rule grants. When that is k of a
    kind and no rank makes more, then n + w is k: all wilds are in the group, and the cards beside
    it are natural ones of other ranks. With a wild there is no reason to stop at two pair, since
    pair and wild are three of a kind. And the ranks missing from a straight are free in all suits.
    So each category, asked for from the top, is a question about the sets of ranks held.
    """
    wilds = weight >> _CARDS
    if wilds >= 5:
        return _FIVE_ACES

    clubs = weight & _ALL
    diamonds = weight >> 13 & _ALL
    hearts = weight >> 26 & _ALL
    spades = weight >> 39 & _ALL
    minor, both_minor = clubs | diamonds, clubs & diamonds
    major, both_major = hearts | spades, hearts & spades
    one = minor | major
    two = both_minor | both_major | minor & major
    if not wilds and not two and not _TOP_FIVE[one] & 0xF:
        return _TOP_FIVE[one]  # no pair and fewer than five cards, as most exposed hands are

    three = both_minor & major | both_major & minor
    four = both_minor & both_major
    # The ranks that make five, four, three and two of a kind. A wild is one step along.
    if wilds == 0:
        fives, fours, threes, twos = 0, four, three, two
    elif wilds == 1:
        fives, fours, threes, twos = four, three, two, one
    elif wilds == 2:
        fives, fours, threes, twos = three, two, one, _ALL
    elif wilds == 3:
        fives, fours, threes, twos = two, one, _ALL, _ALL
    else:
        fives, fours, threes, twos = one, _ALL, _ALL, _ALL

    if fives:
        return _FIVE_OF_A_KIND + _TOP_FIVE[_HIGHEST[fives]]

    flush_of = _FLUSHES[wilds]
    flush = flush_of[clubs] or flush_of[diamonds] or flush_of[hearts] or flush_of[spades]
    if flush:
        top_of = _STRAIGHTS[wilds]
        top = max(top_of[clubs], top_of[diamonds], top_of[hearts], top_of[spades])
        if top:
            return _STRAIGHT_FLUSH + (top << 16)

    quads = _HIGHEST[fours]
    if quads:
        return _FOUR_OF_A_KIND + _TOP_FIVE[quads] + (_TOP_FIVE[one & ~quads] >> 4 & 0xF000)

    trips = _HIGHEST[threes]
    if trips:
        pairs = two & ~trips
        if pairs:
            return _FULL_HOUSE + _TOP_FIVE[trips] + (_TOP_FIVE[_HIGHEST[pairs]] >> 4)

    if flush:
        flushes = (flush_of[clubs], flush_of[diamonds], flush_of[hearts], flush_of[spades])
        return _FLUSH + max(flushes)

    top = _STRAIGHTS[wilds][one]
    if top:
        return _STRAIGHT + (top << 16)

    if trips:
        return _THREE_OF_A_KIND + _TOP_FIVE[trips] + (_TOP_FIVE[one & ~trips] >> 4 & 0xFF00)

    high = _HIGHEST[twos]
    if not high:
        return _TOP_FIVE[one or _ACE]  # if there is no natural card, a lone wild: an ace (R5.1)

    low = _HIGHEST[two & ~high]
    if not low:
        return _PAIR + _TOP_FIVE[high] + (_TOP_FIVE[one & ~high] >> 4 & 0xFFF0)
    other = _TOP_FIVE[one & ~high & ~low] >> 8 & 0xF00
    return _TWO_PAIR + _TOP_FIVE[high] + (_TOP_FIVE[low] >> 4) + other


def rank_number(cards: Collection[int], wild: str) -> int:
    """Return the rank number of different cards, one or more, ``wild`` being the wild ranks.

    Raises:
        CardError: something is not a card, or is there twice; a wild rank is none.

    >>> hex(rank_number(parse("Kd Kc 9s 4c 4d 2h"), wild="39"))
    '0x6d4000'
    """
    weigh = weights(wild)
    held = weight = 0
    try:
        for card in cards:
            if not 0 <= card < _CARDS:
                _refuse(cards)
            bit = _BITS[card]
            if held & bit:  # it is there twice
                _refuse(cards)
            held |= bit
            weight += weigh[card]
    except TypeError:  # it is no number
        _refuse(cards)
    return rank_of(weight)


def _refuse(cards: Collection[int]) -> NoReturn:
    """Say which of the cards is none, or is there twice."""
    parse(cards)
    raise CardError(f"{cards!r} is text: read it with sandlot.pack.cards first")
