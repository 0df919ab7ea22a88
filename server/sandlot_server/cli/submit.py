"""``sandlot submit``: a bot handed in, and followed until it is active or refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from sandlot.errors import CallError, SubmissionError
from sandlot_server.cli.calling import server_option
from sandlot_server.cli.counting import many
from sandlot_server.cli.printable import printable

if TYPE_CHECKING:
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League
    from sandlot_server.store.registered import Version
    from sandlot_server.submissions.packing import Packed

NOW: Final = {
    "received": "has arrived",
    "building": "is being built",
    "trying": "is being tried",
    "active": "is active: it plays from the next round on",
}
"""How a version stands, for a line that begins with its name."""


@click.command()
@click.argument("bot", metavar="DIR|FILE", type=click.Path(path_type=Path))
@click.option("--name", metavar="NAME", help="What the bot of one file is called.")
@click.option("--no-wait", is_flag=True, help="Stop when it has arrived; the trial goes on.")
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def submit(bot: Path, name: str | None, no_wait: bool, server: str | None, as_json: bool) -> None:
    """Submit a bot, and see it tried.

    DIR is a folder with a bot.toml, FILE one Python file: `sandlot check` tries both first, and
    docs/submitting.md says what is taken. It becomes the next version of the bot of its name. The
    server builds it, tries it in a sandbox, and lets it play, or refuses it with all that you need
    to mend it; the versions before it keep their results.

    The exit status is 0 only if it is active; with --no-wait, if it has arrived.

    \b
    Examples:
      sandlot submit river-rat
      sandlot submit mybot.py --name river-rat
    """
    from sandlot_server.cli import output
    from sandlot_server.cli.calling import League, login_for
    from sandlot_server.cli.submission_page import print_submission
    from sandlot_server.submissions.packing import pack

    packed = pack(bot, name)
    if name is not None and packed.manifest.name != name:
        raise click.UsageError(
            f"--name is for one file: the bot.toml says {packed.manifest.name!r}; change it there."
        )
    login = login_for(server)
    if not as_json:
        print_submission(packed, output.console())
    with League(login) as league:
        last = _followed(league, packed, no_wait=no_wait, quiet=as_json)
    if as_json:
        from sandlot_server.cli.versions_page import version_json

        output.print_json(version_json(last))
    elif no_wait:
        click.echo(f"Its trial goes on: sandlot status {last.bot} shows how it stands.")
    elif last.status != "active":
        reason = last.reason or "no reason was given"
        raise SubmissionError(f"{last.entrant} is {last.status}: {reason}", last.account)
    if last.status != "active" and not no_wait:
        raise click.exceptions.Exit(1)


def _followed(league: League, packed: Packed, *, no_wait: bool, quiet: bool) -> Version:
    """Send a submission, tell how it goes, and return the version as it stands at last."""
    from sandlot.v1 import league_pb2 as pb

    request = pb.SubmitRequest(archive=packed.archive, name=packed.manifest.name)
    last: Version | None = None
    with _Line(quiet) as line:
        line.show(f"sending {many(len(packed.archive), 'byte')}")
        try:
            with closing(league.follow(request, pb.SubmitResponse)) as answers:
                for version in _changes(answers):
                    last = version
                    line.tell(version)
                    if no_wait:
                        break
        except KeyboardInterrupt:
            line.close()
            click.echo(printable(_stopped(last, packed)), err=True)
            raise
        except CallError as error:
            if last is None:
                raise
            raise CallError(
                f"{last.entrant} is on the server and its trial goes on, but nothing more is "
                f"heard of it ({error}); sandlot status {last.bot} shows how it went",
                status=error.status,
            ) from error
    if last is None:
        raise CallError(f"{league.login.address} has ended the call without a word: try again")
    return last


def _changes(answers: Iterator[pb.SubmitResponse]) -> Iterator[Version]:
    """Yield the version as often as its status has changed."""
    from sandlot_server.service.values import read_version

    status = ""
    for answer in answers:
        if answer.version.status != status:
            status = answer.version.status
            yield read_version(answer.version)


def _stopped(last: Version | None, packed: Packed) -> str:
    name = packed.manifest.name
    if last is None:
        return f"Stopped while it was sent: sandlot status {name} says whether it has arrived."
    return (
        f"{last.entrant} is on the server and its trial goes on: "
        f"sandlot status {name} shows how it stands."
    )


class _Line:
    """Lines that say how a submission goes; at a terminal the last one lives while it goes on.

    Args:
        quiet: say nothing.

    """

    def __init__(self, quiet: bool) -> None:
        from rich.status import Status

        from sandlot_server.cli import output

        self._quiet = quiet
        alive = sys.stderr.isatty() and not quiet
        self._status = Status("", console=output.console(stderr=True)) if alive else None

    def __enter__(self) -> _Line:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the living line away."""
        if self._status is not None:
            self._status.stop()

    def show(self, text: str) -> None:
        """Show what goes on, as long as it does."""
        if self._status is not None:
            self._status.update(text)

    def tell(self, version: Version) -> None:
        """Say how the version stands now; why it is refused is said at the end."""
        now = NOW.get(version.status)
        if now is None or self._quiet:
            return
        self.close()  # while it lives, standard output leads to where it does
        click.echo(printable(f"{version.entrant} {now}"))
        if self._status is not None:
            self._status.start()
            self._status.update("^C does not stop the trial")
