"""What a submission is played with: a Python of its own, with what it requires installed.

An environment is a folder that can be moved and be read-only, and needs no network once it is made:

- ``bin/python``, a virtual environment without packages of its own, whose interpreter is that of
  the server
- ``site``, what was required, installed there by pip from wheels alone: no code of a stranger runs
  while it is built (see ``wheels_only``)

Its path is the standard library, then what the server has (with ``sandlot`` itself), then ``site``.
So a package that brings a module of the name ``json``, ``grpc`` or ``sandlot`` takes nothing's
place; and because what comes first is found first, pip is held to the very versions that the server
has: a requirement of others is refused when it is built, instead of ignored when it is played. The
order guards a bot against accidents and nobody against a bot, whose own folder comes before all.

Why not ``pip install`` into the virtual environment: its packages would come before the server's.
Why not a virtual environment that sees those of the system: it sees those of the interpreter that
the server's environment was made from, and not the server's.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import site
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Final

from packaging.utils import canonicalize_name

from sandlot.errors import SubmissionError
from sandlot_server.submissions.folders import whole_folder
from sandlot_server.submissions.manifest import Manifest
from sandlot_server.submissions.names import shown

TIME: Final = 300.0
"""Seconds that pip has."""
SIZE: Final = 1 << 30
"""Bytes that what is installed may have."""
KEPT: Final = 20_000
"""Characters of the end of what pip says that are kept for the author."""

SITE: Final = "site"

_FULL: Final = os.strerror(errno.ENOSPC)

_PACKAGES: Final = Path("lib", f"python{sys.version_info.major}.{sys.version_info.minor}") / (
    "site-packages"
)


@dataclass(frozen=True, slots=True)
class Environment:
    """What a submission is played with."""

    folder: Path
    installed: tuple[str, ...]
    """What was installed for it, as in ``numpy==2.4.6``, sorted."""
    said: str
    """What pip said; empty where nothing was required."""

    @property
    def python(self) -> Path:
        """The interpreter; its folder goes first on the PATH of a bot that names ``python3``."""
        return self.folder / "bin" / "python"


class Interruption:
    """Ends what is built in one thread, from another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pip: subprocess.Popen[bytes] | None = None
        self._came = False

    def come(self) -> None:
        """End it now, and let nothing be installed any more."""
        with self._lock:
            self._came = True
            self._end()

    def concern(self, pip: subprocess.Popen[bytes] | None) -> None:
        """Take note of what is to be ended: None when it has ended."""
        with self._lock:
            self._pip = pip
            if self._came:
                self._end()

    def check(self) -> None:
        """Go no further if it has come.

        Raises:
            InterruptedError: it has.
        """
        if self._came:
            raise InterruptedError("the server ends before it is built")

    def _end(self) -> None:
        if self._pip is not None and self._pip.returncode is None:
            os.killpg(self._pip.pid, signal.SIGKILL)


def build(
    manifest: Manifest,
    submission: Path,
    target: Path,
    *,
    time: float = TIME,
    size: int = SIZE,
    index: Sequence[str] = (),
    interruption: Interruption | None = None,
) -> Environment:
    """Make the environment of a submission in the new folder ``target``, all of it or nothing.

    This is the one time at which a submission may need a network, and it lasts as long as pip does:
    call it in a thread. Where wheels are found is for the operator's configuration of pip to say.

    Args:
        manifest: what it needs.
        submission: the folder it was unpacked into; the program that its command starts is made
            executable there.
        target: the folder to be made.
        time: seconds that pip has.
        size: bytes that what is installed may have.
        index: arguments for pip that say where wheels are, in place of its configuration.
        interruption: may end it before its time.

    Raises:
        SubmissionError: what it requires cannot be installed; ``account`` is what pip said.
        OSError: there is something at ``target``, or the disk does not take it.
        InterruptedError: it was ended before its time.
    """
    interruption = interruption or Interruption()
    if manifest.program is not None:
        (submission / manifest.program).chmod(0o755)
    with whole_folder(target) as folder:
        venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
        lines = "".join(f"{place}\n" for place in [*_ours(), Path(*[".."] * 3, SITE)])
        (folder / _PACKAGES / "path.pth").write_text(lines, "utf-8")
        (folder / SITE).mkdir()
        installed: tuple[str, ...] = ()
        said = ""
        if manifest.requirements:
            work = folder / "pip"
            said = _install(manifest.requirements, folder / SITE, work, time, index, interruption)
            installed = _report(work / "report.json")
            _check_size(folder / SITE, size)
            shutil.rmtree(work)
        folder.chmod(0o755)
    return Environment(target, installed, said)


