"""What settings of gRPC do for the tournament path: decisions a second with and without each.

``python -m bench.settings`` from the root of the repository, with the server extra installed. gRPC
reads its settings from the environment, which the arbiter and the bots of a run inherit; so anybody
who starts a run can set them, and Sandlot sets none of these. All are measured in turn, several
times; the table shows medians, and the median of the ratios to the turn's run without a setting.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Final

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.taking import take

NONE: Final = "none"

SETTINGS: Final = {
    NONE: {},
    "no event engine": {"GRPC_EXPERIMENTS": "-event_engine_client,-event_engine_listener"},
    "poll(2)": {"GRPC_POLL_STRATEGY": "poll"},
}
"""By name: what is set in the environment."""

PLACES: Final = {"1 table": "one_table", "128 tables": "many_tables"}
"""What is measured, and by which function of ``bench.throughput``."""


@contextmanager
def environment(settings: dict[str, str]) -> Iterator[None]:
    """Have the processes that are started meanwhile find these settings, and no others of gRPC."""
    before = dict(os.environ)
    for name in ("GRPC_EXPERIMENTS", "GRPC_POLL_STRATEGY"):
        os.environ.pop(name, None)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="turns, of which medians (5)")
    given = parser.parse_args()
    rates: dict[tuple[str, str], list[float]] = {
        (place, setting): [] for place in PLACES for setting in SETTINGS
    }
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=given.repeats * len(rates))
        for _ in range(given.repeats):
            for place, setting in rates:
                with environment(SETTINGS[setting]):
                    figures = take(f"bench.throughput:{PLACES[place]}", None)
                rates[place, setting].append(figures["decisions"])
                progress.advance(task)
    table = Table("setting", title=f"decisions a second, medians of {given.repeats}")
    for place in PLACES:
        table.add_column(place, justify="right")
        table.add_column("x none", justify="right")
    for setting in SETTINGS:
        row = [setting]
        for place in PLACES:
            own, plain = rates[place, setting], rates[place, NONE]
            ratio = median(one / other for one, other in zip(own, plain, strict=True))
            row += [f"{median(own):,.0f}", f"{ratio:.2f}"]
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
