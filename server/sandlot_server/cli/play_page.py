"""What ``sandlot play`` prints: how the bots have done."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from sandlot_server.cli.output import new_table
from sandlot_server.cli.playing import Result, Table
from sandlot_server.cli.standings_page import faults_text, net_text
from sandlot_server.tournament.standings import PARTS, BotSums, Mean, standings

RECORD: Final = "play.jsonl"
"""What a record might be called."""


@dataclass
class Score:
    """One bot's results, added up; money in units."""

    bot: str
    matches: int = 0
    hands: int = 0
    net: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)
    """The sum of the squares of its nets of matches."""
    places: Counter[int] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def a_hand(self) -> Mean:
        """Return the mean net a hand, with a 95 % interval where scipy is there to reckon it."""
        if self.matches > 1 and find_spec("scipy") is not None:
            net, squares = int(self.net * PARTS), int(self.squares * PARTS**2)
            sums = BotSums(self.bot, self.matches, self.hands, net, squares, 0, 0)
            mean = standings([sums]).rows[0].net
            assert mean is not None
            return mean
        return Mean(self.net / self.hands, None)

    def standard_error(self) -> float | None:
        """Return that of the mean net a hand; None after a single match."""
        if self.matches < 2:
            return None
        spare = self.squares * self.matches - self.net**2
        return math.sqrt(spare / (self.matches - 1)) / self.hands


class Tally:
    """Adds up the results of matches of ``hands`` hands between the same bots."""

    def __init__(self, bots: tuple[str, ...], hands: int) -> None:
        self._hands = hands
        self._scores = {bot: Score(bot) for bot in bots}

    @property
    def matches(self) -> int:
        """How many matches there were."""
        return next(iter(self._scores.values())).matches

    def add(self, result: Result) -> None:
        """Add the result of a match."""
        for bot, net, place, faults in zip(
            result.bots, result.net, result.places, result.faults, strict=True
        ):
            score = self._scores[bot]
            score.matches += 1
            score.hands += self._hands
            score.net += net
            score.squares += net**2
            score.places[place] += 1
            score.faults.update(faults)

    def scores(self) -> list[Score]:
        """Return the scores, best first; equal ones in the order of the command line."""
        return sorted(self._scores.values(), key=lambda score: -score.net)


def as_json(tally: Tally, table: Table, record: Path | None, *, stopped: bool) -> dict[str, Any]:
    """Return the results as plain data, for ``--json``."""
    versions = dict(zip(table.names, table.versions, strict=True))
    return {
        "variant": table.variant,
        "seed": table.seed.hex(),
        "matches": tally.matches,
        "hands": table.hands,
        "stopped": stopped,
        "record": None if record is None else str(record),
        "bots": [
            {
                "bot": score.bot,
                "version": versions[score.bot],
                "net": score.net,
                "net_a_hand": score.a_hand().to_json() | {"standard_error": score.standard_error()},
                "places": {str(place): score.places[place] for place in sorted(score.places)},
                "faults": dict(sorted(score.faults.items())),
            }
            for score in tally.scores()
        ],
    }


def print_results(out: Console, tally: Tally, table: Table) -> None:
    """Print the table: one match as it ended, of more than one the means."""
    seats = len(table.names)
    several = tally.matches > 1
    matches = f"{tally.matches:,} matches" if several else "1 match"
    hands = f"{table.hands} hands" if table.hands > 1 else "1 hand"
    title = f"{matches} of {hands}, {table.variant}"
    places = "places " + " ".join(map(_ordinal, range(1, seats + 1)))
    columns = ["bot", "net", *(["net a hand", places] if several else ["place"]), "faults"]
    page = new_table(*columns, right=columns[1:-1])
    for score in tally.scores():
        cells = [Text(score.bot, style="bold"), Text(f"{float(score.net):+g}")]
        if several:
            taken = " ".join(f"{score.places[place]:>3}" for place in range(1, seats + 1))
            cells += [Text(_net_a_hand(score)), Text(taken)]
        else:
            cells += [Text(str(place)) for place in score.places]
        faults = faults_text(score.faults)
        page.add_row(*cells, Text(faults, style="" if faults == "-" else "bold red"))
    out.print(title, style="bold")
    out.print(page)
    if several and find_spec("scipy") is not None:
        out.print("net a hand: mean and 95 % interval, in units", style="dim")
    elif several:
        out.print("se: standard error; 95 % intervals: pip install 'sandlot[server]'", style="dim")


def _net_a_hand(score: Score) -> str:
    mean = score.a_hand()
    return net_text(mean) + ("" if mean.interval else f" se {score.standard_error():.3f}")


def next_commands(table: Table, record: Path | None) -> list[str]:
    """Return commands that a person may want to try next."""
    if record is not None:
        file = shlex.quote(str(record))
        return [f"sandlot replay {file}", f"sandlot verify {file} --tournament {table.seed.hex()}"]
    words = ["sandlot", "play", *table.given]
    words += [] if table.variant == "baseball" else ["--variant", table.variant]
    words += [] if table.hands == 8 else ["--hands", str(table.hands)]
    words += ["--isolated"] if table.isolated else []
    if table.matches == 1:
        more = [shlex.join([*words, "--matches", "100"])]
    else:
        more, words = [], [*words, "--matches", str(table.matches)]
    recorded = shlex.join([*words, "--seed", table.seed.hex(), "--record", RECORD])
    return [*more, recorded, f"sandlot replay {RECORD}"]


def _ordinal(number: int) -> str:
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"
