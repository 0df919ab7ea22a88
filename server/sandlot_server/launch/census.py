"""Which processes there are: on Linux from ``/proc``, elsewhere from ``ps``."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Process:
    """A process that is not a zombie; ``started`` tells it from a later one of the same pid."""

    pid: int
    group: int
    started: str


def processes() -> Iterator[Process]:
    """Yield all processes of the system that still run."""
    if _has_proc():
        for entry in _PROC.iterdir():
            if entry.name.isdecimal() and (process := _from_proc(int(entry.name))):
                yield process
    else:
        yield from _from_ps("-A")


def process(pid: int) -> Process | None:
    """Return a process by its pid, None if it does not run."""
    if _has_proc():
        return _from_proc(pid)
    return next(_from_ps("-p", str(pid)), None)


def group_runs(group: int) -> bool:
    """Tell whether a process group still has a process that is not a zombie."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # what macOS says of a zombie
    # The answer may be for zombies alone, which wait for a parent that never asks for them.
    return any(process.group == group for process in processes())


def environments(variable: str) -> dict[int, str]:
    """Return the value of an environment variable by pid, of all processes started with it.

    Only on Linux; elsewhere there are none.
    """
    found: dict[int, str] = {}
    start = f"{variable}=".encode()
    for entry in _PROC.iterdir() if _has_proc() else ():
        if not entry.name.isdecimal():
            continue
        try:
            settings = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # somebody else's, or it ended just now
        for setting in settings:
            if setting.startswith(start):
                found[int(entry.name)] = setting[len(start) :].decode(errors="replace")
    return found


def lock_limits() -> dict[int, int]:
    """Return the hard limit of file locks by pid, of all processes that run and have one.

    Only on Linux; elsewhere there are none.
    """
    found: dict[int, int] = {}
    for entry in _PROC.iterdir() if _has_proc() else ():
        if not entry.name.isdecimal():
            continue
        try:
            limits = (entry / "limits").read_bytes()
        except OSError:
            continue  # it ended just now
        # Max file locks            unlimited            unlimited            locks
        _, _, numbers = limits.partition(b"Max file locks ")
        hard = numbers.split(maxsplit=2)[1:2]
        if hard and hard[0].isdigit() and _from_proc(int(entry.name)):
            found[int(entry.name)] = int(hard[0])
    return found


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _from_proc(pid: int) -> Process | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None  # it ended just now
    # Field 2, the name, may hold blanks and brackets; 3 is the state, 5 the group, 22 the start.
    state, _parent, group, *rest = text.rpartition(")")[2].split()
    if state in "ZXx":
        return None
    return Process(pid, int(group), f"{rest[16]}@{_boot()}")


@cache
def _boot() -> str:
    """Return what tells this run of the system from others: starts are counted from it."""
    return (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text().strip()


def _from_ps(*which: str) -> Iterator[Process]:
    command = ["ps", *which, "-o", "pid=,pgid=,stat=,lstart="]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in said.stdout.splitlines():
        pid, group, state, *started = line.split()
        if not state.startswith("Z"):
            yield Process(int(pid), int(group), " ".join(started))
