"""``sandlot hand``: what hands are worth."""

from __future__ import annotations

import io
import json

import pytest
from support.command import Command


def test_two_hands_and_the_better_one(sandlot: Command) -> None:
    ran = sandlot("hand", "8s 8h 8c 8d 3c", "As Ks Qs Js Ts")
    assert (ran.status, ran.err) == (0, "")
    assert [line.rstrip() for line in ran.out.splitlines()] == [
        "hand  value                    best five",
        "   1  five eights              8c 8d 8h 8s 3c=8*",
        "   2  ace-high straight flush  As Ks Qs Js Ts",
        "",
        "Hand 1 is better: five of a kind beats straight flush (R6.2).",
    ]


def test_one_hand_of_many_cards(sandlot: Command) -> None:
    ran = sandlot("hand", "Qd 9d 7d As Qc Qh 4h 2h")
    assert ran.out.splitlines()[1].rstrip() == "   1  four queens, ace  Qc Qd Qh As 9d=Qs"
    assert "better" not in ran.out


@pytest.mark.parametrize(
    ("hands", "says"),
    [
        (["Kd Kc 2s 4h 5h", "Kh Ks 2c 4d 5s"], "The hands are equal: suits never decide"),
        (["Ac Ad 9s 4h 5h", "As Ah Ad 4d 5s"], "The hands are equal: suits never decide"),
        (
            ["Kd Kc 2s 4h 5h", "Kd Kc 2s 4h 6h"],
            "Hand 2 is better: pair of kings, six, four, two beats pair of kings, five, four, two.",
        ),
        (["2d 4c 5s 7h 8h", "Kd Kc 2s 4h 5h", "Kh Ks 2c 4d 5s"], "Hands 2 and 3 are equal, and"),
        (["2d 4c 5s 7h 8h", "Kd Kc 2s 4h 5h", "Ah As 2c 4d 5s"], "Hand 3 is the best."),
        (
            ["2d 4c 5s 7h 8h", "Kd Kc 2s 4h 5h", "Ah As 2c 4d 5s"],
            "Next is hand 2: pair of aces, five, four, two beats pair of kings, five, four, two.",
        ),
        (
            ["2d 4c 5s 7h 8h", "Kd Kc 2s 4h 5h", "2h 4s 5c 7d 8d"],
            "Hand 2 is the best. Next are hands 1 and 3: pair beats high card (R6.2).",
        ),
        (
            ["2d 4c 5s 7h 8h", "Kd Kc 2s 4h 5h", "Kh Ks 2c 4d 5s"],
            "Hands 2 and 3 are equal, and the best. Next is hand 1: pair beats high card (R6.2).",
        ),
    ],
)
def test_the_better_one_or_that_they_are_equal(
    hands: list[str], says: str, sandlot: Command
) -> None:
    ran = sandlot("hand", *hands)
    assert says in " ".join(ran.out.split())


def test_face_up_cards_are_compared_as_the_opener_is_found(sandlot: Command) -> None:
    ran = sandlot("hand", "--exposed", "9c", "Kd 4h")
    assert [line.rstrip() for line in ran.out.splitlines()] == [
        "hand  value            best five",
        "   1  ace high         9c=Ac",
        "   2  king high, four  Kd 4h",
        "",
        "Hand 1 is better: ace high beats king high, four.",
    ]


def test_another_variant_has_other_wilds(sandlot: Command) -> None:
    ran = sandlot("hand", "--variant", "seven-card-stud", "9s 9h 9c 8d 3c")
    assert "three nines, eight, three" in ran.out
    assert "=" not in ran.out


def test_the_json_form_is_a_contract(sandlot: Command) -> None:
    ran = sandlot("hand", "8s  8h 8c 8d 3c", "As Ks Qs Js Ts", "--json")
    assert json.loads(ran.out) == {
        "variant": "baseball",
        "wild": "39",
        "exposed": False,
        "hands": [
            {
                "hand": 1,
                "cards": "8s 8h 8c 8d 3c",
                "category": "five of a kind",
                "text": "five eights",
                "five": [["8c", "8c"], ["8d", "8d"], ["8h", "8h"], ["8s", "8s"], ["3c", "8*"]],
                "place": 1,
            },
            {
                "hand": 2,
                "cards": "As Ks Qs Js Ts",
                "category": "straight flush",
                "text": "ace-high straight flush",
                "five": [["As", "As"], ["Ks", "Ks"], ["Qs", "Qs"], ["Js", "Js"], ["Ts", "Ts"]],
                "place": 2,
            },
        ],
        "best": [1],
    }


def test_hands_come_from_standard_input_one_a_line(
    sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b"8s 8h 8c 8d 3c\n\n As Ks Qs Js Ts\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert sandlot("hand", "-").out == sandlot("hand", "8s 8h 8c 8d 3c", "As Ks Qs Js Ts").out


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (
            ["As Ks Qs Js 10s"],
            1,
            "card 5: '10s' is not a card: the ten is written T, as in 'Ts'",
        ),
        (["As Ks Qs Js Ts", "As As"], 1, "hand 2: card 2: As is there already as card 1"),
        (
            ["As Ks"],
            1,
            "R6.1: a showdown hand is the best five of all cards received, here are 2",
        ),
        (
            ["As", "Ks", "Qs", "Js", "Ts"],
            2,
            'Put the cards of one hand in quotes: "As Ks Qs Js Ts". See: sandlot hand --help',
        ),
        (
            ["-"],
            2,
            "Standard input holds no hand: write one a line. See: sandlot hand --help",
        ),
        (
            ["As", "--variant", "stud"],
            2,
            "Invalid value for '--variant': 'stud' is not one of 'baseball', 'seven-card-stud'."
            " See: sandlot hand --help",
        ),
    ],
)
def test_what_cannot_be_valued(
    arguments: list[str],
    status: int,
    says: str,
    sandlot: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert sandlot("hand", *arguments) == (status, "", f"Error: {says}\n")
