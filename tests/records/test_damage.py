"""A file that was cut, merged, reordered or written in another form is refused, and not mended."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from records.forging import Json, Path, changed, forged, joined, parsed
from records.handled import records, refused

from sandlot.errors import RecordError
from sandlot.records import read, verify


@pytest.mark.parametrize("make", [joined, forged])
def test_no_line_can_be_dropped_doubled_or_moved(make: Callable[[list[Json]], str]) -> None:
    lines = [*parsed(records()["faulty"]), *parsed(records()["clean"])]
    orders = []
    for number, line in enumerate(lines):
        rest = lines[:number] + lines[number + 1 :]
        orders.append(rest)
        orders += [[*rest[:to], line, *rest[to:]] for to in range(len(lines)) if to != number]
        orders.append([*lines[:number], line, *lines[number:]])
    for order in orders:
        assert refused(make(order))


def test_a_match_that_stands_twice_is_refused() -> None:
    text = records()["clean"]
    with pytest.raises(RecordError, match=r"line 4: match is '1-1-1'; .* stands on line 1"):
        list(verify(text + text))


def test_a_record_that_is_cut_anywhere_is_refused() -> None:
    text = records()["short"].encode()
    for end in range(len(text)):
        assert refused(text[:end]), text[:end]
        assert refused(text[end + 1 :] if end else b"")


def test_two_records_merged_in_the_middle_of_a_line_are_refused() -> None:
    one, two = records()["short"].encode(), records()["clean"].encode()
    assert not refused(one)
    for end in range(1, len(one), 3):
        assert refused(one[:end] + two)
        assert refused(two[: 2 * end] + one)


def test_every_byte_counts() -> None:
    text = records()["short"].encode()
    for at, byte in enumerate(text):
        assert refused(text[:at] + bytes([byte ^ 1]) + text[at + 1 :]), at
        assert refused(text[:at] + b" " + text[at:]), at


def in_another_form(text: str) -> dict[str, bytes]:
    """Return texts that mean the same to a JSON reader, or to a careless one."""
    first, _, rest = text.partition("\n")
    result = rest.rpartition("\n")[0].rpartition("\n")[2]
    return {
        "a byte order mark": b"\xef\xbb\xbf" + text.encode(),
        "UTF-16": text.encode("utf-16"),
        "CRLF": text.replace("\n", "\r\n").encode(),
        "no newline at the end": text[:-1].encode(),
        "a blank line at the end": (text + "\n").encode(),
        "a blank line at the start": ("\n" + text).encode(),
        "a blank line between": f"{first}\n\n{rest}".encode(),
        "a space before": (" " + text).encode(),
        "a space behind": f"{first} \n{rest}".encode(),
        "a space within": text.replace('"attempt":1', '"attempt": 1').encode(),
        "an escape": text.replace("friday", "\\u0066riday").encode(),
        "a slash that is escaped": text.replace("baseball/1", "baseball\\/1").encode(),
        "a number with a point": text.replace('"attempt":1', '"attempt":1.0').encode(),
        "a number with an exponent": text.replace('"attempt":1', '"attempt":1e0').encode(),
        "minus nothing": text.replace('"cut":', '"cut":-0,"cut":').encode(),
        "minus zero": text.replace('"ms":20', '"ms":-0').encode(),
        "a key twice": text.replace('"attempt":1', '"attempt":2,"attempt":1').encode(),
        "a key twice, the same": text.replace('"attempt":1', '"attempt":1,"attempt":1').encode(),
        "keys in another order": text.replace(
            '"attempt":1,"variant":"baseball"', '"variant":"baseball","attempt":1'
        ).encode(),
        "a comment": text.replace('"attempt":1', '/* */"attempt":1').encode(),
        "a NUL at the end": text.encode() + b"\0",
        "no UTF-8": text.replace("friday", "fr\xefday").encode("latin-1"),
        "an unread rest": text.encode() + b"{",
        "nothing": b"",
        "a newline": b"\n",
        "another file": b"%PDF-1.7\n",
        "a list": f"{text}[{result}]\n".encode(),
        "deep nesting": b"[" * 100_000 + b"\n",
        "deep nesting in a key": b'{"type":"match","x":' + b"[" * 100_000 + b"\n",
        "no end of the line": text.encode() + b"x" * 5_000_000,
    }


@pytest.mark.parametrize("form", in_another_form(""))
def test_a_record_has_one_form(form: str) -> None:
    text = records()["short"]
    other = in_another_form(text)[form]
    assert other != text.encode()
    assert refused(other)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            (0, "format"),
            "sandlot-record/2",
            "line 1: format is 'sandlot-record/2'; expected 'sandlot-record/1': a later Sandlot "
            "may read it",
        ),
        (
            (0, "variant"),
            "omaha",
            "line 1: variant is 'omaha', unknown to this version, which knows baseball, "
            "seven-card-stud",
        ),
        (
            (0, "rules"),
            "baseball/2",
            "line 1: rules are 'baseball/2'; this version plays 'baseball/1': another Sandlot may "
            "read it",
        ),
        ((0, "attempt"), "1", "line 1: attempt: expected `int`, got `str`"),
        ((0, "started"), "now", "line 1: started: expected a time in UTC as 2026-03-01T12:34:56Z"),
        ((0, "first_dealer"), 1, "line 2: dealer is 0; expected 1"),
        (
            (0, "hands"),
            2,
            "line 3: here stands a result; expected hand 2 of match '1-1-1', which began on line 1",
        ),
        ((1, "cut"), 47, "line 2: cut is 47; expected 44, as the seed gives (R2.3)"),
        ((1, "events", 0, "paid"), 2, "line 2: events[0].paid is 2; expected 1"),
        ((1, "events", 0, "paid"), True, "line 2: events[0].paid: expected `int`, got `bool`"),
        (
            (1, "events", 2, "event"),
            "burn",
            "line 2: events[2].event: 'burn' is unknown to this version",
        ),
        (
            (1, "events", 46),
            {"event": "award", "seat": 2},
            "line 2: events[46]: the key `amount` is missing",
        ),
        (
            (1, "events", 46),
            {"event": "award", "seat": 2, "amount": "22", "why": "nice"},
            "line 2: events[46]: the key `why` is none of a record",
        ),
        (
            (1, "decisions", 0, "answer"),
            None,
            "line 2: decisions[0].answer is null; expected what came, for no fault is given",
        ),
        (
            (1, "decisions", 0, "fault"),
            "out",
            'line 2: decisions[0].fault is "out"; expected null or a cause: seat 1 is asked here, '
            "for it has neither had all its strikes nor gone",
        ),
        ((1, "decisions"), [], "line 2: decisions[0] is missing; expected a decision of seat 1"),
        (
            (1, "decisions", 1, "legal", 0),
            "fold",
            'line 2: decisions[1].legal[0] is "fold"; expected "call"',
        ),
        ((1, "net", 0), "-4.0", 'line 2: net[0] is "-4.0"; expected "-4"'),
        ((2, "places", 0), 3, "line 3: places[0] is 3; expected 2"),
        ((2, "faults", 0), {"crash": 1}, 'line 3: faults[0] is {"crash":1}; expected {}'),
    ],
)
def test_an_error_says_where_what_stands_there_and_what_was_expected(
    path: Path, value: Json, says: str
) -> None:
    lines = parsed(records()["clean"])
    for make in (joined, forged):
        with pytest.raises(RecordError) as caught:
            list(verify(make(changed(lines, path, value))))
        assert str(caught.value) == says


def with_the_deck(lines: list[Json], change: Callable[[list[str]], list[str]]) -> str:
    deck = lines[1]["deck"].split()
    return forged(changed(lines, (1, "deck"), " ".join(change(deck))))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda deck: [deck[1], *deck[1:]], "deck: card 2: 3h is there already as card 1"),
        (lambda deck: deck[1:], "deck: the deck is short: 51 cards of 52, without 9c"),
        (lambda deck: ["10h", *deck[1:]], "deck: card 1: '10h' is not a card: the ten is written"),
        (lambda deck: deck[::-1], "deck: card 1 is .*; expected 9c, as the seed gives .R2.3."),
    ],
)
def test_a_deck_is_whole_and_comes_from_the_seed(
    change: Callable[[list[str]], list[str]], says: str
) -> None:
    with pytest.raises(RecordError, match=f"^line 2: {says}"):
        list(verify(with_the_deck(parsed(records()["clean"]), change)))


def test_a_seed_that_was_not_committed_to_is_refused() -> None:
    lines = parsed(records()["clean"])
    with pytest.raises(
        RecordError, match=r"^line 1: commitment is .*SHA-256 of the seed on line 3"
    ):
        list(verify(forged(changed(lines, (2, "seed"), "00" * 32))))


def a_decision(name: str, at: int, **keys: Json) -> str:
    """Return a record with other keys in one decision, forged to fit."""
    lines = parsed(records()[name])
    decision = lines[1]["decisions"][at] | keys
    return forged(changed(lines, (1, "decisions", at), decision))


@pytest.mark.parametrize(
    ("at", "keys", "says"),
    [
        # A time-out that was none.
        (0, {"fault": "timeout", "ms": 5}, r"decisions\[0\].fault is \"timeout\"; expected null"),
        # The time was up, and it is not said.
        (0, {"ms": 11_001}, r"decisions\[0\].applied is .*; expected \"check\""),
        # A seat is said to be out and goes on playing.
        (0, {"answer": None, "fault": "timeout", "ms": 5}, r"decisions\[0\].applied is"),
        (0, {"answer": None, "fault": "crash"}, r"decisions\[0\].applied is"),
        (0, {"fault": "crash"}, r"decisions\[0\].answer is .*; expected null"),
        # What came was legal.
        (0, {"fault": "illegal"}, r"decisions\[0\].fault is \"illegal\"; expected null"),
        # What came was not legal.
        (0, {"answer": "fold"}, r"decisions\[0\].applied is \"bet\"; expected \"check\""),
        (0, {"answer": "x" * 201}, r"decisions\[0\].answer: expected `str` of length <= 200"),
    ],
)
def test_a_false_account_of_a_decision_is_refused(at: int, keys: Json, says: str) -> None:
    with pytest.raises(RecordError, match=f"^line 2: {says}"):
        list(verify(a_decision("clean", at, **keys)))


def test_a_seat_that_is_said_to_be_out_by_an_ended_session_stays_out() -> None:
    lines = parsed(records()["clean"])
    first = lines[1]["decisions"][0]
    gone = {"answer": None, "applied": "check", "fault": "timeout", "ms": 5}
    with pytest.raises(RecordError) as caught:
        list(verify(forged(changed(lines, (1, "decisions", 0), first | gone))))
    # The seat would have checked, so all that follows is another hand.
    assert "line 2: events[13]" in str(caught.value)


def test_an_error_names_the_file_and_keeps_line_and_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "friday.jsonl"
    lines = parsed(records()["short"])
    path.write_text(records()["clean"] + joined(changed(lines, (1, "net", 1), "5")), newline="")
    with pytest.raises(RecordError) as caught:
        list(verify(path))
    assert str(caught.value) == f'{path}, line 5: net[1] is "5"; expected "-1"'
    assert (caught.value.line, caught.value.path) == (5, "net[1]")


def test_what_comes_before_the_damage_is_verified_and_nothing_is_mended(
    tmp_path: pathlib.Path,
) -> None:
    path = tmp_path / "friday.jsonl"
    path.write_text(records()["clean"] + records()["short"][:-10], newline="")
    before = path.read_bytes()
    found = verify(path)
    assert next(found).record.played.setup.match == "1-1-1"
    with pytest.raises(RecordError, match="line 6: the line is cut short"):
        next(found)
    assert path.read_bytes() == before


def test_an_amount_that_would_be_reckoned_for_ever_is_refused_at_once() -> None:
    text = next(iter(records().values()))
    net = text.index('"net":["') + len('"net":["')
    hostile = text[:net] + "1e9999999999" + text[text.index('"', net) :]
    with pytest.raises(RecordError, match=r"expected exact numbers"):
        list(read(hostile))


def test_a_line_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(RecordError, match="line 1: it is nested deeper"):
        list(read('{"a":' * 3000 + "1" + "}" * 3000 + "\n"))
