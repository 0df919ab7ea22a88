"""The environment of a submission: what is installed, in which order it is found, what is told."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

import pytest
from support.wheels import wheel

import sandlot
from sandlot.errors import SubmissionError
from sandlot_server.submissions.building import Environment, Interruption, build
from sandlot_server.submissions.manifest import Manifest

Build: TypeAlias = Callable[..., Environment]


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    wheel(folder, "odds", "1.5", {"odds.py": "ODDS = 1\n"}, ["cards_of_mine>=2"])
    wheel(folder, "odds", "2.0", {"odds.py": "ODDS = 2\n"}, ["cards_of_mine>=2"])
    wheel(folder, "cards_of_mine", "2.1", {"cards_of_mine/__init__.py": ""})
    return folder


@pytest.fixture
def made(tmp_path: Path, wheels: Path) -> Build:
    """Return a function from requirements to the environment of a bot that has them."""

    def build_with(*requirements: str, time: float = 300, size: int = 1 << 30) -> Environment:
        (tmp_path / "bot").mkdir(exist_ok=True)
        index = ("--no-index", "--find-links", str(wheels), "--no-cache-dir")
        manifest = Manifest("mine", "bot.py", None, requirements)
        return build(
            manifest, tmp_path / "bot", tmp_path / "made", time=time, size=size, index=index
        )

    return build_with


def python(environment: Environment, program: str) -> str:
    ran = subprocess.run(
        [str(environment.python), "-P", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.strip()


def refused(made: Build, tmp_path: Path, *requirements: str, **limits: float) -> SubmissionError:
    with pytest.raises(SubmissionError) as caught:
        made(*requirements, **limits)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bot", "wheels"]
    return caught.value


def test_what_is_required_is_installed_with_what_that_needs(made: Build) -> None:
    environment = made("odds<2")
    assert environment.installed == ("cards-of-mine==2.1", "odds==1.5")
    assert "Successfully installed" in environment.said
    assert {path.name for path in environment.folder.iterdir()} >= {"bin", "site"}
    assert not (environment.folder / "pip").exists()
    assert python(environment, "import odds, cards_of_mine; print(odds.ODDS)") == "1"


def test_sandlot_is_there_as_the_server_has_it(made: Build) -> None:
    environment = made()
    assert (environment.installed, environment.said) == ((), "")
    program = "import grpc, sandlot, sandlot_bots.caller, sandlot.client; print(sandlot.__file__)"
    assert Path(python(environment, program)).samefile(sandlot.__file__)
    assert python(environment, "import sys; print(*sys.version_info[:2])") == "{} {}".format(
        *sys.version_info[:2]
    )


def test_it_can_be_moved_and_needs_nothing_that_was_there_before(
    made: Build, tmp_path: Path
) -> None:
    made("odds")
    moved = (tmp_path / "made").rename(tmp_path / "elsewhere")
    for path in ("wheels", "bot"):
        shutil.rmtree(tmp_path / path)
    assert python(Environment(moved, (), ""), "import odds; print(odds.ODDS)") == "2"


def test_nothing_of_ours_and_nothing_standard_is_replaced(made: Build, wheels: Path) -> None:
    evil = "raise SystemExit('replaced')\n"
    files = ("sandlot/__init__.py", "grpc.py", "json.py")
    wheel(wheels, "evil", "1", {**dict.fromkeys(files, evil), "evil.pth": f"import os; {evil}"})
    environment = made("evil")
    assert python(environment, "import sandlot, grpc, json; print('ours')") == "ours"


def test_another_version_of_what_the_server_has_is_refused(
    made: Build, wheels: Path, tmp_path: Path
) -> None:
    wheel(wheels, "msgspec", "99.0", {"msgspec.py": ""})
    wheel(wheels, "wants_new", "1.0", {}, ["msgspec>=99"])
    for requirement in ("msgspec>=99", "wants_new"):
        error = refused(made, tmp_path, requirement)
        assert "cannot be installed from wheels beside what is installed here" in str(error)
        assert f"msgspec=={version('msgspec')}" in error.account


def test_what_there_is_not_is_told_by_pip(made: Build, tmp_path: Path) -> None:
    error = refused(made, tmp_path, "odds>=3")
    assert "mend requirements in bot.toml" in str(error)
    assert "No matching distribution found for odds>=3" in error.account


def source(folder: Path) -> tuple[Path, Path]:
    """Write a source that is built by code of its own; return it, and what that code would make."""
    ran = folder / "ran"
    project = b"[build-system]\nrequires = []\nbuild-backend = 'evil'\nbackend-path = ['.']\n"
    backend = f"open({str(ran)!r}, 'w')\n".encode()
    path = folder / "evil-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in (("pyproject.toml", project), ("evil.py", backend)):
            member = tarfile.TarInfo(f"evil-1.0/{name}")
            member.size = len(content)
            archive.addfile(member, BytesIO(content))
    return path, ran


def test_nothing_is_built_from_source(made: Build, wheels: Path, tmp_path: Path) -> None:
    _, ran = source(wheels)
    error = refused(made, tmp_path, "evil")
    assert "No matching distribution found for evil" in error.account
    assert not ran.exists()


def test_nor_where_a_wheel_names_the_source_by_its_url(
    made: Build, wheels: Path, tmp_path: Path
) -> None:
    path, ran = source(wheels)
    wheel(wheels, "innocent", "1.0", {}, [f"evil @ {path.as_uri()}"])
    error = refused(made, tmp_path, "innocent")
    assert "only wheels are installed; nothing is built from source here" in error.account
    assert not ran.exists()


def test_nor_is_a_wheel_taken_that_is_named_so(made: Build, wheels: Path, tmp_path: Path) -> None:
    path = wheel(wheels, "elsewhere", "1.0", {})
    wheel(wheels, "innocent", "1.0", {}, [f"elsewhere @ {path.as_uri()}"])
    assert "'elsewhere', which it requires by way of another package" in str(
        refused(made, tmp_path, "innocent")
    )


def test_a_file_that_is_called_like_a_requirement_is_not_taken(
    made: Build, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(wheels, "there", "1.0", {}).rename(wheels / "there.zip")
    monkeypatch.chdir(wheels)
    assert "the file does not exist" in refused(made, tmp_path, "there.zip").account


def test_pip_has_so_long_and_no_longer(made: Build, tmp_path: Path) -> None:
    error = refused(made, tmp_path, "odds", time=0.01)
    assert str(error) == "what it requires was not installed within 0.01 s; require less"


def test_what_is_installed_may_be_so_large_and_no_larger(made: Build, tmp_path: Path) -> None:
    assert "at most 10 are allowed" in str(refused(made, tmp_path, "odds", size=10))


def test_the_program_of_a_command_can_be_started(tmp_path: Path) -> None:
    program = tmp_path / "bot" / "bin" / "start"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)
    build(Manifest("mine", None, ("./bin/start",)), tmp_path / "bot", tmp_path / "made")
    assert os.access(program, os.X_OK)


def test_a_server_that_ends_does_not_wait_for_pip(tmp_path: Path) -> None:
    interruption = Interruption()
    with socket.create_server(("127.0.0.1", 0)) as index, ThreadPoolExecutor(2) as threads:

        def end_it() -> None:
            index.settimeout(60)
            connection, _ = index.accept()  # pip asks, and nobody answers
            with connection:
                interruption.come()
                connection.settimeout(60)
                with suppress(ConnectionError):
                    while connection.recv(1 << 16):
                        pass

        (tmp_path / "bot").mkdir()
        ending = threads.submit(end_it)
        with pytest.raises(InterruptedError):
            build(
                Manifest("mine", "bot.py", None, ("odds",)),
                tmp_path / "bot",
                tmp_path / "made",
                index=("--index-url", f"http://127.0.0.1:{index.getsockname()[1]}/"),
                interruption=interruption,
            )
        ending.result(60)
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]


def test_a_server_that_has_ended_starts_no_pip(tmp_path: Path) -> None:
    interruption = Interruption()
    interruption.come()
    (tmp_path / "bot").mkdir()
    with pytest.raises(InterruptedError):
        build(
            Manifest("mine", "bot.py", None, ("odds",)),
            tmp_path / "bot",
            tmp_path / "made",
            index=("--index-url", "http://127.0.0.1:1/"),
            interruption=interruption,
        )
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]


def test_a_disk_that_is_full_is_not_what_it_requires(
    made: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tmp_path / "pip"
    pip.write_text("#!/bin/sh\necho 'ERROR: [Errno 28] No space left on device'\nexit 1\n")
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(OSError, match="No space left on device"):
        made("odds")
    assert not (tmp_path / "made").exists()
