"""A bot is found by what its author wrote, and a bot that is not there is told in one line."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from sandlot.errors import BotError
from sandlot.loading import load_bot

CALLER = """
from sandlot.bot import Bot

class {name}(Bot):
    def act(self, seen):
        return seen.legal[0]
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(spec: str, place: Path) -> BotError:
    with pytest.raises(BotError) as caught:
        load_bot(spec, place)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_class_in_a_file(tmp_path: Path) -> None:
    write(tmp_path / "bots" / "first.py", CALLER.format(name="First"))
    assert load_bot("bots/first.py:First", tmp_path).__name__ == "First"


def test_a_class_in_a_module_seen_from_the_place(tmp_path: Path) -> None:
    write(tmp_path / "pack_of_bots" / "second.py", CALLER.format(name="Second"))
    found = load_bot("pack_of_bots.second:Second", tmp_path)
    assert (found.__module__, found.__name__) == ("pack_of_bots.second", "Second")


def test_loaded_twice_is_the_same_class(tmp_path: Path) -> None:
    write(tmp_path / "third.py", CALLER.format(name="Third"))
    assert load_bot("third.py", tmp_path) is load_bot("third.py:Third", tmp_path)


def test_the_class_may_be_left_out_when_the_file_defines_one(tmp_path: Path) -> None:
    write(tmp_path / "mine.py", CALLER.format(name="_Common") + CALLER.format(name="Mine"))
    write(tmp_path / "more.py", "from mine import Mine\nclass More(Mine): ...\n")
    assert load_bot("mine.py", tmp_path).__name__ == "Mine"
    assert load_bot("more.py", tmp_path).__name__ == "More"  # what is imported does not count


def test_several_bots_are_named(tmp_path: Path) -> None:
    write(tmp_path / "two.py", CALLER.format(name="One") + CALLER.format(name="Two"))
    assert str(refused("two.py", tmp_path)) == (
        "two.py defines 2 bots, One, Two: say which, two.py:One"
    )


def test_no_bot_in_the_file(tmp_path: Path) -> None:
    write(tmp_path / "none.py", "from sandlot.bot import Bot\nx = 1\n")
    assert "none.py defines no bot" in str(refused("none.py", tmp_path))


def test_two_files_of_one_name_are_two_bots(tmp_path: Path) -> None:
    write(tmp_path / "a" / "twin.py", CALLER.format(name="A"))
    write(tmp_path / "b" / "twin.py", CALLER.format(name="B"))
    assert load_bot("a/twin.py", tmp_path).__name__ == "A"
    assert load_bot("b/twin.py", tmp_path).__name__ == "B"


def test_a_file_named_like_a_standard_module_does_not_replace_it(tmp_path: Path) -> None:
    write(tmp_path / "random.py", CALLER.format(name="Mine"))
    write(tmp_path / "chunk.py", CALLER.format(name="Other"))
    assert load_bot("random.py", tmp_path).__name__ == "Mine"
    assert sys.modules["random"] is random
    assert load_bot("chunk.py", tmp_path).__module__ in sys.modules


def test_a_missing_file_with_the_nearest_name(tmp_path: Path) -> None:
    write(tmp_path / "mybot.py", CALLER.format(name="Mine"))
    said = str(refused("mybt.py:Mine", tmp_path))
    assert said.startswith(f"mybt.py:Mine: there is no file {tmp_path / 'mybt.py'}")
    assert said.endswith("did you mean 'mybot.py'?")


def test_a_missing_class_with_the_nearest_name(tmp_path: Path) -> None:
    write(tmp_path / "mybot.py", CALLER.format(name="MyBot"))
    said = str(refused("mybot.py:MyBott", tmp_path))
    assert "there is no class 'MyBott'" in said
    assert said.endswith("did you mean 'MyBot'?")


def test_a_missing_module_with_the_nearest_name(tmp_path: Path) -> None:
    write(tmp_path / "mybots" / "good.py", CALLER.format(name="Good"))
    write(tmp_path / "mybots" / "__init__.py", "")
    assert str(refused("mybot.good:Good", tmp_path)).endswith("did you mean 'mybots'?")
    assert str(refused("mybots.god:Good", tmp_path)).endswith("did you mean 'mybots.good'?")


@pytest.mark.parametrize(
    "spec", ["", ":Class", "mybot.py:", "mybot.py:a-b", "my bots:Class", "a..b"]
)
def test_what_names_no_bot(spec: str, tmp_path: Path) -> None:
    assert "write module:Class or file.py:Class" in str(refused(spec, tmp_path))


def test_not_a_bot(tmp_path: Path) -> None:
    write(tmp_path / "odd.py", "class Odd: ...\ndef function(): ...\n")
    for name in ("Odd", "function"):
        assert f"{name} is not a bot" in str(refused(f"odd.py:{name}", tmp_path))


def test_a_bot_that_does_not_say_how_it_acts(tmp_path: Path) -> None:
    write(
        tmp_path / "idle.py",
        "from sandlot.bot import BatchBot, Bot\nclass A(Bot): ...\nclass B(BatchBot): ...\n",
    )
    assert "write act(self, seen)" in str(refused("idle.py:A", tmp_path))
    assert "write act_many(self, seen)" in str(refused("idle.py:B", tmp_path))


def test_an_import_error_carries_the_bots_own_traceback(tmp_path: Path) -> None:
    write(tmp_path / "tables.py", "ODDS = 1 / 0\n")
    write(tmp_path / "broken.py", "# a comment\nimport tables\n")
    error = refused("broken.py", tmp_path)
    assert str(error) == "broken.py cannot be imported: ZeroDivisionError: division by zero"
    lines = error.account.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].strip() == f'File "{tmp_path / "broken.py"}", line 2, in <module>'
    assert any(str(tmp_path / "tables.py") in line for line in lines)
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "loading.py" not in error.account
    assert "importlib" not in error.account


def test_a_module_that_the_bot_lacks_is_an_import_error_of_the_bot(tmp_path: Path) -> None:
    write(tmp_path / "needy" / "bot.py", "import no_such_library\n")
    for spec in ("needy/bot.py", "needy.bot:Needy"):
        error = refused(spec, tmp_path)
        assert "cannot be imported: ModuleNotFoundError" in str(error)
        assert "import no_such_library" in error.account


def test_a_syntax_error_shows_the_line(tmp_path: Path) -> None:
    write(tmp_path / "wrong.py", "def act(:\n")
    error = refused("wrong.py", tmp_path)
    assert "SyntaxError" in str(error)
    assert "def act(:" in error.account


def test_a_file_that_exits_when_imported(tmp_path: Path) -> None:
    write(tmp_path / "quits.py", "raise SystemExit(3)\n")
    assert '__name__ == "__main__"' in str(refused("quits.py", tmp_path))


def test_a_failed_import_can_be_tried_again(tmp_path: Path) -> None:
    path = write(tmp_path / "later.py", "1 / 0\n")
    refused("later.py", tmp_path)
    path.write_text("# now it is longer\n" + CALLER.format(name="Later"))
    assert load_bot("later.py", tmp_path).__name__ == "Later"


def test_the_working_directory_is_the_place_when_none_is_given(tmp_path: Path) -> None:
    write(tmp_path / "here.py", CALLER.format(name="Here"))
    code = "from sandlot.loading import load_bot; print(load_bot('here.py').__name__)"
    said = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert said.stdout == "Here\n"
