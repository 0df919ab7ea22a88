"""The sandbox: a bot under bubblewrap, in namespaces of its own and within limits.

What is started, from the outside to the inside:

- ``env --ignore-signal``: TERM is for the bot, so bubblewrap itself does not end by it;
- ``bwrap``: namespaces for processes, network, IPC, mounts, host name and control groups, and the
  disk as ``shown`` says. All goes when it goes, and it goes with the run;
- run by root: ``setpriv``, to a user id that nobody else has, without any rights; then a second
  ``bwrap`` for the namespace of users. Run by anybody else the first one has made that too;
- the last ``bwrap`` also puts a filter of system calls on what comes (``seccomp``);
- ``prlimit``: the limits, set within the namespace of users, so that of the operator's own
  processes none is counted;
- ``env``, which gives the bot TERM back, and the bot.

The environment of the very first of these is that of the bot: what stands in none cannot be read in
``/proc``, and a token does not stand on a command line.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandlot.errors import BotError
from sandlot_server.launch.bots import LaunchedBot, programs
from sandlot_server.launch.confining import Start
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.seccomp import filter_program
from sandlot_server.launch.shown import BOT, ENVIRONMENT, shown_to, system_words

ARBITER: Final = Path("/run/sandlot/arbiter")
"""Where the arbiter's socket is in the sandbox."""

LEAST_VERSION: Final = (0, 8)
"""The first bubblewrap that can bound a ``tmpfs`` and forbid further namespaces of users."""

_NAMED: Final = 1000  # user and group, as the bot sees itself
# Nobody gives out these ids (https://systemd.io/UIDS-GIDS): above all containers, below 2^31.
_IDS: Final = range(0x7000_0000, 0x7FFE_0000)

