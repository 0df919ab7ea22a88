"""Where all chance comes from: seeds, commitments, the shuffle, the cut and the order of a table.

One tournament seed gives everything else by HMAC-SHA256, with raw bytes as the key and an ASCII
message::

    tournament seed --"MATCH/ATTEMPT"--> match seed --"HAND"-----> hand seed --> shuffle and cut
           |                                  '-------"bot/SEAT"-> a seat's private seed
           '--"table/ROUND/TABLE/k"--> the circular order of a table and its first dealer

There is no shared stream, so a hand is the same whatever was dealt before or beside it. How to
repeat all of it in another language, with test vectors, stands in ``docs/shuffle.md``.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from dataclasses import dataclass
from typing import Final

from sandlot.errors import SeedError
from sandlot.pack import PACK, Deck

FEWEST_BYTES: Final = 16
"""The shortest seed, in bytes, that cannot be found by trying them all."""

LEAST_CUT: Final = 5
"""A cut lifts at least so many cards (R2.3)."""

MOST_CUT: Final = 47
"""A cut lifts at most so many cards (R2.3)."""

_WORDS: Final = struct.Struct(">16H")


def new_seed() -> bytes:
    """Return a fresh seed of 32 bytes from the operating system."""
    return secrets.token_bytes(32)


def parse_seed(text: str) -> bytes:
    """Return the seed written in hexadecimal, two digits a byte.

    Raises:
        SeedError: not hexadecimal, half a byte, or fewer than 16 bytes; says where and what.

    >>> parse_seed("00112233445566778899aabbccddeeff")[:2].hex()
    '0011'
    >>> parse_seed("cafe")
    Traceback (most recent call last):
    sandlot.errors.SeedError: a seed of 2 bytes is too short: write at least 16 bytes, 32 hex digits
    """
    for place, character in enumerate(text, start=1):
        if character not in "0123456789abcdefABCDEF":
            raise SeedError(
                f"a seed is written in hexadecimal, 0-9 and a-f: character {place} is {character!r}"
            )
    if len(text) % 2:
        raise SeedError(
            f"a seed is written as whole bytes, two hex digits each: these are {len(text)} digits"
        )
    seed = bytes.fromhex(text)
    if len(seed) < FEWEST_BYTES:
        size = f"{len(seed)} byte" + ("" if len(seed) == 1 else "s")
        raise SeedError(
            f"a seed of {size} is too short: write at least {FEWEST_BYTES} bytes, "
            f"{2 * FEWEST_BYTES} hex digits"
        )
    return seed


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of a seed's raw bytes in hex: it binds the seed without telling it.

    >>> commitment(bytes(16))[:8]
    '374708ff'
    """
    return hashlib.sha256(seed).hexdigest()


def match_seed(tournament_seed: bytes, match: str, attempt: int) -> bytes:
    """Return the seed, 32 bytes, of an attempt (counted from 1) at a match.

    Raises:
        SeedError: the match's name is empty, not ASCII, or holds a "/", which would let one
            message stand for two things.
    """
    if not match or not match.isascii() or "/" in match:
        raise SeedError(f"{match!r} cannot name a match: write ASCII characters without '/'")
    return _derived(tournament_seed, f"{match}/{attempt}")


def hand_seed(match_seed: bytes, hand: int) -> bytes:
    """Return the seed, 32 bytes, of a hand (counted from 1) of a match."""
    return _derived(match_seed, f"{hand}")


def bot_seed(match_seed: bytes, seat: int) -> bytes:
    """Return the private seed, 32 bytes, of a seat (counted from 0) in a match."""
    return _derived(match_seed, f"bot/{seat}")


def _derived(key: bytes, message: str) -> bytes:
    return hmac.digest(key, message.encode("ascii"), "sha256")


class Lots:
    """Whole numbers drawn by lot from a key, the same ones every time.

    The bytes are HMAC(key, "NAME/0"), HMAC(key, "NAME/1"), ... one after the other, read as 16-bit
    words, most significant byte first.

    >>> lots = Lots(bytes(16), "example")
    >>> [lots.below(6) for _ in range(8)]
    [5, 2, 2, 2, 4, 4, 5, 0]
    """

    __slots__ = ("_blocks", "_key", "_name", "_words")

    def __init__(self, key: bytes, name: str) -> None:
        self._key = key
        self._name = name
        self._blocks = 0
        self._words: list[int] = []  # of the block at hand, the next one last

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, all equally likely; ``n`` from 1 to 65,536.

        A word from the top of the range that does not divide evenly by n is thrown away, or the
        low numbers would come a little too often.
        """
        most = 65_536 - 65_536 % n
        words = self._words
        while True:
            if not words:
                block = _derived(self._key, f"{self._name}/{self._blocks}")
                self._blocks += 1
                words.extend(reversed(_WORDS.unpack(block)))
            word = words.pop()
            if word < most:
                return word % n

    def order(self, n: int) -> list[int]:
        """Return the numbers 0 to n - 1 in an order drawn by lot (Fisher and Yates).

        >>> Lots(bytes(16), "example").order(5)
        [1, 0, 3, 4, 2]
        """
        order = list(range(n))
        for last in range(n - 1, 0, -1):
            drawn = self.below(last + 1)
            order[last], order[drawn] = order[drawn], order[last]
        return order


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A pack shuffled and cut (R2.3)."""

    deck: Deck
    """The 52 cards after the cut, top first."""
    cut: int
    """How many cards the cut lifted off the shuffled pack, 5 to 47."""


def shuffle(hand_seed: bytes) -> Shuffle:
    """Return the deck that a hand's seed gives (R2.3): the pack shuffled, then cut.

    >>> deal = shuffle(hand_seed(bytes(32), 1))
    >>> deal.deck[:5], deal.cut
    ((6c, As, Qc, Jd, 6s), 7)
    """
    lots = Lots(hand_seed, "shuffle")
    order = lots.order(52)
    cut = LEAST_CUT + lots.below(MOST_CUT - LEAST_CUT + 1)
    return Shuffle(Deck.shuffled([PACK[number] for number in order[cut:] + order[:cut]]), cut)


def table_order(
    tournament_seed: bytes,
    round: int,  # noqa: A002  a schedule has rounds
    table: int,
    n: int,
) -> tuple[tuple[int, ...], int]:
    """Return the circular order of the n bots of a table, and the seat of its first dealer (R2.1).

    Rounds and tables count from 1. The order holds the numbers 0 to n - 1: which bot of the group
    sits in seat 0, seat 1, ... in the first rotation. The first dealer is a seat, 0 to n - 1.

    >>> table_order(bytes(32), 1, 1, 4)
    ((2, 1, 0, 3), 2)
    """
    lots = Lots(tournament_seed, f"table/{round}/{table}")
    return tuple(lots.order(n)), lots.below(n)
