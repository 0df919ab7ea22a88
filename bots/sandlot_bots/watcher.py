"""The house bot ``watcher``: learns what the others' bets and folds mean, and uses it."""

from collections.abc import Iterable
from itertools import islice
from statistics import median

from sandlot import Action, Bot, HandEnd, MatchStart, Observation
from sandlot.deals import completions
from sandlot.game import VARIANTS, Acted, Dealt, Event, Revealed
from sandlot.hands import showdown_rank
from sandlot.pack import PACK, Card

DEALS = 32
"""How often it deals the hand to its end before it decides."""

PRIOR = 5
"""It begins as if it had seen everybody decide so often already, in the usual manner."""


class Habits:
    """What one opponent does, counted over the match. A hand is strong or weak, True or False."""

    def __init__(self) -> None:
        """Begin with the habits of an average player."""
        self.decisions = {True: 1.0 * PRIOR, False: 1.0 * PRIOR}
        self.bets = {True: 0.5 * PRIOR, False: 0.3 * PRIOR}
        self.faced = 1.0 * PRIOR
        self.folds = 0.25 * PRIOR

    def saw_fold_or_not(self, actions: list[Action]) -> None:
        """Count how often it folded when there was a bet."""
        self.faced += sum(action not in (Action.CHECK, Action.BET) for action in actions)
        self.folds += actions.count(Action.FOLD)

    def saw_shown(self, strong: bool, actions: list[Action]) -> None:
        """Count what it did with a hand that it has shown."""
        self.decisions[strong] += len(actions)
        self.bets[strong] += bets_among(actions)

    def likelihood(self, strong: bool, actions: list[Action]) -> float:
        """Return how likely it is to act so with such a hand."""
        bets = bets_among(actions)
        often = self.bets[strong] / self.decisions[strong]
        return often**bets * (1 - often) ** (len(actions) - bets)

    def folds_weak(self) -> float:
        """Return how likely it folds a weak hand to a bet; a strong one it never does."""
        return min(0.9, 1.5 * self.folds / self.faced)


class Watcher(Bot):
    """Plays what pays best if the others go on as they have done in this match.

    The lesson: cards are half of what can be seen. Whoever bets strong hands and checks weak ones
    tells what he holds (Bayes' rule does the listening), and who folds often may be bluffed. A
    shown hand says the most, so it looks back at how that hand was played.
    """

    def match_started(self, start: MatchStart) -> None:
        """Forget nothing, for there is nothing yet: every match has a new object."""
        self.variant = VARIANTS[start.variant]
        self.habits = [Habits() for _ in start.bots]
        self.par = self.middling_hand(len(start.bots))

    def middling_hand(self, seats: int) -> int:
        """Return the rank number that half of all hands reach: from there on one is strong."""
        ranks: list[int] = []
        for _ in range(25):
            deck = self.rng.sample(PACK, len(PACK))
            nobody = self.variant.deal(seats, dealer=0, deck=deck).view(None)
            hands = next(completions(nobody, self.variant, self.rng))
            ranks += [showdown_rank(hand, self.variant.wild) for hand in hands]
        return int(median(ranks))

    def hand_ended(self, end: HandEnd) -> None:
        """Learn from what was done and shown."""
        done = actions_by_seat(end.events, len(end.net))
        up: list[tuple[Card, ...]] = [() for _ in end.net]
        for event in end.events:
            if isinstance(event, Dealt) and event.up and event.card is not None:
                up[event.seat] += (event.card,)
            elif isinstance(event, Revealed):
                rank = showdown_rank(event.down + up[event.seat], self.variant.wild)
                self.habits[event.seat].saw_shown(rank >= self.par, done[event.seat])
        for habits, actions in zip(self.habits, done, strict=True):
            habits.saw_fold_or_not(actions)

    def act(self, seen: Observation) -> Action:
        """Return the action that wins the most on average; all money is in units from here on."""
        others = [seat for seat, view in enumerate(seen.seats) if view.live and seat != seen.seat]
        done = actions_by_seat(seen.history, len(seen.seats))
        likelihood = {
            (seat, strong): self.habits[seat].likelihood(strong, done[seat])
            for seat in others
            for strong in (True, False)
        }
        # Who has put money in this round has made up his mind already.
        folds_weak = {
            seat: 0.0 if seen.seats[seat].paid_round else self.habits[seat].folds_weak()
            for seat in others
        }
        pot, price = seen.pot, seen.to_call + 1

        weights = won = raised = 0.0
        for hands in islice(completions(seen, self.variant, self.rng), DEALS):
            ranks = [showdown_rank(hand, seen.wild) if hand else -1 for hand in hands]
            best = max(ranks)
            share = 1 / ranks.count(best) if ranks[seen.seat] == best else 0.0
            weight, all_fold, callers = 1.0, 1.0, 0.0
            for seat in others:
                strong = ranks[seat] >= self.par
                folds = 0.0 if strong else folds_weak[seat]
                weight *= likelihood[seat, strong]
                all_fold *= folds
                callers += 1 - folds
            called = share * (pot + price) - price
            weights += weight
            won += weight * share
            raised += weight * (all_fold * pot + (1 - all_fold) * called + share * callers)

        worth = {
            Action.FOLD: 0.0,
            Action.CHECK: pot * won / weights,
            Action.CALL: (pot + seen.to_call) * won / weights - seen.to_call,
            Action.BET: raised / weights,
            Action.RAISE: raised / weights,
        }
        return max(seen.legal, key=worth.__getitem__)


def actions_by_seat(events: Iterable[Event], seats: int) -> list[list[Action]]:
    """Return what each seat has done in a hand."""
    done: list[list[Action]] = [[] for _ in range(seats)]
    for event in events:
        if isinstance(event, Acted):
            done[event.seat].append(event.action)
    return done


def bets_among(actions: list[Action]) -> int:
    """Count bets and raises."""
    return actions.count(Action.BET) + actions.count(Action.RAISE)
