"""What a sandboxed bot is shown of a league's folder, and what never."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sandlot.errors import BotError
from sandlot_server.launch.bots import ClassBot, CommandBot, LaunchedBot
from sandlot_server.launch.shown import BOT, shown_to

BOT_PY = "from sandlot import Bot\n"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A league's folder, with the league file, the store, and bots beside them and in folders."""
    folder = tmp_path / "league"
    for name in ("one", "two"):
        (folder / name).mkdir(parents=True)
        (folder / name / "bot.py").write_text(BOT_PY)
    (folder / "beside.py").write_text(BOT_PY + "import tables\n")
    for name in ("tables.py", "unused.py", "league.toml", "sandlot.db", "model.bin"):
        (folder / name).write_text("")
    return folder


def own(bot: LaunchedBot, league: Path) -> dict[str, Path]:
    """What is shown to a bot of files that are its own, by where it is."""
    private = (league / "league.toml", league / "sandlot.db")
    places = shown_to(bot, private).places
    return {str(place): source for place, source in places.items() if place.is_relative_to(BOT)}


def argv(bot: LaunchedBot, league: Path) -> list[str]:
    return list(shown_to(bot, (league / "league.toml",)).argv)


def test_a_folder_of_its_own_is_shown_whole_and_no_other(league: Path) -> None:
    bot = ClassBot("one/bot.py:Mine", league)
    assert own(bot, league) == {"/bot/one": league / "one"}
    assert argv(bot, league)[-1] == "one/bot.py:Mine"


def test_beside_the_league_file_it_is_shown_what_its_version_counts(league: Path) -> None:
    assert own(ClassBot("beside.py", league), league) == {
        "/bot/beside.py": league / "beside.py",
        "/bot/tables.py": league / "tables.py",
    }


def test_of_a_module_its_package_is_shown(league: Path) -> None:
    assert own(ClassBot("beside:Mine", league), league).keys() == {
        "/bot/beside.py",
        "/bot/tables.py",
    }
    assert own(ClassBot("one.bot:Mine", league), league)["/bot/one"] == league / "one"
    assert own(ClassBot("sandlot_bots.caller:Caller", league), league) == {}


def test_of_a_command_the_files_among_its_words_are_shown(league: Path) -> None:
    bot = CommandBot((sys.executable, "two/bot.py", "model.bin", "--bold", "nowhere"), league)
    assert own(bot, league) == {
        "/bot/two": league / "two",
        "/bot/model.bin": league / "model.bin",
    }
    assert argv(bot, league)[1:] == ["two/bot.py", "model.bin", "--bold", "nowhere"]
    program = league / "one" / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert argv(CommandBot(("one/program",), league), league) == ["/bot/one/program"]


def test_a_file_elsewhere_is_shown_alone(league: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(BOT_PY)
    (tmp_path / "diary").write_text("")
    for spec in ("../elsewhere.py:Mine", f"{tmp_path}/elsewhere.py:Mine"):
        bot = ClassBot(spec, league)
        assert own(bot, league) == {"/bot/elsewhere.py": tmp_path / "elsewhere.py"}
        assert argv(bot, league)[-1] == "elsewhere.py:Mine"
    command = CommandBot((sys.executable, "../elsewhere.py"), league)
    assert argv(command, league)[1:] == [str(tmp_path / "elsewhere.py")]
    assert tmp_path not in shown_to(command, (league / "league.toml",)).places.values()


@pytest.mark.parametrize("word", ["league.toml", "../league/league.toml"])
def test_what_is_private_is_not_shown_even_where_it_is_named(word: str, league: Path) -> None:
    with pytest.raises(BotError, match=r"would see .*/league\.toml, which is not for bots, in"):
        own(CommandBot((sys.executable, word), league), league)


def test_a_folder_that_holds_something_private_is_not_shown_whole(league: Path) -> None:
    (league / "one" / "sandlot.db").write_text("")
    shown = shown_to(ClassBot("one/bot.py", league), (league / "one" / "sandlot.db", league / "x"))
    assert shown.places[BOT / "one" / "bot.py"] == league / "one" / "bot.py"
    assert BOT / "one" not in shown.places


def test_where_nothing_is_private_the_place_is_the_bots_and_nothing_outside_is(
    league: Path, tmp_path: Path
) -> None:
    """So it is with what somebody has submitted, links to elsewhere included."""
    secret = tmp_path / "others.py"
    secret.write_text(BOT_PY)
    place = league / "one"
    assert shown_to(ClassBot("bot.py", place), (secret,)).places[BOT] == place
    (place / "link.py").symlink_to(secret)
    for bot in (ClassBot("link.py", place), CommandBot((sys.executable, "link.py"), place)):
        with pytest.raises(BotError, match="is outside the bot's own folder"):
            shown_to(bot, ())


def test_what_is_not_there_is_said(league: Path) -> None:
    with pytest.raises(BotError, match=r"there is no file .*/nowhere\.py"):
        shown_to(ClassBot("nowhere.py:Mine", league), ())
    with pytest.raises(BotError, match="there is no program 'no-such-program'"):
        shown_to(CommandBot(("no-such-program",), league), ())


def test_a_program_outside_the_system_is_shown_alone(league: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "program"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    shown = shown_to(CommandBot((str(program),), league), (league,))
    assert shown.argv == (str(program),)
    assert shown.places[program] == program
    assert program.parent not in shown.places


def test_an_environment_is_shown_beside_the_folder_and_nothing_else_is(tmp_path: Path) -> None:
    files, environment = tmp_path / "kept" / "files", tmp_path / "kept" / "environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python3").symlink_to(sys.executable)
    files.mkdir()
    (files / "bot.py").write_text(BOT_PY)
    command = CommandBot(("python3", "bot.py"), files, environment)
    for bot in (ClassBot("bot.py", files, environment), command):
        shown = shown_to(bot, (tmp_path,))
        ours = {
            str(place): source
            for place, source in shown.places.items()
            if source.is_relative_to(tmp_path)
        }
        assert ours == {"/bot": files, "/environment": environment}
        assert shown.argv[0] == f"/environment/bin/python{'3' if bot is command else ''}"
        assert shown.argv[-1] == "bot.py"


def test_with_an_environment_a_module_is_left_to_its_interpreter(tmp_path: Path) -> None:
    bot = ClassBot("required:Mine", tmp_path, tmp_path.parent)
    assert shown_to(bot, ()).argv[-1] == "required:Mine"
    with pytest.raises(BotError, match="there is no module 'required'"):
        shown_to(ClassBot("required:Mine", tmp_path), ())
