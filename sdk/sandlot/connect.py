"""``sandlot.run``: play a bot against an arbiter.

Where the arbiter is and who the bot is come from ``SANDLOT_ADDRESS`` and ``SANDLOT_TOKEN``, or from
``--address`` and ``--token``, which come first; ``SANDLOT_CA`` or ``--ca`` is the file of a private
authority.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from sandlot.errors import BotError, SandlotError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from sandlot.host import BotClass


def run(bot: BotClass, arguments: Sequence[str] | None = None) -> None:
    """Play the bot until the arbiter ends the session.

    An exception in the bot is shown on standard error and told to the arbiter, and play goes on.
    Ends the process with status 1 and one line on standard error when there is no arbiter, when it
    refuses the bot, or when the connection is lost.

    Args:
        bot: the class of the bot.
        arguments: the command line; ``sys.argv[1:]`` if absent. What is not for ``run`` is left to
            the bot.

    """
    parser = connection_parser("A Sandlot bot.")
    given, _ = parser.parse_known_args(arguments)
    end_on_error(lambda: play(bot, given.address, given.token, given.ca))


def connection_parser(description: str) -> ArgumentParser:
    """Return a command line that says where the arbiter is and who the bot is."""
    from argparse import ArgumentParser

    parser = ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument(
        "--address",
        default=os.environ.get("SANDLOT_ADDRESS", ""),
        help="where the arbiter is, tls://host:port, or host:port or unix:/path on this machine; "
        "else SANDLOT_ADDRESS",
    )
    parser.add_argument(
        "--token",
        default=os.environ.get("SANDLOT_TOKEN", ""),
        help="the token that the arbiter knows the bot by; else SANDLOT_TOKEN",
    )
    parser.add_argument(
        "--ca",
        metavar="FILE",
        default=os.environ.get("SANDLOT_CA", ""),
        help="the certificate of the authority that signed the arbiter's, as PEM, where it is not "
        "one that everybody knows; else SANDLOT_CA",
    )
    return parser


def play(bot: BotClass, address: str, token: str, ca: str = "") -> None:
    """Play one session.

    Args:
        bot: the class of the bot.
        address: where the arbiter is; see ``sandlot.address``.
        token: who the bot is.
        ca: the PEM file of the authority that signed the arbiter's certificate, or nothing.

    Raises:
        BotError: the address or the token is missing, or the class is no bot.
        SessionError: the address cannot be, or the session was refused, ended for a reason, or
            lost.

    """
    for value, name in ((address, "address"), (token, "token")):
        if not value:
            raise BotError(
                f"no {name} of an arbiter: set SANDLOT_{name.upper()} or give --{name}; to try a "
                "bot without an arbiter: sandlot play BOT BOT"
            )
    from sandlot.address import Address
    from sandlot.host import Host
    from sandlot.session import play_session

    play_session(Host(bot), Address.parse(address, ca), token)


def end_on_error(do: Callable[[], None]) -> None:
    """Do it; say in one line what went wrong, if it did, and end the process with status 1."""
    try:
        do()
    except SandlotError as error:
        _fail(error)


def _fail(error: SandlotError) -> NoReturn:
    account = getattr(error, "account", "")
    if account:
        print(account.rstrip("\n"), file=sys.stderr)
    print(f"Error: {error}", file=sys.stderr)
    sys.exit(1)
