"""The warden: a process that ends a run's bots when the run is killed.

``python -m sandlot_server.launch.warden LEDGER [SCRATCH]``, started by the launcher, which holds
the other end of its standard input. However the run ends, the system closes that end. After an
orderly end the ledger is gone and there is nothing to do; else the warden kills what is in it, with
all that the bots themselves have started, and removes the run's scratch directory.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sandlot_server.launch.ledger import end_bots


def main() -> None:
    """Wait for the end of standard input, then do what the run has not done."""
    while sys.stdin.buffer.read(1):
        pass
    ledger, scratch = Path(sys.argv[1]), sys.argv[2:]
    if not ledger.exists():
        return
    end_bots(ledger, at_once=True)
    for directory in scratch:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
