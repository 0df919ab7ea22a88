"""``sandlot replay``: a match in the terminal, card by card."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sandlot.errors import RecordError
from sandlot.game import VARIANTS
from sandlot.loading import nearest
from sandlot_server.cli import complete

if TYPE_CHECKING:
    from sandlot.played import PlayedMatch
    from sandlot.records import Stored, Verified

NAMED: Final = 8
"""How many matches of a file are named where there are more."""


@click.command()
@click.argument("file", metavar="FILE", shell_complete=complete.files_ending(".jsonl"))
@click.option("--hand", "hand", type=int, metavar="N", help="Show this hand only, from 1.")
@click.option("--match", "match", metavar="ID", help="Show this match; else the file's first.")
@click.option(
    "--seat", "seat", metavar="S", help="Show what this seat knew: its number, from 0, or its bot."
)
@click.option("--step", is_flag=True, help="One event a key press; the last line tells the keys.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one event a line.")
def replay(
    file: str, hand: int | None, match: str | None, seat: str | None, step: bool, as_json: bool
) -> None:
    """Show a match in the terminal, card by card.

    FILE is a record, as `sandlot play --record FILE` and `sandlot export` write it, or - for
    standard input. The match is verified first; one that does not hold is not shown. All cards are
    open unless --seat says through whose eyes to look.

    \b
    Marks: 9c* is wild, +Kd came for a 4, ## is face down, D deals.

    \b
    Examples:
      sandlot replay friday.jsonl
      sandlot replay friday.jsonl --match 3-12-1 --hand 2 --seat tight
      sandlot replay friday.jsonl --step
    """
    if step and as_json:
        raise click.UsageError("--step is for a person and --json for a script: leave one out.")
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("--step needs a terminal; leave it out, or use --json.")
    from sandlot_server.cli.mistaken import told_apart

    with told_apart(file, RecordError):
        verified, others = _chosen(file, match)
    played = verified.record.played
    hands = _hands(played, hand)
    viewer = None if seat is None else _seat(played, seat)
    if as_json:
        from sandlot.records import replay_hand
        from sandlot_server.cli import output

        for number in hands:
            for moment in replay_hand(played, number, viewer):
                output.print_json_line(moment.to_json())
        return
    _show(verified, hands, viewer, others, step)


def _show(
    verified: Verified,
    hands: Sequence[int],
    seat: int | None,
    others: Sequence[str],
    step: bool,
) -> None:
    """Show hands on standard output, and the result if they are all there are."""
    from sandlot.records import replay_hand
    from sandlot_server.cli import output, replay_page
    from sandlot_server.cli.table_view import Look

    played = verified.record.played
    console = output.console()
    wild = VARIANTS[played.setup.variant].wild
    look = Look.of(console, [entrant.bot for entrant in played.setup.entrants], wild)
    console.print(replay_page.heading(played, seat, look), style="bold", soft_wrap=True)
    console.print(replay_page.what_holds(verified), style="dim", soft_wrap=True)
    for other in others:
        console.print(other, style="dim", soft_wrap=True)
    console.print()
    if step:
        from sandlot_server.cli.stepping import step_through

        moments = [moment for hand in hands for moment in replay_hand(played, hand, seat)]
        if not step_through(console, moments, played, look):
            return  # before the end; what comes then would be told too early
    else:
        for hand in hands:
            moments = list(replay_hand(played, hand, seat))
            for line in replay_page.hand_page(moments, played, look):
                line.rstrip()
                console.print(line, soft_wrap=True)
    if len(hands) == len(played.hands):
        for line in replay_page.result_page(played, look):
            console.print(line, soft_wrap=True)


# Which match.


def _chosen(file: str, wanted: str | None) -> tuple[Verified, list[str]]:
    """Return the match that was asked for, verified, and lines on the others in the file."""
    from sandlot.records import stored, verify_match

    source = sys.stdin.buffer if file == "-" else Path(file)
    matches = stored(source)
    known: list[str] = []
    for each in matches:
        known.append(each.match.match)
        if wanted is None or wanted == each.match.match:
            verified = verify_match(each)
            return verified, [] if wanted else _others(file, matches)
    raise click.UsageError(f"{file} holds no match {wanted!r}; it holds {_listed(known)}.")


def _others(file: str, rest: Iterator[Stored]) -> list[str]:
    """Say which other matches there are; a few are looked for, or a long file would take long."""
    others: list[tuple[str, str]] = []
    broken: list[str] = []
    try:
        others.extend((each.match.match, _ended(each)) for each in islice(rest, NAMED + 1))
    except RecordError as error:
        broken.append(f"What follows in the file does not hold: {error}")
    if not others:
        return broken
    width = max(len(match) for match, _ in others)
    lines = [f"  {match:<{width}}  {ended}" for match, ended in others[:NAMED]]
    more = ["  and more"] if len(others) > NAMED else []
    return [f"{file} holds more matches, for --match:", *lines, *more, *broken]


def _ended(match: Stored) -> str:
    """Return who played a match, by seat, and how it ended by what is written in the result."""
    return ", ".join(
        f"{seat.bot} {net if net.startswith('-') or net == '0' else f'+{net}'}"
        for seat, net in zip(match.match.seats, match.result.net, strict=False)
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (" and more" if len(names) > NAMED else "")


def _hands(played: PlayedMatch, hand: int | None) -> list[int]:
    if hand is None:
        return [each.hand for each in played.hands]
    if not 1 <= hand <= len(played.hands):
        raise click.UsageError(
            f"Match {played.setup.match} has no hand {hand}; its hands are 1 to "
            f"{len(played.hands)}."
        )
    return [hand]


def _seat(played: PlayedMatch, wanted: str) -> int:
    """Return the seat of that number, or the one where the bot of that name sits."""
    bots = [entrant.bot for entrant in played.setup.entrants]
    if wanted in map(str, range(len(bots))):
        return int(wanted)
    found = [seat for seat, bot in enumerate(bots) if bot == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        seats = " and ".join(map(str, found))
        raise click.UsageError(f"{wanted} sits in seats {seats}: say which, as --seat {found[0]}.")
    number = wanted.removeprefix("-").isdecimal()
    what = f"There is no seat {wanted}" if number else f"No bot {wanted!r} sits here"
    named = ", ".join(f"{seat} {bot}" for seat, bot in enumerate(bots))
    near = "" if number else nearest(wanted, bots)
    raise click.UsageError(f"{what}; the seats are {named}{near or '.'}")
