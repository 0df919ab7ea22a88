"""Hands as PHH, the Poker Hand History format (https://phh.readthedocs.io), for other programs.

PHH is TOML. Its variant codes are a closed list with no room for private games, so a hand bears our
own name of the variant: a reader keeps its fields, and refuses to play it, which is right, for it
would play another game. What PHH has no field for stands in fields that begin with ``_``:

====================== =============================================================================
``_format _rules``     the form of the record and the rules, ``baseball/1``
``_wild _bonus``       the ranks that are wild (R1.2), and that bring one more card up (R3.3)
``_match _attempt``    the match within the tournament, which is ``event``
``_started``           when the match started
``_dealer``            the dealer's seat, from 0; ``p1`` is seat 0
``_deck _cut``         the 52 cards after the cut, top first, and how many cards the cut lifted
``_seed``              the match's seed; ``_commitment`` and ``_tournament_commitment`` bind it
``_versions``          the bots' versions by seat
``_faults``            the decisions that went wrong: which of the hand, seat, fault, answer, ms
``_shown``             what was shown: seat, category, the five cards and what they stand for
``_awards``            who took how much of the pot, as exact text
``_net _balance``      by seat, as exact text: ``"7/2"``
====================== =============================================================================

Stacks are infinite (R1.3). ``winnings`` and ``finishing_stacks`` are left out: they are decimals in
PHH, and a third of a pot is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from sandlot.game import VARIANTS
from sandlot.game.events import Acted, Anted, Awarded, Dealt, Event, Revealed
from sandlot.pack import text_of
from sandlot.played import PlayedHand
from sandlot.records import Record
from sandlot.records.lines import FORMAT
from sandlot.seeds import commitment

INFINITE: Final = "inf"


def tables(records: Iterable[Record]) -> Iterator[str]:
    """Yield the hands of records as the numbered tables of a ``.phhs`` file, one text a hand."""
    number = 0
    for record in records:
        for hand in record.played.hands:
            number += 1
            yield ("\n" if number > 1 else "") + f"[{number}]\n{hand_text(record, hand)}"


def hand_text(record: Record, hand: PlayedHand) -> str:
    """Return one hand as a ``.phh`` text.

    >>> from sandlot import Action, Bot, arena
    >>> class Caller(Bot):
    ...     def act(self, seen):
    ...         return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
    >>> (played,) = arena.play([Caller, Caller], seed=bytes(16))
    >>> record = Record(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
    >>> print(hand_text(record, played.hands[0]).partition("actions")[0].rstrip())
    variant = "baseball"
    antes = [1, 1]
    small_bet = 1
    big_bet = 1
    starting_stacks = [inf, inf]
    """
    return "".join(f"{key} = {_toml(value)}\n" for key, value in _fields(record, hand).items())


def actions(events: Iterable[Event]) -> Iterator[str]:
    """Yield the actions of a hand in the notation of PHH; seat 0 is ``p1``.

    On each street a seat's cards are one action, and each card that a 4 has brought is one more.
    Faces are those of seven-card stud: down, down, up; up; up; up; down.
    """
    for kind, run in groupby(events, type):
        for event in _by_seat(run) if kind is Dealt else run:
            yield from _action(event)


def _by_seat(deals: Iterable[Any]) -> list[list[Dealt]]:
    """Return the deals of a street by seat, in the order in which the seats were served first."""
    seats: dict[int, list[Dealt]] = {}
    for deal in deals:
        seats.setdefault(deal.seat, []).append(deal)
    return list(seats.values())


def _action(event: Event | list[Dealt]) -> Iterator[str]:
    match event:
        case list():
            player = f"p{event[0].seat + 1}"
            dealt = "".join(str(deal.card) for deal in event if not deal.bonus)
            yield f"d dh {player} {dealt}"
            for deal in event:
                if deal.bonus:
                    yield f"d dh {player} {deal.card} # bonus"
        case Acted():
            name = event.action.name
            if name in ("bet", "raise"):
                yield f"p{event.seat + 1} cbr {event.level}"
            else:
                yield f"p{event.seat + 1} {'f' if name == 'fold' else 'cc'}"
        case Revealed():
            yield f"p{event.seat + 1} sm {''.join(map(str, event.down))}"


def _fields(record: Record, hand: PlayedHand) -> dict[str, Any]:
    played = record.played
    setup = played.setup
    variant = VARIANTS[setup.variant]
    seats = len(setup.entrants)
    sizes = [betting.size for betting in variant.betting.values()]
    paid = {event.seat: event.paid for event in hand.events if isinstance(event, Anted)}
    return {
        "variant": setup.variant,
        "antes": [paid.get(seat, 0) for seat in range(seats)],
        "small_bet": min(sizes),
        "big_bet": max(sizes),
        "starting_stacks": [float(INFINITE)] * seats,
        "actions": list(actions(hand.events)),
        "event": setup.tournament,
        "hand": hand.hand,
        "seats": list(range(1, seats + 1)),
        "seat_count": seats,
        "table": setup.match,
        "players": [entrant.bot for entrant in setup.entrants],
        "_format": FORMAT,
        "_rules": variant.rules,
        "_wild": variant.wild,
        "_bonus": variant.bonus,
        "_match": setup.match,
        "_attempt": setup.attempt,
        "_started": record.started,
        "_dealer": hand.dealer,
        "_deck": text_of(hand.deck),
        "_cut": hand.cut,
        "_seed": setup.seed.hex(),
        "_commitment": commitment(setup.seed),
        "_tournament_commitment": setup.tournament_commitment,
        "_versions": [entrant.version for entrant in setup.entrants],
        "_faults": _faults(hand),
        "_shown": [
            {"seat": event.seat, "category": event.category, "five": event.five}
            for event in hand.events
            if isinstance(event, Revealed)
        ],
        "_awards": [
            {"seat": event.seat, "amount": str(event.amount)}
            for event in hand.events
            if isinstance(event, Awarded)
        ],
        "_net": [str(net) for net in hand.net],
        "_balance": [str(balance) for balance in hand.balance],
    }


def _faults(hand: PlayedHand) -> list[dict[str, Any]]:
    return [
        {
            "decision": number,
            "seat": decision.seat,
            "fault": decision.fault,
            **({} if decision.answer is None else {"answer": decision.answer}),
            "applied": decision.applied,
            "ms": decision.ms,
        }
        for number, decision in enumerate(hand.decisions, start=1)
        if decision.fault is not None
    ]


def _toml(value: Any) -> str:
    """Return a value as TOML; its texts are JSON's, but for one more control character.

    >>> _toml({"a": ["x", 1, True]}), _toml(float("inf"))
    ('{a = ["x", 1, true]}', 'inf')
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return INFINITE
    return json.dumps(value)
