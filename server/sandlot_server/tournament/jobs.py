"""What a worker is given to play, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sandlot_server.store import FinishedMatch


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a match, begun in the store: the bots' names by seat, the first dealer."""

    match: str
    attempt: int
    bots: tuple[str, ...]
    first_dealer: int


@dataclass(frozen=True, slots=True)
class NotPlayed:
    """The attempt is void before its first card: a bot could not be started again."""

    job: Job
    bot: str
    reason: str


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """The attempt is void by a fault of the server's side: the match is to be played again."""

    job: Job
    reason: str


Outcome: TypeAlias = "FinishedMatch | NotPlayed | BrokenOff"
