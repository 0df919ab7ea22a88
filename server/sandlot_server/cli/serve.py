"""``sandlot serve``."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sandlot_server.cli import complete
from sandlot_server.cli.calling import HERE
from sandlot_server.cli.counting import Count
from sandlot_server.cli.durations import Duration
from sandlot_server.cli.in_league import place_options
from sandlot_server.cli.stopping import stoppable

if TYPE_CHECKING:
    from sandlot_server.serving.certificates import CertificateFiles
    from sandlot_server.store.place import Server

TABLES: Final = 16
"""Matches under way at once, where ``--tables`` is absent."""

PEM: Final = complete.files_ending(".pem")


@click.command()
@place_options
@click.option(
    "--listen",
    metavar="ADDRESS",
    envvar="SANDLOT_LISTEN",
    show_envvar=True,
    default=HERE,
    show_default=True,
    help="HOST:PORT, [IPV6]:PORT or unix:PATH; port 0 takes any that is free.",
)
@click.option(
    "--tls-cert",
    "certificate",
    metavar="FILE",
    type=click.Path(path_type=Path),
    shell_complete=PEM,
    help="The certificate, with those that lead to its root; PEM.",
)
@click.option(
    "--tls-key",
    "key",
    metavar="FILE",
    type=click.Path(path_type=Path),
    shell_complete=PEM,
    help="Its private key; PEM.",
)
@click.option(
    "--tables",
    type=Count(1, 4096),
    default=TABLES,
    show_default=True,
    help="Matches under way at once.",
)
@click.option(
    "--grace",
    type=Duration(),
    default="30s",
    show_default=True,
    help="How long a stop waits for the matches under way.",
)
@click.option(
    "--metrics",
    metavar="HOST:PORT",
    help="Serve metrics for Prometheus there; without a host, to this machine alone.",
)
@click.option(
    "--log",
    "form",
    type=click.Choice(["plain", "json"]),
    default="plain",
    show_default=True,
    help="The form of the log, on standard error.",
)
@click.option(
    "--unsafe", is_flag=True, help="Run bots without a sandbox: they may do all that you may."
)
def serve(
    data: Path,
    database: Server | None,
    listen: str,
    certificate: Path | None,
    key: Path | None,
    tables: int,
    grace: float,
    metrics: str | None,
    form: str,
    unsafe: bool,
) -> None:
    """Serve a league: take bots, play season after season.

    Owners submit bots, or connect them from their own machines, with the token that `sandlot admin
    owner add` prints. What is submitted is tried in a sandbox and then plays in the season; the
    first one begins by itself. Results are stored a match at a time: whenever the server ends, the
    same command goes on where it was.

    Without a certificate it listens on this machine alone. TERM or Ctrl-C lets the matches under
    way end and then stops; a second one stops at once.

    \b
    Examples:
      sandlot serve
      sandlot serve --listen :7400 --tls-cert chain.pem --tls-key key.pem
      sandlot serve --database postgresql://me@db.example/league
    """
    tls = _tls(certificate, key)
    with ExitStack() as stack, stoppable("it served"):
        # Before anything of gRPC is imported; all that serves is imported here.
        from sandlot_server.log import for_service

        for_service("json" if form == "json" else "plain")
        from sandlot_server.launch.limits import Limits
        from sandlot_server.league.places import DataFolder
        from sandlot_server.serving.only import only_server
        from sandlot_server.serving.server import Serving
        from sandlot_server.serving.server import serve as keep_serving
        from sandlot_server.store import Store

        folder = DataFolder(data)
        folder.make()
        stack.enter_context(only_server(folder.root))
        place = folder.database if database is None else database
        store = stack.enter_context(Store(place, create=True))
        sandbox = None if unsafe else Limits()
        serving = Serving(folder, listen, tls, metrics, tables, grace, sandbox)
        if unsafe:
            click.echo(_UNSAFE, err=True)
        asyncio.run(keep_serving(serving, store, lambda at: click.echo(f"Serving at {at}")))


_UNSAFE: Final = (
    "Bots run without a sandbox: whoever may submit one may do all that you may, on this machine."
)


def _tls(certificate: Path | None, key: Path | None) -> CertificateFiles | None:
    if (certificate is None) is not (key is None):
        missing = "--tls-key" if key is None else "--tls-cert"
        raise click.UsageError(f"--tls-cert and --tls-key belong together: add {missing}")
    if certificate is None or key is None:
        return None
    from sandlot_server.serving.certificates import CertificateFiles

    return CertificateFiles(certificate, key)
