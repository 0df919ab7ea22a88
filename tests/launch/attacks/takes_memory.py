"""Takes all memory, alone or with others; two gigabytes here, should nothing hold it."""

import ctypes
import mmap
import os
import signal
import sys

MOST, PIECE = 2 << 30, 8 << 20
if sys.argv[1] == "alone":
    taken: list[bytearray] = []
    try:
        while len(taken) * PIECE < MOST:
            taken.append(bytearray(PIECE))
        print("TAKEN")
    except MemoryError:
        print("held")
    print(len(taken) * PIECE)
if sys.argv[1] == "together":
    each = int(sys.argv[2])
    for _ in range(MOST // each):
        if os.fork() == 0:
            own = bytearray(b"x") * each
            signal.pause()
    signal.pause()
if sys.argv[1] == "shared":
    mine: list[mmap.mmap] = []
    for _ in range(MOST // PIECE):
        mine.append(mmap.mmap(-1, PIECE))
        mine[-1].write(b"x" * PIECE)
    signal.pause()
if sys.argv[1] == "unseen":
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        os.memfd_create("mine")
        print("MADE")
    except OSError as error:
        print(f"held: {error.strerror}")
    libc.shmget(0, ctypes.c_size_t(PIECE), 0o1600)
    print(f"held: {os.strerror(ctypes.get_errno())}")
