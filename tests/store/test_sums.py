"""Sums by SQL are those that one counts by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from support.stored import ended, open_friday

from sandlot_server.store import FinishedMatch, Place, Store
from sandlot_server.tournament.rating import Finish
from sandlot_server.tournament.standings import standings

NAMES = [f"bot{number}" for number in range(7)]
CAUSES = ("timeout", "illegal", "crash")


def some_matches(rng: Random, number: int, most: int) -> list[FinishedMatch]:
    """Return matches of 2 to 6 of the first six bots with nets of up to ``most`` 840ths."""
    matches = []
    for table in range(number):
        bots = rng.sample(NAMES[:6], rng.randint(2, 6))
        while True:
            nets = [Fraction(rng.choice((0, rng.randint(-most, most))), 840) for _ in bots[1:]]
            if abs(sum(nets, Fraction())) * 840 <= most:
                break
        nets.append(-sum(nets, Fraction()))
        faults = {
            bot: {rng.choice(CAUSES): rng.randint(0, 3)} for bot in bots if rng.random() < 0.3
        }
        match = ended(
            f"1-{table}-1", 1, dict(zip(bots, nets, strict=True)), faults, rng.choice((3, 8))
        )
        matches.append(match)
    return matches


@pytest.mark.parametrize("most", [2_000, 2**20 + 5, 2**40 - 1])
def test_sums_are_those_counted_by_hand(most: int, place: Place) -> None:
    matches = some_matches(Random(most), 400, most)
    with Store(place, create=True) as store:
        for name in ("other", "friday"):  # another tournament's results do not count
            with Store(place) as run:
                open_friday(run, name=name, bots=dict.fromkeys(NAMES, "v"))
                run.begin_attempts(name, [match.match for match in matches])
                run.finish(name, matches)
        store.begin_attempts("friday", ["9-1-1"])  # nor does what has no result
        bots, pairs, finishes = store.sums("friday")

    assert [bot.bot for bot in bots] == NAMES
    for bot in bots:
        mine = [(m, s) for m in matches for s in m.seats if s.bot == bot.bot]
        nets = [int(seat.net * 840) for _, seat in mine]
        shares = [
            840 // sum(seat.place == 1 for seat in match.seats) if own.place == 1 else 0
            for match, own in mine
        ]
        causes: Counter[str] = Counter()
        for _, seat in mine:
            causes.update(seat.faults)
        assert bot.matches == len(mine)
        assert bot.hands == sum(match.hands for match, _ in mine)
        assert bot.net_sum == sum(nets)
        assert bot.net_square_sum == sum(net * net for net in nets)
        assert bot.places_share_sum == sum(shares)
        assert bot.places_share_square_sum == sum(share * share for share in shares)
        assert bot.places == Counter(seat.place for _, seat in mine)
        assert bot.faults == {cause: count for cause, count in causes.items() if count}
    assert sum(bot.net_sum for bot in bots) == 0
    assert sum(bot.places_share_sum for bot in bots) == 840 * len(matches)

    assert finishes == Counter(
        Finish.of({seat.bot: seat.place for seat in match.seats}) for match in matches
    )

    by_hand: dict[tuple[str, str], list[int]] = {}
    for match in matches:
        for own, other in permutations(match.seats, 2):
            by_hand.setdefault((own.bot, other.bot), []).append(int((own.net - other.net) * 840))
    assert len(by_hand) == 30  # all that were drawn from
    assert {(pair.bot, pair.other) for pair in pairs} == set(by_hand)
    assert len(pairs) == len(by_hand)
    for pair in pairs:
        differences = by_hand[pair.bot, pair.other]
        assert pair.matches == len(differences)
        assert pair.difference_sum == sum(differences)
        assert pair.difference_square_sum == sum(value * value for value in differences)


def test_no_order_of_matches_bots_or_seats_changes_the_table(tmp_path: Path) -> None:
    matches = some_matches(Random(4), 60, 2_000)
    mixed = [replace(match, seats=match.seats[::-1]) for match in reversed(matches)]
    tables = []
    for number, stored in enumerate((matches, mixed)):
        with Store(tmp_path / f"{number}.db", create=True) as store:
            bots = NAMES if number == 0 else NAMES[::-1]
            open_friday(store, bots=dict.fromkeys(bots, "v"))
            store.begin_attempts("friday", [match.match for match in stored])
            for match in stored:
                store.finish("friday", [match])
            tables.append(standings(*store.sums("friday")))
    assert tables[0] == tables[1]
    assert tables[0].to_json() == tables[1].to_json()
    assert [row.bot for row in tables[0].rows if row.rating is None] == ["bot6"]


def test_a_bot_without_a_match_has_sums_of_nothing(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        bots, pairs, finishes = store.sums("friday")
    assert [(bot.bot, bot.matches, bot.net_sum, dict(bot.places)) for bot in bots] == [
        ("ann", 0, 0, {}),
        ("bob", 0, 0, {}),
        ("cid", 0, 0, {}),
    ]
    assert (pairs, finishes) == ([], {})
