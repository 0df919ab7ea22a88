"""Writes to standard error, as much as it is told, then ends in good order."""

import sys

size = int(sys.argv[1])
while size > 0:
    size -= sys.stderr.write("x" * 4095 + "\n")
print("and goes on")
