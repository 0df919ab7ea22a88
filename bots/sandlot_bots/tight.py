"""The house bot ``tight``: waits for good cards, and plays them by rule."""

from sandlot import Action, Bot, Observation
from sandlot.hands import Category, exposed, showdown

CALLS_WITH = {
    3: Category.PAIR,
    4: Category.PAIR,
    5: Category.TWO_PAIR,
    6: Category.THREE_OF_A_KIND,
    7: Category.STRAIGHT,
}
"""What it must hold on each street to pay for staying in."""

BETS_WITH = {
    3: Category.PAIR,
    4: Category.THREE_OF_A_KIND,
    5: Category.THREE_OF_A_KIND,
    6: Category.STRAIGHT,
    7: Category.FULL_HOUSE,
}
"""What it must hold on each street to bet or raise."""


class Tight(Bot):
    """Bets its good hands, calls with its fair ones, and folds the rest when somebody bets.

    The lesson: with eight wild cards in the pack a pair is no hand, and what would win on third
    street is not worth a call on seventh. It looks at its own cards alone, so it never knows when
    it is beaten on the board.
    """

    def act(self, seen: Observation) -> Action:
        """Return what the rules above say, the strongest action first."""
        held = category(seen)
        if held >= BETS_WITH[seen.street]:
            wanted = [Action.RAISE, Action.BET, Action.CALL]
        elif held >= CALLS_WITH[seen.street]:
            wanted = [Action.CHECK, Action.CALL]
        else:
            wanted = [Action.CHECK, Action.FOLD]
        return next(action for action in wanted if action in seen.legal)


def category(seen: Observation) -> Category:
    """Return what the seat's own cards are worth so far, wild cards and all."""
    value = (exposed if len(seen.cards) < 5 else showdown)(seen.cards, seen.wild)
    return value.category
