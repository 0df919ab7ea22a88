"""Reads whatever it can, in the files of others and in what is known of processes."""

import os
import sys

# Not on the command line: a file that is named there is shown.
with open("mine/wanted") as wanted:
    MARK, *PATHS = wanted.read().splitlines()
TOO_MANY = ("/dev", "/proc", "/usr", sys.prefix, sys.base_prefix)  # the system's and Python's own


def tell(what: str, path: str) -> None:
    try:
        with open(path, "rb") as file:
            got = file.read(1 << 20)
    except OSError as error:
        print(f"{what} held: {error.strerror}")
    else:
        print(f"{what} READ: {got[:80]!r}")


for named in PATHS:
    tell("file", named)
tell("passwords", "/etc/shadow")
found = []
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in TOO_MANY]
    for name in files:
        try:
            with open(os.path.join(folder, name), "rb") as opened:
                if MARK.encode() in opened.read():
                    found.append(name)
        except OSError:
            pass
print(f"in files: {found}")
found = []
for pid in filter(str.isdecimal, os.listdir("/proc")):
    for name in ("environ", "cmdline", "maps"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as opened:
                if MARK.encode() in opened.read():
                    found.append(f"{pid}/{name}")
        except OSError:
            pass
print(f"in processes: {found}")
print(f"in its environment: {[name for name in os.environ if MARK in os.environ[name]]}")
print(f"its folder: {sorted(os.listdir('.'))}")
print(*os.environ)
