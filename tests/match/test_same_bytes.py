"""Compiled or pure, the same bots play the same matches, see the same, and leave the same bytes.

What pure Python makes of a fixed set of matches lies in ``cases/digests.txt``, and the suite runs
both ways. When records or observations are meant to change, renew it in a working tree, which is
always pure, and say in the changelog what is different::

    SANDLOT_RENEW_PAGES=1 python -m pytest tests/match/test_same_bytes.py
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from sandlot import Action, Bot, Observation
from sandlot.arena import play
from sandlot.build import compiled
from sandlot.records import Record, verify
from sandlot.wire import write_observation

DIGESTS = Path(__file__).parents[1] / "cases" / "digests.txt"
RENEW = "SANDLOT_RENEW_PAGES" in os.environ

GAMES = [("baseball", seats) for seats in range(2, 7)]
GAMES += [("seven-card-stud", seats) for seats in range(2, 7)]

STARTED, ENDED = "2026-03-01T12:00:00Z", "2026-03-01T12:00:04.250Z"


def played(variant: str, seats: int) -> str:
    """Play matches at random, some faults among the answers, and return all of it as digests."""
    observations = hashlib.sha256()

    class Chancy(Bot):
        def act(self, seen: Observation) -> Action:
            observations.update(write_observation(seen))
            observations.update(json.dumps(seen.to_json()).encode())
            if self.rng.random() < 0.02:
                raise ValueError("nothing comes to mind")
            # Seldom the last, which is to fold, so that hands go on to late streets.
            choices = (*seen.legal, *seen.legal[:-1] * 4)
            return choices[int(self.rng.random() * len(choices))]

    records = hashlib.sha256()
    bots = {f"bot-{number}": Chancy for number in range(seats)}
    for match in play(
        bots,
        matches=seats,
        seed=bytes(range(seats, seats + 16)),
        variant=variant,
        hands=4,
        strikes=5,
        on_fault=lambda fault: None,
    ):
        record = Record(match, STARTED, ENDED)
        records.update(record.digest.encode())
        (verified,) = verify(record.text)
        assert verified.hands == 4
    return f"{variant} {seats} records {records.hexdigest()} seen {observations.hexdigest()}"


@pytest.mark.skipif(RENEW, reason="they are being renewed")
@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_a_match_is_the_same_bytes_compiled_and_pure(variant: str, seats: int) -> None:
    assert played(variant, seats) in DIGESTS.read_text("utf-8").splitlines()


@pytest.mark.skipif(not RENEW, reason="only to renew the digests")
def test_renew_the_digests() -> None:
    assert not compiled(), "the digests are what pure Python makes"
    lines = [played(variant, seats) for variant, seats in GAMES]
    DIGESTS.write_text("\n".join(lines) + "\n", "utf-8")
