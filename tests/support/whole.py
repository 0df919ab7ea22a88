"""What must hold of a season whose servers were killed, stopped, or cut off from their store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path

from support.crashing import SEASON, SEED
from support.live_server import Event

from sandlot.records import read, verify
from sandlot_server.league.places import DataFolder
from sandlot_server.store import Registry, Store
from sandlot_server.store.registered import OVER, PENDING
from sandlot_server.tournament.standings import PARTS, BotSums, PairSums

SETTLED = ("active", *OVER)


@dataclass(frozen=True)
class Found:
    """What a season has come to."""

    matches: int
    """With a result."""
    voids: Counter[str]
    """Attempts without one, by the reason."""
    completed: int
    """Rounds."""


def check_season(store: Store, log: Collection[Event]) -> Found:
    """See that no match was played twice and none was lost, and that every number is right."""
    registry = Registry(store)
    rounds = registry.latest_rounds(SEASON, 1 << 30)
    assert [one.number for one in rounds] == [*range(1, len(rounds) + 1)]
    plans = {match.match: match for one in rounds for match in one.matches}
    assert len(plans) == sum(len(one.matches) for one in rounds)
    records = dict(store.records(SEASON))
    assert set(records) == store.done(SEASON) <= set(plans)

    # No half record, and each is of the match that was drawn.
    hashes = {one.entrant: one.hash for bot in registry.bots() for one in bot.versions}
    attempts: defaultdict[str, list[int]] = defaultdict(list)
    for match, text in records.items():
        assert len(list(verify(text, SEED))) == 1
        (record,) = read(text)
        setup, plan = record.played.setup, plans[match]
        assert (setup.match, setup.tournament) == (match, SEASON)
        assert setup.first_dealer == plan.first_dealer
        seats = [(entrant.bot, entrant.version) for entrant in setup.entrants]
        assert seats == [(bot, hashes[bot]) for bot in plan.bots]
        attempts[match].append(setup.attempt)

    # What has no result is void, says why, here and in the log, and was played again.
    said = {
        (each["match"], each["attempt"], each["reason"])
        for each in log
        if each["event"] == "match void"
    }
    voids = store.voids(SEASON)
    for void in voids:
        assert (void.match, void.attempt, void.reason) in said
        attempts[void.match].append(void.attempt)
    for numbers in attempts.values():
        assert sorted(numbers) == [*range(1, len(numbers) + 1)]

    # None is lost but those whose entrants play no more.
    over = {one.entrant for bot in registry.bots() for one in bot.versions if one.status in OVER}
    dropped = {each["match"] for each in log if each["event"] == "match dropped"}
    for one in rounds:
        for drawn in one.matches:
            if one.completed and drawn.match not in records:
                assert drawn.match in dropped, drawn
                assert over & {*drawn.bots}, drawn

    _check_sums(store, records.values())
    completed = sum(one.completed for one in rounds)
    return Found(len(records), Counter(void.reason for void in voids), completed)


def _check_sums(store: Store, texts: Collection[str]) -> None:
    """See that the standings are those of the records, added up anew."""
    bots: defaultdict[str, Counter[str]] = defaultdict(Counter)
    places: defaultdict[str, Counter[int]] = defaultdict(Counter)
    pairs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for text in texts:
        (record,) = read(text)
        played = record.played
        names = [entrant.bot for entrant in played.setup.entrants]
        nets = [Fraction(0)] * len(names)
        for hand in played.hands:
            nets = [net + won for net, won in zip(nets, hand.net, strict=True)]
        assert sum(nets) == 0
        parts = [int(net * PARTS) for net in nets]
        firsts = nets.count(max(nets))
        for name, net, part in zip(names, nets, parts, strict=True):
            share = PARTS // firsts if net == max(nets) else 0
            bots[name]["matches"] += 1
            bots[name]["hands"] += len(played.hands)
            bots[name]["net"] += part
            bots[name]["net squared"] += part * part
            bots[name]["share"] += share
            bots[name]["share squared"] += share * share
            places[name][1 + sum(other > net for other in nets)] += 1
        for (one, mine), (other, theirs) in permutations(zip(names, parts, strict=True), 2):
            pairs[one, other]["matches"] += 1
            pairs[one, other]["difference"] += mine - theirs
            pairs[one, other]["squared"] += (mine - theirs) ** 2
    sums = store.sums(SEASON)
    for row in sums.bots:
        of = bots[row.bot]
        assert not row.faults, "bots that are never at fault"
        expected = BotSums(
            row.bot,
            of["matches"],
            of["hands"],
            of["net"],
            of["net squared"],
            of["share"],
            of["share squared"],
            dict(places[row.bot]),
        )
        assert row == expected, (row, expected)
    assert {name for name, of in bots.items() if of} <= {row.bot for row in sums.bots}
    assert sorted(sums.pairs, key=lambda pair: (pair.bot, pair.other)) == [
        PairSums(one, other, of["matches"], of["difference"], of["squared"])
        for (one, other), of in sorted(pairs.items())
    ]


def check_submissions(store: Store, folder: DataFolder, acknowledged: Collection[str]) -> None:
    """See that what was acknowledged is active, with its files; and no half of one is there."""
    registry = Registry(store)
    versions = [one for bot in registry.bots() for one in bot.versions if one.kind == "submitted"]
    known = {one.entrant: one.status for one in versions}
    assert not registry.with_status(PENDING)
    assert {one: known.get(one) for one in acknowledged} == dict.fromkeys(acknowledged, "active")
    for one in versions:
        kept = folder.version(one.bot, one.number)
        assert kept.archive.stat().st_size
        assert kept.files.is_dir()
        assert kept.environment.is_dir()
        assert kept.trial_log.exists()
    there = {path.parent for path in folder.submissions.glob("*/*/*")}
    assert there == {folder.version(one.bot, one.number).root for one in versions}


def check_audit(store: Store) -> None:
    """See that the audit log has no gap, and says of every version how it came to stand."""
    registry = Registry(store)
    lines = registry.audit(most=1 << 30)[::-1]
    numbers = [line.id for line in lines]
    if isinstance(store.place, Path):  # PostgreSQL counts what was rolled back, too
        assert numbers == [*range(1, len(numbers) + 1)]
    last = {line.subject: line.did for line in lines}
    for bot in registry.bots():
        for one in bot.versions:
            if one.kind == "submitted":
                first = next(line for line in lines if line.subject == one.entrant)
                assert (first.who, first.did, first.detail) == (one.owner, "submit", one.hash)
                assert last[one.entrant] == one.status
