"""bot.toml: what may stand in it, and what is said of each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandlot.errors import SubmissionError
from sandlot_server.submissions.manifest import (
    LONGEST,
    Manifest,
    manifest_in,
    manifest_of,
    read_manifest,
)

FILES = ("bot.py", "bot.toml", "cards/odds.py", "bin/bot", "start.sh")
RUN = 'name = "mine"\nrun = "bot.py:MyBot"\n'


def refused(text: str | bytes) -> str:
    raw = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(SubmissionError) as caught:
        read_manifest(raw, FILES)
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < 300
    return line


@pytest.mark.parametrize(
    ("text", "manifest"),
    [
        (RUN, Manifest("mine", "bot.py:MyBot", None)),
        ("\ufeff" + RUN, Manifest("mine", "bot.py:MyBot", None)),
        (RUN.replace("bot.py:MyBot", "bot.py"), Manifest("mine", "bot.py", None)),
        (
            RUN.replace("bot.py:MyBot", "cards.odds:Odds"),
            Manifest("mine", "cards.odds:Odds", None),
        ),
        (
            'name = "mine"\ncommand = ["node", "bot.js", "--bold"]',
            Manifest("mine", None, ("node", "bot.js", "--bold")),
        ),
        (
            'name = "mine"\ncommand = ["./bin/bot"]\nrequirements = []',
            Manifest("mine", None, ("./bin/bot",)),
        ),
        (
            RUN + 'requirements = ["NumPy >= 2, < 3", "scipy[test]==1.17.*", "treys"]',
            Manifest("mine", "bot.py:MyBot", None, ("NumPy<3,>=2", "scipy[test]==1.17.*", "treys")),
        ),
        (
            RUN + """requirements = ["tomli>=2; python_version < '3.11'"]""",
            Manifest("mine", "bot.py:MyBot", None, ('tomli>=2; python_version < "3.11"',)),
        ),
    ],
)
def test_what_is_taken(text: str, manifest: Manifest) -> None:
    assert read_manifest(text.encode(), FILES) == manifest


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", 'bot.toml: there is no name; write name = "mine"'),
        (
            'nme = "x"',
            "bot.toml: there is no key 'nme'; did you mean name? Write name = \"mine\"",
        ),
        (
            RUN + "colour = 1",
            "bot.toml: there is no key 'colour'; write one of name, run, command, requirements, "
            "or take it out",
        ),
        ("name = 7", 'bot.toml: name is 7; write name = "mine"'),
        (
            'name = "mine"\ncommand = "node bot.js"',
            'bot.toml: command is \'node bot.js\'; write command = ["node", "bot.js"]',
        ),
        (
            RUN + 'requirements = {numpy = "2"}',
            "bot.toml: requirements is {'numpy': '2'}; write requirements = [\"numpy>=2,<3\"]",
        ),
        (
            RUN.replace("mine", "River Rat"),
            "bot.toml: name 'River Rat' cannot be a name; write name = \"river-rat\"",
        ),
        (
            RUN.replace("mine", "../mine"),
            "bot.toml: name '../mine' cannot be a name; write 1 to 32 of a-z 0-9 . _ - and begin "
            "with a letter or digit",
        ),
        (
            'name = "mine"',
            'bot.toml: there is neither run nor command; write run = "bot.py:MyBot" or '
            'command = ["node", "bot.js"]',
        ),
        (
            RUN + 'command = ["node"]',
            "bot.toml: there are both run and command; keep one of them",
        ),
        (
            RUN.replace("bot.py:", "bit.py:"),
            "bot.toml: run: there is no file 'bit.py' in the submission; did you mean 'bot.py'?",
        ),
        (
            RUN.replace("bot.py:", "/tmp/x.py:"),
            "bot.toml: run: there is no file '/tmp/x.py' in the submission; write a file's name as "
            "seen from the bot's folder",
        ),
        (
            RUN.replace("bot.py:MyBot", "MyBot"),
            "bot.toml: run 'MyBot' names no class; write run = \"bot.py:MyBot\" or "
            'command = ["node", "bot.js"]',
        ),
        (
            RUN.replace("bot.py:MyBot", "bot.py:My Bot"),
            "bot.toml: run 'bot.py:My Bot' names no class; write run = \"bot.py:MyBot\"",
        ),
        (
            'name = "mine"\ncommand = []',
            'bot.toml: command is empty; write command = ["node", "bot.js"]',
        ),
        (
            'name = "mine"\ncommand = ["node", "a\\u0000"]',
            "bot.toml: command holds a NUL, which no program can get; leave it out",
        ),
        (
            'name = "mine"\ncommand = ["/usr/bin/node"]',
            "bot.toml: command starts '/usr/bin/node', which lies elsewhere where it is played; "
            'write the program\'s name alone, as in command = ["node", "bot.js"]',
        ),
        (
            'name = "mine"\ncommand = ["../../elsewhere"]',
            "bot.toml: command: there is no file '../../elsewhere' in the submission; write a "
            "file's name as seen from the bot's folder",
        ),
        (
            'name = "mine"\ncommand = ["start.sh"]',
            'bot.toml: command: write "./start.sh", for it is a file beside it',
        ),
        (b'name = "\xff"', "bot.toml: line 1 is not UTF-8; save the file as UTF-8"),
        (
            "name = ",
            "bot.toml: not TOML: Invalid value (at end of document); mend it there",
        ),
        (
            "name" + ".a" * 2000 + "= 1",
            "bot.toml: name is {'a': {'a': {'a': {'a': {'a': {'a': {...}}}}}}}; "
            'write name = "mine"',
        ),
        ("a = " + "[" * 4000, "bot.toml: is nested too deeply; write plain keys"),
        ("#" * (LONGEST + 1), "bot.toml: has 8,193 bytes; write at most 8,192"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_write(text: str | bytes, told: str) -> None:
    assert refused(text) == told


@pytest.mark.parametrize(
    ("requirement", "told"),
    [
        *[
            (written, "is no name with versions")
            for written in (
                "",
                "-e .",
                "--index-url=x",
                "-r other.txt",
                "./wheel",
                "../x",
                "/tmp/x",
                "a/b",
                "git+ssh://x/y",
                "numpy>=2 --hash=x",
                "numpy\n-e .",
                "${HOME}",
                "x" * 201,
                "a; " + "(" * 190,
            )
        ],
        ("numpy @ file:///etc", "points at a place"),
        ("numpy @ git+ssh://x/y", "points at a place"),
        ("evil-1.0-py3-none-any.whl", "is called like a file"),
        ("evil.ZIP", "is called like a file"),
        ("evil.tar.gz", "is called like a file"),
        ("Sandlot>=0.1", "is always there; take it out"),
    ],
)
def test_only_names_with_versions_are_requirements(requirement: str, told: str) -> None:
    written = requirement.replace("\n", "\\n")
    assert told in refused(f'{RUN}requirements = ["{written}"]')


def test_there_may_be_so_many_requirements_and_no_more() -> None:
    assert refused(f"{RUN}requirements = {['a'] * 51}").startswith(
        "bot.toml: there are 51 requirements; 50 are allowed"
    )


def test_one_python_file_needs_no_manifest() -> None:
    assert manifest_of(["river-rat.py"], None) == Manifest("river-rat", "river-rat.py", None)
    assert manifest_of(["bot.py"], None, "mine") == Manifest("mine", "bot.py", None)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["bot.py", "odds.py"], "there is no bot.toml; write one with name = "),
        (["bot.js"], "there is no bot.toml"),
        (
            ["My Bot.py"],
            "'My Bot' cannot be the name of a bot; rename the file, or write a bot.toml with "
            'name = "mine" and run = "My Bot.py"',
        ),
    ],
)
def test_whatever_else_needs_one(files: list[str], told: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        manifest_of(files, None)
    assert told in str(caught.value)


def test_the_manifest_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "odds.py").touch()
    (tmp_path / "bot.toml").write_text('name = "mine"\nrun = "cards/odds.py:Odds"')
    assert manifest_in(tmp_path) == Manifest("mine", "cards/odds.py:Odds", None)
