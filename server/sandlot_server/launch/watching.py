"""What the system does not hold a sandboxed bot to, watched from outside: its memory altogether.

A limit of the system's is for each process. So every second all processes of a bot are added up,
and a bot that holds more than it may is killed. Names of files in its scratch are counted too, for
they take memory of the kernel's and nothing else bounds them.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from sandlot_server.launch.limits import Limits, format_size

PERIOD: Final = 1.0
"""Seconds between two looks."""

MOST_NAMES: Final = 1 << 16
"""Files, folders and links that a bot may have in its scratch."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_SCRATCH: Final = ("tmp", "dev/shm")


def excesses(watched: Mapping[int, Limits]) -> dict[int, str]:
    """Return what bots have too much of, in words, by the pid that all their processes stem from.

    Args:
        watched: the limits of each bot by that pid. Only on Linux; elsewhere there is no sandbox.

    """
    found: dict[int, str] = {}
    for leader, resident in _trees(watched).items():
        most = watched[leader].memory
        # A page that two processes share counts for each of them in the one, for a half in the
        # other, which takes long to find out.
        if sum(resident.values()) > most and (held := _proportional(resident)) > most:
            found[leader] = (
                f"its {len(resident)} processes hold {format_size(held >> 20 << 20)} of memory "
                f"together, more than {format_size(most)} (memory, in [sandbox])"
            )
        elif _names(resident) > MOST_NAMES:
            found[leader] = f"it has more than {MOST_NAMES} files in its scratch"
    return found


def _trees(leaders: Collection[int]) -> dict[int, dict[int, int]]:
    """Return the bytes that processes hold, by pid, by the leader that they descend from."""
    parents: dict[int, int] = {}
    resident: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(errors="replace")
            except OSError:
                continue  # it ended just now
            # Field 2, the name, may hold blanks and brackets; 4 is the parent, 24 the pages held.
            fields = text.rpartition(")")[2].split()
            parents[int(entry.name)] = int(fields[1])
            resident[int(entry.name)] = int(fields[21]) * _PAGE
    trees: dict[int, dict[int, int]] = defaultdict(dict)
    for pid, held in resident.items():
        above = pid
        while above not in leaders and above in parents:
            above = parents[above]
        if above in leaders:
            trees[above][pid] = held
    return trees


def _proportional(resident: Mapping[int, int]) -> int:
    """Return the bytes that processes hold together, each page once, as far as we are told."""
    total = 0
    for pid, held in resident.items():
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            total += held  # it ended just now, or does not let us look
            continue
        total += sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return total


def _names(pids: Collection[int]) -> int:
    """Return how many files there are in the scratch that these processes share."""
    ours = os.stat("/").st_dev
    for pid in pids:
        root = f"/proc/{pid}/root"
        try:
            if os.stat(root).st_dev != ours:  # else it is outside the sandbox
                filled = [os.statvfs(f"{root}/{name}") for name in _SCRATCH]
                return sum(system.f_files - system.f_ffree for system in filled)
        except OSError:
            continue  # it ended just now, or does not let us look
    return 0
