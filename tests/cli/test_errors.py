"""What is said when something is wrong: one line, on standard error, with the right status."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from records.handled import records
from support.command import LIMIT, SCRIPTS, Command, plain_environment, run_python

from sandlot.build import compiled
from sandlot.errors import BotError, LeagueError, RecordError, SandlotError
from sandlot_server.cli.commands import sandlot as root


@pytest.fixture
def failing(sandlot: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], object]:
    """Return a function that runs a command which raises what it is given."""

    def run(error: BaseException) -> object:
        @click.command()
        def standings() -> None:
            raise error

        monkeypatch.setitem(root.commands, "standings", standings)
        return sandlot("standings")

    return run


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["standing"], "No such command 'standing'. Did you mean 'standings'? See: sandlot --help"),
        (["qqq"], "No such command 'qqq'. See: sandlot --help"),
        (
            ["tournament", "rnu"],
            "No such command 'rnu'. Did you mean 'run'? See: sandlot tournament --help",
        ),
        (
            ["--versoin"],
            "No such option '--versoin'. Did you mean '--version'? See: sandlot --help",
        ),
        (["new"], "Missing argument 'DIR'. See: sandlot new --help"),
        (["new", "a", "b"], "Got unexpected extra argument (b). See: sandlot new --help"),
        (
            ["hand", "--jsno", "Ah"],
            "No such option '--jsno'. Did you mean '--json'? See: sandlot hand --help",
        ),
        (
            ["completion", "csh"],
            "Invalid value for '{bash|zsh|fish}': 'csh' is not one of 'bash', 'zsh', 'fish'."
            " See: sandlot completion --help",
        ),
    ],
    ids=" ".join,
)
def test_a_command_line_that_cannot_be_read(
    arguments: list[str], line: str, sandlot: Command
) -> None:
    assert sandlot(*arguments) == (2, "", f"Error: {line}\n")


def test_nothing_asked_for_is_told_what_there_is(sandlot: Command) -> None:
    assert sandlot() == (2, "", sandlot("--help").out)


def test_the_version(sandlot: Command) -> None:
    ran = sandlot("--version")
    assert ran.status == 0
    build = "compiled" if compiled() else "pure Python"
    assert re.fullmatch(rf"sandlot 0\.\d+\.\d+ \({build}\)\n", ran.out)


@pytest.mark.parametrize("kind", [SandlotError, LeagueError, RecordError, BotError])
def test_an_error_of_ours_is_one_line(
    kind: type[SandlotError], failing: Callable[[BaseException], object]
) -> None:
    assert failing(kind("league.toml: no key 'seat'; did you mean 'seats'?")) == (
        1,
        "",
        "Error: league.toml: no key 'seat'; did you mean 'seats'?\n",
    )


def test_what_a_bot_said_comes_before_the_line_and_details_after_it(
    failing: Callable[[BaseException], object],
) -> None:
    error = BotError("bot.py cannot be imported: ZeroDivisionError", "Traceback ...\n  1 / 0\n")
    error.add_note("- rounds = 10\n+ rounds = 9")
    assert failing(error) == (
        1,
        "",
        "Traceback ...\n  1 / 0\n"
        "Error: bot.py cannot be imported: ZeroDivisionError\n"
        "- rounds = 10\n+ rounds = 9\n",
    )


def test_errors_that_tasks_raised_together_have_a_line_each(
    failing: Callable[[BaseException], object],
) -> None:
    both = ExceptionGroup("tasks", [BotError("one"), ExceptionGroup("more", [BotError("two")])])
    assert failing(both) == (1, "", "Error: one\nError: two\n")


@pytest.mark.parametrize("module", ["sqlalchemy", "structlog", "scipy.stats", "grpc_health.v1"])
def test_what_the_base_install_leaves_out_is_named_with_the_command_that_brings_it(
    module: str, failing: Callable[[BaseException], object]
) -> None:
    assert failing(ModuleNotFoundError("No module", name=module)) == (
        1,
        "",
        f"Error: this needs {module}, which is not installed: pip install 'sandlot[server]'\n",
    )


def test_a_file_that_cannot_be_read(failing: Callable[[BaseException], object]) -> None:
    error = PermissionError(13, "Permission denied", "league.toml")
    assert failing(error) == (1, "", "Error: league.toml: Permission denied\n")


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        BaseExceptionGroup("tasks", [KeyboardInterrupt(), BotError("went with it")]),
    ],
    ids=["alone", "in a task"],
)
def test_an_interrupt_is_quiet(
    error: BaseException, failing: Callable[[BaseException], object]
) -> None:
    assert failing(error) == (130, "", "")


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("ours"),
        ModuleNotFoundError("No module", name="sandlot.nowhere"),
        OSError("of no file"),
        asyncio.CancelledError(),
        ExceptionGroup("tasks", [BotError("known"), ZeroDivisionError("not known")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_fault_of_our_own_keeps_its_traceback(
    error: BaseException, failing: Callable[[BaseException], object]
) -> None:
    with pytest.raises(type(error)):
        failing(error)


def test_a_reader_that_goes_away_is_no_error_to_tell() -> None:
    writer = subprocess.Popen(
        [str(SCRIPTS / "sandlot"), "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=plain_environment(),
    )
    assert writer.stdout is not None
    writer.stdout.close()
    _, told = writer.communicate(timeout=60)
    assert (writer.returncode, told) == (1, b"")


def in_a_shell(line: str, folder: Path) -> tuple[int, str]:
    """Run a line of a shell; return the exit status and what was said on standard error."""
    ran = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    return ran.returncode, ran.stderr


PRINTING = [
    "--version",
    "tournament --help",
    "completion bash",
    "hand 'As Ks Qs Js Ts'",
    "hand --json 'As Ks Qs Js Ts'",
    "replay friday.jsonl",
    "replay friday.jsonl --json",
    "verify friday.jsonl",
    "check caller --matches 1",
]


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", PRINTING)
def test_a_full_standard_output_gets_one_line(
    arguments: str, unbuffered: str, tmp_path: Path
) -> None:
    (tmp_path / "friday.jsonl").write_text(records()["clean"], newline="")
    line = f"PYTHONUNBUFFERED={unbuffered} sandlot {arguments} > /dev/full"
    assert in_a_shell(line, tmp_path) == (
        1,
        "Error: No space left on device: not all of the output could be written\n",
    )


@pytest.mark.parametrize("arguments", PRINTING)
def test_a_closed_standard_output_gets_one_line(arguments: str, tmp_path: Path) -> None:
    (tmp_path / "friday.jsonl").write_text(records()["clean"], newline="")
    assert in_a_shell(f"sandlot {arguments} >&-", tmp_path) == (
        1,
        "Error: standard output is closed: leave it open, or send it to /dev/null\n",
    )


def test_where_standard_error_is_closed_or_full_the_status_says_no(tmp_path: Path) -> None:
    for stream in ("2>&-", "2> /dev/full"):
        assert in_a_shell(f"sandlot verify no.jsonl {stream}", tmp_path) == (1, "")
        assert in_a_shell(f"sandlot hand 'As Ks Qs Js Ts' {stream} > /dev/null", tmp_path)[0] == 0


def test_a_closed_standard_input_is_an_empty_one(tmp_path: Path) -> None:
    status, said = in_a_shell("sandlot replay - <&-", tmp_path)
    assert (status, said.count("\n")) == (1, 1)
    assert "empty" in said


def test_a_record_on_a_full_disk_is_named(tmp_path: Path) -> None:
    line = "sandlot play caller tight --seed 00112233445566778899aabbccddeeff --force --record"
    assert in_a_shell(f"{line} /dev/full", tmp_path) == (
        1,
        "Error: /dev/full: No space left on device\n",
    )


@pytest.mark.parametrize("module", ["click", "rich", "sandlot.game", "sandlot.testing"])
def test_an_interrupt_while_modules_are_imported_is_quiet(module: str) -> None:
    ran = run_python(
        "-c",
        "import runpy, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        f"sys.argv = [{str(SCRIPTS / 'sandlot')!r}, 'check', 'caller']\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n",
    )
    assert ran == (130, "", "")


def test_an_error_line_gives_the_terminal_no_orders(
    failing: Callable[[BaseException], object],
) -> None:
    error = BotError("a key \x1b]0;hacked\x07 of\ntwo lines\x9b2J", "Trace\x1b[2Jback\n\tline\n")
    error.add_note("- name = '\x1b[31m'\n+ name")
    assert failing(error) == (
        1,
        "",
        "Trace?[2Jback\n\tline\n"
        "Error: a key ?]0;hacked? of two lines?2J\n"
        "- name = '?[31m'\n+ name\n",
    )
    assert failing(click.UsageError("no \x1b[2J")) == (
        2,
        "",
        "Error: no ?[2J. See: sandlot standings --help\n",
    )
    assert failing(OSError(2, "No such file", "\x1b[2J")) == (1, "", "Error: ?[2J: No such file\n")


@pytest.mark.parametrize("command", ["replay", "verify"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"attempt":', '"att\\u001b[31mempt":'),
        ('"variant":"baseball"', '"variant":"\\u001b[31m\\u009b2J"'),
        ('"started":"', '"started":"\\u001b]0;x\\u0007'),
        ('"category":"', '"category":"\\u001b[31m'),
        ('"attempt":', '"\u009b2J":'),
    ],
)
def test_keys_and_values_of_a_record_give_the_terminal_no_orders(
    command: str, old: str, new: str, sandlot: Command
) -> None:
    Path("friday.jsonl").write_text(records()["clean"].replace(old, new, 1), newline="")
    ran = sandlot(command, "friday.jsonl")
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.removesuffix("\n").isprintable()
