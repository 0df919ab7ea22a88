"""The pages of a replay: how a match begins, a hand from the antes to its pot, how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from rich.text import Text

from sandlot.game.events import Acted, Anted, Dealt, Opened, Revealed
from sandlot.played import PlayedMatch
from sandlot.records import Moment, Verified
from sandlot_server.cli.counting import many
from sandlot_server.cli.printable import printable
from sandlot_server.cli.table_view import (
    WIDTH,
    Look,
    draw_table,
    signed,
    standing,
    street_name,
)
from sandlot_server.cli.telling import tell


def heading(played: PlayedMatch, seat: int | None, look: Look) -> str:
    """Return which match this is, of what, and through whose eyes it is seen."""
    setup = played.setup
    eyes = "all cards open" if seat is None else f"as seat {seat}, {look.names[seat]}, saw it"
    return look.apart(f"Match {setup.match} of {printable(setup.tournament)}", setup.variant, eyes)


def what_holds(verified: Verified) -> str:
    """Return what was verified, in a line."""
    digest = verified.record.digest[:12]
    hands, decisions = many(verified.hands, "hand"), many(verified.decisions, "decision")
    return f"The record holds: {hands}, {decisions}, {digest}"


def hand_page(moments: Sequence[Moment], played: PlayedMatch, look: Look) -> Iterator[Text]:
    """Yield the lines of a hand: the table on each street, what was done, the money."""
    first, last = moments[0], moments[-1]
    yield rule(f"Hand {first.hand} of {len(played.hands)}", look)
    antes = [moment.event.paid for moment in moments if isinstance(moment.event, Anted)]
    yield Text.assemble(
        look.who(first.dealer), f" deals; everybody antes {antes[0]}, pot {sum(antes)}"
    )
    for kind, run in groupby(moments, lambda moment: type(moment.event)):
        group = list(run)
        if kind is Opened:
            yield Text()
            yield from _street(group[0], look)
        elif kind is Dealt and group[0].street > moments[len(antes)].street:
            yield Text()
            yield _dealt(group, look)
        elif kind is Revealed:
            yield Text()
            yield Text("Showdown", "bold underline")
        if kind not in (Anted, Dealt):
            for moment in group:
                yield from told(moment, look)
    yield Text()
    yield from money(
        [("net", last.net or ()), ("balance", [seat.balance for seat in last.seats])], look
    )
    yield Text()


def result_page(played: PlayedMatch, look: Look) -> Iterator[Text]:
    """Yield the lines that say how a match ended: places, nets, faults."""
    yield rule("Result", look)
    order = sorted(range(len(played.net)), key=lambda seat: (played.places[seat], seat))
    for seat in order:
        faults = ", ".join(f"{cause} {count}" for cause, count in played.faults[seat].items())
        yield Text.assemble(
            (f"{played.places[seat]}. ", "bold"),
            look.who(seat),
            f"{signed(played.net[seat]):>9}",
            (f"   faults: {faults}" if faults else "", "bright_red" if look.colour else ""),
        )


def rule(title: str, look: Look) -> Text:
    """Return a line across the page with a title in it."""
    dash = look.sign("─", "-")
    if not title:
        return Text(dash * WIDTH, "dim")
    return Text.assemble(
        (f"{dash}{dash} ", "dim"),
        (title, "bold"),
        (f" {dash * (WIDTH - len(title) - 4)}", "dim"),
    )


def money(columns: Sequence[tuple[str, Sequence[Fraction]]], look: Look) -> Iterator[Text]:
    """Yield a small table of amounts by seat."""
    yield Text(" " * (look.name_width + 2) + "".join(f"{name:>10}" for name, _ in columns), "dim")
    for seat in range(len(look.names)):
        line = look.who(seat)
        for _, amounts in columns:
            amount = amounts[seat]
            style = "green" if amount > 0 else "red" if amount < 0 else ""
            line.append(f"{signed(amount):>10}", style)
        yield line


def _street(moment: Moment, look: Look) -> Iterator[Text]:
    title = Text(street_name(moment.street), "bold underline")
    yield Text.assemble(title, (f"{standing(moment, look):>{WIDTH - len(title)}}", "dim"))
    yield from draw_table(moment, look)


def _dealt(moments: Sequence[Moment], look: Look) -> Text:
    """Return who was dealt what on a street, on one line."""
    down = any(isinstance(each.event, Dealt) and not each.event.up for each in moments)
    line = Text.assemble(("Dealt face down" if down else "Dealt", "dim"))
    for moment in moments:
        event = moment.event
        assert isinstance(event, Dealt)
        if not event.bonus:
            line.append(f"  {event.seat}:", "dim")
        line.append_text(look.cell(event.card, event.bonus, folded=False))
        line.rstrip()
    return line


def told(moment: Moment, look: Look) -> Iterator[Text]:
    """Yield the lines that tell what has just happened, with the pot where it has grown."""
    line = tell(moment, look)
    if isinstance(moment.event, Acted) and moment.event.paid:
        pot = f"pot {moment.pot}"
        line = Text.assemble(line, (f"{pot:>{max(2, WIDTH - line.cell_len)}}", "dim"))
    yield from line.split("\n")
