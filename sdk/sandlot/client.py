"""``python -m sandlot.client BOT``: play a bot, found by its name, against an arbiter.

The arbiter's launcher starts bots so. ``sandlot.run`` does the same for a class.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandlot.connect import connection_parser, end_on_error, play


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the bot that the command line names, as ``module:Class`` or ``file.py[:Class]``."""
    parser = connection_parser("Run a Sandlot bot against an arbiter.")
    parser.add_argument("bot", metavar="BOT", help="module:Class or file.py[:Class]")
    given = parser.parse_args(arguments)

    def load_and_play() -> None:
        from sandlot.loading import load_bot

        play(load_bot(given.bot), given.address, given.token, given.ca)

    end_on_error(load_and_play)


if __name__ == "__main__":
    main()
