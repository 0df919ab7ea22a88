"""The table as a picture in text: cards in four colours, money, whose turn it is.

In colour a card has its suit as a sign and the face of a card; without colour it is ``Kh``. A wild
card is marked ``9c*``, a card that a 4 has brought ``+Kd``, and the back of a card is ``##``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from sandlot.hands import Category, Value, exposed, showdown
from sandlot.pack import Card
from sandlot.records import Moment, SeatAt
from sandlot_server.cli.printable import printable

SUIT_SIGNS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
SUIT_COLOURS: Final = {"c": "dark_green", "d": "blue3", "h": "red3", "s": "grey0"}
WIDTH: Final = 80
"""What a replay needs; six seats with eight up cards fit in."""

STREETS: Final = {3: "Third", 4: "Fourth", 5: "Fifth", 6: "Sixth", 7: "Seventh"}


@dataclass(frozen=True, slots=True)
class Look:
    """How things are drawn here, and what the seats are called.

    Attributes:
        names: the bots by seat, made fit to print.
        wild: the ranks that are wild.
        colour: whether there is colour.
        plain: whether there is nothing but ASCII.

    """

    names: tuple[str, ...]
    wild: str
    colour: bool
    plain: bool

    @classmethod
    def of(cls, console: Console, names: Iterable[str], wild: str) -> Look:
        """Return how to draw on this console."""
        colour = console.color_system is not None and not console.no_color
        return cls(tuple(map(printable, names)), wild, colour, console.options.ascii_only)

    @property
    def name_width(self) -> int:
        """The columns that a name gets, at most 12."""
        return min(12, max(map(cell_len, self.names)))

    def who(self, seat: int) -> Text:
        """Return a seat's number and name, all of one width."""
        name = self.names[seat]
        if cell_len(name) > self.name_width:
            name = set_cell_size(name, self.name_width - 1) + self.sign("…", "~")
        return Text(f"{seat} {set_cell_size(name, self.name_width)}", "bold")

    def card(self, card: Card | None, *, folded: bool = False) -> Text:
        """Return a card, or the back of one."""
        if card is None:
            back = "##" if self.plain or not self.colour else "▒▒"
            return Text(back, "dim" if folded else "bright_blue")
        rank, suit = tuple(str(card))
        sign = SUIT_SIGNS[suit] if self.colour and not self.plain else suit
        ground = "yellow1" if rank in self.wild else "grey93"
        return Text(rank + sign, "dim" if folded else f"bold {SUIT_COLOURS[suit]} on {ground}")

    def cell(self, card: Card | None, bonus: bool, folded: bool) -> Text:
        """Return a card with its marks, four columns wide."""
        wild = card is not None and str(card)[0] in self.wild
        marks = "dim" if folded else "bold"
        return Text.assemble(
            ("+" if bonus else " ", marks),
            self.card(card, folded=folded),
            ("*" if wild else " ", marks),
        )

    def cards(self, cards: Iterable[Card]) -> Text:
        """Return cards in a row, apart by one space."""
        return Text(" ").join(map(self.card, cards))

    def five(self, five: Iterable[tuple[str, str]]) -> Text:
        """Return the cards that count, a wild as ``9c=Ks``: what it is and stands for."""
        return Text(" ").join(
            self.card(Card(received))
            if received == stands_for
            else Text.assemble(self.card(Card(received)), "=", (self._named(stands_for), "bold"))
            for received, stands_for in five
        )

    def _named(self, card: str) -> str:
        rank, suit = tuple(card)
        return rank + (SUIT_SIGNS.get(suit, suit) if self.colour and not self.plain else suit)

    def apart(self, *words: str) -> str:
        """Return words in a line, apart by a dot."""
        return self.sign(" · ", " - ").join(words)

    def sign(self, fancy: str, ascii_only: str) -> str:
        """Return a sign, or what stands for it where there is nothing but ASCII."""
        return ascii_only if self.plain else fancy


