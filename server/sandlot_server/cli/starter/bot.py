"""A bot to start from: change what `act` does, and play it again."""

from collections import Counter

from sandlot import Action, Bot, Observation, run


class MyBot(Bot):
    """Bets when three of its cards are alike, calls with two, and else folds to a bet."""

    def act(self, seen: Observation) -> Action:
        """Return one of ``seen.legal``."""
        alike = most_alike(seen)
        if alike >= 3:
            wanted = (Action.RAISE, Action.BET, Action.CALL)
        elif alike == 2:
            wanted = (Action.CHECK, Action.CALL)
        else:
            wanted = (Action.CHECK, Action.FOLD)
        return next(action for action in wanted if action in seen.legal)


def most_alike(seen: Observation) -> int:
    """Count the cards of the seat's best rank; a wild card is of every rank."""
    ranks = [str(card)[0] for card in seen.cards]
    natural = Counter(rank for rank in ranks if rank not in seen.wild)
    wilds = len(ranks) - natural.total()
    return wilds + max(natural.values(), default=0)


if __name__ == "__main__":
    run(MyBot)
