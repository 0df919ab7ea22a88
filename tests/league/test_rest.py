"""What is left to play of the rounds that are not completed."""

from __future__ import annotations

import pytest

from sandlot_server.league.rest import Rest
from sandlot_server.store.registered import Drawn, Round

ONE = Round(1, (Drawn("1-1-1", ("a@1", "b@1"), 0), Drawn("1-1-2", ("b@1", "a@1"), 0)))
TWO = Round(2, (Drawn("2-1-1", ("a@1", "c@1"), 0), Drawn("2-2-1", ("b@1", "d@1"), 0)))


@pytest.fixture
def rest() -> Rest:
    rest = Rest()
    rest.add(ONE)
    rest.add(TWO)
    return rest


def anybody(bot: str) -> bool:
    return True


def test_matches_are_taken_in_the_order_of_their_rounds(rest: Rest) -> None:
    taken = [rest.take(anybody) for _ in range(5)]
    assert [each and each.match for each in taken] == ["1-1-1", "1-1-2", "2-1-1", "2-2-1", None]
    assert (rest.waiting, rest.running) == (0, 4)
    assert rest.playing == {"a@1": 3, "b@1": 3, "c@1": 1, "d@1": 1}


def test_what_has_a_result_does_not_wait() -> None:
    rest = Rest()
    (waiting,) = rest.add(ONE, {"1-1-1"})
    assert waiting.match == "1-1-2"
    assert rest.waiting == 1


def test_who_cannot_play_is_passed_over_and_holds_up_nobody(rest: Rest) -> None:
    match = rest.take(lambda bot: bot != "a@1")
    assert match is not None
    assert match.match == "2-2-1"
    assert rest.take(lambda bot: bot != "a@1") is None


def test_in_how_many_rounds_one_has_matches_that_are_not_over(rest: Rest) -> None:
    assert dict(rest.rounds()) == {"a@1": 2, "b@1": 2, "c@1": 1, "d@1": 1}
    for _ in range(2):
        match = rest.take(anybody)
        assert match is not None
        assert rest.rounds()["a@1"] == 2  # under way is not over
        rest.store(match)
    assert dict(rest.rounds()) == {"a@1": 1, "b@1": 1, "c@1": 1, "d@1": 1}


def test_a_round_is_played_when_nothing_of_it_is_under_way_or_can_be(rest: Rest) -> None:
    assert rest.played(anybody) == []
    assert rest.played(lambda bot: bot != "a@1") == [1]
    first = rest.take(anybody)
    assert first is not None
    assert rest.played(lambda bot: bot != "a@1") == []
    rest.store(first)
    assert rest.waits(1)
    assert [each.match for each in rest.close(1)] == ["1-1-2"]
    assert not rest.waits(1)
    assert rest.played(lambda bot: False) == [2]
    assert rest.waiting == 2


def test_a_match_that_is_put_back_waits_behind_the_others(rest: Rest) -> None:
    first = rest.take(anybody)
    assert first is not None
    rest.put_back(first)
    taken = [rest.take(anybody) for _ in range(4)]
    assert [each and each.match for each in taken] == ["1-1-2", "2-1-1", "2-2-1", "1-1-1"]


def test_who_plays_no_more_is_dropped_from_what_waits_alone(rest: Rest) -> None:
    under_way = rest.take(anybody)
    dropped = rest.drop(lambda bot: bot != "a@1")
    assert [each.match for each in dropped] == ["1-1-2", "2-1-1"]
    assert under_way is not None
    assert rest.running == 1


def test_what_has_a_result_no_more_waits_again_while_its_round_is_open(rest: Rest) -> None:
    for _ in range(2):
        match = rest.take(anybody)
        assert match is not None
        rest.store(match)
    assert rest.stored == ["1-1-1", "1-1-2"]
    assert [each.match for each in rest.reopen({"1-1-2"})] == ["1-1-2"]
    assert rest.played(anybody) == []
    rest.close(1)
    assert rest.stored == []
    assert rest.reopen({"1-1-1"}) == []


def test_a_match_that_is_given_up_is_not_played_again(rest: Rest) -> None:
    match = rest.take(anybody)
    assert match is not None
    rest.give_up(match)
    assert rest.reopen({match.match}) == []
    assert (rest.waiting, rest.running) == (3, 0)
