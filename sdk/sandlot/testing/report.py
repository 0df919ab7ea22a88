"""What comes of a check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sandlot.clock import format_duration

if TYPE_CHECKING:
    from sandlot.clock import Clock
    from sandlot.observation import Observation

Kind: TypeAlias = Literal[
    "made",
    "illegal",
    "exception",
    "hook",
    "crash",
    "timeout",
    "chance",
    "memory",
    "changes",
    "prints",
]

FAULTS: Final[dict[Kind, str]] = {
    "made": "it can be made without arguments",
    "illegal": "all it answers is legal",
    "exception": "act returns an action and raises nothing",
    "hook": "its hooks raise nothing",
    "crash": "it does not end its process",
    "timeout": "it is quick enough for the clock",
}
"""What a bot must do, by the kind of finding that says it does not. Each costs it something."""

REMARKS: Final[dict[Kind, str]] = {
    "chance": "it plays the same again with the same seed",
    "memory": "it plays the same with many matches at once",
    "changes": "it leaves the observation as it is",
    "prints": "it prints nothing to standard output",
}
"""What a bot had better do: else a match of its cannot be played again, or it wastes time."""

OF_ANSWERS: Final[tuple[Kind, ...]] = ("illegal", "timeout", "chance", "memory")
"""The kinds of finding that are about what a bot answers."""


@dataclass(slots=True)
class Finding:
    """Something that a bot does wrong.

    Attributes:
        kind: a key of `FAULTS` or of `REMARKS`.
        text: what happened, in a line.
        account: the traceback, from the bot's own code on, or "".
        seen: the observation it was given the first time, or None.
        count: how often it happened.

    """

    kind: Kind
    text: str
    account: str = ""
    seen: Observation | None = None
    count: int = 1

    @property
    def serious(self) -> bool:
        """Whether it would cost the bot something in a tournament."""
        return self.kind in FAULTS

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return {
            "kind": self.kind,
            "serious": self.serious,
            "text": self.text,
            "count": self.count,
            "account": self.account,
            "seen": None if self.seen is None else self.seen.to_json(),
        }


@dataclass(slots=True)
class Report:
    """What came of a check. As text it is a few lines for a person.

    Attributes:
        bot: the name of its class.
        variant: the game it was tried in.
        seats: the numbers of seats it was tried at.
        clock: the clock that its times are held against.
        seed: the seed; with it the check can be repeated.
        matches: the whole matches of the first time through, which all that follows is about.
        decisions: decisions it was asked for in them.
        answered: those that it answered with an action, be it legal or not.
        mean_ms, most_ms: milliseconds a decision. A ``BatchBot`` is asked for one at a time there.
        slowest: the observation that it took the longest over.
        findings: what it does wrong, faults first. They are counted in the first time through; what
            happens only when the matches are played again is counted there.
        finished: whether all was tried; not so when it could not be made, hung or would have ended
            its process.

    """

    bot: str
    variant: str
    seats: tuple[int, ...]
    clock: Clock
    seed: bytes
    matches: int = 0
    decisions: int = 0
    answered: int = 0
    mean_ms: float = 0.0
    most_ms: float = 0.0
    slowest: Observation | None = None
    findings: list[Finding] = field(default_factory=list)
    finished: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing was found that would cost the bot something in a tournament."""
        return not any(finding.serious for finding in self.findings)

    def tried(self, kind: Kind) -> bool:
        """Whether enough came of the bot to say that it does nothing wrong of this kind.

        Answers that never came are neither legal nor quick, and the same only in that.
        """
        if kind == "made":
            return self.finished or self.decisions > 0
        return self.finished and (self.answered > 0 or kind not in OF_ANSWERS)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "bot": self.bot,
            "ok": self.ok,
            "finished": self.finished,
            "variant": self.variant,
            "seats": list(self.seats),
            "clock": {
                "decision": format_duration(self.clock.decision),
                "bank": format_duration(self.clock.bank),
            },
            "seed": self.seed.hex(),
            "matches": self.matches,
            "decisions": self.decisions,
            "answered": self.answered,
            "mean_ms": round(self.mean_ms, 3),
            "most_ms": round(self.most_ms, 3),
            "slowest": None if self.slowest is None else self.slowest.to_json(),
            "findings": [finding.to_json() for finding in self.findings],
        }

    def __str__(self) -> str:
        lines = [
            f"{self.bot}: {'ok' if self.ok else 'not ok'}, {self.decisions:,} decisions in "
            f"{self.matches:,} matches, {self.mean_ms:.2f} ms on average, {self.most_ms:.2f} ms "
            "at most"
        ]
        for finding in self.findings:
            times = f" ({finding.count:,} times)" if finding.count > 1 else ""
            lines.append(f"  {finding.kind}: {finding.text}{times}")
            lines += [f"    {line}" for line in finding.account.splitlines()]
            if finding.seen is not None:
                lines.append(f"    it saw {finding.seen}")
        return "\n".join(lines)
