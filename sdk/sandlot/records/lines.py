"""The lines of a record: their keys, in order, and the one form in which they may be written.

A line is compact JSON as ``msgspec`` writes it: no spaces, keys in the order below, text as it is
but for the quote, the backslash and control characters. A line that means the same in another form
is refused, so that there is one text for one match and a checksum over bytes is one over meaning.
"""

from __future__ import annotations

import contextlib
import re
from typing import Annotated, Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

import msgspec
from msgspec import Meta, Struct

from sandlot.clock import parse_duration
from sandlot.errors import CardError, ClockError, RecordError, in_one_line
from sandlot.game import VARIANTS
from sandlot.pack import deck

FORMAT: Final = "sandlot-record/1"
"""The version of the form. A reader refuses every other."""

_HASH: Final = r"\A[0-9a-f]{64}\Z"
_HASH_OR_NONE: Final = r"\A([0-9a-f]{64})?\Z"
_SEED: Final = r"\A([0-9a-f]{2}){16,}\Z"
_MATCH: Final = r"\A[!-.0-~]+\Z"
_UTC: Final = r"\A[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?Z\Z"
_IN_WORDS: Final = {
    _HASH: "a SHA-256 in 64 digits 0-9 a-f",
    _HASH_OR_NONE: "a SHA-256 in 64 digits 0-9 a-f, or nothing",
    _SEED: "16 bytes or more in digits 0-9 a-f",
    _MATCH: "ASCII characters without spaces and slashes",
    _UTC: "a time in UTC as 2026-03-01T12:34:56Z",
}

Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0, le=10**12)]
Hash: TypeAlias = Annotated[str, Meta(pattern=_HASH)]
HashOrNone: TypeAlias = Annotated[str, Meta(pattern=_HASH_OR_NONE)]
Seed: TypeAlias = Annotated[str, Meta(pattern=_SEED)]
MatchId: TypeAlias = Annotated[str, Meta(pattern=_MATCH)]
Utc: TypeAlias = Annotated[str, Meta(pattern=_UTC)]
Money: TypeAlias = str
"""An exact number of units: ``3``, ``-7/2``."""


class Line(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """What all lines have in common: their first key says which one it is."""


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """An object within a line."""


class SeatPart(Part, frozen=True):
    """Who sits where."""

    seat: Natural
    bot: str
    version: str


class ClockPart(Part, frozen=True):
    """The time of each decision and the bank of a match, null where nobody is timed."""

    decision: Annotated[str, Meta(max_length=20)] | None
    bank: Annotated[str, Meta(max_length=20)] | None
    strikes: Positive


class MatchLine(Line, frozen=True, tag="match"):
    """The first line: everything that is settled before the first card."""

    format: str
    match: MatchId
    tournament: str
    attempt: Positive
    variant: str
    rules: str
    seats: list[SeatPart]
    hands: Positive
    first_dealer: Natural
    tournament_commitment: HashOrNone
    commitment: Hash
    clock: ClockPart
    started: Utc


class EventPart(Part, frozen=True, tag_field="event"):
    """An event of a hand, as ``event.to_json()`` in ``sandlot.game.events`` gives it."""


class AntePart(EventPart, frozen=True, tag="ante"):
    """A seat has anted."""

    seat: Natural
    paid: Natural


class DealPart(EventPart, frozen=True, tag="deal"):
    """A seat has been dealt a card."""

    street: Natural
    seat: Natural
    card: str
    up: bool
    bonus: bool


class OpenPart(EventPart, frozen=True, tag="open"):
    """A betting round has begun."""

    street: Natural
    seat: Natural


class ActionPart(EventPart, frozen=True, tag="action"):
    """A seat has acted."""

    street: Natural
    seat: Natural
    action: str
    paid: Natural
    level: Natural
    pot: Natural


class RevealPart(EventPart, frozen=True, tag="reveal"):
    """A seat has shown its down cards."""

    seat: Natural
    down: list[str]
    category: str
    five: list[tuple[str, str]]


class AwardPart(EventPart, frozen=True, tag="award"):
    """A seat has been awarded its share of the pot."""

    seat: Natural
    amount: Money


AnyEvent: TypeAlias = AntePart | DealPart | OpenPart | ActionPart | RevealPart | AwardPart


class DecisionPart(Part, frozen=True):
    """What was asked, what came, what was done and why."""

    seat: Natural
    legal: list[str]
    answer: Annotated[str, Meta(max_length=200)] | None
    applied: str
    fault: Literal["timeout", "illegal", "malformed", "exception", "crash", "out"] | None
    ms: Milliseconds


class HandLine(Line, frozen=True, tag="hand"):
    """A completed hand."""

    hand: Positive
    dealer: Natural
    deck: str
    cut: Natural
    events: list[AnyEvent]
    decisions: list[DecisionPart]
    net: list[Money]
    balance: list[Money]


class ResultLine(Line, frozen=True, tag="result"):
    """The last line: how the match ended, its seed, and what binds it all together."""

    net: list[Money]
    places: list[Positive]
    faults: list[dict[str, Positive]]
    seed: Seed
    digest: Hash
    ended: Utc
    checksum: Hash


AnyLine: TypeAlias = MatchLine | HandLine | ResultLine

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(AnyLine).decode


class Place(NamedTuple):
    """Where a line stands: the name of the file, if it has one, and the number from 1."""

    name: str
    line: int

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}" if self.name else f"line {self.line}"

    def refuse(self, why: str, path: str = "") -> NoReturn:
        """Raise a ``RecordError`` that says where and why, whatever the record has made of it."""
        raise RecordError(f"{self}: {in_one_line(why)}", line=self.line, path=path)


