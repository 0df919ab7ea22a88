"""What the standing league keeps: owners, their bots and versions, seasons, and who did what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal, TypeAlias

Role: TypeAlias = Literal["admin", "owner", "reader"]

ROLES: Final[tuple[Role, ...]] = ("admin", "owner", "reader")
"""What an owner may do. A reader reads what is public; an owner also submits bots and reads what
concerns them; an admin may do that for the bots of all."""

Kind: TypeAlias = Literal["submitted", "remote", "house"]
"""Where a version is played: in the server's sandbox from what was submitted, on its owner's own
machine, or by the server from what comes with Sandlot."""

Status: TypeAlias = Literal[
    "received",
    "building",
    "trying",
    "active",
    "refused",
    "replaced",
    "retired",
    "disqualified",
    "failed",
]
"""How a version stands. It is received, built and tried, and becomes active or is refused. What was
active is replaced by the next version of its bot, retired by its owner, disqualified by an
operator, or has failed: it could not be started again."""

PENDING: Final[tuple[Status, ...]] = ("received", "building", "trying")
"""How a version stands that waits to be tried."""

LIVE: Final[tuple[Status, ...]] = (*PENDING, "active")
"""How one stands of which more may become; with any other status it is over."""

OVER: Final[tuple[Status, ...]] = ("refused", "replaced", "retired", "disqualified", "failed")
"""How one stands that plays no more, and never will again."""


def withdrawal(status: Status, reason: str) -> str:
    """Return why an entrant of a season plays no more whose version stands so.

    >>> withdrawal("replaced", "by version 2"), withdrawal("retired", "")
    ('replaced: by version 2', 'retired')
    """
    return f"{status}: {reason}" if reason else status


def as_withdrawn(text: str) -> tuple[str, str]:
    """Return how an entrant stands that was withdrawn, and why, out of what `withdrawal` has made.

    >>> as_withdrawn("replaced: by version 2"), as_withdrawn("no such file: bot.py")
    (('replaced', 'by version 2'), ('withdrawn', 'no such file: bot.py'))
    """
    status, _, reason = text.partition(": ")
    return (status, reason) if status in OVER else ("withdrawn", text)


REMOTE: Final = "remote"
"""The hash of a version that plays from its owner's machine: nobody here has its files."""

HOUSE_OWNER: Final = "house"
"""Who owns the bots that come with Sandlot."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody with a name, and a token unless all were revoked. Times are ISO 8601 in UTC."""

    name: str
    role: Role
    created: str
    tokens: int
    """How many of its tokens are good."""
    revoked: int = 0
    """How many it has had that are worthless now; whatever was begun with one of them is over."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a bot; what it is never changes, how it stands does."""

    id: int
    bot: str
    owner: str
    number: int
    """1, 2, ... of its bot."""
    kind: Kind
    hash: str
    """SHA-256 of its files in hex, which stands in the records; or ``REMOTE``."""
    manifest: Mapping[str, Any] = field(hash=False)
    """What its ``bot.toml`` says: ``run`` or ``command``, and ``requirements``."""
    status: Status
    reason: str
    """Why it stands so, in a line for its owner; may be empty."""
    account: str
    """The rest that its owner needs to mend it, lines; may be empty."""
    received: str
    settled: str | None
    """Since when it has stood so; None while it waits to be tried."""

    @property
    def entrant(self) -> str:
        """What it is called in a season, as in ``river-rat@2``."""
        return f"{self.bot}@{self.number}"


def entrant_parts(entrant: str) -> tuple[str, int]:
    """Return the bot and the number of the version that an entrant is.

    >>> entrant_parts("river-rat@2")
    ('river-rat', 2)
    """
    bot, _, number = entrant.rpartition("@")
    return bot, int(number)


@dataclass(frozen=True, slots=True)
class OwnedBot:
    """A bot by its name; ``disqualified`` is the reason, or None."""

    name: str
    owner: str
    created: str
    disqualified: str | None
    versions: tuple[Version, ...]
    """The first one first."""

    @property
    def active(self) -> Version | None:
        """The version that plays, if one does."""
        return next((one for one in self.versions if one.status == "active"), None)


SeasonStatus: TypeAlias = Literal["open", "paused", "closed"]


@dataclass(frozen=True, slots=True)
class Season:
    """A season: a tournament of the standing league.

    Its ``configuration`` has the keys of a league's (``League.configuration``), ``schedule`` being
    `SCHEDULE`, without ``bots``, and ``house``: whether the house bots play, ``apart``: whether two
    bots of one owner are kept from tables of three and more, ``every``: the least time between two
    rounds, as a duration.
    """

    name: str
    status: SeasonStatus
    configuration: Mapping[str, Any] = field(hash=False)
    seed: bytes = field(repr=False)
    commitment: str
    created: str
    closed: str | None
    rounds: int
    """How many have been drawn."""


SCHEDULE: Final = "season/1"
"""How a season draws its rounds, and the version of that: a change takes another number."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A match of a round: its id, the entrants by seat, the first dealer's seat."""

    match: str
    bots: tuple[str, ...]
    first_dealer: int
    catching_up: str | None = None
    """The entrant on whose behalf it is played to catch up; None in its turn."""


@dataclass(frozen=True, slots=True)
class Round:
    """The matches drawn at one time, in the order of play."""

    number: int
    matches: tuple[Drawn, ...]
    completed: bool = False

    def plan(self) -> str:
        """Return the matches as they are stored.

        >>> one = Round(1, (Drawn("1-1-1", ("a@1", "b@2"), 0),))
        >>> Round.of(1, one.plan()) == one
        True
        """
        rows = [
            [each.match, list(each.bots), each.first_dealer, each.catching_up]
            for each in self.matches
        ]
        return json.dumps(rows, separators=(",", ":"))

    @classmethod
    def of(cls, number: int, plan: str, completed: bool = False) -> Round:
        """Return the round that was stored."""
        matches = tuple(
            [
                Drawn(match, tuple(bots), first_dealer, catching_up)
                for match, bots, first_dealer, catching_up in json.loads(plan)
            ]
        )
        return cls(number, matches, completed)


@dataclass(frozen=True, slots=True)
class StoredSeat:
    """One seat of a stored match: who, what it won or lost in units, its place, its faults."""

    bot: str
    net: Fraction
    place: int
    faults: Mapping[str, int] = field(hash=False)


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match with a result, as a list of matches shows it."""

    match: str
    attempt: int
    started: str
    ended: str
    digest: str
    hands: int
    seats: tuple[StoredSeat, ...]
    position: int
    """Where it stands in the list, for the next page: the later it was begun, the higher."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Something that was done: when, by whom, what, to what, and how or why."""

    id: int
    at: str
    who: str
    did: str
    subject: str
    detail: str
