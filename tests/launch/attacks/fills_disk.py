"""Writes wherever it can until nothing more goes in; a gigabyte here, should nothing hold it."""

import os
import sys

MOST, PIECE = 1 << 30, bytes(1 << 20)


def fill(folder: str) -> str:
    """Return how much went into files of 16 MiB, and why no more did."""
    written = 0
    try:
        for number in range(MOST >> 24):
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                for _ in range(16):
                    written += file.write(PIECE)
    except OSError as error:
        return f"{written} {error.strerror}"
    return f"{written} FILLED"


if sys.argv[1] == "names":
    for number in range(1 << 20):
        os.symlink("x", f"/tmp/{number}")
for named in ("/tmp", "/dev/shm"):
    print(f"{named}: {fill(named)}")
for named in sys.argv[2:]:
    print(f"{named}: {fill(named)}")
