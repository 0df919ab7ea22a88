"""A stored record is small, and comes back whole or not at all."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from support.stored import ended, open_friday

from sandlot.arena import play
from sandlot.errors import StoreError
from sandlot.records import write
from sandlot_bots.caller import Caller
from sandlot_bots.random import Random
from sandlot_server.store import Store, pack, unpack

MOST_A_HAND = 450
"""Bytes that a hand of two seats may take in the store."""


def records(seats: int, matches: int) -> list[str]:
    bots = [Caller, Random, Caller, Random, Caller, Random][:seats]
    seed = bytes(range(7, 39))
    times = ("2026-05-01T12:00:00.000Z", "2026-05-01T12:00:01.000Z")
    return [write(played, *times) for played in play(bots, matches=matches, seed=seed)]


@pytest.mark.parametrize("seats", [2, 6])
def test_a_record_comes_back(seats: int) -> None:
    for record in records(seats, 2):
        assert unpack(pack(record)) == record


def test_a_hand_of_two_seats_takes_few_bytes() -> None:
    sizes = [len(pack(record)) / 8 for record in records(2, 12)]
    assert sum(sizes) / len(sizes) <= MOST_A_HAND


def test_a_hand_of_two_seats_takes_few_bytes_of_the_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path, create=True) as store:
        open_friday(store)
    empty = path.stat().st_size
    finished = [
        replace(ended(f"1-{table}-1", 1, {"ann": 1, "bob": -1}), digest="0" * 64, record=pack(text))
        for table, text in enumerate(records(2, 100), start=1)
    ]
    with Store(path) as store:
        store.begin_attempts("friday", [match.match for match in finished])
        store.finish("friday", finished)
    assert (path.stat().st_size - empty) / len(finished) / 8 <= MOST_A_HAND


def test_what_was_packed_by_an_earlier_version_is_read() -> None:
    """It is lost if the likely lines ever change."""
    packed = bytes.fromhex("787db8dc6a8023610e1bd83d070f1d92335b0c8c34009c801fa1")
    assert unpack(packed) == (
        '{"type":"hand","hand":1,"dealer":1,"deck":"7c 4s","cut":28,'
        '"events":[{"event":"ante","seat":0,"paid":1}]}\n'
    )


def test_what_was_packed_without_the_likely_lines_is_read_as_well() -> None:
    (record,) = records(2, 1)
    assert unpack(zlib.compress(record.encode())) == record


def test_a_damaged_record_is_refused() -> None:
    (record,) = records(2, 1)
    packed = pack(record)
    for damaged in (packed[:-1], packed[: len(packed) // 2], b"", b"no record", packed[2:]):
        with pytest.raises(StoreError, match="the database is damaged"):
            unpack(damaged)
    turned = bytearray(packed)
    turned[len(turned) // 2] ^= 1
    with pytest.raises(StoreError, match="the database is damaged"):
        unpack(bytes(turned))
