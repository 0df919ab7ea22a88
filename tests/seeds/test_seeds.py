"""The chain of seeds: how it is read, what it keeps apart."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandlot.errors import SandlotError, SeedError
from sandlot.seeds import (
    Lots,
    bot_seed,
    commitment,
    hand_seed,
    match_seed,
    new_seed,
    parse_seed,
    table_order,
)

SEED = bytes(range(32))


@given(st.binary(min_size=16, max_size=100))
def test_a_seed_prints_and_reads_back(seed: bytes) -> None:
    assert parse_seed(seed.hex()) == seed
    assert parse_seed(seed.hex().upper()) == seed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a seed of 0 bytes is too short: write at least 16 bytes, 32 hex digits"),
        ("ab", "a seed of 1 byte is too short"),
        ("00" * 15, "a seed of 15 bytes is too short"),
        ("0" * 33, "whole bytes, two hex digits each: these are 33 digits"),
        ("0x" + "00" * 16, "character 2 is 'x'"),
        ("00 " * 16, "character 3 is ' '"),
        ("friday", "character 2 is 'r'"),
        ("\u0660" * 32, "character 1 is"),  # an Arabic-Indic zero is a digit to str.isdigit
        ("00" * 16 + "\n", "character 33 is '\\n'"),
    ],
)
def test_a_bad_seed_is_refused_and_the_place_named(text: str, said: str) -> None:
    with pytest.raises(SeedError) as caught:
        parse_seed(text)
    assert said in str(caught.value)
    assert isinstance(caught.value, SandlotError)
    assert "\n" not in str(caught.value)


def test_a_new_seed_is_32_bytes_and_new() -> None:
    drawn = {new_seed() for _ in range(100)}
    assert len(drawn) == 100
    assert {len(seed) for seed in drawn} == {32}


def test_the_commitment_is_sha256_of_the_raw_bytes() -> None:
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()


def test_no_two_uses_share_a_seed() -> None:
    matches = [
        match_seed(SEED, f"{round_}-{table}-{rotation}", attempt)
        for round_ in range(1, 13)
        for table in range(1, 13)
        for rotation in range(1, 4)
        for attempt in (1, 2)
    ]
    of_one = [hand_seed(matches[0], hand) for hand in range(1, 101)]
    private = [bot_seed(matches[0], seat) for seat in range(7)]
    everything = [SEED, *matches, *of_one, *private]
    assert len(set(everything)) == len(everything)
    assert {len(seed) for seed in everything} == {32}


@pytest.mark.parametrize("name", ["", "1/1", "bot/0", "1-1-é"])
def test_a_match_whose_name_could_stand_for_another_thing_is_refused(name: str) -> None:
    with pytest.raises(SeedError, match="cannot name a match"):
        match_seed(SEED, name, 1)


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(2, 7))
def test_a_table_order_is_an_order_and_a_seat(round_: int, table: int, n: int) -> None:
    order, first_dealer = table_order(SEED, round_, table, n)
    assert sorted(order) == list(range(n))
    assert 0 <= first_dealer < n
    assert table_order(SEED, round_, table, n) == (order, first_dealer)


@pytest.mark.parametrize("n", [1, 2, 3, 43, 52, 1000, 40_000, 65_535, 65_536])
def test_below_stays_below_whatever_is_asked(n: int) -> None:
    lots = Lots(SEED, "test")
    drawn = [lots.below(n) for _ in range(500)]
    assert min(drawn) >= 0
    assert max(drawn) < n
    if n > 1:
        assert len(set(drawn)) > 1


def test_words_that_do_not_divide_evenly_are_thrown_away() -> None:
    # With n = 40,000 a kept word is below 40,000, so a word is its own remainder. Without the
    # rejection the 25,536 words above would come down as remainders below 25,536 and fill these
    # numbers twice as often as the rest.
    lots = Lots(SEED, "test")
    drawn = [lots.below(40_000) for _ in range(20_000)]
    low = sum(number < 25_536 for number in drawn)
    expected = 20_000 * 25_536 / 40_000
    six_sigma = 6 * (20_000 * 0.6384 * 0.3616) ** 0.5
    assert abs(low - expected) < six_sigma
