"""The docs leave nothing out: what can be met in code, wire and records stands in their tables."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
import pytest
from msgspec import NODEFAULT

from sandlot.address import Keepalive
from sandlot.game import SeatView
from sandlot.game.view import View
from sandlot.observation import Observation
from sandlot.played import FAULT_CAUSES
from sandlot.records import lines
from sandlot.v1 import arbiter_pb2
from sandlot_server.arbiter import endings
from sandlot_server.arbiter.limits import PINGS, Limits, server_options
from sandlot_server.cli import admin_seasons, serve, tournament_run
from sandlot_server.cli.calling import ADDRESS_VARIABLE, CA_VARIABLE, TOKEN_VARIABLE
from sandlot_server.league.quotas import Quotas
from sandlot_server.league.trial import Terms
from sandlot_server.service import calls
from sandlot_server.service.league import League
from sandlot_server.service.limits import Limits as CallLimits
from sandlot_server.service.refusals import Reason
from sandlot_server.serving.listening import CALLS, PUBLIC
from sandlot_server.serving.metrics import Metrics, VoidReason
from sandlot_server.store.registered import Status
from sandlot_server.submissions import manifest, names
from sandlot_server.submissions.limits import Limits as SubmissionLimits
from sandlot_server.tournament.league_keys import SECTIONS

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def first_cells(text: str) -> set[str]:
    """Return what stands between back quotes in the first cells of the tables of a page."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    return {name for cell in rows for name in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("line", [lines.MatchLine, lines.HandLine, lines.ResultLine])
def test_every_key_of_a_record_is_in_its_table(line: type[msgspec.Struct]) -> None:
    keys = {field.name for field in msgspec.structs.fields(line)}
    assert keys | {"type"} <= first_cells(page("records.md"))


@pytest.mark.parametrize("event", list(lines.EventPart.__subclasses__()))
def test_every_event_of_a_record_is_in_its_table(event: type[msgspec.Struct]) -> None:
    tag = event.__struct_config__.tag
    (row,) = [line for line in page("records.md").splitlines() if line.startswith(f"| `{tag}` |")]
    assert [field.name for field in msgspec.structs.fields(event)] == re.findall(
        r"`(\w+)`", row.split("|")[2]
    )


def test_every_attribute_of_an_observation_is_in_its_table() -> None:
    slots = {*Observation.__slots__, *View.__slots__, "history", "up", "cards"}
    known = {slot for slot in slots if not slot.startswith("_")} | set(SeatView._fields)
    known.remove("to_act")  # the seat itself, whenever a bot is asked
    assert known <= first_cells(page("bot-author.md"))


@pytest.mark.parametrize("name", ["bot-author.md", "protocol.md", "operator.md"])
def test_every_cause_of_a_fault_is_in_the_tables(name: str) -> None:
    assert set(FAULT_CAUSES) <= first_cells(page(name))


def test_every_item_of_the_wire_is_in_its_table() -> None:
    items = {field.name for field in arbiter_pb2.Item.DESCRIPTOR.fields}
    assert items <= first_cells(page("protocol.md"))


def every_ending() -> list[endings.Ending]:
    """Return what each function of the module makes of any arguments."""
    anything: dict[str, Any] = {"str": "baseball", "int": 7, "float": 7.5}
    anything["tuple[str, ...]"] = ("stud",)
    made = [
        function(
            *(anything[each.annotation] for each in inspect.signature(function).parameters.values())
        )
        for _, function in inspect.getmembers(endings, inspect.isfunction)
        if function.__module__ == endings.__name__
    ]
    assert all(isinstance(ending, endings.Ending) for ending in made)
    return made


