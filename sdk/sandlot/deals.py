"""What may still come: the cards that a seat has not seen, and deals that agree with what it has.

A bot that wants to know how good its hand is deals the rest of the hand many times and counts. Who
plays whole hands by the thousand, as in training, shuffles for them no more than they need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from sandlot.game.events import Revealed
from sandlot.game.steps import Deal
from sandlot.game.variant import Variant
from sandlot.game.view import View
from sandlot.pack import PACK, Card, Deck


def unseen(seen: View) -> tuple[Card, ...]:
    """Return the cards that the seat has not seen, in the order of their numbers.

    They are in the stock, or face down before another seat, whether that is still in or not. The
    seat's own cards, all up cards and what was shown down are not among them.

    >>> from sandlot.game import VARIANTS
    >>> hand = VARIANTS["baseball"].deal(seats=2, dealer=0, deck=PACK)
    >>> view = hand.view(0)
    >>> view.down, view.seats[0].up, view.seats[1].up, len(unseen(view))
    ((2d, 2s), (3d,), (3c,), 48)
    """
    known = set(seen.down)
    for seat in seen.seats:
        known.update(seat.up)
    for event in seen.history:
        if type(event) is Revealed:
            known.update(event.down)
    return tuple([card for card in PACK if card not in known])


def to_come(seen: View, variant: Variant) -> list[tuple[tuple[Card, ...], int, int]]:
    """Return for each seat what is known of its hand, and how many cards are not.

    They are two numbers, of the cards face down and of those face up: if everybody still in stays
    in, and without the bonus cards that the latter bring. Of a seat that has folded nothing counts
    any more, ``((), 0, 0)``.

    >>> from sandlot.game import VARIANTS
    >>> baseball = VARIANTS["baseball"]
    >>> to_come(baseball.deal(seats=2, dealer=0, deck=PACK).view(0), baseball)
    [((2d, 2s, 3d), 1, 3), ((3c,), 3, 3)]
    """
    later = [
        up
        for step in variant.program
        if isinstance(step, Deal) and step.street > seen.street
        for up in step.faces
    ]
    ups = sum(later)
    downs = len(later) - ups
    hands: list[tuple[tuple[Card, ...], int, int]] = []
    for number, seat in enumerate(seen.seats):
        if not seat.live:
            hands.append(((), 0, 0))
        elif number == seen.seat:
            hands.append((seen.down + seat.up, downs, ups))
        else:
            hands.append((seat.up, seat.down + downs, ups))
    return hands


def draw(
    pool: list[int],
    place: int,
    downs: int,
    ups: int,
    gives_bonus: tuple[bool, ...],
    chance: Callable[[], float],
) -> int:
    """Draw a seat's unknown cards, bonus cards and all (R3.3); return the place after the last.

    They are then in the pool from ``place`` on, those dealt face down first. A seat's cards may be
    drawn all at once, though they are dealt street by street and seat by seat: whatever cards
    everybody gets in the end, one order of drawing is as likely to give them as any other.

    Args:
        pool: card numbers; those before ``place`` have been drawn, the others are to be drawn from.
        place: where the seat's cards are to begin.
        downs: how many cards it is to get face down.
        ups: how many face up, bonus cards not counted.
        gives_bonus: for each card of the pack whether it brings one more when dealt up.
        chance: gives numbers from 0 to below 1, all equally likely; one is asked for a card.
    """
    size = len(pool)
    face_up = place + downs
    end = face_up + ups
    while place < end:  # Fisher and Yates, only as far as cards are needed
        drawn = place + int(chance() * (size - place))
        card = pool[drawn]
        pool[drawn] = pool[place]
        pool[place] = card
        if place >= face_up and gives_bonus[card]:
            end += 1
        place += 1
    return end


def completions(
    seen: View, variant: Variant, rng: Random
) -> Iterator[tuple[tuple[Card, ...], ...]]:
    """Deal the hand to its end, again and again; yield the whole hands by seat each time.

    A hand holds what the seat would show if everybody still in stayed in: what is known of it, its
    hidden cards, those of the streets to come and the bonus cards that they bring (R3.3). All deals
    that agree with what has been seen are equally likely; what opponents did is not weighed. A seat
    that has folded has the empty hand, ``()``.

    Args:
        seen: an observation, or the view of a seat or of a spectator.
        variant: the game, ``VARIANTS[self.start.variant]`` for a bot.
        rng: what the deals are drawn from; a bot passes ``self.rng``.

    >>> from itertools import islice
    >>> from sandlot.game import VARIANTS
    >>> baseball = VARIANTS["baseball"]
    >>> view = baseball.deal(seats=2, dealer=0, deck=PACK).view(0)
    >>> for own, other in islice(completions(view, baseball, Random(5)), 2):
    ...     print(*own, "|", *other)
    2d 2s 3d Td Js Qh Ad | 3c Qc Ac 4s 9h 3s Jh
    2d 2s 3d Ks 4s 8s 6h 9s | 3c 2c Js 6s 7s 4d Qs 7c
    """
    hands = to_come(seen, variant)
    pool = [int(card) for card in unseen(seen)]
    gives_bonus = variant.gives_bonus
    chance = rng.random
    while True:
        dealt: list[tuple[Card, ...]] = []
        end = 0
        for known, downs, ups in hands:
            begin, end = end, draw(pool, end, downs, ups, gives_bonus, chance)
            dealt.append((*known, *[PACK[card] for card in pool[begin:end]]))
        yield tuple(dealt)


def shuffled(variant: Variant, seats: int, rng: Random) -> Deck:
    """Return a deck for one hand, shuffled as deep as the hand can go: for playing very many.

    Only the cards that could be dealt are drawn, 18 at two seats of Baseball (R3.7): every row of
    so many cards is equally likely. Those below them nobody is ever dealt; they lie in whatever
    order. A match is not dealt from this but from its seed (``sandlot.seeds``).

    Args:
        variant: the game.
        seats: how many sit.
        rng: what the cards are drawn from; one number is asked for a card.

    Raises:
        RuleError: the variant is not for so many seats (R1.1).

    >>> from sandlot.game import VARIANTS
    >>> deck = shuffled(VARIANTS["baseball"], 2, Random(5))
    >>> deck[:5], sorted(deck) == list(PACK)
    ((Tc, Jd, Js, Kh, Ts), True)
    """
    reached = variant.most_dealt(seats)
    chance = rng.random
    deck = list(PACK)
    for last in range(51, 51 - reached, -1):  # Fisher and Yates; the top of the deck lies last
        drawn = int(chance() * (last + 1))
        deck[last], deck[drawn] = deck[drawn], deck[last]
    deck.reverse()
    return Deck.shuffled(deck)