def signed(amount: Fraction) -> str:
    """Return an amount with its sign.

    >>> signed(Fraction(7, 2)), signed(Fraction(0)), signed(Fraction(-4))
    ('+7/2', '0', '-4')
    """
    return f"+{amount}" if amount > 0 else str(amount)


def street_name(street: int) -> str:
    """Return what a street is called.

    >>> street_name(3)
    'Third street'
    """
    return f"{STREETS.get(street, street)} street"


def standing(moment: Moment, look: Look) -> str:
    """Return what the whole table plays for: pot, level, raises left."""
    if moment.to_act is None and moment.level == 0:
        return f"pot {moment.pot}"  # between betting rounds
    raises = f"{moment.raises_left} raise{'' if moment.raises_left == 1 else 's'} left"
    return look.apart(f"pot {moment.pot}", f"level {moment.level}", raises)


def draw_table(moment: Moment, look: Look, *, worths: bool = True) -> list[Text]:
    """Return the picture of the table: a heading, and two lines a seat.

    The second tells what the cards are worth; ``worths`` leaves it out where there is no room.
    """
    up_width = 4 * max(6, *(len(seat.up) for seat in moment.seats))
    width = look.name_width
    heading = Text(
        f"  {'':{width + 5}} {'down':<13} {'up':<{up_width}}{'in':>5}{'balance':>9}", "dim"
    )
    lines = [heading]
    for number, seat in enumerate(moment.seats):
        lines.append(_seat_line(moment, number, seat, up_width, look))
        if worths:
            said = f"{'':{width + 8}} {worth(moment, number)}".rstrip()
            lines.append(Text(said, "dim italic"))
    return lines


def _seat_line(moment: Moment, number: int, seat: SeatAt, up_width: int, look: Look) -> Text:
    folded = not seat.live
    turn = look.sign("▶", ">") if moment.to_act == number else " "
    who = look.who(number)
    if folded:
        who.stylize("dim not bold")
    elif moment.to_act == number:
        who.stylize("bright_green")
    line = Text.assemble((f"{turn} ", "bold bright_green"), who, " ")
    line.append_text(
        Text(
            "D" if number == moment.dealer else " ",
            "bold reverse" if number == moment.dealer else "",
        )
    )
    line.append("  ")
    for card in seat.down:
        line.append_text(look.cell(card, False, folded))
    line.append("    " * (3 - len(seat.down)))
    line.append(look.sign(" │", " |"), "dim")
    for card in seat.up:
        line.append_text(look.cell(card, card in moment.bonus, folded))
    line.append(" " * (up_width - 4 * len(seat.up)))
    line.append(f"{seat.paid_hand:>5}", "dim" if folded else "")
    line.append(f"{signed(seat.balance):>9}", "dim" if folded else "")
    return line


def worth(moment: Moment, number: int) -> str:
    """Return what a seat's cards are worth, of those that the viewer sees.

    Up cards as they count for who opens (R5), all cards as they would count at the showdown (R6).
    """
    seat = moment.seats[number]
    if not seat.live:
        return "folded"
    said = []
    if seat.up:
        said.append(f"shows {short(exposed(seat.up, moment.wild))}")
    if seat.down and None not in seat.down:
        said.append(f"holds {short(held(seat.cards, moment.wild))}")
    return "; ".join(said)


def held(cards: Sequence[Card], wild: str) -> Value:
    """Return the value of all cards of a seat; while they are fewer than five groups alone count.

    >>> from sandlot import cards
    >>> held(cards("Kd 9c 4h"), "39")
    <pair of kings, four>
    """
    return showdown(cards, wild) if len(cards) >= 5 else exposed(cards, wild)


def short(value: Value) -> str:
    """Return a value in words without the cards beside its groups.

    >>> from sandlot import cards
    >>> short(held(cards("Kd Kc 8s 8d 2c"), "39")), short(held(cards("Kd 7c 4h"), "39"))
    ('two pair, kings and eights', 'king high')
    """
    groups = 2 if value.category in (Category.TWO_PAIR, Category.FULL_HOUSE) else 1
    return ", ".join(value.text.split(", ")[:groups])
