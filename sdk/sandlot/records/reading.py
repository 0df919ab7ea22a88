"""From the record's text to the lines and the values of its matches, one match after the other."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, Final, NoReturn, TypeAlias

import msgspec

from sandlot.clock import Clock, parse_duration
from sandlot.errors import ClockError, RecordError
from sandlot.game.events import event_from_json, exact
from sandlot.pack import deck
from sandlot.played import Decision, Entrant, MatchSetup, PlayedHand, PlayedMatch
from sandlot.records.differing import compare_lines
from sandlot.records.lines import AnyLine, HandLine, MatchLine, Place, ResultLine, decode
from sandlot.records.writing import Record

Source: TypeAlias = Path | BinaryIO | bytes | str
"""Where a record is read from: a file by its path or open, or the text itself."""

LONGEST_LINE: Final = 1 << 22
"""Bytes of the longest line that is read: no hand comes near to it."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A match as it stands in a file: its lines, read but not believed.

    ``texts`` are the lines' bytes, each with its newline; ``place`` is where the first one stands.
    """

    place: Place
    match: MatchLine
    hands: list[HandLine]
    result: ResultLine
    texts: list[bytes]

    def place_of(self, line: int) -> Place:
        """Return where a line of the match stands; 0 is the first, -1 the last."""
        return self.place._replace(line=self.place.line + line % len(self.texts))


def stored(source: Source) -> Iterator[Stored]:
    """Yield the matches of a file, each when its last line has been read.

    No more than one match is held in memory.

    Raises:
        RecordError: a line is not what must stand there, or there is no match at all; an
            ``OSError`` where the file cannot be read.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield from _stored(file, str(source))
    elif isinstance(source, (bytes, str)):
        text = source.encode() if isinstance(source, str) else source
        yield from _stored(io.BytesIO(text), "")
    else:
        name = getattr(source, "name", "")
        yield from _stored(source, name if isinstance(name, str) else "")


def _stored(file: BinaryIO, name: str) -> Iterator[Stored]:
    found = 0
    seen: dict[tuple[str, str, str], int] = {}
    lines = _lines(file, name)
    for place, text, line in lines:
        if not isinstance(line, MatchLine):
            place.refuse(f"here stands {_called(line)}; expected the first line of a match", "type")
        key = (line.tournament, line.tournament_commitment, line.match)
        if key in seen:
            place.refuse(
                f"match is {line.match!r}; expected another: that match of the tournament "
                f"stands on line {seen[key]} already",
                "match",
            )
        seen[key] = place.line
        yield _rest(place, text, line, lines)
        found += 1
    if not found:
        raise RecordError(f"{name or 'the text'}: it is empty; a record has at least one match")


def _rest(
    first: Place, text: bytes, match: MatchLine, lines: Iterator[tuple[Place, bytes, AnyLine]]
) -> Stored:
    """Read on to the end of a match."""
    texts = [text]
    hands: list[HandLine] = []
    place = first
    for place, text, line in lines:
        texts.append(text)
        if isinstance(line, HandLine) and line.hand == len(hands) + 1 <= match.hands:
            hands.append(line)
        elif isinstance(line, ResultLine) and len(hands) == match.hands:
            return Stored(first, match, hands, line, texts)
        else:
            expected = f"hand {len(hands) + 1}" if len(hands) < match.hands else "the result"
            place.refuse(
                f"here stands {_called(line)}; expected {expected} of match {match.match!r}, "
                f"which began on line {first.line}",
                "hand" if isinstance(line, HandLine) else "type",
            )
    place._replace(line=place.line + 1).refuse(
        f"the record is cut short: match {match.match!r}, which began on line {first.line}, "
        f"has {len(hands)} of its {match.hands} hands and no result"
    )


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[Place, bytes, AnyLine]]:
    number = 0
    while text := file.readline(LONGEST_LINE + 1):
        number += 1
        place = Place(name, number)
        if len(text) > LONGEST_LINE:
            place.refuse(f"the line is longer than {LONGEST_LINE} bytes; a record has no such line")
        line = decode(text.removesuffix(b"\n"), place)
        if not text.endswith(b"\n"):
            place.refuse("the line is cut short: no newline ends it")
        yield place, text, line


def _called(line: AnyLine) -> str:
    if isinstance(line, MatchLine):
        return f"the first line of match {line.match!r}"
    return f"hand {line.hand}" if isinstance(line, HandLine) else "a result"


def read(source: Source) -> Iterator[Record]:
    """Yield the records of a file, one match after the other.

    What is yielded writes the very bytes that were read. That the match was played by the rules
    and dealt from its seed is what ``verify`` checks.

    Raises:
        RecordError: a line is not what must stand there, or its digest or checksum is wrong; the
            message says where, and what was expected.
    """
    for each in stored(source):
        yield record_of(each)


def record_of(match: Stored) -> Record:
    """Return the values of a match as it stands in a file.

    Raises:
        RecordError: written again the values are not the same bytes.
    """
    result = match.result
    played = PlayedMatch(
        setup=setup_of(match),
        hands=tuple([_hand(match, number) for number in range(len(match.hands))]),
        net=_money(result.net, match.place_of(-1), "net"),
        places=tuple(result.places),
        faults=tuple(result.faults),
    )
    record = Record(played, match.match.started, result.ended)
    for number, expected in enumerate(record.lines):
        compare_lines(match.texts[number], expected, match.place_of(number))
    return record


def setup_of(match: Stored) -> MatchSetup:
    """Return what was settled before the first card; the seed is the one in the result.

    Raises:
        RecordError: the clock gives no time.
    """
    line = match.match
    clock = line.clock
    try:
        timed = (
            Clock(parse_duration(clock.decision), parse_duration(clock.bank))
            if clock.decision is not None and clock.bank is not None
            else None
        )
    except ClockError as error:
        match.place.refuse(f"clock: {error}", "clock")
    return MatchSetup(
        match=line.match,
        tournament=line.tournament,
        attempt=line.attempt,
        variant=line.variant,
        entrants=tuple([Entrant(seat.bot, seat.version) for seat in line.seats]),
        first_dealer=line.first_dealer,
        seed=bytes.fromhex(match.result.seed),
        hands=line.hands,
        tournament_commitment=line.tournament_commitment,
        clock=timed,
        strikes=clock.strikes,
    )


def _hand(match: Stored, number: int) -> PlayedHand:
    line = match.hands[number]
    place = match.place_of(number + 1)
    events = []
    for at, event in enumerate(line.events):
        try:
            events.append(event_from_json(msgspec.to_builtins(event)))
        except RecordError as error:
            place.refuse(f"events[{at}]: {error}", f"events[{at}]")
    return PlayedHand(
        hand=line.hand,
        dealer=line.dealer,
        deck=deck(line.deck),
        cut=line.cut,
        events=tuple(events),
        decisions=tuple(
            [
                Decision(
                    each.seat, tuple(each.legal), each.answer, each.applied, each.fault, each.ms
                )
                for each in line.decisions
            ]
        ),
        net=_money(line.net, place, "net"),
        balance=_money(line.balance, place, "balance"),
    )


def _money(amounts: list[str], place: Place, key: str) -> tuple[Fraction, ...]:
    try:
        return tuple([exact(amount) for amount in amounts])
    except ValueError:
        _refuse_money(amounts, place, key)


def _refuse_money(amounts: list[str], place: Place, key: str) -> NoReturn:
    place.refuse(f"{key} is {amounts}; expected exact numbers, as in '7/2'", key)
