"""What is said when something is wrong: one line, on standard error, with the right status."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable

import click
import pytest
from support.command import SCRIPTS, Command, plain_environment

from sandlot.errors import BotError, LeagueError, RecordError, SandlotError
from sandlot_server.cli import sandlot as root


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
    assert ran.out.startswith("sandlot 0.")


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


@pytest.mark.parametrize("module", ["sqlalchemy", "structlog", "scipy.stats"])
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
