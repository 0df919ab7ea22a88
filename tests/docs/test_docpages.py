"""The check of the docs itself: what it runs, and that it can fail."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest
from support.docpages import PageError, lay_out, run_page


def run(text: str, folder: Path) -> int:
    return run_page("page.md", textwrap.dedent(text), folder)


def refused(text: str, folder: Path) -> str:
    with pytest.raises(PageError) as caught:
        run(text, folder)
    return str(caught.value)


def test_names_carry_from_block_to_block_and_into_doctests(tmp_path: Path) -> None:
    page = """
        ```python
        from dataclasses import dataclass

        @dataclass
        class Point:
            x: "int"
        ```
        ```python
        >>> Point(3)
        Point(x=3)
        >>> y = 4
        ```
        ```python
        assert y == 4
        ```
        """
    assert run(page, tmp_path) == 3


def test_a_titled_block_is_a_file_for_the_console(tmp_path: Path) -> None:
    page = """
        ```python title="hello.py"
        if __name__ == "__main__":
            print("hello")
        ```
        ```console
        $ python hello.py
        hello
        $ python hello.py | tr a-z A-Z   # comments are the shell's
        HELLO
        $ ls
        ```
        """
    assert run(page, tmp_path) == 2


def test_the_folder_of_a_page_holds_the_demo_league(tmp_path: Path) -> None:
    (tmp_path / "repository" / "bots").mkdir(parents=True)
    (tmp_path / "repository" / "bots" / "league.toml").write_text("")
    lay_out(tmp_path / "repository", tmp_path / "page")
    assert (tmp_path / "page" / "bots" / "league.toml").exists()


def test_dots_stand_for_anything(tmp_path: Path) -> None:
    page = """
        ```console
        $ printf 'one\\ntwo\\nthree\\nfour five six\\n'
        one
        ...
        four ... six
        ```
        """
    assert run(page, tmp_path) == 1


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("```python\nassert 1 == 2\n```", "page.md:2: AssertionError"),
        ("```python\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
        ("```console\n$ echo one\ntwo\n```", "page.md:2: $ echo one"),
        ("```console\n$ printf 'one\\ntwo\\n'\none\n```", "it printed:\none\ntwo"),
        ("```console\n$ exit 3\n```", "exit status 3"),
        ("```console\n$ false | true\n```", "exit status 1"),
        ("```console\n$ echo 'Error: no'\nError: no\n```", "exit status 0"),
        ("```console\n$ echo one &\ntwo\n```", "it printed:\none\n"),
        ("```console\nsandlot --help\n```", "begins with '$ '"),
        ("```toml\na = b\n```", "page.md:2: TOMLDecodeError"),
        ("```json\n{'a': 1}\n```", "page.md:2: JSONDecodeError"),
        ("```jsonl\n{}\n{\n```", "page.md:2: JSONDecodeError"),
        ("```\npip install tox\n```", "page.md:1: name the block's language"),
        ("```sh\ntox\n```", "'sh' is none of python, console"),
        ("```python file=x\n```", "'file=x' is no title"),
        ("```python\n1", "page.md:1: this code block does not end"),
        ("<!-- not run -->\n```sh\ntox\n```", "page.md:1: write <!-- not run: and why -->"),
        ("<!-- not run: -->\n```sh\ntox\n```", "page.md:1: write <!-- not run: and why -->"),
        ("<!-- not run: it is long -->\n\n```sh\ntox\n```", "begins no code block"),
        ("<!-- not run: it is long -->", "has no code block below it"),
    ],
)
def test_what_is_refused(block: str, says: str, tmp_path: Path) -> None:
    assert says in refused(block, tmp_path)


def test_a_command_may_fail_where_the_page_shows_its_error(tmp_path: Path) -> None:
    page = "```console\n$ echo 'Error: no such file' >&2; exit 1\nError: no such file\n```"
    assert run(page, tmp_path) == 1


def test_a_command_in_the_background_is_waited_for_and_ended_with_the_page(tmp_path: Path) -> None:
    page = """
        ```console
        $ sh -c 'echo $$ > pid; mkfifo more; echo ready; cat more' &
        ready
        $ ps -o stat= -p $(cat pid) | cut -c 1
        S
        ```
        """
    assert run(page, tmp_path) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_command_in_the_background_may_be_killed_by_the_page(tmp_path: Path) -> None:
    page = """
        ```console
        $ sh -c 'echo $$; mkfifo more; cat more' > pid &
        $ until [ -s pid ] && [ -p more ]; do :; done; kill -9 $(cat pid)
        ```
        """
    assert run(page, tmp_path) == 1


def test_each_page_has_a_place_for_a_server_of_its_own(tmp_path: Path) -> None:
    page = """
        ```console
        $ echo $SANDLOT_LISTEN; ls $XDG_CONFIG_HOME
        Error: no such folder
        ```
        """
    said = refused(page, tmp_path)
    assert "it printed:\n127.0.0.1:" in said
    assert str(tmp_path) in said


def test_a_marked_block_is_not_run_and_not_counted(tmp_path: Path) -> None:
    page = "<!-- not run: it fails -->\n```sh\nexit 1\n```\n```text\nas it is\n```"
    assert run(page, tmp_path) == 0
