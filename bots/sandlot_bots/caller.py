"""The house bot ``caller``: never bets, never folds."""

from sandlot import Action, Bot, Observation


class Caller(Bot):
    """Checks when it can and calls when it must.

    The lesson: it shows down every hand, so it loses exactly as much as the others' good hands can
    make it pay. Bluffs are wasted on it.
    """

    def act(self, seen: Observation) -> Action:
        """Check if that is allowed, else call."""
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
