"""What happens in a hand, told in sentences."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from rich.text import Text

from sandlot.game.events import Acted, Anted, Awarded, Dealt, Opened, Revealed
from sandlot.hands import exposed
from sandlot.played import Decision
from sandlot.records import Moment
from sandlot_server.cli.printable import printable
from sandlot_server.cli.table_view import Look, held, street_name

VERBS: Final = {"check": "checks", "call": "calls", "fold": "folds"}
SHORT: Final = 60
"""Characters of a wrong answer that are shown."""


def tell(moment: Moment, look: Look) -> Text:
    """Return what has just happened, in a line; in two where a hand is shown."""
    event = moment.event
    who = look.who(event.seat)
    match event:
        case Anted():
            return Text.assemble(who, f" antes {event.paid}")
        case Dealt():
            return _tell_deal(event, look)
        case Opened():
            shown = exposed(moment.seats[event.seat].up, moment.wild)
            return Text.assemble(
                who, f" opens {street_name(event.street).lower()}, showing {shown}"
            )
        case Acted():
            return _tell_action(event, moment, look)
        case Revealed():
            value = held(moment.seats[event.seat].cards, moment.wild)
            indent = " " * (len(who) + 1)
            return Text.assemble(
                *(who, " shows ", look.cards(event.down), f": {value}\n{indent}"),
                look.five(event.five),
            )
        case Awarded():
            return Text.assemble(who, f" takes {_award(event, moment)}", style="bold")


def _tell_deal(event: Dealt, look: Look) -> Text:
    who = look.who(event.seat)
    if event.card is None:
        return Text.assemble(who, " gets a card face down")
    card = look.cell(event.card, event.bonus, folded=False)
    said = " for the 4" if event.bonus else "" if event.up else " face down"
    return Text.assemble(who, " gets ", card, said.lstrip() if card.plain.endswith(" ") else said)


def _tell_action(event: Acted, moment: Moment, look: Look) -> Text:
    name = event.action.name
    done = VERBS.get(name, f"{name}s")
    if name == "bet":
        done += f" {event.paid}"
    elif name == "raise":
        done += f" to {event.level}"
    elif name == "call":
        done += f" {event.paid}"
    decision = moment.decision
    line = Text.assemble(look.who(event.seat), " ")
    if decision is None or decision.fault is None:
        return line.append(done)
    return line.append(f"{why(decision)}, so it {done}", "bold bright_red" if look.colour else "")


def why(decision: Decision) -> str:
    """Return what a seat did wrong, for a sentence that begins with its name.

    >>> why(Decision(0, ("check", "bet"), "fold", "check", "illegal", 3))
    "answers 'fold', which is not legal here"
    """
    came = repr(printable((decision.answer or "")[:SHORT]))
    seconds = f"{decision.ms / 1000:g} s"
    match decision.fault:
        case "timeout" if decision.answer is None:
            return f"has not answered in time ({seconds})"
        case "timeout":
            return f"answers {came} too late ({seconds})"
        case "illegal":
            return f"answers {came}, which is not legal here"
        case "malformed":
            return f"sends what cannot be read, {came}"
        case "exception":
            return f"fails with {came}"
        case "crash":
            return "is gone: it crashed or closed its stream"
        case _:
            return "is out and not asked"


def _award(event: Awarded, moment: Moment) -> str:
    pot = moment.pot
    if event.amount != Fraction(pot):
        return f"{event.amount} of the pot of {pot}"
    alone = sum(seat.live for seat in moment.seats) == 1
    return f"the pot of {pot}" + (": all others have folded" if alone else "")
