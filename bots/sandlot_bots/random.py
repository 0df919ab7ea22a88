"""The house bot ``random``: where to begin, and what every bot must beat."""

from sandlot import Action, Bot, Observation


class Random(Bot):
    """Does any of the things that are allowed, each as likely as the next.

    The lesson: ``seen.legal`` is all you need to stay within the rules, and chance comes from
    ``self.rng``, so that the same seed plays the same match again.
    """

    def act(self, seen: Observation) -> Action:
        """Return one of ``seen.legal``, drawn by lot."""
        return self.rng.choice(seen.legal)
