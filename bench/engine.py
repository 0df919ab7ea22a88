"""Random play in this process, whole hands: decisions a second.

Equal work. On every side a hand begins with the dealing of its cards and ends when it is settled
who has won what, which is read. The seat whose turn it is picks one of its legal actions, all
equally likely, with ``random.Random``, and each such pick that is carried out is one decision. What
is dealt by chance is no decision, but its time counts. Neither side shuffles what is not needed:
OpenSpiel draws a card when it is dealt, we draw beforehand as many as the hand could deal. No
observation is asked for on any side.

The games differ. Ours is Baseball, with wilds, bonus cards and five betting rounds; the peers know
no wilds and play the nearest game that they have, each said below. So hands are not equally long:
at 2 seats ours has 6.3 decisions, and 14 to 18 cards if nobody folds, OpenSpiel's 5.0 and 9; at 6
seats ours has 18.9 decisions, PokerKit's 18.0. The rates are those of decisions.
"""

from __future__ import annotations

from random import Random
from typing import Any

from bench.timing import rate
from sandlot.deals import shuffled
from sandlot.game import VARIANTS

SEED = 1


def sandlot_two() -> float:
    """Baseball at 2 seats."""
    return sandlot(2)


def sandlot_six() -> float:
    """Baseball at 6 seats."""
    return sandlot(6)


def sandlot(seats: int) -> float:
    """Return the decisions a second of Baseball; the deck is shuffled anew for each hand.

    It is shuffled as a program that trains would do it, by ``sandlot.deals.shuffled``: 18 cards are
    drawn at 2 seats and 46 at 6, the others cannot be dealt.
    """
    rng = Random(SEED)
    baseball = VARIANTS["baseball"]
    dealer = 0

    def play() -> int:
        nonlocal dealer
        dealer = (dealer + 1) % seats
        hand = baseball.deal(seats, dealer, shuffled(baseball, seats, rng))
        decisions = 0
        while hand.to_act is not None:
            hand.apply(rng.choice(hand.legal))
            decisions += 1
        assert hand.net
        return decisions

    return rate(play)


HOLDEM = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=1 2,firstPlayer=2 1 1 1,"
    "raiseSize=2 2 4 4,maxRaises=3 4 4 4,numSuits=4,numRanks=13,numHoleCards=2,"
    "numBoardCards=0 3 1 1)"
)


def openspiel_two() -> float:
    """OpenSpiel's ``universal_poker``, C++ driven from Python: limit hold'em at 2 seats.

    Its cards come from chance nodes, which are sampled in Python. The cards that are left are all
    equally likely, so one is picked as an action is: that is several times as quick as to ask for
    the chances of each, as its own examples do.
    """
    import pyspiel

    game = pyspiel.load_game(HOLDEM)
    rng = Random(SEED)

    def play() -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(rng.choice(state.legal_actions()))
        assert state.returns()
        return decisions

    return rate(play)


def pokerkit_six() -> float:
    """PokerKit's ``FixedLimitSevenCardStud`` at 6 seats, all that is no choice being automatic.

    It gives no list of what is legal: each of the four things that a seat may do is asked for. To
    bring in is such a choice (the least, or a whole bet), and one decision.
    """
    from pokerkit import Automation, FixedLimitSevenCardStud

    rng = Random(SEED)
    automatic = (
        Automation.ANTE_POSTING,
        Automation.BET_COLLECTION,
        Automation.CARD_BURNING,
        Automation.HOLE_DEALING,
        Automation.BOARD_DEALING,
        Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
        Automation.HAND_KILLING,
        Automation.CHIPS_PUSHING,
        Automation.CHIPS_PULLING,
    )

    def play() -> int:
        state = FixedLimitSevenCardStud.create_state(
            automatic,
            ante_trimming_status=True,
            raw_antes=1,
            bring_in=1,
            small_bet=2,
            big_bet=4,
            raw_starting_stacks=(1_000,) * 6,
            player_count=6,
        )
        decisions = 0
        while state.status:
            legal: list[Any] = []
            if state.can_post_bring_in():
                legal.append(state.post_bring_in)
            if state.can_fold():
                legal.append(state.fold)
            if state.can_check_or_call():
                legal.append(state.check_or_call)
            if state.can_complete_bet_or_raise_to():
                legal.append(state.complete_bet_or_raise_to)
            rng.choice(legal)()
            decisions += 1
        assert state.stacks
        return decisions

    return rate(play)


def rlcard_two() -> float:
    """RLCard's ``limit-holdem`` at 2 seats: its game, without what the environment encodes."""
    import rlcard

    game = rlcard.make("limit-holdem", config={"seed": SEED}).game
    rng = Random(SEED)

    def play() -> int:
        game.init_game()
        decisions = 0
        while not game.is_over():
            game.step(rng.choice(game.get_legal_actions()))
            decisions += 1
        assert len(game.get_payoffs())
        return decisions

    return rate(play)


def pypokerengine_six() -> float:
    """PyPokerEngine at 6 seats: no-limit hold'em, the only game it has; a raise is the least one.

    Its engine calls players, and tells them all that happens; ours do nothing with it. It makes a
    table for several hands, here ten.
    """
    from pypokerengine.api.game import setup_config, start_poker
    from pypokerengine.players import BasePokerPlayer

    rng = Random(SEED)
    decisions = 0

    class Player(BasePokerPlayer):  # type: ignore[misc]  # it has no types
        def declare_action(
            self, valid_actions: list[dict[str, Any]], hole_card: object, round_state: object
        ) -> tuple[str, int]:
            nonlocal decisions
            decisions += 1
            picked = rng.choice(valid_actions)
            amount = picked["amount"]
            return picked["action"], amount["min"] if isinstance(amount, dict) else amount

        def ignore(self, *told: object) -> None:
            pass

        receive_game_start_message = receive_round_start_message = ignore
        receive_street_start_message = receive_game_update_message = ignore
        receive_round_result_message = ignore

    def play() -> int:
        before = decisions
        table = setup_config(max_round=10, initial_stack=100_000, small_blind_amount=1)
        for seat in range(6):
            table.register_player(str(seat), Player())
        assert start_poker(table, verbose=0)["players"]
        return decisions - before

    return rate(play)
