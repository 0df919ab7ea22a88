"""Matches in one process: who sits where, what goes wrong, and that it is the same every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

from sandlot import Action, BatchBot, Bot, HandEnd, MatchEnd, MatchStart, Observation
from sandlot.arena import Fault, Seating, play, seatings
from sandlot.errors import BotError, RuleError
from sandlot.host import BotClass, Host
from sandlot.played import PlayedMatch
from sandlot.seeds import bot_seed, commitment, match_seed

SEED = bytes(range(16))


class Caller(Bot):
    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


class Chancy(Bot):
    def act(self, seen: Observation) -> Action:
        return self.rng.choice(seen.legal)


class Batch(BatchBot):
    """Counts what it is asked at once. One object serves a whole call of `play`."""

    asked: list[list[tuple[str, int]]]

    def __init__(self) -> None:
        type(self).asked = []

    def act_many(self, seen: list[Observation]) -> list[Action]:
        self.asked.append([(each.match, each.seat) for each in seen])
        return [each.legal[0] for each in seen]


def answers(played: PlayedMatch) -> list[tuple[int, str | None]]:
    return [(each.seat, each.answer) for hand in played.hands for each in hand.decisions]


def outcome(played: PlayedMatch) -> tuple[object, ...]:
    return (
        [entrant.bot for entrant in played.setup.entrants],
        [hand.deck for hand in played.hands],
        answers(played),
        played.net,
        played.places,
        played.faults,
    )


def by_match(played: list[PlayedMatch]) -> dict[str, tuple[object, ...]]:
    return {match.setup.match: outcome(match) for match in played}


def test_bots_are_named_after_their_classes_and_twins_are_numbered() -> None:
    (match,) = play([Caller, Chancy, Caller, Caller], seed=SEED)
    assert sorted(entrant.bot for entrant in match.setup.entrants) == [
        "Caller",
        "Caller-2",
        "Caller-3",
        "Chancy",
    ]


def test_a_mapping_names_the_bots() -> None:
    (match,) = play({"one": Caller, "two": Caller}, seed=SEED)
    assert {entrant.bot for entrant in match.setup.entrants} == {"one", "two"}


@pytest.mark.parametrize("seats", range(2, 7))
def test_in_a_round_every_bot_sits_in_every_seat_and_deals_every_hand_number_once(
    seats: int,
) -> None:
    names = [f"bot-{number}" for number in range(seats)]
    sat: Counter[tuple[str, int]] = Counter()
    dealt: Counter[str] = Counter()
    rounds = 2
    for match in play(dict.fromkeys(names, Caller), matches=rounds * seats, seed=SEED):
        bots = [entrant.bot for entrant in match.setup.entrants]
        sat.update((bot, seat) for seat, bot in enumerate(bots))
        dealt.update(bots[hand.dealer] for hand in match.hands)
    assert sat == {(name, seat): rounds for name in names for seat in range(seats)}
    assert dealt == dict.fromkeys(names, 8 * rounds)


def test_seatings_are_those_of_play() -> None:
    played = play({"0": Caller, "1": Caller, "2": Caller}, matches=7, seed=SEED)
    found = [
        Seating(
            match.setup.match,
            tuple([int(entrant.bot) for entrant in match.setup.entrants]),
            match.setup.first_dealer,
        )
        for match in played
    ]
    assert found == list(seatings(SEED, seats=3, matches=7))
    assert [seating.match for seating in found] == [
        *("1-1-1", "1-1-2", "1-1-3"),
        *("2-1-1", "2-1-2", "2-1-3"),
        "3-1-1",
    ]


def test_all_chance_comes_from_the_seed() -> None:
    told: list[MatchStart] = []

    class Told(Caller):
        def match_started(self, start: MatchStart) -> None:
            told.append(start)

    played = list(play([Told, Caller], matches=2, seed=SEED))
    for match, start in zip(played, told, strict=True):
        own = match_seed(SEED, match.setup.match, 1)
        assert match.setup.seed == own
        assert match.setup.tournament_commitment == commitment(SEED)
        assert start.commitment == commitment(own)
        assert start.seed == bot_seed(own, start.seat)
        assert start.clock is None


@pytest.mark.parametrize("variant", ["baseball", "seven-card-stud"])
@pytest.mark.parametrize("tables", [2, 5, 100])
def test_the_same_bots_and_seed_play_the_same_however_many_tables(
    tables: int, variant: str
) -> None:
    def played(tables: int) -> dict[str, tuple[object, ...]]:
        bots = [Chancy, Caller, Chancy]
        return by_match(list(play(bots, matches=9, seed=SEED, tables=tables, variant=variant)))

    assert played(tables) == played(1)
    assert len(played(tables)) == 9


def test_another_seed_plays_other_matches() -> None:
    (one,) = play([Chancy, Chancy], seed=SEED)
    (two,) = play([Chancy, Chancy], seed=bytes(16))
    assert outcome(one) != outcome(two)


def test_without_a_seed_one_is_drawn_for_the_call() -> None:
    (one,), (two,) = play([Caller, Caller]), play([Caller, Caller])
    assert one.setup.seed != two.setup.seed


def test_a_batch_bot_is_asked_for_all_tables_at_once() -> None:
    played = list(play([Batch, Caller], matches=8, seed=SEED, tables=4))
    asked = Batch.asked
    assert max(map(len, asked)) > 1
    assert max(map(len, asked)) <= 4
    for batch in asked:
        assert len(set(batch)) == len(batch)
    decisions = sum(
        match.setup.entrants[decision.seat].bot == "Batch"
        for match in played
        for hand in match.hands
        for decision in hand.decisions
    )
    assert sum(map(len, asked)) == decisions


def test_a_batch_bot_plays_the_same_at_one_table_as_at_many() -> None:
    at_one = by_match(list(play([Batch, Chancy], matches=6, seed=SEED, tables=1)))
    assert by_match(list(play([Batch, Chancy], matches=6, seed=SEED, tables=6))) == at_one


def test_twins_of_a_batch_class_have_objects_of_their_own() -> None:
    made: list[BatchBot] = []

    class Counted(Batch):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    list(play([Counted, Counted], matches=3, seed=SEED))
    assert len(made) == 2


def test_a_bot_has_a_fresh_object_a_match_and_its_hooks_are_called_in_order() -> None:
    heard: dict[int, list[str]] = {}
    kept: list[Bot] = []

    class Hearing(Caller):
        def match_started(self, start: MatchStart) -> None:
            kept.append(self)  # so that no later object has its id
            heard[id(self)] = [f"start {start.match}"]

        def hand_ended(self, end: HandEnd) -> None:
            heard[id(self)].append(f"hand {end.hand}")

        def match_ended(self, end: MatchEnd) -> None:
            heard[id(self)].append(f"end {end.match}")

    list(play([Hearing, Caller], matches=2, seed=SEED, hands=3, tables=2))
    assert sorted(heard.values()) == [
        [f"start {match}", "hand 1", "hand 2", "hand 3", f"end {match}"]
        for match in ("1-1-1", "1-1-2")
    ]


def act_raises(seen: Observation) -> Action:
    raise ZeroDivisionError("by design")


def act_folds(seen: Observation) -> Action:
    return Action.FOLD


def act_nothing(seen: Observation) -> Action:
    return None  # type: ignore[return-value]


def faulty(act: Callable[[Observation], Action]) -> type[Bot]:
    class Faulty(Bot):
        def act(self, seen: Observation) -> Action:
            return act(seen)

    return Faulty


@pytest.mark.parametrize(
    ("act", "cause", "text", "account"),
    [
        (act_raises, "exception", "ZeroDivisionError: by design", "in act_raises"),
        (act_folds, "illegal", "fold is not legal here; legal: check, bet", ""),
        (act_nothing, "exception", "act returned None", ""),
    ],
)
def test_a_fault_is_told_with_cause_traceback_and_observation(
    act: Callable[[Observation], Action], cause: str, text: str, account: str
) -> None:
    faults: list[Fault] = []
    bots = {"faulty": faulty(act), "caller": Caller}
    (match,) = play(bots, seed=SEED, on_fault=faults.append)
    assert [fault.cause for fault in faults] == [cause] * 3  # then the bot is out
    first = faults[0]
    assert (first.bot, first.match) == ("faulty", match.setup.match)
    assert first.text.startswith(text)
    assert account in first.account
    assert bool(first.account) == bool(account)
    assert "host.py" not in first.account
    assert (first.seen.seat, first.seen.legal) == (first.seat, (Action.CHECK, Action.BET))
    assert match.faults[first.seat] == {cause: 3}
    assert sum(match.net) == 0


def test_strikes_put_a_bot_out_when_they_are_used_up() -> None:
    def faults(strikes: int) -> int:
        found: list[Fault] = []
        bots = {"faulty": faulty(act_raises), "caller": Caller}
        list(play(bots, seed=SEED, strikes=strikes, on_fault=found.append))
        return len(found)

    assert (faults(1), faults(3)) == (1, 3)
    assert faults(1000) > 8


def test_a_fault_is_printed_with_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    list(play({"faulty": faulty(act_raises), "caller": Caller}, seed=SEED, strikes=1))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Traceback (most recent call last):\n")
    assert "in act_raises" in err
    assert "faulty at seat " in err
    assert "exception: ZeroDivisionError: by design\n" in err


def test_a_hook_that_fails_costs_nothing_and_is_printed_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class FailingHook(Caller):
        def hand_ended(self, end: HandEnd) -> None:
            raise ZeroDivisionError("in a hook")

    played = list(play([FailingHook, Caller], matches=2, seed=SEED))
    assert [match.faults for match in played] == [({}, {})] * 2
    assert capsys.readouterr().err.count("ZeroDivisionError: in a hook") == 1


def test_a_batch_bot_that_raises_is_at_fault_at_every_table_it_was_asked_for() -> None:
    class Raising(BatchBot):
        def act_many(self, seen: list[Observation]) -> list[Action]:
            raise ZeroDivisionError("all of them")

    faults: list[Fault] = []
    bots: dict[str, BotClass] = {"raising": Raising, "caller": Caller}
    played = list(play(bots, matches=4, seed=SEED, tables=4, on_fault=faults.append))
    assert Counter(fault.match for fault in faults) == {match.setup.match: 3 for match in played}
    assert len(played) == 4


def test_a_host_may_stand_for_a_bot() -> None:
    class Counting(Host):
        asked = 0

        def decide(self, seen: Observation):
            Counting.asked += 1
            return super().decide(seen)

    bots: dict[str, BotClass | Host] = {"counted": Counting(Caller), "caller": Caller}
    (match,) = play(bots, seed=SEED)
    seat = [entrant.bot for entrant in match.setup.entrants].index("counted")
    assert Counting.asked == [who for who, _ in answers(match)].count(seat)


def test_hands_and_versions_are_settings() -> None:
    (match,) = play([Caller, Caller], seed=SEED, hands=3, versions=("a", "b"), tournament="friday")
    assert [hand.hand for hand in match.hands] == [1, 2, 3]
    assert {(entrant.bot, entrant.version) for entrant in match.setup.entrants} == {
        ("Caller", "a"),
        ("Caller-2", "b"),
    }
    assert match.setup.tournament == "friday"


def test_nets_sum_to_nothing_in_every_match() -> None:
    played = list(play([Chancy] * 6, matches=6, seed=SEED))
    assert [sum(match.net) for match in played] == [Fraction(0)] * 6


@pytest.mark.parametrize(("bots", "seats"), [([Caller], 1), ([Caller] * 7, 7)])
def test_r1_1_a_table_has_two_to_six_seats(bots: list[type[Bot]], seats: int) -> None:
    with pytest.raises(RuleError, match=rf"{seats} seats: baseball is for 2 to 6 \(R1.1\)"):
        list(play(bots, seed=SEED))


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(RuleError, match="'omaha' is unknown; there is baseball, seven-card-stud"):
        list(play([Caller, Caller], seed=SEED, variant="omaha"))


def test_what_is_not_a_bot_is_refused() -> None:
    with pytest.raises(BotError, match=r"int is not a bot: derive it from sandlot\.Bot"):
        list(play({"one": int, "two": Caller}, seed=SEED))  # type: ignore[dict-item]


def test_no_match_is_no_work() -> None:
    assert list(play([Caller, Caller], matches=0, seed=SEED)) == []
