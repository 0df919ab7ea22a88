"""Baseball with a pack of cards and a pencil: the rules read aloud, and nothing of ``sandlot``.

A card is its text, ``Th``. ``hand`` plays one hand from the first ante to the last award and stops
where a seat must be asked. Everything is found by counting anew; nothing here is quick.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

RANKS = "23456789TJQKA"
PACK = [rank + suit for rank in RANKS for suit in "cdhs"]
FROM_THE_TOP = range(14, 1, -1)
LABELS = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush"),
    *("full house", "four of a kind", "straight flush", "five of a kind"),
)

Ranks = tuple[int, ...]
Key = tuple[int, Ranks]  # the category, 0 to 9, and the ranks that decide inside it


def best_five(cards: Sequence[str], wild: str) -> Key:
    """Ask for each category from the top: the best hand in it that can be made is it (R6)."""
    wilds = sum(card[0] in wild for card in cards)

    def held(suits: str) -> list[int]:
        naturals = [card[0] for card in cards if card[0] not in wild and card[1] in suits]
        return [0, 0, *map(naturals.count, RANKS)]

    def groups(sizes: Ranks, count: list[int], spare: int, chosen: Ranks = ()) -> list[Ranks]:
        """The highest ranks with so many cards of each; wilds take the places of those missing."""
        if not sizes:
            return [chosen]
        for rank in FROM_THE_TOP:
            left = spare - max(0, sizes[0] - count[rank])
            if left < 0 or rank in chosen:
                continue
            if found := groups(sizes[1:], count, left, (*chosen, rank)):
                return found
        return []

    def straights(count: list[int]) -> list[Ranks]:
        """The highest five in a row: the ace is high, or stands below the 2 (R6.4)."""
        for top in range(14, 4, -1):
            row = [rank if rank > 1 else 14 for rank in range(top - 4, top + 1)]
            if sum(count[rank] == 0 for rank in row) <= wilds:
                return [(top,)]
        return []

    everything, suits = held("cdhs"), [held(suit) for suit in "cdhs"]
    for category in range(9, -1, -1):
        match LABELS[category]:
            case "straight flush":
                found = [top for suit in suits for top in straights(suit)]
            case "flush":  # five ranks of one suit, so no rank twice (R6.3)
                enough = [suit for suit in suits if sum(suit) + wilds >= 5]
                found = [five for suit in enough for five in groups((1,) * 5, suit, wilds)]
            case "straight":
                found = straights(everything)
            case _:
                found = groups(SIZES[category], everything, wilds)
        if found:
            return category, max(found)
    raise AssertionError("five cards are at least a high card")


SIZES = {9: (5,), 7: (4, 1), 6: (3, 2), 3: (3, 1, 1), 2: (2, 2, 1), 1: (2, 1, 1, 1), 0: (1,) * 5}


def exposed(cards: Sequence[str], wild: str) -> Key:
    """The value of up cards (R5). Of keys equal so far the longer one is greater (R5.4)."""
    if len(cards) >= 5:
        return best_five(cards, wild)
    naturals = [RANKS.index(card[0]) + 2 for card in cards if card[0] not in wild]
    biggest = max(naturals, key=lambda rank: (naturals.count(rank), rank), default=14)
    ranks = naturals + [biggest] * (len(cards) - len(naturals))
    groups = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    sizes = [ranks.count(rank) for rank in groups]
    return {4: 7, 3: 3, 2: 2 if sizes == [2, 2] else 1, 1: 0}[sizes[0]], tuple(groups)


@dataclass
class Asked:
    """A seat must be asked. The lists are those of the game and go on with it; units of money."""

    seat: int
    legal: list[str]
    street: int
    level: int
    live: list[int]
    paid_round: list[int]
    paid_hand: list[int]
    up: list[list[str]]
    down: list[list[str]]


def hand(
    seats: int, dealer: int, deck: Sequence[str], wild: str, bonus: str
) -> Generator[Asked, str, tuple[list[Fraction], list[dict[str, Any]]]]:
    """Play one hand: yield who is asked, be sent the name of an action.

    Returns:
        The net of each seat, and the events in the record's form but without ``five``.
    """
    events: list[dict[str, Any]] = []
    stock = iter(deck)
    up: list[list[str]] = [[] for _ in range(seats)]
    down: list[list[str]] = [[] for _ in range(seats)]
    paid_hand = [0] * seats
    won = [Fraction(0)] * seats
    live = [(dealer + step) % seats for step in range(1, seats + 1)]  # from the dealer's left

    def say(event: str, **what: Any) -> None:
        events.append({"event": event, **what})

    def serve(street: int, seat: int, face_up: bool, brought: bool) -> None:
        card = next(stock)
        (up if face_up else down)[seat].append(card)
        say("deal", street=street, seat=seat, card=card, up=face_up, bonus=brought)
        if face_up and card[0] in bonus:  # before the next seat is served (R3.3)
            serve(street, seat, face_up=True, brought=True)

    def award(winners: list[int]) -> tuple[list[Fraction], list[dict[str, Any]]]:
        for seat in winners:
            won[seat] = Fraction(sum(paid_hand), len(winners))
            say("award", seat=seat, amount=str(won[seat]))
        return [won[seat] - paid_hand[seat] for seat in range(seats)], events

    for seat in live:
        paid_hand[seat] = 1
        say("ante", seat=seat, paid=1)

    for street, faces in {3: "ddu", 4: "u", 5: "u", 6: "u", 7: "d"}.items():
        for face in faces:
            for seat in live:
                serve(street, seat, face == "u", brought=False)
        values = [exposed(up[seat], wild) for seat in live]
        turn = live[values.index(max(values))]  # of equals the first (R4.2)
        say("open", street=street, seat=turn)
        level = 0
        paid_round = [0] * seats
        done: set[int] = set()  # who has acted since the last bet or raise, and who made that
        while not done.issuperset(live):
            if turn in live:
                legal = ["call", "raise", "fold"] if level else ["check", "bet"]
                if level == 4:
                    legal.remove("raise")
                action = yield Asked(
                    turn, legal, street, level, live, paid_round, paid_hand, up, down
                )
                if action in ("bet", "raise"):
                    level += 1
                    done.clear()
                done.add(turn)
                pays = level - paid_round[turn] if action in ("bet", "raise", "call") else 0
                paid_round[turn] += pays
                paid_hand[turn] += pays
                now = {"paid": pays, "level": level, "pot": sum(paid_hand)}
                say("action", street=street, seat=turn, action=action, **now)
                if action == "fold":
                    live.remove(turn)
                if len(live) == 1:  # at once (R4.10)
                    return award(live)
            turn = (turn + 1) % seats

    values = [best_five(down[seat] + up[seat], wild) for seat in live]
    for seat, (category, _) in zip(live, values, strict=True):
        say("reveal", seat=seat, down=down[seat], category=LABELS[category])
    return award([seat for seat, value in zip(live, values, strict=True) if value == max(values)])
