"""``sandlot check``, as an author sees it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from support.command import Command

from sandlot.clock import Clock

GOOD = """\
from sandlot import Action, Bot


class Good(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
"""

BAD = """\
import random

from sandlot import Action, Bot


class Bad(Bot):
    def act(self, seen):
        print("thinking")
        if seen.hand == 2:
            return 1 // 0
        if seen.hand == 3:
            return None
        if seen.hand == 4:
            return Action.FOLD
        return random.choice(seen.legal)

    def hand_ended(self, end):
        raise KeyError("seat 9")
"""

HANGS = """\
from sandlot import Bot


class Hangs(Bot):
    def act(self, seen):
        while True:
            pass
"""


@pytest.fixture(autouse=True)
def bots(tmp_path: Path) -> None:
    for name, text in (("good", GOOD), ("bad", BAD), ("hangs", HANGS)):
        (tmp_path / f"{name}.py").write_text(text)


def test_a_good_bot(sandlot: Command) -> None:
    ran = sandlot("check", "good.py", "--matches", "1")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("Good: ")
    assert lines[0].endswith(" decisions in 5 matches of baseball at 2 to 6 seats")
    assert [line[:6] for line in lines[1:11]] == ["  ok  "] * 10
    assert "ms a decision" in lines[11]
    assert lines[-1] == "  sandlot play good.py tight --matches 100"


def test_a_house_bot_by_its_name_and_the_other_variant(sandlot: Command) -> None:
    ran = sandlot("check", "tight", "--matches", "1", "--variant", "seven-card-stud")
    assert (ran.status, ran.err) == (0, "")
    assert "6 matches of seven-card-stud at 2 to 7 seats" in ran.out
    assert "sandlot play tight odds" in ran.out


def test_a_bad_bot_is_told_what_where_and_how_to_see_it_again(sandlot: Command) -> None:
    ran = sandlot("check", "bad.py", "--matches", "1")
    assert (ran.status, ran.err) == (1, "")
    for line in (
        "  NO  all it answers is legal",
        "  NO  act returns an action and raises nothing",
        "  NO  its hooks raise nothing",
        "  !   it plays the same again with the same seed",
        "  !   it prints nothing to standard output",
        "  ok  it is quick enough for the clock",
    ):
        assert line in ran.out.splitlines()
    assert "illegal: fold is not legal here; legal: check, bet" in ran.out
    assert "exception: ZeroDivisionError: integer division or modulo by zero" in ran.out
    assert "exception: act returned None (NoneType); it must return one of seen.legal" in ran.out
    assert "hook: KeyError: 'seat 9'" in ran.out
    assert "the state of the module random" in " ".join(ran.out.split())
    assert "        return 1 // 0\n" in ran.out
    assert "It saw: match " in ran.out
    assert "(itself" in ran.out
    assert "thinking\n" not in ran.out

    seed = ran.out.split()[-1]
    assert ran.out.splitlines()[-1] == f"  sandlot check bad.py --matches 1 --seed {seed}"
    again = sandlot("check", "bad.py", "--matches", "1", "--seed", seed)
    assert again.status == 1
    assert again.out.splitlines()[-1] == ran.out.splitlines()[-1]


def test_what_could_not_be_tried_is_not_called_ok(
    sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = Clock(0.05, 0.05)
    monkeypatch.setattr("sandlot.testing.Clock", lambda: short)
    ran = sandlot("check", "hangs.py", "--matches", "1")
    assert (ran.status, ran.err) == (1, "")
    assert "  NO  it is quick enough for the clock\n" in ran.out
    assert "  ?   it plays the same again with the same seed\n" in ran.out
    assert "timeout: no answer within 0.1 s; it was here\n" in ran.out
    assert 'hangs.py", line 7, in act\n' in ran.out or 'hangs.py", line 6, in act\n' in ran.out


def test_a_bot_that_leaves_at_once_is_told_where(sandlot: Command, tmp_path: Path) -> None:
    text = GOOD.replace("        return", "        __import__('os')._exit(0)\n        return")
    (tmp_path / "leaves.py").write_text(text)
    ran = sandlot("check", "leaves.py", "--matches", "1")
    assert (ran.status, ran.err) == (1, "")
    stopped = "stopped after 1 decision, 0 matches of baseball at 2 to 6 seats"
    assert ran.out.startswith(f"Good: {stopped}\n")
    assert "  NO  it does not end its process\n" in ran.out
    assert "crash: would end its process: os._exit(0)\n" in ran.out
    assert 'leaves.py", line 6, in act\n' in ran.out

    (tmp_path / "gone.py").write_text("import os\n\nos._exit(0)\n")
    ran = sandlot("check", "gone.py")
    assert (ran.status, ran.out) == (1, "")
    assert 'gone.py", line 3, in <module>\n' in ran.err
    assert ran.err.splitlines()[-1] == (
        "Error: gone.py ends the program when it is imported: put what it does under "
        '`if __name__ == "__main__":`'
    )


def test_a_bot_that_answers_nothing_is_not_called_legal_and_quick(
    sandlot: Command, tmp_path: Path
) -> None:
    (tmp_path / "mute.py").write_text(
        GOOD[: GOOD.index("        return")] + "        return None\n"
    )
    ran = sandlot("check", "mute.py", "--matches", "1")
    assert (ran.status, ran.err) == (1, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("Good: answered none of ")
    assert lines[1:11] == [
        "  ok  it can be made without arguments",
        "  ?   all it answers is legal",
        "  NO  act returns an action and raises nothing",
        "  ok  its hooks raise nothing",
        "  ok  it does not end its process",
        "  ?   it is quick enough for the clock",
        "  ?   it plays the same again with the same seed",
        "  ?   it plays the same with many matches at once",
        "  ok  it leaves the observation as it is",
        "  ok  it prints nothing to standard output",
    ]
    assert "ms a decision" not in ran.out
    decisions = lines[0].removeprefix("Good: answered none of ").split()[0]
    assert f"one of seen.legal ({decisions} times)" in " ".join(ran.out.split())


def test_json_is_one_document_with_all_of_it(sandlot: Command) -> None:
    ran = sandlot("check", "bad.py", "--matches", "1", "--json", "--seed", "00" * 16)
    assert (ran.status, ran.err) == (1, "")
    report = json.loads(ran.out)
    assert report["given"] == "bad.py"
    assert (report["bot"], report["ok"], report["finished"]) == ("Bad", False, True)
    assert (report["seed"], report["matches"]) == ("00" * 16, 5)
    kinds = [finding["kind"] for finding in report["findings"]]
    assert kinds == ["illegal", "exception", "exception", "hook", "chance", "prints"]
    assert report["findings"][0]["seen"]["legal"] == ["check", "bet"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["goood.py"], "goood.py: there is no file {here}/goood.py; did you mean 'good.py'?"),
        (
            ["good.py:Godo"],
            "good.py:Godo: there is no class 'Godo' in {here}/good.py; did you mean 'Good'?",
        ),
        (
            ["node bot.js"],
            "node bot.js is a program of its own, and check tries Python bots: play it with "
            "sandlot play 'node bot.js' random --isolated --matches 20",
        ),
        (
            ["good.py", "--seed", "cafe"],
            "a seed of 2 bytes is too short: write at least 16 bytes, 32 hex digits",
        ),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], line: str, sandlot: Command, tmp_path: Path
) -> None:
    ran = sandlot("check", *arguments)
    assert ran == (1, "", f"Error: {line.format(here=tmp_path)}\n")


def test_an_import_that_fails_shows_the_bots_own_traceback(
    sandlot: Command, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text("import there_is_no_such_module\n")
    ran = sandlot("check", "broken.py")
    assert (ran.status, ran.out) == (1, "")
    lines = ran.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert "    import there_is_no_such_module" in lines
    assert lines[-1].startswith("Error: broken.py cannot be imported: ModuleNotFoundError: ")


MANIFEST = 'name = "good"\nrun = "good.py:Good"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "my bot"
    (folder / ".git").mkdir(parents=True)
    (folder / "good.py").write_text(GOOD)
    (folder / "bot.toml").write_text(MANIFEST)
    return folder


def test_a_folder_is_checked_as_it_would_be_submitted(sandlot: Command, folder: Path) -> None:
    ran = sandlot("check", "my bot", "--matches", "1")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    digests = "".join(
        f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n"
        for name, text in (("bot.toml", MANIFEST), ("good.py", GOOD))
    )
    version = hashlib.sha256(digests.encode()).hexdigest()
    size = len(MANIFEST + GOOD)
    assert lines[:4] == [f"good: 2 files, {size} bytes, version", f"  {version}", "", lines[3]]
    assert lines[3].startswith("Good: ")
    assert lines[-4:] == [
        "Next:",
        "  cd 'my bot'",
        "  sandlot play good.py:Good tight --matches 100",
        "  sandlot submit .",
    ]
    report = json.loads(sandlot("check", "my bot", "--matches", "1", "--json").out)
    assert report["submission"] == {
        "name": "good",
        "version": version,
        "files": ["bot.toml", "good.py"],
        "size": size,
    }


def test_from_within_the_folder(
    sandlot: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    ran = sandlot("check", ".", "--matches", "1")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.endswith(
        "Next:\n  sandlot play good.py:Good tight --matches 100\n  sandlot submit .\n"
    )


@pytest.mark.parametrize(
    ("manifest", "line"),
    [
        ('name = "good"', "bot.toml: there is neither run nor command; write "),
        (MANIFEST + "colour = 1", "bot.toml: there is no key 'colour'; write "),
        (
            'name = "good"\ncommand = ["node", "bot.js"]',
            "my bot is a program of its own, and check tries Python bots: in that folder play it "
            "with sandlot play 'node bot.js' random --isolated --matches 20",
        ),
    ],
)
def test_what_is_wrong_with_a_folder_is_one_line(
    manifest: str, line: str, sandlot: Command, folder: Path
) -> None:
    (folder / "bot.toml").write_text(manifest)
    ran = sandlot("check", "my bot")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"Error: {line}")
    assert ran.err.count("\n") == 1


def test_a_folder_that_would_be_refused_is_not_tried(sandlot: Command, folder: Path) -> None:
    (folder / "link.py").symlink_to("good.py")
    ran = sandlot("check", "my bot")
    assert ran == (1, "", "Error: 'link.py' is a link; put the file itself in its place\n")


def test_a_manifest_is_not_the_bot(sandlot: Command, folder: Path) -> None:
    line = "Error: my bot/bot.toml says what its folder is: sandlot check 'my bot' tries it\n"
    assert sandlot("check", "my bot/bot.toml") == (1, "", line)