def _ours() -> list[Path]:
    """Return the folders that the server's own packages lie in."""
    specs = [find_spec(name) for name in ("sandlot", "sandlot_bots")]
    origins = [Path(spec.origin) for spec in specs if spec is not None and spec.origin is not None]
    places = [origin.parent.parent for origin in origins]  # the sources, in a working tree
    return list(dict.fromkeys([*map(Path, site.getsitepackages()), *places]))


def _install(
    requirements: Sequence[str],
    place: Path,
    work: Path,
    time: float,
    index: Sequence[str],
    interruption: Interruption,
) -> str:
    """Have pip install what is required, its own files in ``work``, and return what it said."""
    temporary, empty = work / "temporary", work / "empty"
    for folder in (work, temporary, empty):
        folder.mkdir()
    (work / "constraints.txt").write_text("\n".join(_held()), "utf-8")
    command = [
        *(sys.executable, "-I", "-m", "sandlot_server.submissions.wheels_only", "install"),
        *("--no-input", "--progress-bar=off", "--disable-pip-version-check"),
        *("--no-warn-script-location", "--only-binary=:all:"),
        *("--target", str(place), "--constraint", str(work / "constraints.txt")),
        *("--report", str(work / "report.json"), *index, "--", *requirements),
    ]
    log = work / "log"
    interruption.check()
    with log.open("wb") as out:
        pip = subprocess.Popen(
            command,
            cwd=empty,  # where no file is called like a requirement
            env={**os.environ, "TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        interruption.concern(pip)
        try:
            status = pip.wait(time)
        except subprocess.TimeoutExpired:
            raise SubmissionError(
                f"what it requires was not installed within {time:g} s; require less",
                _end_of(log),
            ) from None
        finally:
            interruption.concern(None)
            if pip.returncode is None:
                os.killpg(pip.pid, signal.SIGKILL)
                pip.wait()
    interruption.check()
    said = _end_of(log)
    if status != 0 and _FULL in said:
        raise OSError(errno.ENOSPC, _FULL)
    if status != 0:
        raise SubmissionError(
            "what it requires cannot be installed from wheels beside what is installed here: see "
            "what pip says, and mend requirements in bot.toml",
            said,
        )
    return said


def _held() -> list[str]:
    """Return the packages that the server has, each in its version."""
    held: dict[str, str] = {}
    for found in distributions():
        if found.name and found.version:  # a package whose description is damaged has neither
            held.setdefault(canonicalize_name(found.name), found.version)  # the one that is found
    return sorted(f"{name}=={version}" for name, version in held.items())


def _end_of(log: Path) -> str:
    with log.open("rb") as said:
        said.seek(max(0, log.stat().st_size - 4 * KEPT))
        return said.read().decode(errors="replace")[-KEPT:]


def _report(path: Path) -> tuple[str, ...]:
    """Return what pip reports to have installed."""
    report = json.loads(path.read_bytes())
    installed: list[str] = []
    for each in report["install"]:
        name, version = each["metadata"]["name"], each["metadata"]["version"]
        if each["is_direct"]:  # by a URL that a wheel gave
            raise SubmissionError(
                f"{shown(name)}, which it requires by way of another package, comes from a place "
                "of its own and not from the index; require another version of that"
            )
        installed.append(f"{canonicalize_name(name)}=={version}")
    return tuple(sorted(installed))


def _check_size(place: Path, most: int) -> None:
    size = sum(
        Path(above, name).lstat().st_size for above, _, names in os.walk(place) for name in names
    )
    if size > most:
        raise SubmissionError(
            f"what it requires has {size:,} bytes when installed; at most {most:,} are allowed"
        )