def encode(line: Line) -> bytes:
    """Return the line's text, without the newline that ends it."""
    return _encode(line)


def decode(text: bytes, place: Place) -> AnyLine:
    """Return the line of a record that a text, without its newline, is.

    Raises:
        RecordError: it is no such line, or is one in another form; says which key and what was
            expected.
    """
    try:
        line = _decode(text)
    except msgspec.ValidationError as error:
        _say_what_is_wrong(text, error, place)
    except msgspec.DecodeError as error:
        _say_what_is_no_json(text, error, place)
    except RecursionError:
        place.refuse("it is nested deeper than any line of a record")
    again = _encode(line)
    if again != text:
        _say_what_is_in_another_form(text, again, place)
    if isinstance(line, MatchLine):
        _check_match(line, place)
    elif isinstance(line, HandLine):
        try:
            deck(line.deck)
        except CardError as error:
            place.refuse(f"deck: {error}", "deck")
    return line


def _check_match(line: MatchLine, place: Place) -> None:
    if line.format != FORMAT:
        _refuse_format(line.format, place)
    variant = VARIANTS.get(line.variant)
    if variant is None:
        known = ", ".join(VARIANTS)
        place.refuse(
            f"variant is {line.variant!r}, unknown to this version, which knows {known}", "variant"
        )
    if line.rules != variant.rules:
        place.refuse(
            f"rules are {line.rules!r}; this version plays {variant.rules!r}: another Sandlot may "
            "read it",
            "rules",
        )
    if not variant.least_seats <= len(line.seats) <= variant.most_seats:
        place.refuse(
            f"seats are {len(line.seats)}; {variant.name} is for {variant.least_seats} to "
            f"{variant.most_seats} (R1.1)",
            "seats",
        )
    for number, seat in enumerate(line.seats):
        if seat.seat != number:
            place.refuse(
                f"seats[{number}].seat is {seat.seat}; expected {number}: seats stand in order",
                f"seats[{number}].seat",
            )
    if line.first_dealer >= len(line.seats):
        place.refuse(
            f"first_dealer is {line.first_dealer}; expected a seat, 0 to {len(line.seats) - 1}",
            "first_dealer",
        )
    clock = line.clock
    for key, text in (("clock.decision", clock.decision), ("clock.bank", clock.bank)):
        try:
            if text is not None:
                parse_duration(text)
        except ClockError as error:
            place.refuse(f"{key}: {error}", key)
    if (clock.decision is None) != (clock.bank is None):
        place.refuse("clock.decision and clock.bank are null together or not at all", "clock")


