"""What may still come: the cards that a seat has not seen, and deals that agree with what it has.

A bot that wants to know how good its hand is deals the rest of the hand many times and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sandlot.game.events import Revealed
from sandlot.game.steps import Deal
from sandlot.game.variant import Variant
from sandlot.game.view import View
from sandlot.pack import PACK, Card


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
    later = [
        up
        for step in variant.program
        if isinstance(step, Deal) and step.street > seen.street
        for up in step.faces
    ]
    ups = sum(later)
    plan: list[tuple[tuple[Card, ...], int]] = []  # what is known, and how many cards are not
    for number, seat in enumerate(seen.seats):
        if not seat.live:
            plan.append(((), 0))
        elif number == seen.seat:
            plan.append((seen.down + seat.up, len(later)))
        else:
            plan.append((seat.up, seat.down + len(later)))

    pool = list(unseen(seen))
    size = len(pool)
    gives_bonus = variant.gives_bonus
    bonuses = ups > 0 and any(gives_bonus[card] for card in pool)
    chance = rng.random

    while True:
        hands: list[tuple[Card, ...]] = []
        place = 0
        for known, unknown in plan:
            begin, end = place, place + unknown
            face_up = end - ups  # from there on; the down cards come first
            while place < end:  # Fisher and Yates, only as far as cards are needed
                drawn = place + int(chance() * (size - place))
                card = pool[drawn]
                pool[drawn] = pool[place]
                pool[place] = card
                if bonuses and place >= face_up and gives_bonus[card]:
                    end += 1
                place += 1
            hands.append((*known, *pool[begin:end]))
        yield tuple(hands)
