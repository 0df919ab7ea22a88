"""The house bots: legal everywhere, the same every time, and as strong as the docs say."""

from __future__ import annotations

import random
from fractions import Fraction
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandlot import Action, Bot, Observation
from sandlot.arena import Fault, play
from sandlot.game import VARIANTS, Acted, Hand
from sandlot.host import BotClass
from sandlot.notices import MatchStart
from sandlot.pack import PACK, cards
from sandlot.played import PlayedMatch
from sandlot.testing import check_bot
from sandlot.testing.lasting import lasting_state
from sandlot_bots.caller import Caller
from sandlot_bots.odds import Odds
from sandlot_bots.random import Random
from sandlot_bots.tight import Tight
from sandlot_bots.watcher import Habits, Watcher

BOTS = {"random": Random, "caller": Caller, "tight": Tight, "odds": Odds, "watcher": Watcher}
SEED = bytes(range(16))

house = pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
tables = pytest.mark.parametrize(
    ("variant", "seats"),
    [
        (name, seats)
        for name, variant in VARIANTS.items()
        for seats in range(variant.least_seats, variant.most_seats + 1)
    ],
)


class Anything(Bot):
    """Brings its opponents into every position: it folds seldom, and raises to the cap."""

    def act(self, seen: Observation) -> Action:
        legal = [action for action in seen.legal if action != Action.FOLD]
        return self.rng.choice(seen.legal if self.rng.random() < 0.05 else legal)


def answers(played: PlayedMatch) -> list[str | None]:
    return [decision.answer for hand in played.hands for decision in hand.decisions]


@house
@tables
@given(seed=st.binary(min_size=16, max_size=16))
@settings(max_examples=3)
def test_it_answers_what_is_legal(bot: type[Bot], variant: str, seats: int, seed: bytes) -> None:
    faults: list[Fault] = []
    bots = {"it": bot} | {f"other-{number}": Anything for number in range(1, seats)}
    (match,) = play(bots, 1, seed, variant=variant, hands=2, on_fault=faults.append)
    assert faults == []
    assert sum(match.net) == 0


@house
def test_a_check_finds_nothing(bot: type[Bot]) -> None:
    report = check_bot(bot, matches=1)
    assert report.findings == [], report
    assert report.decisions > 20


@house
def test_the_same_seed_plays_the_same_whatever_is_played_beside_it(bot: type[Bot]) -> None:
    def played(tables: int) -> dict[str, list[str | None]]:
        matches = play({"it": bot, "other": Anything}, 6, SEED, hands=3, tables=tables)
        return {match.setup.match: answers(match) for match in matches}

    assert played(1) == played(6)


@house
def test_it_leaves_nothing_behind(bot: type[Bot]) -> None:
    before, chance = lasting_state(bot), random.getstate()
    list(play({"it": bot, "other": Anything, "third": Caller}, 2, SEED))
    assert lasting_state(bot) == before
    assert random.getstate() == chance


@pytest.mark.parametrize("name", BOTS)
def test_it_is_found_by_its_name(name: str) -> None:
    module = import_module(f"sandlot_bots.{name}")
    assert getattr(module, name.capitalize()) is BOTS[name]
    assert module.__doc__
    assert BOTS[name].__doc__


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("odds", "tight"),
        ("watcher", "tight"),
        ("tight", "caller"),
        ("tight", "random"),
        ("odds", "caller"),
        ("watcher", "random"),
    ],
)
def test_the_better_bot_wins_forty_matches(better: str, worse: str) -> None:
    """The seed is fixed, so this comes out the same every time; docs/house-bots.md has more."""
    won = Fraction(0)
    for match in play({better: BOTS[better], worse: BOTS[worse]}, 40, SEED):
        bots = [entrant.bot for entrant in match.setup.entrants]
        won += match.net[bots.index(better)]
    assert won > 0


def test_neither_of_caller_and_random_ever_folds_against_the_other() -> None:
    actions: dict[str, set[str]] = {"random": set(), "caller": set()}
    for match in play({"random": Random, "caller": Caller}, 30, SEED):
        for hand in match.hands:
            for event in hand.events:
                if isinstance(event, Acted):
                    actions[match.setup.entrants[event.seat].bot].add(event.action.name)
    # Nobody but random bets, so it never has a bet to call, raise or fold to.
    assert actions == {"random": {"check", "bet"}, "caller": {"check", "call"}}


def seventh_street(first: str, second: str) -> Hand:
    """A hand of two seats that hold these cards in the order dealt, all checked to the end.

    The first seat is on the dealer's left; no 4 may be face up.
    """
    left, right = cards(first), cards(second)
    dealt = [card for pair in zip(left, right, strict=True) for card in pair]
    rest = [card for card in PACK if card not in dealt]
    hand = VARIANTS["baseball"].deal(2, 1, [*dealt, *rest])
    while hand.street < 7:
        hand.apply(Action.CHECK)
    return hand


