"""What every command prints with: tables and cards in colour, or JSON for scripts.

Colour and boxes appear on a terminal only; ``NO_COLOR`` and ``FORCE_COLOR`` are heeded, and what
is piped is plain text, `PIPED_WIDTH` wide unless ``COLUMNS`` says otherwise.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Final, TypeAlias

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from sandlot.pack import Card
from sandlot_server.cli.printable import printable, printable_json

PIPED_WIDTH: Final = 100

Plain: TypeAlias = (
    "str | int | float | bool | Card | Fraction | Mapping[str, Plain] | Iterable[Plain] | None"
)
"""What `print_json` takes: cards and fractions too."""


class _PrintableConsole(Console):
    """A console that passes no orders on to the terminal but rich's own."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            if control is None and not text.isprintable():
                text = "\n".join(map(printable, text.split("\n")))
            yield Segment(text, style, control)


def console(*, stderr: bool = False) -> Console:
    """Return a console on standard output, or on standard error.

    Square brackets, numbers and ``:names:`` in a text mean nothing to it: what a bot is called is
    printed as it is, but for what a terminal would obey.
    """
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
        stream.reconfigure(errors="replace")  # a name in other letters is no reason to fail
    piped = not stream.isatty() and "COLUMNS" not in os.environ
    return _PrintableConsole(
        stderr=stderr,
        markup=False,
        emoji=False,
        highlight=False,
        width=PIPED_WIDTH if piped else None,
    )


def new_table(*columns: str, right: Iterable[str] = (), title: str | None = None) -> Table:
    """Return an empty table in the house's style.

    Args:
        columns: the headings.
        right: those of them whose cells are numbers, flush right.
        title: a line above the table.
    """
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="bold",
    )
    flush_right = set(right)
    for column in columns:
        table.add_column(column, justify="right" if column in flush_right else "left")
    return table


def print_table(out: Console, table: Table) -> None:
    """Print a table as wide as it is: no cell is cut or broken, whatever the terminal's width."""
    for column in table.columns:
        column.no_wrap = True
    widest = Measurement.get(out, out.options.update(max_width=10_000), table).maximum
    width, out.width = out.width, max(out.width, widest)
    try:
        out.print(table)
    finally:
        out.width = width


def card_text(card: str | Card, wild: str = "") -> Text:
    """Return a card in colour: hearts and diamonds red, a wild one bold and underlined.

    >>> card_text("9c", wild="39").plain
    '9c'
    """
    text = str(card)
    style = "red" if text[1] in "hd" else ""
    return Text(text, f"{style} bold underline".strip() if text[0] in wild else style)


def five_text(five: Iterable[tuple[str, str]]) -> Text:
    """Return the five cards of a ``Value``, a wild as the card it is and what it stands for.

    >>> five_text([("8s", "8s"), ("3c", "8*")]).plain
    '8s 3c=8*'
    """
    return Text(" ").join(
        card_text(received)
        if received == stands_for
        else Text.assemble(card_text(received, wild=received[0]), "=", card_text(stands_for))
        for received, stands_for in five
    )


def print_json(value: Plain) -> None:
    """Print a value as one JSON document: what ``--json`` prints, the contract for scripts.

    Cards are text, fractions too, as in ``"7/2"``; keys keep their order.
    """
    click.echo(printable_json(json.dumps(_plain(value), ensure_ascii=False, indent=2)))


def print_json_line(value: Mapping[str, Plain]) -> None:
    """Print a value as one line of JSON."""
    text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
    click.echo(printable_json(text))


def _plain(value: Plain) -> object:
    if isinstance(value, (Card, Fraction)):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    raise TypeError(f"{value!r} has no form in JSON: give text, numbers, lists or mappings")


@contextmanager
def writing_to(path: object) -> Iterator[None]:
    """Have an error of the disk name the file that is written."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
