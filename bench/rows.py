"""What the table holds: a row a comparison, with its bar.

A figure is named by the function that returns it. Where one function returns several, the part is
named too; it runs once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

Build = Literal["compiled", "pure"]


@dataclass(frozen=True)
class Figure:
    """One side of a comparison.

    Attributes:
        who: who does it, as the table names it.
        function: what measures it, ``module:function``.
        part: which of the figures that the function returns, "" if it returns one.
        build: the build of Sandlot that is asked for; None for the installed one, whichever it is,
            and for peers.
        once: measured once a run, for it takes long.

    """

    who: str
    function: str
    part: str = ""
    build: Build | None = None
    once: bool = False


class Compare(Enum):
    """How the two sides are compared, and what the bar is about."""

    FASTER = "at least {bar} x"  # ours / theirs
    COSTS = "at most {bar} x"  # ours / theirs
    MORE = "at most {bar} {unit} more"  # ours - theirs
    AMOUNT = "at most {bar} {unit}"  # ours, beside nothing


@dataclass(frozen=True)
class Row:
    """A comparison; without a bar it is there to be read."""

    name: str
    what: str
    unit: str
    ours: Figure
    theirs: Figure | None
    compare: Compare
    bar: float | None = None

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Ours, and theirs if there is one."""
        return (self.ours,) if self.theirs is None else (self.ours, self.theirs)

    @property
    def bar_text(self) -> str:
        """The bar in words, "" without one."""
        if self.bar is None:
            return ""
        return self.compare.value.format(bar=f"{self.bar:g}", unit=self.unit)

    def compared(self, ours: float, theirs: float | None) -> float:
        """Return what the bar is held against."""
        if theirs is None:
            return ours
        return ours - theirs if self.compare is Compare.MORE else ours / theirs

    def met(self, compared: float) -> bool | None:
        """Return whether the bar is met; None without one."""
        if self.bar is None:
            return None
        return compared >= self.bar if self.compare is Compare.FASTER else compared <= self.bar


def ours(function: str, part: str = "", build: Build | None = None, once: bool = False) -> Figure:
    """Return a figure of ours."""
    return Figure("Sandlot", f"bench.{function}", part, build, once)


def peer(who: str, function: str) -> Figure:
    """Return a figure of somebody else's."""
    return Figure(who, f"bench.{function}")


FASTER, COSTS, MORE, AMOUNT = Compare

ECHO: Final = peer("bare echo", "throughput:bare")
OPENSPIEL: Final = peer("OpenSpiel", "engine:openspiel_two")
EVAL7: Final = peer("eval7", "evaluator:eval7_seven")
MANY: Final = "throughput:many_tables"
BARE: Final = peer("python -c pass", "start:bare")

ROWS: Final = (
    Row(
        "engine.two.pure",
        "random play, 2 seats",
        "decisions/s",
        ours("engine:sandlot_two", build="pure"),
        OPENSPIEL,
        FASTER,
        1.0,
    ),
    Row(
        "engine.two.compiled",
        "random play, 2 seats",
        "decisions/s",
        ours("engine:sandlot_two", build="compiled"),
        OPENSPIEL,
        FASTER,
        4.0,
    ),
    Row(
        "engine.two.rlcard",
        "random play, 2 seats",
        "decisions/s",
        ours("engine:sandlot_two", build="compiled"),
        peer("RLCard", "engine:rlcard_two"),
        FASTER,
    ),
    Row(
        "engine.six.pokerkit",
        "random play, 6 seats",
        "decisions/s",
        ours("engine:sandlot_six", build="compiled"),
        peer("PokerKit", "engine:pokerkit_six"),
        FASTER,
        100.0,
    ),
    Row(
        "engine.six.pypokerengine",
        "random play, 6 seats",
        "decisions/s",
        ours("engine:sandlot_six", build="compiled"),
        peer("PyPokerEngine", "engine:pypokerengine_six"),
        FASTER,
    ),
    Row(
        "evaluator.seven",
        "showdown rank of 7 cards, ours with wilds",
        "hands/s",
        ours("evaluator:sandlot_seven", build="compiled"),
        EVAL7,
        FASTER,
        0.8,
    ),
    Row(
        "evaluator.eleven",
        "showdown rank of 11 cards, ours with wilds; theirs 7 cards",
        "hands/s",
        ours("evaluator:sandlot_eleven", build="compiled"),
        EVAL7,
        FASTER,
        0.6,
    ),
    Row(
        "evaluator.pure",
        "showdown rank of 7 cards, ours with wilds",
        "hands/s",
        ours("evaluator:sandlot_seven", build="pure"),
        peer("treys", "evaluator:treys_seven"),
        FASTER,
        1.5,
    ),
    Row(
        "evaluator.phevaluator",
        "showdown rank of 7 cards, ours with wilds",
        "hands/s",
        ours("evaluator:sandlot_seven", build="compiled"),
        peer("phevaluator", "evaluator:phevaluator_seven"),
        FASTER,
    ),
    Row(
        "evaluator.equity",
        "equity on fifth street, 6 seats; theirs 6 ranks a sample",
        "samples/s",
        ours("evaluator:sandlot_equity", build="compiled"),
        peer("eval7", "evaluator:eval7_equity"),
        FASTER,
        1.0,
    ),
    Row(
        "observing.built",
        "observation built for the seat to act; beside it an engine step",
        "µs",
        ours("observing:built", build="compiled"),
        Figure("Sandlot", "bench.observing:step", build="compiled"),
        COSTS,
        3.0,
    ),
    Row(
        "observing.read",
        "the same, and its history read",
        "µs",
        ours("observing:read", build="compiled"),
        Figure("Sandlot", "bench.observing:step", build="compiled"),
        COSTS,
    ),
    Row(
        "path.one",
        "tournament path, 1 table",
        "decisions/s",
        ours("throughput:one_table", "decisions"),
        ECHO,
        FASTER,
        0.7,
    ),
    Row(
        "path.many",
        "tournament path, 128 tables",
        "decisions/s",
        ours(MANY, "decisions"),
        ECHO,
        FASTER,
        8.0,
    ),
    Row(
        "path.verify",
        "verify; beside it the tournament path, 128 tables",
        "hands/s",
        ours("verifying:hands", build="compiled"),
        Figure("Sandlot", f"bench.{MANY}", "hands"),
        FASTER,
        2.0,
    ),
    Row(
        "storage.hand",
        "a hand in the store, 2 seats",
        "bytes",
        ours(MANY, "stored"),
        None,
        AMOUNT,
        450,
    ),
    Row(
        "storage.standings",
        "standings with head-to-head of 100,000 stored matches",
        "s",
        ours("storage:seconds", "standings", once=True),
        None,
        AMOUNT,
        1.0,
    ),
    Row(
        "storage.resume",
        "plan to resume after 100,000 stored matches",
        "s",
        ours("storage:seconds", "resume", once=True),
        None,
        AMOUNT,
        1.0,
    ),
    Row(
        "memory.peak",
        "arbiter's memory, 256 tables live",
        "MB",
        ours("memory:megabytes", "peak", once=True),
        None,
        AMOUNT,
        200,
    ),
    Row(
        "memory.growth",
        "what it grows by over 1,500 matches more",
        "MB",
        ours("memory:megabytes", "growth", once=True),
        None,
        AMOUNT,
    ),
    Row("start.help", "sandlot --help", "ms", ours("start:helped"), BARE, MORE, 120),
    Row("start.import", "import sandlot", "ms", ours("start:imported"), BARE, MORE, 150),
)
