"""Kills and traces processes: those of its neighbours by their numbers, and all there are."""

import contextlib
import ctypes
import os
import signal
import sys

ATTACH = 16  # PTRACE_ATTACH
libc = ctypes.CDLL(None, use_errno=True)
for pid in map(int, sys.argv[1:]):
    for number in (signal.SIGKILL, signal.SIGSTOP):
        try:
            os.kill(pid, number)
            print("KILLED")
        except OSError as error:
            print(f"kill held: {error.strerror}")
    if libc.ptrace(ATTACH, pid, None, None) == 0:
        print("TRACED")
    else:
        print(f"trace held: {os.strerror(ctypes.get_errno())}")
print(f"it sees {len([*filter(str.isdecimal, os.listdir('/proc'))])} processes")
sys.stdout.flush()
with contextlib.suppress(ProcessLookupError):
    os.kill(-1, signal.SIGTERM)  # all that it may, but itself
