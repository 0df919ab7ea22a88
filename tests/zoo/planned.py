"""A bot whose starts go by a plan: ``plan`` in its directory, a sign a start; ``starts`` counts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sandlot import Action, Bot, Observation

with Path("starts").open("a") as starts:
    starts.write("x")
    number = starts.tell()
if Path("plan").read_text()[number - 1] != "+":
    sys.exit("not today")


class Planned(Bot):
    """Checks or calls, and leaves in hand 2."""

    def act(self, seen: Observation) -> Action:
        """Check, call or leave."""
        if seen.hand == 2:
            os._exit(5)
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