def observed(hand: Hand) -> Observation:
    assert hand.to_act is not None
    return Observation(hand, hand.to_act, (Fraction(0),) * 2, "1-1-1", 1, 1)


def seated(bot: type[Bot], seat: int) -> Bot:
    made = bot()
    names, clock = ("a", "b"), None
    game = VARIANTS["baseball"]
    made.begin(
        MatchStart("1-1-1", seat, names, game.name, game.rules, "39", 8, 1, clock, "", bytes(32))
    )
    return made


WEAK = "2h 7s Tc Qd 5s 8c Kh"  # king high
STRONG = "3c 3d As Ah Ad 6c 6d"  # five aces

raising = pytest.mark.parametrize("bot", [Tight, Odds, Watcher])


@raising
def test_five_aces_are_raised(bot: type[Bot]) -> None:
    hand = seventh_street(STRONG, WEAK)
    seat = 0
    if hand.to_act == seat:
        hand.apply(Action.CHECK)
    hand.apply(Action.BET)
    assert hand.to_act == seat
    assert seated(bot, seat).act(observed(hand)) == Action.RAISE


@raising
def test_king_high_is_folded_to_aces_on_the_board(bot: type[Bot]) -> None:
    hand = seventh_street(STRONG, WEAK)
    assert hand.to_act == 0
    hand.apply(Action.BET)
    assert seated(bot, 1).act(observed(hand)) == Action.FOLD


def chance_on_sixth_street(own: str, other: str, folded: str) -> float:
    """Return what odds makes of its cards; the third seat has folded, its up cards are seen.

    The cards of a seat are two down, then those of third to sixth street.
    """
    dealt = [
        card for round_ in zip(*map(cards, (own, other, folded)), strict=True) for card in round_
    ]
    hand = VARIANTS["baseball"].deal(3, 2, [*dealt, *(c for c in PACK if c not in dealt)])
    while hand.street < 6:
        hand.apply(Action.CHECK)
    while hand.live[2]:
        if hand.level == 0:
            hand.apply(Action.CHECK if hand.to_act == 2 else Action.BET)
        else:
            hand.apply(Action.FOLD if hand.to_act == 2 else Action.CALL)
    bot = seated(Odds, 0)
    assert isinstance(bot, Odds)
    seen = Observation(hand, 0, (Fraction(0),) * 3, "1-1-1", 1, 1)
    return sum(bot.chance_to_win(seen) for _ in range(40)) / 40


@pytest.mark.parametrize(
    ("own", "other", "gone_is_better"),
    [
        ("5s 5d 5h 7s 7d Jh", "2c 4d Qc 8d Qh 8c", True),  # a full house: it fears them
        ("As Ks 2s 7s Jh Td", "8c 8d Qc Qd Qh 5h", False),  # four to a flush: it hopes for them
    ],
)
def test_odds_neither_hopes_for_nor_fears_a_wild_that_is_gone(
    own: str, other: str, gone_is_better: bool
) -> None:
    to_come = chance_on_sixth_street(own, other, folded="6c Tc 2d 6d Th Kc")
    gone = chance_on_sixth_street(own, other, folded="6c Tc 3c 3d 9c 9d")
    assert (gone > to_come + 0.05) if gone_is_better else (gone < to_come - 0.05)


def test_watcher_learns_who_folds_and_whose_bets_mean_something() -> None:
    folder, honest = Habits(), Habits()
    average = folder.folds_weak()
    folder.saw_fold_or_not([Action.CHECK, Action.FOLD])
    assert folder.folds_weak() > average
    honest.saw_fold_or_not([Action.CALL, Action.RAISE])
    assert honest.folds_weak() < average

    def ratio(habits: Habits) -> float:
        """How much more likely a bet is with a strong hand than with a weak one."""
        bet = [Action.BET]
        return habits.likelihood(True, bet) / habits.likelihood(False, bet)

    before = ratio(honest)
    honest.saw_shown(True, [Action.BET, Action.RAISE])
    honest.saw_shown(False, [Action.CHECK, Action.CALL])
    assert ratio(honest) > before
    bluffer = Habits()
    bluffer.saw_shown(False, [Action.BET, Action.RAISE])
    assert ratio(bluffer) < before


def test_watcher_knows_a_caller_after_a_match() -> None:
    learned: list[Watcher] = []

    class Kept(Watcher):
        def match_started(self, start: MatchStart) -> None:
            super().match_started(start)
            learned.append(self)

    bots: dict[str, BotClass] = {"watcher": Kept, "caller": Caller}
    list(play(bots, 1, SEED))
    (watcher,) = learned
    caller = watcher.habits[1 - watcher.start.seat]
    new = Habits()
    assert caller.folds_weak() < new.folds_weak()
    for strong in (True, False):
        assert caller.likelihood(strong, [Action.BET]) < new.likelihood(strong, [Action.BET])
