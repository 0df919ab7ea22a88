"""Is asked to end, and says so."""

import os
import signal
import socket
import sys


def asked(*_: object) -> None:
    print("asked to end")
    sys.exit(5)


signal.signal(signal.SIGTERM, asked)
arbiter = socket.socket(socket.AF_UNIX)
arbiter.connect(os.environ["SANDLOT_ADDRESS"].removeprefix("unix:"))
arbiter.send(b"up")
while True:
    signal.pause()
