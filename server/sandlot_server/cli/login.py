"""``sandlot login``: the token for a league server, tried and kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from sandlot.errors import CallError
from sandlot_server.cli.calling import ADDRESS_VARIABLE, HERE, TOKEN_VARIABLE
from sandlot_server.cli.printable import printable


@click.command()
@click.argument("address", metavar="[ADDRESS]", required=False)
@click.option(
    "--ca",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The certificate of the authority that signed the server's, as PEM.",
)
@click.option("--forget", is_flag=True, help="Forget the token for ADDRESS, or all of them.")
def login(address: str | None, ca: Path | None, forget: bool) -> None:
    """Log in to a league server, once.

    ADDRESS is tls://host:port, or host:port or unix:/path where the server is on this machine; if
    absent what SANDLOT_LEAGUE says, or else where `sandlot serve` listens by itself. The token is
    the one that its operator has given you. It is asked for; piped into standard input, or in
    SANDLOT_LEAGUE_TOKEN, it is taken from there. It is tried, and kept in a file that only you can
    read: ~/.config/sandlot/login.toml.

    --ca is for a server whose certificate comes from an authority of its operator's own.

    \b
    Examples:
      sandlot login
      sandlot login tls://league.example:443
      sandlot login tls://league.example:443 --ca authority.pem < token
      sandlot login --forget
    """
    from sandlot_server.cli.logins import Login, keep, login_file
    from sandlot_server.cli.logins import forget as forget_logins

    if forget:
        gone = forget_logins(address)
        if not gone:
            raise CallError(f"there is no token for {address or 'any league server'} here")
        for each in gone:
            click.echo(printable(f"The token for {each.address} is forgotten."))
        return
    address = address or os.environ.get(ADDRESS_VARIABLE) or HERE
    _try_address(address, ca)
    chosen = Login(address, _token(address), "" if ca is None else str(ca.resolve()))

    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League

    with League(chosen) as league:
        owner = league.ask(pb.WhoAmIRequest(), pb.WhoAmIResponse).owner
    keep(chosen)
    click.echo(printable(f"You are {owner.name}, {_ROLES.get(owner.role, owner.role)}."))
    click.echo(printable(f"The token for {address} is kept in {login_file()}"))


_ROLES = {
    "admin": "an admin: you may see to the bots of all",
    "owner": "an owner: sandlot submit DIR hands in a bot",
    "reader": "a reader: sandlot standings --server shows the table",
}


def _try_address(address: str, ca: Path | None) -> None:
    """Refuse what is no address, before anybody is asked for a token."""
    from sandlot.address import Address

    Address.parse(address, ca or "")


def _token(address: str) -> str:
    """Return the token from the environment, from standard input, or from the person's keys.

    Raises:
        CallError: there is none.
    """
    token = os.environ.get(TOKEN_VARIABLE, "")
    if not token and sys.stdin.isatty():
        token = click.prompt(f"Token for {printable(address)}", hide_input=True, err=True)
    elif not token:
        token = sys.stdin.readline()
    token = token.strip()
    if not token:
        raise CallError(
            f"no token came on standard input: pipe it in, or set {TOKEN_VARIABLE}, or call this "
            "at a terminal"
        )
    return token
