"""``python -m sandlot_server.submissions.wheels_only``: pip, unable to start another program.

What pip builds from source runs code of whoever wrote it, and ``--only-binary=:all:`` does not
prevent that: a wheel may require a package by its URL, and what lies there is built even so. pip
builds in a process of its own, as it runs git in one. From wheels alone it starts none, but for a
keyring that the operator may have set up: passwords for an index belong into pip's configuration.
"""

from __future__ import annotations

import runpy
import sys
from typing import Final

STARTS: Final = (
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "subprocess.Popen",
)
"""What Python's audit calls the beginnings of another program."""


def refuse_programs(event: str, arguments: object) -> None:
    """Refuse, as an audit hook, what would start another program.

    Raises:
        PermissionError: the event is one of `STARTS`.
    """
    if event in STARTS:
        raise PermissionError("only wheels are installed; nothing is built from source here")


if __name__ == "__main__":
    sys.addaudithook(refuse_programs)
    runpy.run_module("pip", run_name="__main__", alter_sys=True)
