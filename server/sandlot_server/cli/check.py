"""``sandlot check``: a bot tried before it plays for anything."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Final

import click

from sandlot.game import VARIANTS
from sandlot.pack import text_of
from sandlot.seeds import new_seed, parse_seed
from sandlot_server.cli import complete
from sandlot_server.cli.counting import Count, many

if TYPE_CHECKING:
    from rich.console import Console

    from sandlot.observation import Observation
    from sandlot.testing import Finding, Report
    from sandlot_server.submissions.packing import Packed

MATCHES: Final = 4


@click.command()
@click.argument("bot", shell_complete=complete.bots_or_folders)
@click.option(
    "--matches",
    type=Count(),
    default=MATCHES,
    show_default=True,
    help="Matches at each number of seats.",
)
@click.option(
    "--variant",
    type=click.Choice(list(VARIANTS)),
    default="baseball",
    show_default=True,
    help="The game.",
)
@click.option("--seed", metavar="HEX", help="Repeat a check: the seed that it printed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def check(bot: str, matches: int, variant: str, seed: str | None, as_json: bool) -> None:
    """Try a bot for legality, speed and crashes.

    BOT plays at every number of seats, in this process, against opponents that do anything legal;
    then it plays the same matches again, all at once. BOT is a house name, module:Class,
    file.py[:Class], or a folder with a bot.toml: then the bot that it names is tried, if all of the
    folder may be submitted.

    The exit status is 0 only if nothing was found that would cost the bot something in a
    tournament. What is marked with ! costs nothing, but is better mended; what is marked with ?
    could not be tried.

    \b
    Examples:
      sandlot check mybot.py
      sandlot check mybot.py:MyBot --matches 20
      sandlot check river-rat
    """
    # These import all that plays, which the help has no use for.
    from sandlot.testing import check_bot
    from sandlot.testing.ways_out import no_way_out
    from sandlot_server.cli import output
    from sandlot_server.cli.folder import bot_of, packed_folder
    from sandlot_server.cli.mistaken import bot_given
    from sandlot_server.cli.submission_page import print_submission
    from sandlot_server.launch.bots import CommandBot

    tournament_seed = new_seed() if seed is None else parse_seed(seed)
    packed = packed_folder(bot, "sandlot check {} tries it")
    written = bot_given(bot) if packed is None else bot_of(packed.manifest, bot)
    if isinstance(written, CommandBot):
        where = "" if packed is None else "in that folder "
        raise click.ClickException(
            f"{bot} is a program of its own, and check tries Python bots: {where}"
            f"play it with sandlot play {shlex.quote(str(written))} random --isolated --matches 20"
        )
    with no_way_out():
        loaded = written.load()
    game = VARIANTS[variant]
    seats = game.most_seats - game.least_seats + 1
    with click.progressbar(
        length=2 * matches * seats,
        label="checking",
        file=sys.stderr,
        hidden=not sys.stderr.isatty(),
    ) as bar:
        report = check_bot(
            loaded,
            matches=matches,
            variant=variant,
            seed=tournament_seed,
            on_match=lambda: bar.update(1),
        )
    if as_json:
        submission = {} if packed is None else {"submission": packed.to_json()}
        output.print_json({"given": bot} | submission | report.to_json())
    else:
        if packed is not None:
            print_submission(packed, output.console())
        _print(report, bot, matches, output.console(), packed)
    if not report.ok:
        raise click.exceptions.Exit(1)


def _print(report: Report, bot: str, matches: int, out: Console, packed: Packed | None) -> None:
    from rich.text import Text

    from sandlot.testing import FAULTS, REMARKS

    out.print(_summary(report))
    found = {finding.kind for finding in report.findings}
    for kind, wanted in (FAULTS | REMARKS).items():
        if kind not in found and report.tried(kind):
            out.print(Text.assemble(("  ok  ", "green"), wanted))
        elif kind not in found:
            out.print(Text.assemble(("  ?   ", "dim"), wanted))
        elif kind in FAULTS:
            out.print(Text.assemble(("  NO  ", "bold red"), wanted))
        else:
            out.print(Text.assemble(("  !   ", "bold yellow"), wanted))
    if report.answered:
        out.print(
            f"      {report.mean_ms:.2f} ms a decision, {report.most_ms:.2f} ms at most; the clock "
            f"allows {report.clock.decision:g} s and a bank of {report.clock.bank:g} s a match"
        )
    for finding in report.findings:
        out.print()
        _print_finding(finding, out)
    out.print()
    if report.findings:
        again = ["sandlot", "check", bot]
        again += [] if matches == MATCHES else ["--matches", str(matches)]
        again += [] if report.variant == "baseball" else ["--variant", report.variant]
        again += ["--seed", report.seed.hex()]
        out.print(f"The same check again:\n  {shlex.join(again)}", soft_wrap=True)
    else:
        other = "odds" if bot == "tight" else "tight"
        folder = "." if packed is None else bot
        there = "" if folder == "." else f"  cd {shlex.quote(folder)}\n"
        named = bot if packed is None else packed.manifest.run or ""
        line = f"  sandlot play {shlex.quote(named)} {other} --matches 100"
        submit = "" if packed is None else "\n  sandlot submit ."
        out.print(f"Next:\n{there}{line}{submit}", soft_wrap=True)


def _summary(report: Report) -> str:
    """Return in a line how far the bot got, and whether it answered at all."""
    decisions = many(report.decisions, "decision")
    matches = many(report.matches, "match", "matches")
    seats = f"{report.seats[0]} to {report.seats[-1]} seats"
    game = f"{matches} of {report.variant} at {seats}"
    if not report.finished:
        return f"{report.bot}: stopped after {decisions}, {game}"
    if report.answered < report.decisions:
        few = f"{report.answered:,} of " if report.answered else "none of "
        return f"{report.bot}: answered {few}{decisions} in {game}"
    return f"{report.bot}: {decisions} in {game}"


def _print_finding(finding: Finding, out: Console) -> None:
    from rich.text import Text

    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    style = "bold red" if finding.serious else "bold yellow"
    out.print(Text.assemble((finding.kind, style), f": {finding.text}{times}"))
    for line in finding.account.splitlines():
        out.print(f"    {line}", soft_wrap=True)
    if finding.seen is not None:
        for line in saw(finding.seen):
            out.print(f"    {line}", soft_wrap=True)


def saw(seen: Observation) -> list[str]:
    """Return in a few lines what a bot saw."""
    lines = [
        f"It saw: match {seen.match}, hand {seen.hand}, decision {seen.decision}; "
        f"street {seen.street}, pot {seen.pot}, level {seen.level}, to call {seen.to_call}"
    ]
    for number, seat in enumerate(seen.seats):
        down = text_of(seen.down) if number == seen.seat else " ".join(["--"] * seat.down)
        marks = [
            word
            for word, holds in (
                ("itself", number == seen.seat),
                ("dealer", number == seen.dealer),
                ("folded", not seat.live),
            )
            if holds
        ]
        told = f"  ({', '.join(marks)})" if marks else ""
        lines.append(f"  seat {number}: {down} | {text_of(seat.up)}{told}")
    lines.append(f"  legal: {', '.join(map(str, seen.legal))}")
    return lines
