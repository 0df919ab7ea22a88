"""``sandlot admin audit``: who has done what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sandlot_server.cli.counting import Count
from sandlot_server.cli.in_league import in_league
from sandlot_server.cli.output import console, new_table, print_json, print_table

if TYPE_CHECKING:
    from sandlot_server.store import Registry


@click.command()
@click.option("--most", type=Count(), default=50, show_default=True, help="So many lines.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@in_league()
def audit(registry: Registry, most: int, as_json: bool) -> None:
    """Print who has done what, the latest first.

    Every change of owners, bots, versions and seasons has its line, written in the transaction of
    the change. An operator stands there by the system's user name, an owner by the name in the
    league, and the server as "server".

    \b
    Examples:
      sandlot admin audit
      sandlot admin audit --most 1000 --json
    """
    lines = registry.audit(most)
    if as_json:
        print_json(
            {
                "id": line.id,
                "at": line.at,
                "who": line.who,
                "did": line.did,
                "subject": line.subject,
                "detail": line.detail,
            }
            for line in lines
        )
        return
    table = new_table("at", "who", "did", "what", "how or why")
    for line in lines:
        table.add_row(line.at, line.who, line.did, line.subject, " ".join(line.detail.split()))
    print_table(console(), table)
