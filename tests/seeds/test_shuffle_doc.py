"""docs/shuffle.md can be repeated: its vectors hold, for our code and for code written from it."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandlot import seeds
from sandlot.pack import text_of

DOC = (Path(__file__).parents[2] / "docs" / "shuffle.md").read_text(encoding="utf-8")
VECTORS: dict[str, list[dict[str, Any]]] = json.loads(
    re.findall(r"^```json\n(.*?)^```$", DOC, flags=re.MULTILINE | re.DOTALL)[0]
)
HANDS = VECTORS["hands"]
TABLES = VECTORS["tables"]


# What follows is written from the page alone and shares no code with sandlot.seeds.


def words(key: bytes, name: str) -> Iterator[int]:
    block = 0
    while True:
        data = hmac.new(key, f"{name}/{block}".encode("ascii"), hashlib.sha256).digest()
        for high, low in zip(data[::2], data[1::2], strict=True):
            yield high * 256 + low
        block += 1


def below(stream: Iterator[int], n: int) -> int:
    limit = 65536 - 65536 % n
    word = next(stream)
    while word >= limit:
        word = next(stream)
    return word % n


def drawn_order(stream: Iterator[int], n: int) -> list[int]:
    places = list(range(n))
    i = n - 1
    while i >= 1:
        j = below(stream, i + 1)
        places[i], places[j] = places[j], places[i]
        i -= 1
    return places


def deal(hand_seed: bytes) -> tuple[int, str]:
    stream = words(hand_seed, "shuffle")
    pack = drawn_order(stream, 52)
    cut = 5 + below(stream, 43)
    names = ["23456789TJQKA"[number // 4] + "cdhs"[number % 4] for number in pack]
    return cut, " ".join(names[(cut + place) % 52] for place in range(52))


def test_the_page_has_vectors_for_every_turn_of_the_algorithm() -> None:
    assert len(HANDS) == 5
    assert {entry["n"] for entry in TABLES} >= {2, 3, 4, 6, 31}
    thrown_away = []
    for entry in HANDS:
        stream = words(bytes.fromhex(entry["hand_seed"]), "shuffle")
        drawn = [(n, next(stream)) for n in [*range(52, 1, -1), 43]]
        thrown_away.append(any(word >= 65536 - 65536 % n for n, word in drawn))
    assert thrown_away == [False, False, False, True, False]


@pytest.mark.parametrize("entry", HANDS, ids=lambda entry: f"{entry['match']}-{entry['hand']}")
def test_hands_by_the_page(entry: dict[str, Any]) -> None:
    seed = bytes.fromhex(entry["tournament_seed"])
    assert hashlib.sha256(seed).hexdigest() == entry["tournament_commitment"]
    message = f"{entry['match']}/{entry['attempt']}".encode("ascii")
    match = hmac.new(seed, message, hashlib.sha256).digest()
    assert match.hex() == entry["match_seed"]
    assert hashlib.sha256(match).hexdigest() == entry["commitment"]
    private = hmac.new(match, f"bot/{entry['seat']}".encode("ascii"), hashlib.sha256).digest()
    assert private.hex() == entry["bot_seed"]
    hand = hmac.new(match, str(entry["hand"]).encode("ascii"), hashlib.sha256).digest()
    assert hand.hex() == entry["hand_seed"]
    first = hmac.new(hand, b"shuffle/0", hashlib.sha256).digest()
    assert first.hex() == entry["first_block"]
    assert deal(hand) == (entry["cut"], entry["deck"])


@pytest.mark.parametrize("entry", HANDS, ids=lambda entry: f"{entry['match']}-{entry['hand']}")
def test_hands_by_sandlot(entry: dict[str, Any]) -> None:
    seed = seeds.parse_seed(entry["tournament_seed"])
    match = seeds.match_seed(seed, entry["match"], entry["attempt"])
    hand = seeds.hand_seed(match, entry["hand"])
    shuffled = seeds.shuffle(hand)
    assert {
        **{key: entry[key] for key in ("tournament_seed", "match", "attempt", "seat", "hand")},
        "tournament_commitment": seeds.commitment(seed),
        "match_seed": match.hex(),
        "commitment": seeds.commitment(match),
        "bot_seed": seeds.bot_seed(match, entry["seat"]).hex(),
        "hand_seed": hand.hex(),
        "first_block": entry["first_block"],
        "cut": shuffled.cut,
        "deck": text_of(shuffled.deck),
    } == entry


@pytest.mark.parametrize("entry", TABLES, ids=lambda e: f"{e['round']}-{e['table']}-{e['n']}")
def test_tables(entry: dict[str, Any]) -> None:
    seed = bytes.fromhex(entry["tournament_seed"])
    n = entry["n"]
    stream = words(seed, f"table/{entry['round']}/{entry['table']}")
    expected = (entry["order"], entry["first_dealer"])
    assert (drawn_order(stream, n), below(stream, n)) == expected
    order, first_dealer = seeds.table_order(seed, entry["round"], entry["table"], n)
    assert (list(order), first_dealer) == expected


def test_more_hands_than_the_page_holds_come_out_the_same() -> None:
    for number in range(300):
        key = hashlib.sha256(str(number).encode()).digest()
        shuffled = seeds.shuffle(key)
        assert deal(key) == (shuffled.cut, text_of(shuffled.deck))
