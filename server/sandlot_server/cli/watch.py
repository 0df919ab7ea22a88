"""``sandlot watch``: a match as it is played, with the cards that everybody can see."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from sandlot.errors import CallError, WireError
from sandlot_server.cli.calling import server_option

if TYPE_CHECKING:
    from rich.console import Console

    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League


@click.command()
@click.argument("match", metavar="[MATCH]", required=False)
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one event a line.")
def watch(match: str | None, server: str | None, as_json: bool) -> None:
    """Watch a match that is being played.

    Without MATCH those that are being played now are listed. Of a match all is shown from its
    beginning, and then what happens as it happens: what everybody at the table can see. Cards that
    lie face down are in its record when it is over, as `sandlot record MATCH --server` fetches it.

    \b
    Examples:
      sandlot watch
      sandlot watch 3-12-1
    """
    from sandlot_server.cli import output
    from sandlot_server.cli.calling import League, login_for

    with League(login_for(server)) as league:
        if match is None:
            _list(league, as_json)
        elif as_json:
            for event in _events(league, match):
                output.print_json_line(_event_json(event))
                sys.stdout.flush()
        else:
            _show(_events(league, match), output.console())


def _list(league: League, as_json: bool) -> None:
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli import output

    running = league.ask(pb.RunningRequest(), pb.RunningResponse)
    if as_json:
        matches = [_match_json(each) for each in running.matches]
        output.print_json({"season": running.season or None, "matches": matches})
    elif not running.matches:
        season = f"season {running.season}" if running.season else "no season"
        click.echo(f"No match is being played now; {season} is under way.")
    else:
        table = output.new_table("match", "bots", "hand", right=("hand",))
        for each in running.matches:
            hand = min(each.completed + 1, each.hands)
            table.add_row(each.match, ", ".join(each.bots), f"{hand} of {each.hands}")
        output.print_table(output.console(), table)


def _events(league: League, match: str) -> Iterator[pb.WatchResponse]:
    """Yield what a spectator is told, to the end of the match.

    Raises:
        CallError: the call ended before that.
    """
    from sandlot.v1 import league_pb2 as pb

    with closing(league.follow(pb.WatchRequest(match=match), pb.WatchResponse)) as answers:
        for answer in answers:
            yield answer
            if answer.HasField("ended"):
                return
    raise CallError("the server has ended the call before the match was over: watch it again")


def _match_json(match: pb.RunningMatch) -> dict[str, Any]:
    return {
        "match": match.match,
        "bots": list(match.bots),
        "variant": match.variant,
        "hands": match.hands,
        "first_dealer": match.first_dealer,
        "completed": match.completed,
    }


def _event_json(answer: pb.WatchResponse) -> dict[str, Any]:
    """Return what a spectator sees next as plain values."""
    from sandlot.wire.table import read_event

    match answer.WhichOneof("item"):
        case "started":
            return {"started": _match_json(answer.started)}
        case "happened":
            public = answer.happened
            event = read_event(public.event).to_json()
            return {"hand": public.hand, "dealer": public.dealer, "event": event}
        case "ended":
            return {"ended": {"net": list(answer.ended.net), "places": list(answer.ended.places)}}
        case item:
            raise WireError(f"the server tells {item!r}, which this version does not know")


def _show(answers: Iterator[pb.WatchResponse], out: Console) -> None:
    from sandlot_server.cli.watch_page import Spectator

    spectator: Spectator | None = None
    for answer in answers:
        if answer.HasField("started"):
            spectator = Spectator(answer.started, out)
            out.print(spectator.heading(), style="bold", soft_wrap=True)
            continue
        if spectator is None:
            raise WireError("the server tells of a match before it has said which")
        over = answer.HasField("ended")
        told = spectator.ended(answer.ended) if over else spectator.happened(answer.happened)
        for line in told:
            line.rstrip()
            out.print(line, soft_wrap=True)
        sys.stdout.flush()
