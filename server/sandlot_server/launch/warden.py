"""The warden: a process that ends a run's bots when the run is killed.

``python -m sandlot_server.launch.warden LEDGER``, started by the launcher, which holds the other
end of its standard input. However the run ends, the system closes that end. After an orderly end
the ledger is gone and there is nothing to do; else the warden kills what is in it, with all that
the bots themselves have started.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sandlot_server.launch.ledger import end_bots


def main() -> None:
    """Wait for the end of standard input, then end the bots of the ledger."""
    while sys.stdin.buffer.read(1):
        pass
    end_bots(Path(sys.argv[1]), at_once=True)


if __name__ == "__main__":
    main()
