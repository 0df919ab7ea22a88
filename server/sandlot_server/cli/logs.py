"""``sandlot logs``: what a bot of one's own has said, and the accounts of its faults."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from sandlot_server.cli.calling import server_option
from sandlot_server.cli.counting import Count
from sandlot_server.cli.printable import printable, printable_lines

if TYPE_CHECKING:
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League

EVERY: Final = 1.0
"""Seconds between two looks with ``--follow``."""

FAULT: Final = "--- fault: "
"""How the account of a fault begins; what belongs to it is indented."""


@click.command()
@click.argument("bot")
@click.option("--version", "number", metavar="N", type=Count(), help="Of this version only.")
@click.option("--season", metavar="NAME", help="Of this season; else the one under way.")
@click.option("--faults", is_flag=True, help="Only the accounts of faults.")
@click.option("--follow", is_flag=True, help="Go on as more comes, until ^C.")
@server_option
def logs(
    bot: str,
    number: int | None,
    season: str | None,
    faults: bool,
    follow: bool,
    server: str | None,
) -> None:
    """Show what your bot has said, and its faults.

    The log of a version is that of its trial, then that of the season: what it has written to
    standard error and standard output, and an account of each fault with what the bot saw, as JSON.
    It is that of the version that plays, or else the last one's. Nobody but you and the server's
    admins can read it.

    \b
    Examples:
      sandlot logs river-rat
      sandlot logs river-rat --version 2 --faults
      sandlot logs river-rat --follow
    """
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League, login_for

    request = pb.LogsRequest(bot=bot, number=number or 0, season=season or "")
    shown = _Shown(faults)
    entrant = bot
    with League(login_for(server)) as league:
        try:
            for answer in _parts(league, request, follow=follow):
                entrant = answer.entrant
                shown.add(answer.text)
        except KeyboardInterrupt:
            if not follow:
                raise
        finally:
            shown.end()
    if not shown.lines:
        nothing = "no fault" if faults else "nothing"
        said = (
            f"There is {nothing} in the log of {entrant}; sandlot status {bot} says how it stands."
        )
        click.echo(printable(said), err=True)


def _parts(league: League, request: pb.LogsRequest, *, follow: bool) -> Iterator[pb.LogsResponse]:
    """Yield the parts of a log; with ``follow`` what comes later too, for ever."""
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.store.registered import entrant_parts

    while True:
        answer = league.ask(request, pb.LogsResponse)
        yield answer
        at_the_end = answer.next == request.after
        if at_the_end and not follow:
            return
        _, number = entrant_parts(answer.entrant)  # another may play meanwhile, with another log
        request = pb.LogsRequest(
            bot=request.bot, number=number, season=request.season, after=answer.next
        )
        if at_the_end:
            time.sleep(EVERY)


class _Shown:
    """A log as it is shown, line by line, whatever parts it comes in.

    Args:
        faults: show nothing but the accounts of faults.

    """

    def __init__(self, faults: bool) -> None:
        self.lines = 0
        self._faults = faults
        self._at_fault = False
        self._begun = ""

    def add(self, text: str) -> None:
        """Show the lines that the next part ends."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._show(line)
        sys.stdout.flush()

    def end(self) -> None:
        """Show the last line, if it has no end."""
        if self._begun:
            self._show(self._begun)

    def _show(self, line: str) -> None:
        self._at_fault = line.startswith(FAULT) or (self._at_fault and line.startswith("    "))
        if self._at_fault or not self._faults:
            self.lines += 1
            click.echo(printable_lines(line))
