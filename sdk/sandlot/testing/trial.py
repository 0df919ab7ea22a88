"""The matches of a check."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from sandlot.arena import Fault, play
from sandlot.bot import Bot
from sandlot.game import Action
from sandlot.host import BotClass
from sandlot.observation import Observation
from sandlot.played import PlayedMatch
from sandlot.testing.lasting import changes, lasting_state
from sandlot.testing.report import Finding, Kind, Report
from sandlot.testing.watched import Stopped, WatchedHost, account, ending

NEVER = 1_000_000
"""Strikes that put a bot out: one kind of fault must not hide the next."""


class Trial:
    """Tries a bot; what is found goes into the report.

    Args:
        bot: the class.
        report: what is to be filled in.
        matches: matches at each number of seats.
        on_match: called after each match.
    """

    def __init__(
        self, bot: BotClass, report: Report, matches: int, on_match: Callable[[], None]
    ) -> None:
        self._bot = bot
        self._report = report
        self._matches = matches
        self._on_match = on_match
        self._found: dict[tuple[Kind, str], Finding] = {}
        self._time = 0  # which time through the matches it is: 1, 2, and 3 for a closer look
        self._found_in: dict[tuple[Kind, str], int] = {}

    def run(self) -> None:
        """Play one match after the other, then all at once; look closer if that differs.

        Raises:
            Stopped: nothing more can be tried; the report says why.
        """
        self._make()
        host = self._host()
        try:
            first = self._play(host, tables=1)
        finally:
            self._keep_times(host)
        at_once = _difference(first, self._play(self._host(), tables=self._matches))
        if at_once is not None:
            self._look_closer(first, at_once)

    def _look_closer(self, first: Sequence[PlayedMatch], at_once: str) -> None:
        """Find out why the bot does not play the same again."""
        before, shared_chance = lasting_state(self._bot), random.getstate()
        again = _difference(first, self._play(self._host(), tables=1))
        changed = changes(before, lasting_state(self._bot))
        if random.getstate() != shared_chance:
            changed.append("the state of the module random")
        evidence = f" (these have changed meanwhile: {', '.join(changed)})" if changed else ""
        if again is None:
            text = f"many matches at once: {at_once}; keep what belongs to a match on self"
            self._note("memory", text + evidence)
        else:
            text = f"the same seed again: {again}; draw from self.rng alone, and keep nothing"
            self._note("chance", f"{text} between matches{evidence}")

    def _make(self) -> None:
        try:
            self._bot()
        except Exception as error:
            text = f"it cannot be made without arguments: {type(error).__name__}: {error}"
            self._note("made", text, account(error))
            raise Stopped from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._note("crash", ending(error), account(error))
            raise Stopped from None

    def _host(self) -> WatchedHost:
        return WatchedHost(self._bot, self._report.clock, self._note)

    def _keep_times(self, host: WatchedHost) -> None:
        report = self._report
        report.decisions = host.decisions
        report.answered = host.answered
        report.mean_ms = 1000 * host.seconds / max(1, host.decisions)
        report.most_ms = 1000 * host.most_seconds
        report.slowest = host.slowest

    def _play(self, host: WatchedHost, tables: int) -> list[PlayedMatch]:
        """Play the matches at every number of seats."""
        self._time += 1
        played = []
        for seats in self._report.seats:
            others = {f"opponent-{number}": Opponent for number in range(1, seats)}
            for match in play(
                {self._bot.__name__: host, **others},
                self._matches,
                self._report.seed,
                variant=self._report.variant,
                strikes=NEVER,
                tables=tables,
                on_fault=self._fault,
            ):
                played.append(match)
                if self._time == 1:
                    self._report.matches += 1
                self._on_match()
        return played

    def _fault(self, fault: Fault) -> None:
        kind: Kind = "illegal" if fault.cause == "illegal" else "exception"
        self._note(kind, fault.text, fault.account, fault.seen)

    def _note(
        self, kind: Kind, text: str, account: str = "", seen: Observation | None = None
    ) -> None:
        """Keep a finding, or count it: one at the same place in the bot's code is the same.

        It is counted in the time through in which it was found: the matches are the same again.
        """
        frames = account.strip().rpartition("\n")[0]
        key = kind, frames or text
        known = self._found.get(key)
        if known is not None:
            known.count += self._found_in[key] == self._time
            return
        self._found[key] = finding = Finding(kind, text, account, seen)
        self._found_in[key] = self._time
        self._report.findings.append(finding)


class Opponent(Bot):
    """Does anything that is legal, but seldom folds, so that hands go to their end."""

    def act(self, seen: Observation) -> Action:
        """Return a legal action; a fold one time in thirty."""
        if seen.legal[-1] == Action.FOLD and self.rng.random() > 0.1:
            return self.rng.choice(seen.legal[:-1])
        return self.rng.choice(seen.legal)


def _difference(first: Sequence[PlayedMatch], second: Sequence[PlayedMatch]) -> str | None:
    """Return where two plays of the same matches part, or None if they are the same."""
    by_id = {(len(match.net), match.setup.match): match for match in second}
    for match in first:
        seats = len(match.net)
        for hand, other in zip(match.hands, by_id[seats, match.setup.match].hands, strict=True):
            for one, two in zip(hand.decisions, other.decisions, strict=False):
                if one.answer != two.answer:
                    return (
                        f"in hand {hand.hand} of match {match.setup.match} at {seats} seats "
                        f"it did not {one.answer} but {two.answer}"
                    )
    return None
