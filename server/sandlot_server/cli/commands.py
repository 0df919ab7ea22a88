"""The commands there are, and how one is carried out.

Each command is a module of this package, imported when it is called: ``sandlot --help`` costs the
import of click and no more. To add one, write ``cli/NAME.py`` with a click command of that name in
it and give it a line in `COMMANDS`; the line is the first sentence of the command's own help.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from sandlot_server.cli.admin import admin
from sandlot_server.cli.lazy import Entry, LazyGroup

COMPLETE_VARIABLE: Final = "_SANDLOT_COMPLETE"
"""What a shell sets when it wants a command line completed rather than carried out."""

CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

TOURNAMENT: Final = {
    "Commands": (
        Entry("run", "tournament_run", "Play what is not yet played, then print the standings."),
        Entry("plan", "tournament_plan", "Print the schedule and its audit; nothing is played."),
    ),
}

COMMANDS: Final = {
    "Write a bot": (
        Entry("new", "new", "Start a bot: a folder with one that plays."),
        Entry("check", "check", "Try a bot for legality, speed and crashes."),
        Entry("play", "play", "Play bots against each other, here and now."),
        Entry("hand", "hand", "Value hands and name the better one."),
    ),
    "Run a tournament": (
        Entry("tournament", "", "Run a league file, or show what it would play."),
        Entry("standings", "standings", "Print the table of a tournament."),
        Entry("export", "export", "Write records out of the store."),
    ),
    "Run a league server": (
        Entry("serve", "serve", "Serve a league: take bots, play season after season."),
        Entry("admin", "", "Keep a league: its owners, its seasons, its peace."),
    ),
    "Read a record": (
        Entry("replay", "replay", "Show a match in the terminal, card by card."),
        Entry("verify", "verify", "Check records against their seeds and the rules."),
    ),
    "About this command": (
        Entry("completion", "completion", "Print the script that lets your shell complete."),
    ),
}

HELP: Final = """Poker bots play Baseball: seven-card stud with the 3s and 9s wild.

\b
Examples:
  sandlot new mybot                        a bot to start from, in a minute
  sandlot play tight odds --matches 20     house bots against each other
  sandlot tournament run league.toml       a round-robin, from one file
  sandlot hand "8s 8h 8c 8d 3c" "As Ks Qs Js Ts"
"""

TOURNAMENT_HELP: Final = """Run a league file, or show what it would play.

\b
Examples:
  sandlot tournament plan league.toml
  sandlot tournament run league.toml
"""


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from importlib.metadata import version  # only here: its import costs as much as click's

        from sandlot.build import compiled

        click.echo(f"sandlot {version('sandlot')} ({'compiled' if compiled() else 'pure Python'})")
        context.exit()


tournament = LazyGroup(
    "tournament", TOURNAMENT, help=TOURNAMENT_HELP, short_help=TOURNAMENT_HELP.splitlines()[0]
)

sandlot = LazyGroup(
    "sandlot",
    COMMANDS,
    groups=[tournament, admin],
    help=HELP,
    context_settings=CONTEXT,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version and stop.",
        )
    ],
)


def carry_out(arguments: Sequence[str] | None = None) -> int:
    """Run the command that a command line asks for; see ``main`` for what is returned."""
    try:
        _open_streams()
        asked = os.environ.get(COMPLETE_VARIABLE)
        if arguments is None and asked:
            from click.shell_completion import shell_complete

            return shell_complete(sandlot, {}, "sandlot", COMPLETE_VARIABLE, asked)
        arguments = sys.argv[1:] if arguments is None else arguments
        try:
            with sandlot.make_context("sandlot", list(arguments)) as context:
                sandlot.invoke(context)
        except click.exceptions.Exit as end:
            sys.stdout.flush()
            return end.exit_code
        sys.stdout.flush()  # a reader that has gone is met here, not when the interpreter ends
    except BaseException as error:
        # Only here: it imports the SDK, which --help has no use for.
        from sandlot_server.cli.failure import report

        return report(error)
    return 0


def _open_streams() -> None:
    """See that the three standard streams are there, or the next file opened would be one of them.

    Raises:
        click.ClickException: standard output is closed, so nothing can be printed.
    """
    # They live as long as the process.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        closed = True
    else:
        closed = False
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if closed:
        raise click.ClickException(
            "standard output is closed: leave it open, or send it to /dev/null"
        )
