"""``sandlot admin owner``: who may come in, with a token that is printed once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from sandlot_server.cli.in_league import in_league, operator, owners
from sandlot_server.cli.output import console, new_table, print_json, print_table
from sandlot_server.store.registered import ROLES, Role

if TYPE_CHECKING:
    from sandlot_server.store import Registry


@click.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="owner",
    show_default=True,
    help="What the owner may do.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@in_league(make=True)
def add(registry: Registry, name: str, role: Role, as_json: bool) -> None:
    """Add an owner, and print the token.

    The token is all that standard output gets. It is shown once: the store keeps only its hash.
    Whoever has it gives it to `sandlot login`.

    A reader may read what is public: standings, matches, records. An owner may also submit bots,
    and read what concerns them. An admin may do that for the bots of all. The league is made if
    there is none yet.

    \b
    Examples:
      sandlot admin owner add ann
      TOKEN=$(sandlot admin owner add grandstand --role reader)
    """
    _print_token(name, role, registry.add_owner(name, role, operator()), as_json=as_json)


@click.command()
@click.argument("name", shell_complete=owners)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@in_league()
def token(registry: Registry, name: str, as_json: bool) -> None:
    """Print a new token of an owner; the old one is worthless.

    \b
    Examples:
      sandlot admin owner token ann
    """
    new = registry.renew_token(name, operator())
    (role,) = (owner.role for owner in registry.owners() if owner.name == name)
    _print_token(name, role, new, as_json=as_json)


@click.command()
@click.argument("name", shell_complete=owners)
@in_league()
def revoke(registry: Registry, name: str) -> None:
    """Let an owner in no more.

    The token is worthless from now on; `sandlot admin owner token` gives another. The owner's bots
    play on: `sandlot admin disqualify` takes one out.

    \b
    Examples:
      sandlot admin owner revoke ann
    """
    registry.revoke_tokens(name, operator())
    click.echo(f"{name} is let in no more; `sandlot admin owner token {name}` gives a new token")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@in_league()
def list(registry: Registry, as_json: bool) -> None:  # noqa: A001 - the command's name
    """Print the owners.

    \b
    Examples:
      sandlot admin owner list
    """
    found = registry.owners()
    bots = Counter(bot.owner for bot in registry.bots())
    if as_json:
        print_json(
            {
                "name": owner.name,
                "role": owner.role,
                "tokens": owner.tokens,
                "bots": bots[owner.name],
                "created": owner.created,
            }
            for owner in found
        )
        return
    table = new_table("owner", "role", "token", "bots", "since", right=["bots"])
    for owner in found:
        good = "good" if owner.tokens else "none"
        table.add_row(owner.name, owner.role, good, str(bots[owner.name]), owner.created)
    print_table(console(), table)


def _print_token(name: str, role: Role, text: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"name": name, "role": role, "token": text})
    else:
        click.echo(text)
    click.echo(f"The token of {name}, shown once: keep it; `sandlot login` asks for it", err=True)
