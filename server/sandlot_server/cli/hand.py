"""``sandlot hand``: what hands are worth, and which is the better one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import click

from sandlot.errors import CardError, RuleError
from sandlot.game import VARIANTS
from sandlot.hands import Value, exposed, showdown
from sandlot.pack import cards, text_of

BEATS: Final = {False: "R6.2", True: "R5.3"}
TIES: Final = {False: "R6.6", True: "R5.5"}
"""The rules that decide between hands at the showdown, and between face-up cards."""


@click.command()
@click.argument("hands", nargs=-1, required=True, metavar="CARDS...")
@click.option(
    "--exposed", "face_up", is_flag=True, help="Value face-up cards, one to eight: who opens (R5)."
)
@click.option(
    "--variant",
    type=click.Choice(list(VARIANTS)),
    default="baseball",
    show_default=True,
    help="The game, which says what is wild.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def hand(hands: tuple[str, ...], face_up: bool, variant: str, as_json: bool) -> None:
    """Value hands and name the better one.

    CARDS are the cards of one hand in quotes: rank 2-9 T J Q K A and suit c d h s. The best five
    count (R6); give all that a seat received. "3c=8*" is a wild 3c that stands for one more 8.
    With - for CARDS, hands are read from standard input, one a line.

    \b
    Examples:
      sandlot hand "8s 8h 8c 8d 3c" "As Ks Qs Js Ts"
      sandlot hand "Qd 9d 7d As Qc Qh 4h 2h"
      sandlot hand --exposed "9c" "Kd 4h"
    """
    from sandlot_server.cli import output  # imports rich, which the help has no use for

    given = list(_given(hands))
    wild = VARIANTS[variant].wild
    values = [_value(given, number, wild, face_up) for number in range(len(given))]
    places = [1 + sum(other > value for other in values) for value in values]
    if as_json:
        output.print_json(
            {
                "variant": variant,
                "wild": wild,
                "exposed": face_up,
                "hands": [
                    {
                        "hand": number,
                        "cards": text_of(cards(text)),
                        "category": value.category.label,
                        "text": value.text,
                        "five": value.five,
                        "place": place,
                    }
                    for number, (text, value, place) in enumerate(
                        zip(given, values, places, strict=True), start=1
                    )
                ],
                "best": [number for number, place in enumerate(places, start=1) if place == 1],
            }
        )
        return
    table = output.new_table("hand", "value", "best five", right=["hand"])
    for number, value in enumerate(values, start=1):
        table.add_row(str(number), value.text, output.five_text(value.five))
    console = output.console()
    console.print(table)
    if len(values) > 1:
        console.print(f"\n{verdict(values, face_up)}")


def _given(hands: Sequence[str]) -> Iterator[str]:
    """Yield the hands of the command line, and those of standard input where it says ``-``."""
    for text in hands:
        if text == "-":
            lines = [line.strip() for line in sys.stdin]
            if not any(lines):
                raise click.UsageError("Standard input holds no hand: write one a line.")
            yield from filter(None, lines)
        else:
            yield text


def _value(given: Sequence[str], number: int, wild: str, face_up: bool) -> Value:
    """Return the value of one of the hands given; an error says which of them."""
    if len(given) > 1 and not face_up and all(len(text.split()) == 1 for text in given):
        raise click.UsageError(f'Put the cards of one hand in quotes: "{" ".join(given)}".')
    try:
        found = cards(given[number])
        return exposed(found, wild) if face_up else showdown(found, wild)
    except (CardError, RuleError) as error:
        if len(given) == 1:
            raise
        raise type(error)(f"hand {number + 1}: {error}") from error


def verdict(values: Sequence[Value], face_up: bool = False) -> str:
    """Say which of two or more hands is the better one, and by what it beats the next.

    >>> from sandlot import cards
    >>> one, two = showdown(cards("8s 8h 8c 8d 3c")), showdown(cards("As Ks Qs Js Ts"))
    >>> verdict([one, two])
    'Hand 1 is better: five of a kind beats straight flush (R6.2).'
    >>> verdict([two, one, one])
    'Hands 2 and 3 are equal, and the best. Next is hand 1: five of a kind beats straight flush \
(R6.2).'
    """
    ranked = sorted(set(values), reverse=True)
    best, ties = ranked[0], values.count(ranked[0])
    if len(values) == 2 and ties == 2:
        return (
            "The hands are equal: suits never decide, and a natural card is not better than a "
            f"wild one ({TIES[face_up]})."
        )
    named = _named(values, best)
    if len(values) == 2:
        return f"{named} is better: {_why(best, ranked[1], face_up)}."
    first = f"{named} is the best." if ties == 1 else f"{named} are equal, and the best."
    if len(ranked) == 1:
        return first
    next_, is_ = _named(values, ranked[1]), "is" if values.count(ranked[1]) == 1 else "are"
    return f"{first} Next {is_} {next_.lower()}: {_why(best, ranked[1], face_up)}."


def _named(values: Sequence[Value], wanted: Value) -> str:
    """Return the numbers of the hands that have a value, as ``Hands 1, 2 and 4``."""
    numbers = [str(number) for number, value in enumerate(values, start=1) if value == wanted]
    if len(numbers) == 1:
        return f"Hand {numbers[0]}"
    return f"Hands {', '.join(numbers[:-1])} and {numbers[-1]}"


def _why(better: Value, worse: Value, face_up: bool) -> str:
    if better.category == worse.category:
        return f"{better.text} beats {worse.text}"
    return f"{better.category.label} beats {worse.category.label} ({BEATS[face_up]})"