def test_every_reason_that_ends_a_stream_is_in_its_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([\w-]+)` \|", page("protocol.md"), re.MULTILINE)
    assert set(rows) == {(ending.status.name, ending.reason) for ending in every_ending()}


def test_the_limits_of_the_page_are_those_of_the_arbiter() -> None:
    limits, text = Limits(), " ".join(page("protocol.md").split())
    assert f"up to {limits.message >> 20} MiB" in text
    assert f"Beyond {limits.receive >> 20} MiB" in text
    assert f"none came within {limits.hello:g} s" in text
    assert f"unread for {limits.unread:g} s, or {limits.outbox >> 20} MiB wait" in text
    assert f"cannot be read {limits.illegible}, one that is too long {limits.oversize}" in text
    assert f"more than {limits.patience} floods" in text
    assert f"each {limits.weight >> 10} KiB of one that can be read 1" in text
    assert f"a stream that has ended {limits.reopening}." in text
    assert limits.regained == 1.0
    assert f"{limits.streams} bots may be connected at once, of which {limits.unheard} have" in text
    assert f"takes more than {limits.metadata >> 10} KiB" in text


def test_the_pings_of_the_page_are_those_of_both_sides() -> None:
    text, ours = " ".join(page("protocol.md").split()), Keepalive()
    assert f"pings after {PINGS.every:g} s of silence" in text
    assert f"not answered in {PINGS.timeout:g} s more" in text
    assert f"does so after {ours.every:g} s and waits {ours.timeout:g} s" in text
    least = dict(server_options())["grpc.http2.min_ping_interval_without_data_ms"]
    assert f"more often than every {least / 1000:g} s" in text


def league_keys() -> list[tuple[str, str, object]]:
    """Return section, key and default of all that may stand in a league file."""
    return [
        (name, field.name, field.default)
        for name, keys in SECTIONS.items()
        for field in msgspec.structs.fields(keys)
    ]


def test_every_key_of_a_league_file_is_in_its_table_with_its_default() -> None:
    rows: list[tuple[str, str, str]] = []
    for line in page("operator.md").splitlines():
        row = re.match(r"\| (?:`\[+(\w+)\]+` )?\| `(\w+)` \| (.*?) \|", line)
        if row is not None:
            rows.append((row[1] or rows[-1][0], row[2], row[3].strip("`").lower()))
    words = {"seed": "drawn", "run": "one of the two", "command": "one of the two"}
    of_bots = {"sandbox": "the tournament's"}

    def said(default: object) -> str:
        return "needed" if default is NODEFAULT else json.dumps(default).lower()

    assert rows == [
        (section, key, (words | of_bots if section == "bots" else words).get(key, said(default)))
        for section, key, default in league_keys()
    ]


def test_every_option_of_a_run_is_in_its_table_with_its_default() -> None:
    text = page("operator.md")
    for option in tournament_run.run.params:
        if isinstance(option, click.Option):
            (row,) = [line for line in text.splitlines() if line.startswith(f"| `{option.opts[0]}")]
            default = "" if option.is_flag else str(option.default)
            assert default in row


@pytest.mark.parametrize(
    ("heading", "command", "elsewhere"),
    [
        ("option of `sandlot serve`", serve.serve, set()),
        ("option of `season start`", admin_seasons.start, {"--data", "--database", "--json"}),
    ],
    ids=["serve", "season start"],
)
def test_every_option_of_a_league_is_in_its_table_with_its_default(
    heading: str, command: click.Command, elsewhere: set[str]
) -> None:
    (table,) = re.findall(rf"\| {heading} \|.*\n((?:\|.*\n)+)", page("server.md"))
    rows = dict(re.findall(r"^\| `(--[\w-]+)` \| (.*?) \|", table, re.MULTILINE))
    options = {each.opts[0]: each for each in command.params if isinstance(each, click.Option)}
    wanted = {}
    for name in sorted(options.keys() - elsewhere):
        default = options[name].to_info_dict()["default"]
        absent = "no" if options[name].is_flag else "drawn" if name == "--seed" else "none"
        wanted[name] = f"`{default}`" if default else absent
    assert rows == wanted


def test_the_variables_of_a_server_are_named() -> None:
    variables = {each.envvar for each in serve.serve.params if isinstance(each, click.Option)}
    assert variables - {None} <= set(re.findall(r"`(\w+)`", page("server.md")))


def test_every_key_of_a_manifest_is_in_its_table() -> None:
    (table,) = re.findall(r"\| key \| value \|\n((?:\|.*\n)+)", page("submitting.md"))
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(manifest.WRITE)


def test_the_limits_of_a_submission_are_in_their_table() -> None:
    limits = SubmissionLimits()
    (table,) = re.findall(r"\| what \| limit \|\n((?:\|.*\n)+)", page("submitting.md"))
    assert [row.split("|")[2].strip() for row in table.splitlines()[1:]] == [
        f"{limits.files:,}",
        f"{limits.unpacked >> 20} MiB",
        f"{limits.archive >> 20} MiB",
        f"{limits.ratio} bytes on the whole, beyond the first MiB",
        f"{names.LONGEST_FILE}",
        f"{names.LONGEST_FOLDER}",
        f"{limits.depth}",
        f"{manifest.LONGEST:,}",
        f"{manifest.MOST_REQUIREMENTS}",
    ]
    assert limits.unrated == 1 << 20


def test_every_metric_of_a_server_is_in_its_table_with_its_type() -> None:
    metrics = Metrics()
    metrics.measure(matches_under_way=int, matches_queued=int, sessions=int, store_bytes=int)
    families = [each for each in metrics.registry.collect() if each.name.startswith("sandlot_")]
    rows = re.findall(r"^\| `(sandlot_\w+)` \| (\w+) \|", page("monitoring.md"), re.MULTILINE)
    assert sorted(rows) == sorted(
        (f"{each.name}_total" if each.type == "counter" else each.name, each.type)
        for each in families
    )
    assert {*FAULT_CAUSES, *VoidReason} <= set(re.findall(r"`(\w+)`", page("monitoring.md")))


