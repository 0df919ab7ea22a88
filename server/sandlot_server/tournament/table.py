"""What the store says of a tournament, put together for whoever asks how it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandlot_server.tournament.schedule import Kind, Schedule
from sandlot_server.tournament.standings import Standings, standings

if TYPE_CHECKING:
    from sandlot_server.store import Store, StoredTournament, VoidAttempt


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """The standings of a tournament, with what else belongs beside them."""

    tournament: StoredTournament
    standings: Standings
    voids: tuple[VoidAttempt, ...]

    @property
    def matches(self) -> int:
        """How many matches have a result."""
        seated = sum(row.matches for row in self.standings.rows)
        seats: int = self.tournament.configuration["seats"]
        return seated // seats

    @property
    def scheduled(self) -> int | None:
        """How many matches the schedule has, in all of its rounds; None of a season: no end."""
        stored = self.tournament
        if stored.season is not None:
            return None
        kind: Kind = stored.configuration["schedule"].partition("/")[0]
        names = tuple(bot.name for bot in stored.bots)
        seats = stored.configuration["seats"]
        return len(Schedule(names, seats, stored.rounds, stored.seed, kind))

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain data: what ``sandlot standings --json`` prints."""
        return {
            "tournament": self.tournament.name,
            "status": self.tournament.season,
            "commitment": self.tournament.commitment,
            "rounds": self.tournament.rounds,
            "matches": self.matches,
            "scheduled": self.scheduled,
            **self.standings.to_json(),
            "bots": [
                {"bot": bot.name, "version": bot.version, "withdrawn": bot.withdrawn}
                for bot in self.tournament.bots
            ],
            "void": [
                {
                    "match": void.match,
                    "attempt": void.attempt,
                    "reason": void.reason,
                    "started": void.started,
                    "ended": void.ended,
                }
                for void in self.voids
            ],
        }


def table_of(store: Store, name: str | None = None) -> TournamentTable:
    """Return the table of a tournament; without a name, of the only one there is.

    Raises:
        StoreError: there is none of that name, or several and no name.
    """
    tournament = store.tournament(name)
    sums = store.sums(tournament.name)
    rank_by = tournament.configuration["rank_by"]
    return TournamentTable(
        tournament, standings(*sums, rank_by=rank_by), tuple(store.voids(tournament.name))
    )
