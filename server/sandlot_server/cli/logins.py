"""The league servers that one has logged in to, and the token for each, in a file of one's own.

It is ``sandlot/login.toml`` in ``$XDG_CONFIG_HOME``, or in ``~/.config``. The token in it lets
anybody submit bots in one's name, so nobody else may read it.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
import tempfile
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sandlot.errors import CallError


@dataclass(frozen=True, slots=True)
class Login:
    """A league server, and who one is there.

    Attributes:
        address: where the server is, as ``sandlot.address`` reads it.
        token: the owner's.
        ca: the PEM file of the authority that signed the server's certificate; empty for those that
            everybody knows.

    """

    address: str
    token: str = field(repr=False)
    ca: str = ""


def login_file() -> Path:
    """Return where the logins are kept, whether or not there are any."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    # The specification has relative paths ignored.
    folder = Path(config) if os.path.isabs(config) else Path.home() / ".config"
    return folder / "sandlot" / "login.toml"


def read_logins() -> list[Login]:
    """Return the logins, the latest first.

    Raises:
        CallError: others can read the file, or it is damaged.
        OSError: it cannot be read.
    """
    path = login_file()
    try:
        with path.open("rb") as file:
            others = os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            written = file.read()
    except FileNotFoundError:
        return []
    if others:
        raise CallError(
            f"{path} holds your token and others can read it: chmod 600 {shlex.quote(str(path))}"
        )
    try:
        return [
            Login(str(each["address"]), str(each["token"]), str(each.get("ca", "")))
            for each in tomllib.loads(written.decode())["login"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CallError(
            f"{path} is damaged: remove it, and log in again with sandlot login ADDRESS"
        ) from None


def keep(login: Login) -> None:
    """Keep a login, as the latest; another one for the same server is replaced.

    Raises:
        CallError: the file that is there already is not to be trusted.
        OSError: it cannot be written.
    """
    others = [each for each in read_logins() if each.address != login.address]
    _write([login, *others])


def forget(address: str | None = None) -> list[Login]:
    """Forget the login for a server, or all; return those that were forgotten.

    Raises:
        CallError, OSError: as ``keep`` does.
    """
    logins = read_logins()
    gone = [each for each in logins if address in (None, each.address)]
    left = [each for each in logins if each not in gone]
    if left:
        _write(left)
    else:
        login_file().unlink(missing_ok=True)
    return gone


def _write(logins: Sequence[Login]) -> None:
    """Write the file whole or not at all; at no moment can anybody else read it."""
    path = login_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    handle, part = tempfile.mkstemp(prefix=".login.", dir=path.parent)  # has the mode 0600
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write("\n".join(map(_table, logins)))
            file.flush()
            os.fsync(handle)
        os.replace(part, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part)
        raise


def _table(login: Login) -> str:
    values = {"address": login.address, "token": login.token, "ca": login.ca}
    return "[[login]]\n" + "".join(f"{key} = {_text(value)}\n" for key, value in values.items())


def _text(value: str) -> str:
    """Return a text in TOML, which is that in JSON but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
