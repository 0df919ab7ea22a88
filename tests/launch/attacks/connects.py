"""Opens connections: to a port of the machine, to the world, to sockets that have names."""

import socket
import sys

PORT, FILE, ABSTRACT = int(sys.argv[1]), sys.argv[2], "\0" + sys.argv[3]
TRIALS: dict[str, tuple[int, tuple[str, int] | str]] = {
    "port": (socket.AF_INET, ("127.0.0.1", PORT)),
    "world": (socket.AF_INET, ("192.0.2.1", 80)),
    "file": (socket.AF_UNIX, FILE),
    "abstract": (socket.AF_UNIX, ABSTRACT),
}
for name, (family, address) in TRIALS.items():
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.settimeout(10)
        try:
            trial.connect(address)
        except OSError as error:
            print(f"{name} held: {error.strerror}")
        else:
            print(f"{name} CONNECTED")
try:
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
except OSError as error:
    print(f"raw held: {error.strerror}")
