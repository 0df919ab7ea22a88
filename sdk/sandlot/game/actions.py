"""What a seat may do when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

if TYPE_CHECKING:
    from sandlot.pack import Card


Kind = TypeVar("Kind", bound=tuple[object, ...])


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value[:] == other[:])


def _other(value: Any, other: Any) -> bool:
    return not _same(value, other)


def of_its_kind(kind: type[Kind]) -> type[Kind]:
    """Let a named tuple be equal only to one of its own kind. It is hashed as a tuple, at once."""
    kind.__eq__ = _same  # type: ignore[method-assign]
    kind.__ne__ = _other  # type: ignore[method-assign]
    return kind


class _Action(NamedTuple):
    name: str
    amount: int | None = None
    cards: tuple[Card, ...] = ()


@of_its_kind
class Action(_Action):
    """One action: a name and, where the player chooses them, an amount in units and cards.

    The names are an open vocabulary; ``check bet call raise fold`` are those of fixed-limit
    betting (R4) and stand as constants, ``Action.CHECK`` and so on. Equal by value.

    >>> Action.BET, Action("bet") == Action.BET
    (bet, True)
    """

    __slots__ = ()

    CHECK: ClassVar[Action]
    BET: ClassVar[Action]
    CALL: ClassVar[Action]
    RAISE: ClassVar[Action]
    FOLD: ClassVar[Action]

    def __str__(self) -> str:
        words = [str(self.name)]
        if self.amount is not None:
            words.append(str(self.amount))
        words.extend(map(str, self.cards))
        return " ".join(words)

    __repr__ = __str__


Action.CHECK = Action("check")
Action.BET = Action("bet")
Action.CALL = Action("call")
Action.RAISE = Action("raise")
Action.FOLD = Action("fold")
