"""Forks without end, and starts threads; a few hundred here, should nothing hold it."""

import os
import signal
import threading

MOST = 400
children = 0
try:
    while children < MOST:
        if os.fork() == 0:
            signal.pause()
        children += 1
    print(f"FORKED {children}")
except OSError as error:
    print(f"held: {error.strerror}")
print(children)
try:
    threading.Thread(target=signal.pause, daemon=True).start()
    print("THREAD")
except RuntimeError as refused:
    print(f"held: {refused}")
