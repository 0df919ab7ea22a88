"""What an author is told of a fault: an account in the bot's own log, beside its standard error."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sandlot_server.launch.logs import open_log

if TYPE_CHECKING:
    from sandlot_server.arbiter import Fault

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


def log_directory(database: Path, tournament: str) -> Path:
    """Return where the logs of a tournament's bots lie: beside the database.

    >>> log_directory(Path("sandlot.db"), "friday")
    PosixPath('sandlot-logs/friday')
    """
    return database.with_name(f"{database.stem}-logs") / (_UNSAFE.sub("_", tournament) or "_")


def log_file(logs: Path, bot: str) -> Path:
    """Return the log of one bot: its standard error and output, and the accounts of its faults."""
    return logs / f"{bot}.log"


def account(fault: Fault) -> str:
    """Return the account of a fault: where, what, why, and what the bot saw, as text."""
    seen, setup = fault.seen, fault.setup
    out = "; it is out for the rest of the match" if fault.out else ""
    return (
        f"--- fault: {fault.cause} in match {setup.match} (attempt {setup.attempt}), "
        f"hand {seen.hand}, decision {fault.decision}, seat {fault.seat}: {fault.text}{out}\n"
        f"    it saw {json.dumps(seen.to_json(), separators=(',', ':'))}\n"
    )


def write_account(logs: Path, fault: Fault) -> None:
    """Append the account of a fault to the bot's log."""
    _append(logs, fault.bot, account(fault))


def note(logs: Path, bot: str, text: str) -> None:
    """Append a line of the arbiter's own to the bot's log."""
    _append(logs, bot, f"--- {text}\n")


def _append(logs: Path, bot: str, text: str) -> None:
    with open_log(log_file(logs, bot)) as log:
        log.write(text.encode(errors="backslashreplace"))