_TOOLS: Final = {
    "bwrap": "bubblewrap",
    "setpriv": "util-linux",
    "prlimit": "util-linux",
    "env": "coreutils",
}
_APART: Final = (
    *("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--hostname", "sandlot"),
)
_AS_NOBODY: Final = (
    *("--unshare-user", "--disable-userns"),
    *("--uid", str(_NAMED), "--gid", str(_NAMED)),
)
_RIGHTS_TO_CHANGE_USER: Final = (
    *("--cap-drop", "ALL", "--cap-add", "CAP_SETUID"),
    *("--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"),
)
_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin")
_PATIENCE: Final = 30.0  # seconds for the trial


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Starts bots in a sandbox.

    Attributes:
        limits: of each bot.
        private: files and folders that no bot may be shown, as the store and the league file.

    """

    limits: Limits
    private: tuple[Path, ...]

    def check(self) -> None:
        """Try a sandbox with nothing in it.

        Raises:
            BotError: it does not work here; one line with the reason and what to do.

        """
        if sys.platform != "linux":
            raise BotError("a sandbox needs Linux; play without: sandbox = false")
        for tool, package in _TOOLS.items():
            if shutil.which(tool) is None:
                raise BotError(
                    f"a sandbox needs {package}, and there is no {tool} on the PATH; "
                    f"install it, as with: apt install {package}"
                )
        _check_version()
        try:
            with _files(self._words({}, None), filter_program()) as (arguments, rules):
                tried = subprocess.run(
                    [*self._chain(arguments, rules), "true"],
                    pass_fds=[arguments, *rules],
                    env={},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=_PATIENCE,
                    check=False,
                )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BotError(f"the sandbox does not work here: {error}") from error
        if tried.returncode:
            said = tried.stderr.strip().splitlines() or [f"status {tried.returncode}"]
            raise BotError(f"the sandbox does not work here: {said[0]}; {_advice(said[0])}")

    @contextmanager
    def confine(self, bot: LaunchedBot, own: Mapping[str, str]) -> Iterator[Start]:
        """Give what is to be started; see ``Confinement``."""
        shown = shown_to(bot, self.private)
        own_programs = [] if bot.environment is None else [str(programs(ENVIRONMENT))]
        path = dict.fromkeys([*own_programs, str(Path(shown.argv[0]).parent), *_PATH])
        environment = {
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "PATH": os.pathsep.join(path),
            "LANG": "C.UTF-8",
            **({"PYTHONPATH": os.pathsep.join(map(str, shown.modules))} if shown.modules else {}),
            **own,
        }
        socket = _socket(own["SANDLOT_ADDRESS"])
        if socket is not None:
            environment["SANDLOT_ADDRESS"] = f"unix:{ARBITER}"
        words = self._words(shown.places, socket)
        with _files(words, filter_program()) as (arguments, rules):
            argv = (*self._chain(arguments, rules), *shown.argv)
            files = (arguments, *rules)
            yield Start(argv, Path("/"), environment, files, shell_status=True)

    def _words(self, places: Mapping[Path, Path], socket: Path | None) -> list[str]:
        """Return the options of the outer bubblewrap.

        Args:
            places: what is shown beside the system, by where it is in the sandbox.
            socket: of the arbiter, if it has one.

        """
        places = dict(places)
        scratch = ("--size", str(self.limits.scratch), "--perms", "1777", "--tmpfs")
        words = [*_APART, *(_RIGHTS_TO_CHANGE_USER if _is_root() else _AS_NOBODY)]
        words += system_words()
        words += ["--proc", "/proc", "--dev", "/dev", *scratch, "/dev/shm", *scratch, "/tmp"]
        words += ["--dir", str(BOT)]
        if socket is not None:
            if _is_root():  # the bot is another user; the folder and the token let nobody else in
                socket.chmod(0o666)
            places[ARBITER] = socket
        words += _shown_words(places)
        # What is left of the two would else take as much as half of the memory.
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(BOT)]

    def _chain(self, arguments: int, rules: Sequence[int]) -> list[str]:
        """Return all programs up to the bot's own, see the module.

        Args:
            arguments: the open file with the options of the outer bubblewrap.
            rules: the open file with the filter of calls, if there is one.

        """
        filtered = [word for file in rules for word in ("--seccomp", str(file))]
        words = [_tool("env"), "--ignore-signal=TERM", _tool("bwrap"), "--args", str(arguments)]
        if _is_root():
            user = str(_free_id())
            words += ["--", _tool("setpriv"), "--reuid", user, "--regid", user, "--clear-groups"]
            words += ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
            words += [_tool("bwrap"), *_AS_NOBODY, "--dev-bind", "/", "/", "--chdir", str(BOT)]
        words += [*filtered, "--", _tool("prlimit"), *self._bounds(), "--"]
        return [*words, _tool("env"), "--default-signal=TERM"]

    def _bounds(self) -> Iterator[str]:
        """Yield the limits in the words of ``prlimit``."""
        limits = self.limits
        bounds = {
            "nproc": limits.processes,
            "data": limits.memory,
            "nofile": limits.files,
            "fsize": limits.scratch,
            "cpu": limits.cpu,
            "core": 0,
            "msgqueue": 0,
        }
        for name, most in bounds.items():
            if most is not None:
                yield f"--{name}={most}:{most}"


@contextmanager
def _files(words: Sequence[str], rules: bytes | None) -> Iterator[tuple[int, list[int]]]:
    """Have the options of bubblewrap and the filter, if there is one, in files that are open.

    On the command line everybody, the bot too, could read where on the disk things are.
    """
    with ExitStack() as stack:

        def file(content: bytes) -> int:
            opened = stack.enter_context(os.fdopen(os.memfd_create("sandlot"), "w+b"))
            opened.write(content)
            opened.seek(0)
            return opened.fileno()

        arguments = file(b"".join(os.fsencode(word) + b"\0" for word in words))
        yield arguments, [] if rules is None else [file(rules)]


def _shown_words(places: Mapping[Path, Path]) -> list[str]:
    """Return the words that show files and folders, read-only, in folders that all may enter."""
    words: list[str] = []
    shown: list[Path] = []
    made: set[Path] = set()
    for place, source in sorted(places.items()):  # what lies in another comes after it
        if not any(place.is_relative_to(other) for other in shown):
            for folder in reversed(place.parents):
                if folder not in made:
                    words += ["--dir", str(folder)]
                    made.add(folder)
        words += ["--ro-bind", str(source), str(place)]
        shown.append(place)
    return words


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise BotError(f"there is no {name} on the PATH, which a sandbox needs")
    return found


def _is_root() -> bool:
    return os.geteuid() == 0


def _check_version() -> None:
    said = subprocess.run(
        [_tool("bwrap"), "--version"], capture_output=True, text=True, check=False
    ).stdout.strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or tuple(map(int, numbers.groups())) < LEAST_VERSION:
        raise BotError(
            f"a sandbox needs bubblewrap {'.'.join(map(str, LEAST_VERSION))} or later, and this is "
            f"{said or 'none that says its version'}; install a newer one"
        )


def _socket(address: str) -> Path | None:
    """Return the file of an arbiter's address, None for one on the network."""
    return Path(address.removeprefix("unix:")) if address.startswith("unix:") else None


def _free_id() -> int:
    """Return a user id that no process has; that somebody draws the same is not to be expected."""
    taken: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                taken.add(entry.stat().st_uid)
            except OSError:
                continue  # it ended just now
    while (drawn := _IDS.start + secrets.randbelow(len(_IDS))) in taken:
        pass
    return drawn


def _advice(said: str) -> str:
    """Return what may be done where a sandbox does not work, by what was said."""
    if said.startswith("prlimit"):
        return "this system allows less: lower that limit under [sandbox]"
    settings = {
        "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
        "kernel/unprivileged_userns_clone": ("0", "1"),
        "user/max_user_namespaces": ("0", "10000"),
    }
    for name, (wrong, right) in settings.items():
        path = Path("/proc/sys") / name
        if path.is_file() and path.read_text().strip() == wrong:
            return (
                "this system lets users make no namespaces; as root: "
                f"sysctl {name.replace('/', '.')}={right}"
            )
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "a container may make no namespaces; run outside, or in one with more rights, as with "
            "podman run --privileged"
        )
    return "see what this says: bwrap --unshare-all --ro-bind / / true"