def test_the_limits_of_a_server_are_in_their_table() -> None:
    limits, pings = PUBLIC, PINGS
    (table,) = re.findall(r"\| limit \| value \|\n((?:\|.*\n)+)", page("monitoring.md"))
    assert [row.split("|")[2].strip() for row in table.splitlines()[1:]] == [
        f"{limits.receive >> 20} MiB",
        f"{limits.metadata >> 10} KiB",
        f"{limits.calls}",
        f"{CALLS:,}",
        f"{limits.streams:,}; {limits.unheard}",
        f"{limits.handshake:g}",
        f"{pings.every:g}",
        f"{pings.timeout:g}",
    ]


def test_every_call_of_the_league_is_in_its_table_with_who_may_make_it() -> None:
    methods = calls.methods(League(*[None] * 4))  # type: ignore[arg-type]
    rows = re.findall(r"^\| `(\w+)` \| (all|owner) \|", page("league-api.md"), re.MULTILINE)
    who = {"reader": "all", "owner": "owner"}
    assert dict(rows) == {name: who[method.least] for name, method in methods.items()}
    assert set(methods) == {method.name for method in calls.SERVICE.methods}


def test_every_reason_of_the_league_is_in_its_table_with_its_status() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.*) \|$", page("league-api.md"), re.MULTILINE)
    assert rows == [(reason.name, reason.status.name, reason.meaning) for reason in Reason]


def test_the_limits_of_calls_are_those_of_the_code() -> None:
    limits = CallLimits()
    (table,) = re.findall(r"## Limits\n\n\| what \| limit \|\n((?:\|.*\n)+)", page("league-api.md"))
    assert [row.split("|")[2].strip() for row in table.splitlines()[1:]] == [
        f"{limits.calls}, {limits.calls_a_minute}",
        f"{limits.at_once}, {limits.at_once_in_all}",
        f"{limits.uploads}, {limits.uploads_in_all}",
        f"{limits.watches}, {limits.watches_in_all}",
        f"{limits.wrong_tokens}, {limits.wrong_tokens_a_minute}",
        f"{limits.archive >> 20} MiB for the archive",
        f"{limits.message >> 10} KiB",
        f"{limits.text} characters",
        f"{limits.page}, {limits.most_on_page}",
        f"{limits.log >> 10} KiB",
        f"{limits.arrival:g} s",
        f"{limits.answer:g} s",
        f"{limits.unread:g} s",
    ]


def test_the_quotas_of_an_owner_are_in_their_table() -> None:
    quotas = Quotas()
    (table,) = re.findall(r"\| quota \| most \|\n((?:\|.*\n)+)", page("submitting.md"))
    assert [row.split("|")[2].strip() for row in table.splitlines()[1:]] == [
        f"{quotas.waiting}",
        f"{quotas.bots}",
        f"{quotas.daily}",
        f"{quotas.kept >> 30} GiB",
    ]


def test_the_terms_of_a_trial_are_told() -> None:
    terms = Terms()
    text = page("submitting.md")
    assert f"longer than {terms.check:g} s is left" in text
    assert f"{terms.clock.decision:g} s a decision and a bank of {terms.clock.bank:g} s" in text
    assert f"A bot has {terms.patience:g} s from its start" in text
    assert f"All of it may take {terms.whole:g} s" in text


def test_the_rules_have_their_numbers_in_order() -> None:
    found = [
        tuple(map(int, rule)) for rule in re.findall(r"\*\*R(\d)\.(\d+)\*\*", page("rules.md"))
    ]
    lasts = {1: 3, 2: 3, 3: 7, 4: 10, 5: 5, 6: 6, 7: 3, 8: 2}
    assert found == [(part, rule) for part, last in lasts.items() for rule in range(1, last + 1)]


def test_every_rule_that_the_code_quotes_stands_in_the_rules() -> None:
    known = set(re.findall(r"\*\*(R\d\.\d+)\*\*", page("rules.md")))
    places = ("sdk/sandlot", "server/sandlot_server", "bots/sandlot_bots", "docs", "tests")
    quoted = {
        rule
        for place in places
        for path in (REPOSITORY / place).rglob("*.py" if place != "docs" else "*.md")
        for rule in re.findall(r"\bR\d\.\d+\b", path.read_text("utf-8"))
    }
    assert quoted <= known


def test_the_readme_leads_to_every_page() -> None:
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    pages = {str(path.relative_to(REPOSITORY)) for path in DOCS.glob("*.md")}
    assert {path for path in pages if f"]({path})" not in readme} == set()


def test_every_status_of_a_version_and_every_variable_of_a_login_is_in_its_table() -> None:
    names = first_cells(page("league.md"))
    assert {*get_args(Status), ADDRESS_VARIABLE, TOKEN_VARIABLE, CA_VARIABLE} <= names
