"""Try a bot before it plays for anything: is it legal, quick, free of crashes, repeatable.

In a test of one's own::

    def test_my_bot() -> None:
        report = check_bot(MyBot)
        assert report.ok, report

>>> from sandlot import Action, Bot
>>> class Folder(Bot):
...     def act(self, seen):
...         return Action.FOLD
>>> report = check_bot(Folder, matches=2)
>>> report.ok, [(finding.kind, finding.text) for finding in report.findings]
(False, [('illegal', 'fold is not legal here; legal: check, bet')])
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from typing import Final

from sandlot.clock import Clock
from sandlot.errors import RuleError
from sandlot.game import VARIANTS
from sandlot.host import BotClass
from sandlot.testing.report import FAULTS, REMARKS, Finding, Kind, Report
from sandlot.testing.trial import Trial
from sandlot.testing.watched import Stopped
from sandlot.testing.ways_out import no_way_out

__all__ = ["FAULTS", "REMARKS", "Finding", "Kind", "Report", "check_bot"]

SEED: Final = bytes(32)
"""The seed of a check where none is given, so that it is the same check every time."""


def check_bot(
    bot: BotClass,
    *,
    matches: int = 4,
    variant: str = "baseball",
    seed: bytes = SEED,
    clock: Clock | None = None,
    on_match: Callable[[], None] = lambda: None,
) -> Report:
    """Try a bot at every number of seats, against opponents that do anything that is legal.

    It plays ``matches`` matches at each number of seats that the variant allows, one after the
    other, and then the same matches again with all of them under way at once. A bot that hangs is
    stopped when limit and bank of the clock have run out, and it is said where it was; that works
    in the main thread, on systems that have ``signal.setitimer``.

    Args:
        bot: the class.
        matches: matches at each number of seats.
        variant: the game.
        seed: 16 bytes or more, from which cards, opponents and the bot's ``rng`` come.
        clock: what its times are held against; ``Clock()`` if absent.
        on_match: called after each match: twice ``matches`` times at each number of seats.

    Raises:
        RuleError: there is no such variant, or no match is to be played.

    """
    game = VARIANTS.get(variant)
    if game is None:
        raise RuleError(f"the variant {variant!r} is unknown; there is {', '.join(VARIANTS)}")
    if matches < 1:
        raise RuleError(f"{matches} matches: a check plays at least one at each number of seats")
    seats = tuple(range(game.least_seats, game.most_seats + 1))
    report = Report(bot.__name__, variant, seats, clock or Clock(), seed)
    shared_chance = random.getstate()
    printed = io.StringIO()
    with suppress(Stopped), no_way_out(), redirect_stdout(printed):
        Trial(bot, report, matches, on_match).run()
        report.finished = True
    if random.getstate() != shared_chance and all(f.kind != "chance" for f in report.findings):
        text = "draws from the module random, which other code shares; draw from self.rng"
        report.findings.append(Finding("chance", text))
    lines = printed.getvalue().splitlines()
    if lines:
        many = f"{len(lines):,} line{'' if len(lines) == 1 else 's'}"
        text = f"{many} to standard output, the first is {lines[0][:80]!r}"
        report.findings.append(Finding("prints", text))
    order = [*FAULTS, *REMARKS]
    report.findings.sort(key=lambda finding: order.index(finding.kind))
    return report
