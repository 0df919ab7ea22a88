"""What is left to play of a round."""

from __future__ import annotations

from collections.abc import Callable, Collection

from sandlot_server.store.registered import Drawn, Round


class Rest:
    """The matches of a round that wait, and those under way.

    Args:
        drawn: the round.
        done: ids of matches that have a result.

    >>> match = Drawn("1-1-1", ("a@1", "b@1"), 0)
    >>> rest = Rest(Round(1, (match,)), done=())
    >>> rest.take(lambda bot: bot == "a@1")
    >>> rest.take(lambda bot: True) == match
    True
    >>> rest.waiting, rest.running
    (0, 1)
    """

    def __init__(self, drawn: Round, done: Collection[str]) -> None:
        self.number = drawn.number
        self._waiting = {each.match: each for each in drawn.matches if each.match not in done}
        self._running: dict[str, Drawn] = {}

    @property
    def waiting(self) -> int:
        """How many have not begun."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many are under way."""
        return len(self._running)

    @property
    def playing(self) -> frozenset[str]:
        """The entrants of the matches under way."""
        return frozenset(bot for match in self._running.values() for bot in match.bots)

    def take(self, can_play: Callable[[str], bool]) -> Drawn | None:
        """Return the first match that waits and whose entrants can all play; it is under way."""
        for match in self._waiting.values():
            if all(map(can_play, match.bots)):
                self._running[match.match] = self._waiting.pop(match.match)
                return match
        return None

    def put_back(self, match: Drawn) -> None:
        """Have a match wait that was under way."""
        self._waiting[match.match] = self._running.pop(match.match)

    def finish(self, match: Drawn) -> None:
        """Take note that a match is not under way any more, and does not wait either."""
        del self._running[match.match]

    def drop(self, plays: Callable[[str], bool]) -> list[Drawn]:
        """Return the matches that wait and have an entrant that does not play; they are gone."""
        dropped = [each for each in self._waiting.values() if not all(map(plays, each.bots))]
        for match in dropped:
            del self._waiting[match.match]
        return dropped
