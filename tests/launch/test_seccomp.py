"""The filter of system calls, run as the kernel would run it."""

from __future__ import annotations

import errno
import struct

import pytest

from sandlot_server.launch.seccomp import MACHINES, filter_program

ALLOWED = 0x7FFF_0000
REFUSED = 0x0005_0000 | errno.ENOSYS
READ = {"x86_64": 0, "aarch64": 63}
CALLS = [(machine, name) for machine, known in MACHINES.items() for name in known.calls]


def verdict(program: bytes, audit: int, number: int) -> int:
    """What the kernel makes of a call; classic BPF, the four instructions that we use."""
    steps = list(struct.iter_unpack("=HBBI", program))
    seen = {0: number, 4: audit}
    place = value = 0
    while True:
        code, yes, no, k = steps[place]
        place += 1
        if code == 0x20:  # load
            value = seen[k]
        elif code == 0x15:  # jump if equal
            place += yes if value == k else no
        elif code == 0x35:  # jump if greater or equal
            place += yes if value >= k else no
        else:
            assert code == 0x06  # return
            return int(k)


@pytest.mark.parametrize(("machine", "name"), CALLS)
def test_a_call_of_the_list_is_refused_and_its_neighbours_are_not(machine: str, name: str) -> None:
    known, program = MACHINES[machine], filter_program(machine)
    assert program is not None
    number = known.calls[name]
    assert verdict(program, known.audit, number) == REFUSED
    for neighbour in {number - 1, number + 1} - set(known.calls.values()):
        assert verdict(program, known.audit, neighbour) == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_the_ways_of_another_machine_are_refused(machine: str) -> None:
    known, program = MACHINES[machine], filter_program(machine)
    assert program is not None
    assert verdict(program, known.audit, READ[machine]) == ALLOWED
    assert verdict(program, 0x4000_0003, READ[machine]) == REFUSED  # i386
    if machine == "x86_64":
        assert verdict(program, known.audit, 0x4000_0000 + READ[machine]) == REFUSED  # x32


def test_a_machine_we_do_not_know_has_no_filter() -> None:
    assert filter_program("pdp11") is None
