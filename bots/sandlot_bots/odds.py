"""The house bot ``odds``: deals the rest of the hand many times and counts how often it wins."""

from sandlot import Action, Bot, Observation
from sandlot.equity import equity
from sandlot.game import Acted

DEALS = 32
"""How often it deals the hand to its end before it decides."""

TRUST = 0.75
"""What is left of its chance to win for each bet or raise that others have made this round."""

BOLDNESS = 0.7
"""What part of a fair share it bets with: less than all of it, for some will fold."""


class Odds(Bot):
    """Weighs its chance to win against the price of the call.

    The lesson: a card that you have seen cannot come any more. Only unseen cards are dealt, so a
    wild that lies face up before somebody is one that it no longer hopes for or fears, and so is a
    4 with its bonus card.
    """

    def act(self, seen: Observation) -> Action:
        """Bet or raise with the better hand, call at a good price, else check or fold."""
        chance = self.chance_to_win(seen) * TRUST ** bets_of_others(seen)
        fair = 1 / sum(seat.live for seat in seen.seats)
        if chance > (fair if seen.level else BOLDNESS * fair):
            wanted = [Action.RAISE, Action.BET, Action.CALL]
        elif chance * (seen.pot + seen.to_call) >= seen.to_call:
            wanted = [Action.CHECK, Action.CALL]
        else:
            wanted = [Action.CHECK, Action.FOLD]
        return next(action for action in wanted if action in seen.legal)

    def chance_to_win(self, seen: Observation) -> float:
        """Return the share of the pot, 0 to 1, that it wins on average against any cards."""
        # Where all deals could be gone through, 32 are still enough, and quicker.
        return equity(seen, DEALS, self.rng, variant=self.start.variant, enumerated=0).share


def bets_of_others(seen: Observation) -> int:
    """Count the bets and raises of other seats in this round."""
    return sum(
        isinstance(event, Acted)
        and event.street == seen.street
        and event.seat != seen.seat
        and event.action in (Action.BET, Action.RAISE)
        for event in seen.history
    )
