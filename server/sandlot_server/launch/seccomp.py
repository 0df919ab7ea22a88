"""Calls of the system that a sandboxed bot does without, as a filter that bubblewrap puts on it.

It is a short list of what may go, not of what may stay, so that a bot in any language runs:

- memory that no limit counts, for it need not be mapped: memfd_create, memfd_secret, shmget,
  msgget;
- the kernel's key rings, which a bot would share with the user who runs it: add_key, request_key,
  keyctl;
- large parts of the kernel that bots have no use for, and holes are often found in: bpf, io_uring,
  perf_event_open, userfaultfd.

To the bot it looks as if the kernel were too old to know them (ENOSYS). What is called by the ways
of another machine, as a 32-bit program does, is refused altogether.
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass
from typing import Final

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_IF_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_IF_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_NUMBER, _MACHINE = 0, 4  # where they are in struct seccomp_data
_ALLOW: Final = 0x7FFF_0000  # SECCOMP_RET_ALLOW
_REFUSE: Final = 0x0005_0000 | errno.ENOSYS  # SECCOMP_RET_ERRNO
_X32: Final = 0x4000_0000  # the bit of calls in the x32 way, which have numbers of their own


@dataclass(frozen=True, slots=True)
class _Machine:
    """How the kernel names a machine (linux/audit.h), and the numbers of calls on it."""

    audit: int
    calls: dict[str, int]


_SINCE_2019: Final = {  # the same on all machines
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "memfd_secret": 447,
}
MACHINES: Final = {
    "x86_64": _Machine(
        0xC000_003E,
        {
            "shmget": 29,
            "msgget": 68,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "perf_event_open": 298,
            "memfd_create": 319,
            "bpf": 321,
            "userfaultfd": 323,
            **_SINCE_2019,
        },
    ),
    "aarch64": _Machine(
        0xC000_00B7,
        {
            "msgget": 186,
            "shmget": 194,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "perf_event_open": 241,
            "memfd_create": 279,
            "bpf": 280,
            "userfaultfd": 282,
            **_SINCE_2019,
        },
    ),
}
"""The machines we know a filter for."""


def filter_program(machine: str | None = None) -> bytes | None:
    """Return the filter, as ``bwrap --seccomp`` reads it; None for a machine that we know none for.

    Args:
        machine: as ``platform.machine`` says it; this one if absent.

    """
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    refused = [(_IF_EQUAL, number) for number in known.calls.values()]
    if known is MACHINES["x86_64"]:
        refused.insert(0, (_IF_AT_LEAST, _X32))
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_IF_EQUAL, 0, len(refused) + 2, known.audit),  # else to the refusal at the end
        (_LOAD, 0, 0, _NUMBER),
        *((code, len(refused) - place, 0, k) for place, (code, k) in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