def _refuse_format(found: object, place: Place) -> NoReturn:
    place.refuse(
        f"format is {found!r}; expected {FORMAT!r}: a later Sandlot may read it"
        if isinstance(found, str)
        else f"format is no text; expected {FORMAT!r}",
        "format",
    )


_AT: Final = re.compile(r" - at `(?:key in )?\$(.*)`$")


def _say_what_is_wrong(text: bytes, error: msgspec.ValidationError, place: Place) -> NoReturn:
    """Name the key that is missing, unknown or of the wrong type."""
    line: Any = None
    with contextlib.suppress(msgspec.DecodeError, RecursionError):  # worse may be wrong with it
        line = msgspec.json.decode(text)
    if isinstance(line, dict) and line.get("type") == "match" and line.get("format") != FORMAT:
        _refuse_format(line.get("format"), place)
    said = str(error)
    at = _AT.search(said)
    path = at[1].removeprefix(".") if at else ""
    path = _counted(line, path)
    why = _in_words(_AT.sub("", said))
    place.refuse(f"{path}: {why}" if path else why, path)


def _in_words(said: str) -> str:
    """Say what msgspec says in the words of a record.

    >>> _in_words("Object missing required field `net`")
    'the key `net` is missing'
    """
    for pattern, words in _IN_WORDS.items():
        said = said.replace(f"`str` matching regex {pattern!r}", words)
    said = re.sub(r"^Object missing required field (.*)", r"the key \1 is missing", said)
    said = re.sub(r"^Object contains unknown field (.*)", r"the key \1 is none of a record", said)
    said = re.sub(r"^Invalid (?:enum )?value (.*)", r"\1 is unknown to this version", said)
    return said.replace("Expected", "expected")


def _counted(line: Any, path: str) -> str:
    """Put numbers into a path such as ``events[...].seat``, which says not which event it is."""
    key, unknown, rest = path.partition("[...]")
    part: Any = {"events": AnyEvent, "decisions": DecisionPart, "seats": SeatPart}.get(key)
    if not unknown or part is None or not isinstance(line, dict):
        return path.replace("[...]", "[]")
    for number, item in enumerate(line[key]):
        try:
            msgspec.convert(item, part, strict=True)
        except msgspec.ValidationError:
            return f"{key}[{number}]{rest}".replace("[...]", "[]")
    return path  # pragma: no cover  # the decoder has found one


def _say_what_is_no_json(text: bytes, error: msgspec.DecodeError, place: Place) -> NoReturn:
    if not text.strip():
        place.refuse("an empty line; a record has none")
    if text.startswith(b"\xef\xbb\xbf"):
        place.refuse("it begins with a byte order mark; a record is UTF-8 without one")
    if "truncated" in str(error):
        place.refuse("the line is cut short: it is the beginning of a JSON object, not a whole one")
    at = int(found[1]) if (found := re.search(r"\(byte (\d+)\)", str(error))) else 0
    shown = text[at : at + 20].decode(errors="replace") or "the end of the line"
    place.refuse(f"no JSON object: at byte {at + 1} stands {shown!r}")


def _say_what_is_in_another_form(found: bytes, expected: bytes, place: Place) -> NoReturn:
    """Show the place where the one form of a line and its own part."""
    at = next(
        (at for at, (one, two) in enumerate(zip(found, expected, strict=False)) if one != two),
        min(len(found), len(expected)),
    )
    show = [
        text[max(0, at - 12) : at + 20].decode(errors="replace") or "the end of the line"
        for text in (found, expected)
    ]
    place.refuse(
        f"at byte {at + 1} stands {show[0]!r}; expected {show[1]!r}: a record is compact JSON "
        "with its keys in order, once each"
    )
