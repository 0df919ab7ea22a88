"""``sandlot play``: a quick match or more, without a file."""

from __future__ import annotations

import sys
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sandlot.errors import RuleError
from sandlot.game import VARIANTS
from sandlot.seeds import new_seed, parse_seed
from sandlot_server.cli import complete
from sandlot_server.cli.counting import Count

if TYPE_CHECKING:
    from sandlot_server.cli.play_page import Tally
    from sandlot_server.cli.playing import Result, Table

BAR_FROM: Final = 10
"""Matches from which on a bar shows how far it is."""

ISOLATED_TABLES: Final = 16
"""Matches under way at once with ``--isolated``, where ``--tables`` is absent."""


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...", shell_complete=complete.bots)
@click.option("--matches", type=Count(), default=1, show_default=True, help="How many matches.")
@click.option("--hands", type=Count(), default=8, show_default=True, help="Hands a match.")
@click.option(
    "--variant",
    type=click.Choice(list(VARIANTS)),
    default="baseball",
    show_default=True,
    help="The game.",
)
@click.option("--seed", metavar="HEX", help="Where all chance comes from; drawn if absent.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the records of the matches.",
)
@click.option("--force", is_flag=True, help="Let --record overwrite a file.")
@click.option(
    "--tables",
    type=Count(1, 1024),
    help="Matches under way at once.  [default: 1, with --isolated 16]",
)
@click.option(
    "--isolated",
    is_flag=True,
    help="As in a tournament: bots as processes, over gRPC, by the clock.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def play(
    bots: tuple[str, ...],
    matches: int,
    hands: int,
    variant: str,
    seed: str | None,
    record: Path | None,
    force: bool,
    tables: int | None,
    isolated: bool,
    as_json: bool,
) -> None:
    """Play bots against each other, here and now.

    All bots sit at one table and change seats from match to match. They play in this process, so
    that prints and breakpoints work; nobody is timed. A BOT is a house name (random, caller, tight,
    odds, watcher), module:Class, file.py[:Class], or, with --isolated, "a command line".

    The same bots with the same seed play the same matches again.

    \b
    Examples:
      sandlot play mybot.py tight
      sandlot play mybot.py tight odds --matches 100
      sandlot play mybot.py caller --record match.jsonl
      sandlot play "node bot.js" caller --isolated
    """
    from sandlot_server.cli import output, play_page
    from sandlot_server.cli.mistaken import bot_given
    from sandlot_server.cli.playing import RecordFile, Table

    game = VARIANTS[variant]
    if not game.least_seats <= len(bots) <= game.most_seats:
        count = f"{len(bots)} bot" + ("" if len(bots) == 1 else "s")
        raise RuleError(
            f"{count}: {variant} is for {game.least_seats} to {game.most_seats} at a table (R1.1); "
            "a bot may be named twice"
        )
    table = Table(
        given=bots,
        bots=tuple([bot_given(bot) for bot in bots]),
        matches=matches,
        hands=hands,
        variant=variant,
        seed=new_seed() if seed is None else parse_seed(seed),
        tables=tables or (ISOLATED_TABLES if isolated else 1),
        isolated=isolated,
    )
    if isolated:
        from sandlot_server.cli.isolated import play_isolated as play_matches
    else:
        from sandlot_server.cli.playing import play_in_process as play_matches
    tally = play_page.Tally(table.names, hands)
    stopped, logs = False, None
    with ExitStack() as stack:
        file = None if record is None else stack.enter_context(RecordFile(record, force=force))
        if as_json:  # what a bot prints must not get into it
            stack.enter_context(redirect_stdout(sys.stderr))
        bar = stack.enter_context(
            click.progressbar(
                length=matches,
                label="playing",
                show_pos=True,
                file=sys.stderr,
                hidden=matches < BAR_FROM or not sys.stderr.isatty(),
            )
        )

        def keep(result: Result) -> None:
            tally.add(result)
            if file is not None:
                file.add(result.record())
            bar.update(1)

        try:
            logs = play_matches(table, keep)
        except KeyboardInterrupt:
            stopped = True
    if tally.matches:
        if as_json:
            output.print_json(play_page.as_json(tally, table, record, stopped=stopped))
        else:
            _print(tally, table, record)
    if logs is not None:
        click.echo(f"What the bots wrote, and an account of each fault: {logs}", err=True)
    if stopped:
        click.echo(f"Stopped: {tally.matches:,} of {matches:,} matches were played.", err=True)
        raise KeyboardInterrupt


def _print(tally: Tally, table: Table, record: Path | None) -> None:
    from sandlot_server.cli import output, play_page

    out = output.console()
    play_page.print_results(out, tally, table)
    out.print(f"seed {table.seed.hex()}", soft_wrap=True)
    out.print("\nNext, for example:")
    for command in play_page.next_commands(table, record):
        out.print(f"  {command}", soft_wrap=True)
