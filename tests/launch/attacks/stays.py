"""Leaves a daemon by the book: another parent, session and group, and no environment."""

import os
import signal
import socket

arbiter = socket.socket(socket.AF_UNIX)
arbiter.connect(os.environ["SANDLOT_ADDRESS"].removeprefix("unix:"))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.environ.clear()
        os.closerange(0, 3)
        arbiter.send(b"up")
        while True:
            signal.pause()
    os._exit(0)
os.wait()
arbiter.recv(1)  # until it is told to exit
