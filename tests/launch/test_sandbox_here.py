"""Whether there can be a sandbox here, said in one line; and how its limits are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch.sandboxed import needs_sandbox

from sandlot.errors import BotError
from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.limits import Limits, format_size, parse_size
from sandlot_server.launch.plain import PLAIN


def refusal(limits: Limits = Limits()) -> str:  # noqa: B008 - a frozen value
    """The one line of a sandbox that cannot be."""
    with pytest.raises(BotError) as caught:
        Bubblewrap(limits, ()).check()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def program(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


@needs_sandbox
def test_it_works_here() -> None:
    Bubblewrap(Limits(), ()).check()
    PLAIN.check()


def test_without_bubblewrap_it_is_said_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal() == (
        "a sandbox needs bubblewrap, and there is no bwrap on the PATH; "
        "install it, as with: apt install bubblewrap"
    )
    program(tmp_path, "bwrap", "")
    assert refusal().startswith("a sandbox needs util-linux, and there is no setpriv on the PATH")


@pytest.mark.parametrize("said", ["bubblewrap 0.6.1", "another program"])
def test_one_that_is_too_old_is_refused(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "bwrap", f"echo {said}")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert refusal() == (
        f"a sandbox needs bubblewrap 0.8 or later, and this is {said}; install a newer one"
        if "bubblewrap" in said
        else "a sandbox needs bubblewrap 0.8 or later, and this is another program; "
        "install a newer one"
    )


def test_one_that_may_not_work_is_refused_with_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(
        tmp_path,
        "bwrap",
        '[ "$1" = --version ] && exec echo bubblewrap 0.8.0\n'
        "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1",
    )
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    said, _, advice = refusal().partition("; ")
    assert said == ("the sandbox does not work here: bwrap: setting up uid map: Permission denied")
    assert advice


@needs_sandbox
def test_limits_above_those_of_the_system_are_refused() -> None:
    assert refusal(Limits(files=1 << 40)).endswith(
        "; this system allows less: lower that limit under [sandbox]"
    )


@given(st.integers(1, 999_999_999), st.sampled_from("KMG"))
def test_a_size_is_read_as_it_is_written(number: int, unit: str) -> None:
    size = parse_size(f"{number}{unit}")
    assert parse_size(format_size(size)) == size
    assert size == number * 1024 ** ("KMG".index(unit) + 1)


@pytest.mark.parametrize("text", ["", "64", "0M", "1g", "1 G", "1GB", "-1G", "1.5G", "G", "9" * 99])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(BotError, match="is no size: write a number and a unit, as in"):
        parse_size(text)
