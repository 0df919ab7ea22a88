"""The ``sandlot`` command: `commands` says what there is, and each is a module of this package.

This file imports nothing that takes time, so that from the first moment on there is somebody to
take an interrupt from the keyboard.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 only on success.

    Status 1 is an error, told in one line on standard error; 2 is a command line that cannot be
    read; 130 is an interrupt from the keyboard.

    Args:
        arguments: what stands after ``sandlot``; the process's own if absent.
    """
    try:
        from sandlot_server.cli.commands import carry_out

        return carry_out(arguments)
    except KeyboardInterrupt:
        return 130
