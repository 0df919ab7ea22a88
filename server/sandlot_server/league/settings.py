"""What a season is played by: settled when it starts, kept with it, the same to its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sandlot.clock import Clock, format_duration, parse_duration
from sandlot.errors import ClockError, LeagueError
from sandlot_server.store.registered import SCHEDULE
from sandlot_server.tournament.league import LONGEST, MOST, rules_of
from sandlot_server.tournament.standings import RankBy

AGAIN: Final = "close it with `sandlot admin season close`, and start another"


@dataclass(frozen=True, slots=True)
class SeasonSettings:
    """The game of a season, its tables, and who sits at them.

    Raises:
        LeagueError: no season can be played so; one line that says what to write.

    >>> SeasonSettings(seats=9)
    Traceback (most recent call last):
    sandlot.errors.LeagueError: seats 9 is not for baseball; write seats = 2 to 6
    """

    variant: str = "baseball"
    seats: int = 2
    """At each table."""
    hands: int = 8
    """Of each match."""
    clock: Clock = Clock()  # noqa: RUF009 - a frozen value
    strikes: int = 3
    """Faults that put a seat out for the rest of a match."""
    rank_by: RankBy = "net"
    anonymous: bool = False
    """Whether bots are told seats instead of names."""
    house: bool = True
    """Whether the bots that come with Sandlot play."""
    apart: bool = True
    """Whether two bots of one owner are kept from tables of three and more."""
    every: float = 10.0
    """Seconds from the start of one round to that of the next, at least."""

    def __post_init__(self) -> None:
        rules_of(self.variant, self.seats)
        for key, number in (("hands", self.hands), ("strikes", self.strikes)):
            if not 1 <= number <= MOST:
                raise LeagueError(f"{key} {number} cannot be; write {key} = 1 to {MOST:,}")
        if self.rank_by not in ("net", "places"):
            raise LeagueError(f"rank_by {self.rank_by!r} is unknown; write net or places")
        times = {"decision": self.clock.decision, "bank": self.clock.bank, "every": self.every}
        for key, seconds in times.items():
            try:
                format_duration(seconds)
            except ClockError as error:
                raise LeagueError(f"{key}: {error}") from None
            if seconds > LONGEST:
                raise LeagueError(f"{key} {seconds:g}s is longer than a day; write less")

    @property
    def rules(self) -> str:
        """The rules with their version, as in ``baseball/1``."""
        return rules_of(self.variant, self.seats)

    def configuration(self) -> dict[str, Any]:
        """Return what the store keeps of it, as JSON can hold it; see ``Season``."""
        return {
            "variant": self.variant,
            "rules": self.rules,
            "seats": self.seats,
            "hands": self.hands,
            "schedule": SCHEDULE,
            "rank_by": self.rank_by,
            "anonymous": self.anonymous,
            "clock": {
                "decision": format_duration(self.clock.decision),
                "bank": format_duration(self.clock.bank),
            },
            "strikes": self.strikes,
            "house": self.house,
            "apart": self.apart,
            "every": format_duration(self.every),
        }

    @classmethod
    def of(cls, configuration: Mapping[str, Any]) -> SeasonSettings:
        """Return the settings that a season was started with.

        Raises:
            LeagueError: this Sandlot plays by other rules or draws otherwise: results from here on
                could not be compared with those before.

        >>> settings = SeasonSettings(seats=4, every=0.5)
        >>> SeasonSettings.of(settings.configuration()) == settings
        True
        """
        clock = configuration["clock"]
        settings = cls(
            variant=configuration["variant"],
            seats=configuration["seats"],
            hands=configuration["hands"],
            clock=Clock(parse_duration(clock["decision"]), parse_duration(clock["bank"])),
            strikes=configuration["strikes"],
            rank_by=configuration["rank_by"],
            anonymous=configuration["anonymous"],
            house=configuration["house"],
            apart=configuration["apart"],
            every=parse_duration(configuration["every"]),
        )
        for key, now in (("rules", settings.rules), ("schedule", SCHEDULE)):
            if configuration[key] != now:
                raise LeagueError(
                    f"the season was started with {key} {configuration[key]}, and this Sandlot "
                    f"has {now}: {AGAIN}"
                )
        return settings
