"""``sandlot status`` and ``sandlot retire``: how bots stand, and how one is taken out."""

from __future__ import annotations

import json

import pytest
from support.command import Command
from support.fake_league import FakeLeague
from support.standing_league import bots_message, owned, season_message, version
from support.terminal import Terminal

from sandlot.v1 import league_pb2
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.service.values import write_bot, write_version


def trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.fixture
def with_bots(league: FakeLeague) -> FakeLeague:
    """A server where river-rat has three versions, and tight one."""
    rat = owned(version(1, "replaced"), version(2, "active"), version(3, "trying"))
    tight = owned(version(1, "refused", bot="tight"))
    league.answer_by(
        "List",
        lambda request: iter(
            [bots_message(tight) if request.page_token else bots_message(rat, following="2")]
        ),
    )
    league.answer("Standings", season_message())
    return league


def test_of_each_bot_what_plays_is_shown_and_what_has_come_after_it(
    with_bots: FakeLeague, sandlot: Command
) -> None:
    ran = sandlot("status")
    assert (ran.status, ran.err) == (0, "")
    assert trimmed(ran.out) == (
        "bot          plays      status   since             rank     net a hand  matches\n"
        "river-rat@2  on server  active   2026-12-02 12:01     1  +0.500 ±0.459        4\n"
        "river-rat@3  on server  trying   2026-12-03 12:00     -              -        -\n"
        "tight@1      on server  refused  2026-12-01 12:01     -              -        0\n"
    )
    assert [request.owner for request in with_bots.of(league_pb2.ListRequest)] == ["ann", "ann"]


def test_all_bots_are_shown_with_their_owners(with_bots: FakeLeague, sandlot: Command) -> None:
    page = trimmed(sandlot("status", "--all").out)
    assert page.splitlines()[1].startswith("river-rat@2  ann    on server")
    assert with_bots.of(league_pb2.ListRequest)[0].owner == ""


def test_a_reader_sees_the_bots_of_all(with_bots: FakeLeague, sandlot: Command) -> None:
    reader = league_pb2.Owner(name="rea", role="reader")
    with_bots.answer("WhoAmI", league_pb2.WhoAmIResponse(owner=reader))
    assert sandlot("status").out.splitlines()[0].startswith("bot          owner  plays")
    assert with_bots.of(league_pb2.ListRequest)[0].owner == ""


def test_one_bot_is_shown_with_all_versions_and_why_it_was_refused(
    league: FakeLeague, sandlot: Command
) -> None:
    refused = version(3, "refused", reason="it fails in act", account="line 1\n\x1b[2Jline 2\n")
    bot = owned(version(1, "replaced"), version(2, "active"), refused)
    league.answer("Status", league_pb2.StatusResponse(bot=write_bot(bot)))
    league.answer("Standings", season_message())
    ran = sandlot("status", "river-rat")
    assert (ran.status, ran.err) == (0, "")
    assert trimmed(ran.out) == (
        "river-rat, of ann\n"
        "bot          plays      status    since             rank     net a hand  matches\n"
        "river-rat@1  on server  replaced  2026-12-01 12:01     2  -0.500 ±0.459        4\n"
        "river-rat@2  on server  active    2026-12-02 12:01     1  +0.500 ±0.459        4\n"
        "river-rat@3  on server  refused   2026-12-03 12:01     -              -        -\n"
        "\n"
        "river-rat@3 is refused: it fails in act\n"
        "    line 1\n"
        "    ?[2Jline 2\n"
    )


def test_of_somebody_elses_bot_the_public_part_is_shown(
    with_bots: FakeLeague, sandlot: Command
) -> None:
    with_bots.answer("Status", RefusedError(Reason.NOT_YOURS, "no bot of yours is called so"))
    assert sandlot("status", "tight").out.startswith("tight, of ann\n")
    ran = sandlot("status", "other")
    assert (ran.status, ran.err) == (1, "Error: no bot of yours is called so\n")


def test_a_disqualified_bot_says_why(league: FakeLeague, sandlot: Command) -> None:
    bot = owned(version(1, "disqualified"), disqualified="it cheats")
    league.answer("Status", league_pb2.StatusResponse(bot=write_bot(bot)))
    league.answer("Standings", RefusedError(Reason.NO_SEASON, "there is no season"))
    assert "\ndisqualified: it cheats\n" in sandlot("status", "river-rat").out


def test_the_json_has_every_version_with_its_standing(
    with_bots: FakeLeague, sandlot: Command
) -> None:
    ran = sandlot("status", "--json")
    assert (ran.status, ran.err) == (0, "")
    rat, tight = json.loads(ran.out)
    assert (rat["bot"], tight["bot"]) == ("river-rat", "tight")
    assert [each["number"] for each in rat["versions"]] == [1, 2, 3]
    assert [each["standing"] and each["standing"]["rank"] for each in rat["versions"]] == [
        2,
        1,
        None,
    ]
    assert rat["versions"][2]["settled"] is None
    assert tight["disqualified"] is None


def test_without_bots_it_says_how_to_begin(league: FakeLeague, sandlot: Command) -> None:
    league.answer("List", bots_message())
    assert sandlot("status") == (
        0,
        "There is no bot yet; sandlot submit DIR hands one in.\n",
        "",
    )
    assert sandlot("status", "--json").out == "[]\n"


def test_a_bot_and_all_bots_do_not_go_together(league: FakeLeague, sandlot: Command) -> None:
    assert sandlot("status", "river-rat", "--all").status == 2
    assert league.asked == []


def test_a_bot_is_taken_out_of_the_league(league: FakeLeague, sandlot: Command) -> None:
    stopped = write_version(version(2, "retired"))
    league.answer("Retire", league_pb2.RetireResponse(stopped=[stopped]))
    assert sandlot("retire", "river-rat", "--yes") == (0, "river-rat@2 is retired.\n", "")
    assert league.of(league_pb2.RetireRequest)[0].bot == "river-rat"


def test_what_did_not_play_is_said_to_have_changed_nothing(
    league: FakeLeague, sandlot: Command
) -> None:
    league.answer("Retire", league_pb2.RetireResponse())
    ran = sandlot("retire", "river-rat", "--yes")
    assert ran == (0, "river-rat did not play; nothing has changed.\n", "")


def test_where_nobody_can_be_asked_nothing_is_retired(league: FakeLeague, sandlot: Command) -> None:
    ran = sandlot("retire", "river-rat")
    assert ran.status == 2
    assert ran.err.startswith("Error: Nobody is there to be asked: add --yes.")
    assert league.asked == []


@pytest.mark.parametrize(("key", "asked"), [("n", 0), ("y", 1)])
def test_a_person_is_asked_first(key: str, asked: int, league: FakeLeague, config: object) -> None:
    league.answer("Retire", league_pb2.RetireResponse())
    with Terminal("retire", "river-rat", XDG_CONFIG_HOME=str(config)) as terminal:
        terminal.wait_for("Take river-rat out of the league? [y/N]: ")
        terminal.press(f"{key}\n")
        status, _ = terminal.end()
    assert status == 1 - asked
    assert len(league.of(league_pb2.RetireRequest)) == asked
