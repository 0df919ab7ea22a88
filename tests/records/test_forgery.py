"""What is changed in a record is found, also where digest and checksum were made to fit again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from records.forging import (
    Json,
    Path,
    changed,
    forged,
    joined,
    near,
    other_containers,
    others,
    parsed,
    same,
    walk,
)
from records.handled import records, refused
from support.faulty import played_with, scripted

from sandlot import Action, Bot, Observation
from sandlot.arena import play
from sandlot.errors import RecordError
from sandlot.records import verify, write
from sandlot.seeds import match_seed

BOUND_BY_THE_CHECKSUM_ALONE = {
    "started",
    "ended",
    "match",
    "tournament",
    "attempt",
    "tournament_commitment",
    "seats[].bot",
    "seats[].version",
    "clock.decision",
    "clock.bank",
    "clock.strikes",
    "decisions[].ms",
    "decisions[].answer",
}
"""What nothing else in a record bears witness to, so that only the checksum, and for most of it the
digest, notices a change. Whoever changes it and reckons both anew is not found out by the record
alone: ``--tournament`` binds match, attempt and commitment; for the rest, compare the digest with
one that was kept elsewhere. ``clock.*``, ``ms`` and ``answer`` are free only as far as no time-out,
fault or action follows from them.
"""

EVENTS = {"ante", "deal", "open", "action", "reveal", "award"}

BOUND_BY_THE_TOURNAMENTS_SEED = {"match", "attempt", "tournament_commitment"}


class Odd(Bot):
    """Any legal action."""

    def act(self, seen: Observation) -> Action:
        return self.rng.choice(seen.legal)


def named(path: Path) -> str:
    """Return a path without the line it is on and the numbers of items."""
    steps = [f".{step}" if isinstance(step, str) else "[]" for step in path[1:]]
    return "".join(steps).removeprefix(".")


def test_the_records_to_be_forged_are_right_and_hold_what_may_go_wrong() -> None:
    for text in records().values():
        assert not refused(text)
        assert forged(parsed(text)) == text  # the forger knows the form
    faults = {
        decision["fault"]
        for line in parsed(records()["faulty"])[1:-1]
        for decision in line["decisions"]
    }
    assert faults == {None, "timeout", "illegal", "malformed", "exception", "crash", "out"}
    assert '"event":"reveal"' in records()["clean"]
    assert '"bonus":true' in records()["clean"]


def scalars(lines: Json) -> Iterator[tuple[Path, Json]]:
    """Yield each scalar's path with a near value, and with others for the first of each key."""
    seen = set()
    for path, value in walk(lines):
        if isinstance(value, (dict, list)):
            continue
        yield path, near(value)
        kind = (named(path), type(value), value if path[-1] in ("fault", "event") else None)
        if kind not in seen:
            seen.add(kind)
            yield from ((path, other) for other in others(value) if not same(other, value))


@pytest.mark.parametrize("name", ["clean", "untimed", "faulty"])
def test_every_scalar_that_is_changed_is_found(name: str) -> None:
    lines = parsed(records()[name])
    found = 0
    for path, other in scalars(lines):
        assert refused(joined(changed(lines, path, other))), (path, other)
        found += 1
    assert found > 300


def test_every_scalar_is_found_by_more_than_the_checksum_but_for_those_we_name() -> None:
    slipped = set()
    for name in ("clean", "faulty"):
        lines = parsed(records()[name])
        for path, other in scalars(lines):
            known = path[-1] in ("digest", "checksum") or named(path) in slipped
            if not known and not refused(forged(changed(lines, path, other))):
                slipped.add(named(path))
    assert slipped == BOUND_BY_THE_CHECKSUM_ALONE


def test_the_tournaments_seed_binds_what_the_record_alone_does_not() -> None:
    seed = bytes(range(16))
    (played,) = play([Odd, Odd], seed=seed, hands=1)
    text = write(played, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
    assert not refused(text, seed)
    assert refused(text, bytes(16))
    for key in BOUND_BY_THE_TOURNAMENTS_SEED:
        lines = parsed(text)
        other = forged(changed(lines, (0, key), near(lines[0][key])))
        assert not refused(other)
        assert refused(other, seed)


def test_the_tournaments_seed_says_who_deals_first() -> None:
    seed = bytes(range(16))
    (played,) = play([Odd, Odd], seed=seed, hands=1)
    setup = replace(played.setup, first_dealer=1 - played.setup.first_dealer)
    text = write(played_with(setup, scripted()), "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
    assert not refused(text)
    with pytest.raises(RecordError, match=r"line 1: first_dealer is .*R2\.1"):
        list(verify(text, seed))
    named = replace(setup, match="final", seed=match_seed(seed, "final", 1))
    text = write(played_with(named, scripted()), "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
    assert not refused(text, seed)  # a match of no table of a schedule


def containers(lines: Json, seen: set[Json]) -> Iterator[tuple[Path, Json]]:
    """Yield objects and lists with their paths, of objects of a kind only the first."""
    for path, value in walk(lines):
        if path and isinstance(value, (dict, list)):
            kind = (named(path), value.get("event") if isinstance(value, dict) else len(value))
            if kind not in seen:
                seen.add(kind)
                yield path, value


def test_no_key_and_no_item_can_be_dropped_doubled_moved_or_added() -> None:
    seen: set[Json] = set()
    for name in ("faulty", "clean"):
        lines = parsed(records()[name])
        for path, value in containers(lines, seen):
            for other in other_containers(value):
                if not same(other, value):
                    lies = changed(lines, path, other)
                    assert refused(joined(lies)), (path, other)
                    assert refused(forged(lies)), (path, other)
    assert {kind for _, kind in seen if isinstance(kind, str)} == EVENTS
