"""The house bots each against each at a table of two: the table of docs/house-bots.md.

    python bench/house_bots.py                  300 matches a pair
    python bench/house_bots.py --matches 50     a first look

Needs the extra `server`, for the intervals. The same seed gives the same table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import combinations

from sandlot.arena import play
from sandlot.seeds import parse_seed
from sandlot_server.launch.bots import HOUSE, bot_as_written
from sandlot_server.tournament.standings import PARTS, BotSums, Mean, standings

HANDS = 8
SEED = "00112233445566778899aabbccddeeff"


def nets_of_first(pair: tuple[str, str], matches: int, seed: bytes) -> list[Fraction]:
    """Play the pair; return the net of the first bot in each match, in units."""
    bots = {name: bot_as_written(name).load() for name in pair}
    nets = []
    for played in play(bots, matches, seed, hands=HANDS):
        names = [entrant.bot for entrant in played.setup.entrants]
        nets.append(played.net[names.index(pair[0])])
    return nets


def net_a_hand(nets: list[Fraction]) -> Mean:
    """Return the mean net a hand with its 95 % interval: Student's t, the match being the unit."""
    total = sum(nets, Fraction(0)) * PARTS
    squares = sum((net * PARTS) ** 2 for net in nets)
    sums = BotSums("", len(nets), HANDS * len(nets), int(total), int(squares), 0, 0)
    mean = standings([sums]).rows[0].net
    assert mean is not None
    return mean


def cell(mean: Mean, *, own: bool) -> str:
    """Return a cell of the table; the mirrored cells are those of the other bot."""
    low, high = mean.interval or (0.0, 0.0)
    value = float(mean.value) if own else -float(mean.value)
    return f"{value:+.2f} ± {(high - low) / 2:.2f}"


def rows(results: dict[tuple[str, str], Mean]) -> Iterator[str]:
    """Yield the table in Markdown: net a hand of the row's bot against the column's."""
    yield "| | " + " | ".join(f"`{name}`" for name in HOUSE) + " |"
    yield "|---" * (len(HOUSE) + 1) + "|"
    for bot in HOUSE:
        cells = []
        for other in HOUSE:
            if bot == other:
                cells.append("")
            elif (bot, other) in results:
                cells.append(cell(results[bot, other], own=True))
            else:
                cells.append(cell(results[other, bot], own=False))
        yield f"| `{bot}` | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=300, help="matches a pair (300)")
    parser.add_argument("--seed", default=SEED, help="in hex, at least 16 bytes")
    given = parser.parse_args()
    seed = parse_seed(given.seed)
    pairs = list(combinations(HOUSE, 2))
    with ProcessPoolExecutor() as pool:
        counts, seeds = [given.matches] * len(pairs), [seed] * len(pairs)
        nets = pool.map(nets_of_first, pairs, counts, seeds)
        results = {pair: net_a_hand(each) for pair, each in zip(pairs, nets, strict=True)}
    print(*rows(results), sep="\n")


if __name__ == "__main__":
    main()
