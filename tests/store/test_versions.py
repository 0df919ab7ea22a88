"""Bots and their versions: what a version is never changes, how it stands does, to its end."""

from __future__ import annotations

import re

import pytest
from support.registered import BY, RUN, active, open_season, received

from sandlot.errors import StoreError
from sandlot_server.store import Registry, Store
from sandlot_server.store.registered import (
    LIVE,
    OVER,
    PENDING,
    REMOTE,
    Status,
    Version,
    entrant_parts,
)


def standing(registry: Registry, bot: str = "rat") -> list[str]:
    return [version.status for version in registry.bot(bot).versions]


def test_a_submission_waits_as_the_next_version_with_all_that_was_said(registry: Registry) -> None:
    registry.add_owner("ann", "owner", BY)
    said = {"command": ["node", "bot.js"], "requirements": ["é\0\udcff"]}
    first, second = received(registry, "ann", "rat", said), received(registry, "ann", "rat")
    assert (first.number, second.number) == (1, 2)
    assert first.manifest == said
    assert (first.owner, first.kind, first.status) == ("ann", "submitted", "received")
    assert (first.reason, first.account, first.settled) == ("", "", None)
    assert (second.entrant, entrant_parts(second.entrant)) == ("rat@2", ("rat", 2))
    assert registry.version(second.id) == second
    assert registry.bot("rat").versions == (first, second)
    assert registry.bots() == registry.bots("ann") == [registry.bot("rat")]


def test_only_so_many_wait_at_once(registry: Registry) -> None:
    registry.add_owner("ann", "owner", BY)
    waiting = registry.receive("ann", "rat", "a", RUN, 2)
    registry.receive("ann", "other", "b", RUN, 2)
    with pytest.raises(StoreError, match="2 submissions of yours wait to be tried"):
        registry.receive("ann", "third", "c", RUN, 2)
    assert [bot.name for bot in registry.bots()] == ["other", "rat"]
    registry.set_status(waiting, "refused")
    registry.receive("ann", "third", "c", RUN, 2)


@pytest.mark.parametrize("name", ["Rat", "", "..", "a/b", "a@1", "a\0", "é", "r" * 33])
def test_what_cannot_be_a_name_is_no_bot(registry: Registry, name: str) -> None:
    registry.add_owner("ann", "owner", BY)
    said = re.escape(f"{name!r} cannot be the name of a bot; write 1 to 32")
    with pytest.raises(StoreError, match=said):
        registry.receive("ann", name, "a", RUN, 9)
    with pytest.raises(StoreError, match=said):
        registry.enroll("ann", name)
    with pytest.raises(StoreError, match="there is no bot"):
        registry.bot(name)
    assert registry.bots() == []


def test_a_name_is_its_first_owners(registry: Registry) -> None:
    registry.house({"caller": "c"})
    active(registry, "ann", "rat")
    registry.add_owner("bob", "owner", BY)
    for name in ("rat", "caller"):
        with pytest.raises(StoreError, match=f"the name '{name}' is taken"):
            received(registry, "bob", name)
        with pytest.raises(StoreError, match=f"the name '{name}' is taken"):
            registry.enroll("bob", name)
    with pytest.raises(StoreError, match="no bot 'rats' in the league; did you mean 'rat'"):
        registry.bot("rats")
    assert registry.bots("bob") == []


def test_what_becomes_active_replaces_what_was(registry: Registry) -> None:
    first, second = active(registry, "ann", "rat"), active(registry, "ann", "rat")
    assert standing(registry) == ["replaced", "active"]
    before = registry.version(first.id)
    assert (before.reason, before.hash) == ("by version 2", first.hash)
    assert before.settled is not None
    assert registry.bot("rat").active == second


def test_an_earlier_version_that_comes_late_does_not_replace_a_later_one(
    registry: Registry,
) -> None:
    active(registry, "ann", "rat")
    late, later = received(registry, "ann", "rat"), received(registry, "ann", "rat")
    registry.set_status(later, "active")
    came = registry.set_status(late, "active", account="as it was tried")
    assert (came.status, came.reason, came.account) == (
        "replaced",
        "by version 3",
        "as it was tried",
    )
    assert standing(registry) == ["replaced", "replaced", "active"]


def test_what_is_said_of_a_version_is_kept_in_every_state(registry: Registry) -> None:
    registry.add_owner("ann", "owner", BY)
    waiting = received(registry, "ann", "rat")
    for status in PENDING:
        now = registry.set_status(waiting, status)
        assert (now.status, now.settled) == (status, None)
    now = registry.set_status(waiting, "active", "tried", "it is slow\0\n")
    assert (now.status, now.reason, now.account) == ("active", "tried", "it is slow\\x00\n")
    assert now.settled is not None
    now = registry.set_status(waiting, "failed", "it cannot be started", "Traceback")
    assert (now.status, now.reason, now.account) == ("failed", "it cannot be started", "Traceback")


