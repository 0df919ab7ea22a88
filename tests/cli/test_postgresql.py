"""Every command with ``--db`` takes a database on a PostgreSQL server as it takes a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from support.command import Command, Ran

from sandlot.records import read
from sandlot_server.cli import complete
from sandlot_server.store import Server, place_of

SEED = "00112233445566778899aabbccddeeff"
LEAGUE = f"""
[tournament]
name = "friday"
seats = 2
hands = 2
rounds = 2
seed = "{SEED}"

[clock]
decision = "1m"

[[bots]]
name = "caller"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "random"
run = "sandlot_bots.random:Random"
"""


def printed(ran: Ran) -> Any:
    assert ran.status == 0, ran.err
    return json.loads(ran.out)


def table(ran: Ran) -> Any:
    found = printed(ran)
    found.pop("created", None)
    return found


def test_a_tournament_is_the_same_on_both(
    sandlot: Command, postgresql_place: Server, tmp_path: Path
) -> None:
    Path("league.toml").write_text(LEAGUE)
    url = postgresql_place.url.replace("sandlot@", "sandlot:hunter2@")  # it asks for no password
    said = []

    def run(*arguments: str) -> Ran:
        ran = sandlot(*arguments)
        said.append(ran)
        return ran

    on = ("--db", url)
    assert run("tournament", "plan", "league.toml", *on).err == (
        "Error: database postgresql://sandlot:***@/"
        f"{postgresql_place.name}?{url.partition('?')[2]}: there is none yet: "
        "`sandlot tournament run FILE` makes it, or name another with --db\n"
    )
    played = table(run("tournament", "run", "league.toml", *on, "--json"))
    assert played == table(sandlot("tournament", "run", "league.toml", "--json"))
    assert played == table(run("standings", *on, "--json"))
    again = run("tournament", "run", "league.toml", *on)
    assert again.status == 0
    assert "--db 'postgresql://sandlot:***@/" in again.out
    planned = printed(run("tournament", "plan", "league.toml", *on, "--json"))
    assert planned == printed(sandlot("tournament", "plan", "league.toml", "--json"))
    assert planned["seed"] == "stored"

    assert run("export", *on, "--format", "jsonl", "theirs.jsonl").status == 0
    assert sandlot("export", "--format", "jsonl", "ours.jsonl").status == 0
    digests = [
        [record.digest for record in read(Path(name).read_text())]
        for name in ("theirs.jsonl", "ours.jsonl")
    ]
    assert digests[0] == digests[1]
    assert len(digests[0]) == 4
    assert sandlot("verify", "theirs.jsonl", "--tournament", SEED).status == 0
    assert run("export", *on, "--format", "phh", "--match", "1-1-1", "-").status == 0

    logs = Path(f"{postgresql_place.name}-logs", "friday")
    assert {path.name for path in logs.iterdir()} >= {"caller.log", "random.log"}
    texts = [text for ran in said for text in (ran.out, ran.err)]
    texts += [path.read_text() for path in tmp_path.rglob("*") if path.suffix in (".log", ".jsonl")]
    assert not any("hunter2" in text for text in texts)

    context = click.Context(click.Command("standings"))
    context.params["db"] = place_of(url)
    assert complete.tournaments(context, None, "f") == ["friday"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "postgresql://sandlot:hunter/2@db.example/sandlot",
            "the postgresql:// URL of the database cannot be read: write "
            "postgresql://USER@HOST/NAME, in it %40 for @, %3A for :, %2F for /, %3F for ? and "
            "%23 for #",
        ),
        (
            "mysql://sandlot:hunter2@db.example/sandlot",
            "a database is a file or on PostgreSQL, not mysql://: name a path, or "
            "postgresql://USER@HOST/NAME",
        ),
    ],
)
def test_a_url_that_is_none_of_ours_gets_one_line(url: str, said: str, sandlot: Command) -> None:
    assert sandlot("standings", "--db", url) == (1, "", f"Error: {said}\n")
