"""A bot as its user wrote it, its version, and the end of its log."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandlot.errors import BotError
from sandlot_server.launch.bots import HOUSE, ClassBot, CommandBot, bot_as_written, bot_in_league
from sandlot_server.launch.logs import open_log, tail
from sandlot_server.launch.plain import PLAIN

CALLER = """
from sandlot.bot import Bot

class Mine(Bot):
    def act(self, seen):
        return seen.legal[0]
"""


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", HOUSE)
def test_the_house_bots_are_called_by_name(name: str, tmp_path: Path) -> None:
    bot = bot_as_written(name, tmp_path)
    assert isinstance(bot, ClassBot)
    assert bot.load().__module__ == f"sandlot_bots.{name}"
    assert re.fullmatch("[0-9a-f]{64}", bot.version())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sandlot_bots.caller:Caller", ClassBot("sandlot_bots.caller:Caller", Path())),
        ("mybot.py", ClassBot("mybot.py", Path())),
        ("mybot.py:Mine", ClassBot("mybot.py:Mine", Path())),
        ("my bots/mybot.py:Mine", ClassBot("my bots/mybot.py:Mine", Path())),
        ("python mybot.py", CommandBot(("python", "mybot.py"), Path())),
        ("node 'my bots/bot.js' --bold", CommandBot(("node", "my bots/bot.js", "--bold"), Path())),
        ("./program", CommandBot(("./program",), Path())),
    ],
)
def test_how_a_bot_is_written(text: str, expected: ClassBot | CommandBot, tmp_path: Path) -> None:
    write(tmp_path / "my bots" / "mybot.py", CALLER)
    bot = bot_as_written(text, tmp_path)
    if isinstance(expected, ClassBot):
        assert bot == ClassBot(expected.spec, tmp_path)
    else:
        assert bot == CommandBot(expected.command, tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("callr", "there is no bot 'callr': a bot is a house name, module"),
        ("callr", "or \"a command line\"; did you mean 'caller'?"),
        ("mybot", "or \"a command line\"; did you mean 'mybot.py'?"),
        ("", "there is no bot '': a bot is a house name"),
        ("node 'bot.js", "is no command line: No closing quotation"),
    ],
)
def test_what_is_no_bot(text: str, said: str, tmp_path: Path) -> None:
    write(tmp_path / "mybot.py", CALLER)
    with pytest.raises(BotError) as caught:
        bot_as_written(text, tmp_path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_bots_of_a_league(tmp_path: Path) -> None:
    write(tmp_path / "mybot.py", CALLER)
    bot = bot_in_league("mybot.py:Mine", tmp_path)
    assert bot.load().__name__ == "Mine"
    assert bot.argv() == [sys.executable, "-P", "-m", "sandlot.client", "mybot.py:Mine"]
    assert str(bot) == "mybot.py:Mine"
    with pytest.raises(BotError, match="names no bot"):
        bot_in_league("mybot.py:", tmp_path)


def test_a_program_is_not_loaded(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="a program of its own: play it with --isolated"):
        CommandBot(("node", "bot.js"), tmp_path).load()


def test_the_version_of_one_file_is_its_hash(tmp_path: Path) -> None:
    write(tmp_path / "mybot.py", CALLER)
    for spec in ("mybot.py", "mybot.py:Mine", "mybot:Mine"):
        assert ClassBot(spec, tmp_path).version() == sha256(CALLER)
    write(tmp_path / "mybot.py", CALLER + "# changed\n")
    assert ClassBot("mybot.py", tmp_path).version() == sha256(CALLER + "# changed\n")


def test_the_version_knows_the_files_that_a_bot_imports(tmp_path: Path) -> None:
    bot = write(
        tmp_path / "mybot.py", "import tables, json\nfrom lib.odds import chance\n" + CALLER
    )
    write(tmp_path / "tables.py", "import mybot\n")  # in a circle
    write(tmp_path / "lib" / "odds.py", "from . import deep\nfrom .deep import x\n")
    write(tmp_path / "lib" / "deep.py", "x = 1\n")
    write(tmp_path / "unused.py", "")
    files = ["lib/deep.py", "lib/odds.py", "mybot.py", "tables.py"]
    listed = "".join(f"{sha256((tmp_path / name).read_text())}  {name}\n" for name in files)
    spec = ClassBot("mybot.py", tmp_path)
    assert spec.version() == sha256(listed)  # what `sha256sum FILES | sha256sum` prints
    write(tmp_path / "unused.py", "# changed\n")
    assert spec.version() == sha256(listed)
    for name in files:
        before = spec.version()
        with (tmp_path / name).open("a") as file:
            file.write("# changed\n")
        assert spec.version() != before
    assert bot.exists()


def test_the_version_of_a_module_takes_its_packages_in(tmp_path: Path) -> None:
    write(tmp_path / "pack" / "__init__.py", "from pack import shared\n")
    write(tmp_path / "pack" / "shared.py", "")
    write(tmp_path / "pack" / "bots" / "__init__.py", "")
    write(tmp_path / "pack" / "bots" / "one.py", "from ..shared import *\n" + CALLER)
    write(tmp_path / "pack" / "bots" / "two.py", CALLER)
    spec = ClassBot("pack.bots.one:Mine", tmp_path)
    before = spec.version()
    write(tmp_path / "pack" / "bots" / "two.py", "# another bot\n")
    assert spec.version() == before
    write(tmp_path / "pack" / "shared.py", "# changed\n")
    assert spec.version() != before


def test_the_version_does_not_depend_on_the_place(tmp_path: Path) -> None:
    for place in ("here", "there"):
        write(tmp_path / place / "mybot.py", "import tables\n" + CALLER)
        write(tmp_path / place / "tables.py", "")
    here, there = (ClassBot("mybot.py", tmp_path / place) for place in ("here", "there"))
    assert here.version() == there.version()


def test_nothing_is_run_to_know_the_version(tmp_path: Path) -> None:
    write(tmp_path / "pack" / "__init__.py", "raise SystemExit('imported')\n")
    write(tmp_path / "pack" / "bot.py", "raise SystemExit('imported')\n")
    for spec in ("pack.bot:Mine", "pack/bot.py"):
        assert re.fullmatch("[0-9a-f]{64}", ClassBot(spec, tmp_path).version())
    write(tmp_path / "wrong.py", "def act(:\n")
    assert ClassBot("wrong.py", tmp_path).version() == sha256("def act(:\n")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mybt.py:Mine", "did you mean 'mybot.py'?"),
        ("nowhere.bot:Mine", "there is no module 'nowhere.bot'"),
        ("mybot.sub:Mine", "there is no module 'mybot.sub'"),
        ("builtins:Mine", "there is no module 'builtins'"),
        ("__main__:Mine", "there is no module '__main__'"),
    ],
)
def test_a_bot_that_is_not_there_has_no_version(spec: str, said: str, tmp_path: Path) -> None:
    write(tmp_path / "mybot.py", CALLER)
    with pytest.raises(BotError) as caught:
        ClassBot(spec, tmp_path).version()
    assert said in str(caught.value)


def test_the_version_of_a_command_is_that_of_its_files(tmp_path: Path) -> None:
    write(tmp_path / "bot.js", "// plays\n")
    write(tmp_path / "model.bin", "weights")

    def version(*command: str) -> str:
        return CommandBot(command, tmp_path).version()

    script, model = sha256("// plays\n"), sha256("weights")
    assert version("node", "bot.js") == version("deno", "bot.js", "--bold") == script
    listed = f"{script}  bot.js\n{model}  model.bin\n"
    assert version("node", "bot.js", "model.bin") == sha256(listed)
    assert version(sys.executable, "bot.js") == script  # not the interpreter
    assert version("./bot.js") == script
    assert version("a-program", "--bold") != version("a-program", "--timid")
    write(tmp_path / "bot.py", "import helper\n")
    before = version("python", "bot.py")
    write(tmp_path / "helper.py", "")
    assert version("python", "bot.py") != before


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def device(path: Path) -> None:
    path.symlink_to("/dev/null")


IN_THE_WAY: dict[str, Callable[[Path], None]] = {
    "a named pipe": pipe,
    "a socket": listening,
    "a device": device,
    "a directory": Path.mkdir,
}


@pytest.mark.parametrize("kind", IN_THE_WAY)
def test_what_is_no_regular_file_is_not_taken_for_a_log(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket is to be short
    log = Path("mine.log")
    IN_THE_WAY[kind](log)
    with pytest.raises(BotError) as caught:
        open_log(log)
    assert str(caught.value) == (
        f"mine.log, where a bot's log belongs, is {kind} and no regular file: "
        "move it away, and run again"
    )
    assert tail(log) == ""


def test_a_pipe_that_somebody_reads_is_no_log_either(tmp_path: Path) -> None:
    pipe(tmp_path / "mine.log")
    reader = os.open(tmp_path / "mine.log", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(BotError, match="a named pipe and no regular file"):
            open_log(tmp_path / "mine.log")
    finally:
        os.close(reader)


def test_a_log_is_appended_to_and_need_not_be_there(tmp_path: Path) -> None:
    for word in (b"one\n", b"two\n"):
        with open_log(tmp_path / "mine.log") as log:
            log.write(word)
            assert os.get_blocking(log.fileno())
    assert tail(tmp_path / "mine.log") == "one\ntwo\n"
    with pytest.raises(FileNotFoundError):
        open_log(tmp_path / "nowhere" / "mine.log")


def test_the_end_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "mine.log"
    assert tail(log) == ""
    log.write_bytes(b"one\ntwo\nthree")
    assert tail(log, 2) == "two\nthree\n"
    assert tail(log, 0) == ""
    assert tail(log, 9, since=4) == "two\nthree\n"
    log.write_bytes(b"\x1b[2J\xff\tred\x07\n" + b"w" * 1000 + b"\n")
    cleared, wide = tail(log).splitlines()
    assert cleared == "?[2J\N{REPLACEMENT CHARACTER}   red?"
    assert wide == "w" * 300 + "..."


def test_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "mine.log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))
    assert tail(log, 2) == "line 99998\nline 99999\n"
    many = tail(log, 1_000_000).splitlines()
    assert 2000 < len(many) < 5000
    assert many[0] == f"line {100_000 - len(many)}"  # no line is cut in two


def test_an_environment_of_its_own_gives_the_interpreter_and_comes_first_on_the_path(
    tmp_path: Path,
) -> None:
    python = write(tmp_path / "environment" / "bin" / "python3", "#!/bin/sh\n")
    python.chmod(0o755)
    environment = tmp_path / "environment"
    assert ClassBot("bot.py", tmp_path, environment).argv()[0] == f"{environment}/bin/python"
    assert CommandBot(("python3", "bot.py"), tmp_path, environment).argv()[0] == str(python)
    assert CommandBot(("sh",), tmp_path, environment).argv() == CommandBot(("sh",), tmp_path).argv()
    bot = CommandBot(("python3",), tmp_path, environment)
    with PLAIN.confine(bot, {"SANDLOT_TOKEN": "x"}) as start:
        path = start.environment["PATH"].split(os.pathsep)
    assert path == [f"{environment}/bin", *os.environ["PATH"].split(os.pathsep)]