@pytest.mark.parametrize("over", OVER)
def test_what_is_over_stays_so(registry: Registry, over: Status) -> None:
    version = active(registry, "ann", "rat")
    ended = registry.set_status(version, over, "for a reason")
    generation = registry.generation()
    for status in (*LIVE, *OVER):
        assert registry.set_status(version, status, "another") == ended
    assert registry.generation() == generation
    assert registry.bot("rat").active is None


def test_versions_are_found_by_how_they_stand(registry: Registry) -> None:
    second = active(registry, "bob", "b-bot")
    first = active(registry, "ann", "a-bot")
    waiting = received(registry, "ann", "a-bot")
    assert registry.with_status(["active"]) == [first, second]
    assert registry.with_status(["active", "received"]) == [first, waiting, second]
    assert registry.with_status([]) == []


def test_a_retired_bot_may_be_submitted_again(registry: Registry) -> None:
    active(registry, "ann", "rat")
    received(registry, "ann", "rat")
    stopped = registry.retire("rat", "ann")
    assert [version.number for version in stopped] == [1, 2]
    assert standing(registry) == ["retired", "retired"]
    with pytest.raises(StoreError, match="bot 'rat' does not play, and nothing of it waits"):
        registry.retire("rat", "ann")
    assert active(registry, "ann", "rat").number == 3
    assert [line.did for line in registry.audit(3)] == ["active", "submit", "retire"]


def test_a_disqualified_bot_plays_no_more_in_no_version_to_come(registry: Registry) -> None:
    active(registry, "ann", "rat")
    waiting = received(registry, "ann", "rat")
    registry.disqualify("rat", "collusion\0", BY)
    assert standing(registry) == ["disqualified", "disqualified"]
    assert registry.bot("rat").disqualified == "collusion\\x00"
    assert registry.set_status(waiting, "active").status == "disqualified"
    with pytest.raises(StoreError, match="bot 'rat' is disqualified: collusion"):
        received(registry, "ann", "rat")
    with pytest.raises(StoreError, match="bot 'rat' is disqualified: collusion"):
        registry.enroll("ann", "rat")
    assert active(registry, "ann", "another").status == "active"
    (line,) = [line for line in registry.audit() if line.did == "disqualify"]
    assert (line.who, line.subject, line.detail) == (BY, "rat", "collusion\\x00")
    with pytest.raises(StoreError, match="there is no bot"):
        registry.disqualify("nobody", "why", BY)


def test_a_bot_from_home_is_one_version_until_its_owner_says_it_is_new(registry: Registry) -> None:
    registry.add_owner("ann", "owner", BY)
    first = registry.enroll("ann", "rat")
    assert (first.kind, first.hash, first.status, first.number) == ("remote", REMOTE, "active", 1)
    assert registry.enroll("ann", "rat") == first
    second = registry.enroll("ann", "rat", new=True)
    assert (second.number, standing(registry)) == (2, ["replaced", "active"])
    submitted = active(registry, "ann", "rat")
    assert registry.enroll("ann", "rat").number == 4
    assert registry.version(submitted.id).reason == "by version 4"
    assert [line.did for line in registry.audit()].count("connect") == 3


def names(versions: list[Version]) -> list[str]:
    return [version.entrant for version in versions]


def test_the_house_bots_have_a_new_version_when_their_files_are_others(registry: Registry) -> None:
    assert names(registry.house({"caller": "c1", "odds": "o1"})) == ["caller@1", "odds@1"]
    generation = registry.generation()
    assert names(registry.house({"caller": "c1", "odds": "o1"})) == ["caller@1", "odds@1"]
    assert registry.generation() == generation
    assert names(registry.house({"caller": "c2", "odds": "o1"})) == ["caller@2", "odds@1"]
    assert registry.version(registry.bot("caller").versions[0].id).status == "replaced"
    assert {bot.owner for bot in registry.bots()} == {"house"}
    assert [(owner.name, owner.tokens) for owner in registry.owners()] == [("house", 0)]


def test_a_house_bot_that_is_gone_taken_or_disqualified_stops_no_server(
    registry: Registry,
) -> None:
    registry.house({"caller": "c1", "odds": "o1", "old": "x"})
    active(registry, "ann", "rat")
    registry.disqualify("odds", "too good", BY)
    assert names(registry.house({"caller": "c1", "odds": "o2", "rat": "r"})) == ["caller@1"]
    assert standing(registry, "old") == ["retired"]
    assert standing(registry, "odds") == ["disqualified"]
    assert registry.bot("rat").owner == "ann"


def test_who_plays_no_more_is_withdrawn_from_seasons_that_are_not_closed(
    registry: Registry, store: Store
) -> None:
    version = active(registry, "ann", "rat")
    for name in ("closed", "open"):
        open_season(registry, name)
        registry.enter(name, [version])
        if name == "closed":
            registry.close_season(name, BY)
    registry.pause_season("open", BY)
    registry.disqualify("rat", "collusion", BY)
    assert [bot.withdrawn for bot in store.tournament("open").bots] == ["disqualified: collusion"]
    assert [bot.withdrawn for bot in store.tournament("closed").bots] == [None]
