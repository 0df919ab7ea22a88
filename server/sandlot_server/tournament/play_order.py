"""In which order the tables of a round are played, so that no bot gets ahead of the others.

A tournament can be looked at, or stop, after any match. So the order is made such that at every
moment all bots have played about equally often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

from sandlot.seeds import Lots

Group = tuple[int, ...]
"""The bots of a table, as numbers from 0, in rising order."""


def level_order(bots: int, seats: int) -> tuple[Group, ...]:
    """Return every group of ``seats`` of the bots 0, 1, ..., each once, in a level order.

    Level: in every prefix of the order the numbers of groups of any two bots differ by at most 1,
    which is the least there can be.

    That such an order exists, and how to find it, is the argument of Baranyai's theorem (Zs.
    Baranyai, 1975). Start with empty groups in their places and let the bots join one after the
    other. With ``left`` bots not yet placed, give each of them 1/left of every free seat: then each
    is even over every prefix and over all groups that have the same members so far. Prefixes and
    kinds of groups are the cuts of a flow network, and a flow can be rounded to whole numbers up or
    down at every edge at once. So the next bot joins by whole numbers, and nothing drifts.

    >>> level_order(4, 2)
    ((0, 3), (1, 2), (0, 1), (2, 3), (0, 2), (1, 3))
    """
    if seats == 2:
        return tuple(_pairs(bots))
    groups: list[Group] = [()] * comb(bots, seats)
    for bot in range(bots):
        joins = _Joining(groups, seats, bots - bot).rounded()
        groups = [
            (*group, bot) if join else group for group, join in zip(groups, joins, strict=True)
        ]
    return tuple(groups)


def _pairs(bots: int) -> Iterator[Group]:
    """Yield all pairs in a level order, at once where the network would take long for many bots.

    An even number of bots is turned round a circle with bot 0 in the middle. An odd number falls
    into Hamiltonian cycles (Walecki, 1883); taking every second edge of a cycle goes round it
    twice.
    """
    rim = bots - 1
    if bots % 2 == 0:
        for turn in range(rim):
            circle = [0] + [1 + (place + turn) % rim for place in range(rim)]
            for place in range(bots // 2):
                yield _pair(circle[place], circle[-1 - place])
    else:
        zigzag = [-place // 2 if place % 2 == 0 else (place + 1) // 2 for place in range(rim)]
        for turn in range(rim // 2):
            cycle = [0] + [1 + (place + turn) % rim for place in zigzag]
            for edge in range(bots):
                yield _pair(cycle[2 * edge % bots], cycle[(2 * edge + 1) % bots])


def _pair(one: int, other: int) -> Group:
    return (one, other) if one < other else (other, one)


class _Joining:
    """Into which of the groups the next bot goes: its equal shares of the seats, rounded.

    Vertices of the network are the places 0, 1, ... of the order and, from ``places`` on, the kinds
    of groups. Edge e < places runs from place e to its kind and carries the bot's share of place e;
    edge places + e runs from place e + 1 to place e and carries its shares up to place e. Flows are
    whole numbers of 1/left. An edge is open while its flow is a true fraction.
    """

    def __init__(self, groups: Sequence[Group], seats: int, left: int) -> None:
        self.places = places = len(groups)
        self.left = left
        self.flow = [seats - len(group) for group in groups]
        upto = 0
        for place in range(places - 1):
            upto += self.flow[place]
            self.flow.append(upto)
        kinds: dict[Group, int] = {}
        self.kind = [places + kinds.setdefault(group, len(kinds)) for group in groups]
        self.of_kind: list[list[int]] = [[] for _ in kinds]
        for place, kind in enumerate(self.kind):
            self.of_kind[kind - places].append(place)

    def rounded(self) -> list[bool]:
        """Return for each place whether the bot joins its group.

        What flows into a vertex flows out of it, and what comes from outside is whole: so no vertex
        has just one open edge, and a walk over open edges closes a cycle. Pushing flow round the
        cycle until one of its edges is whole changes no sum at any vertex.
        """
        for place in range(self.places):
            while self.flow[place] % self.left:
                self._walk(place)
        return [self.flow[place] > 0 for place in range(self.places)]

    def _walk(self, start: int) -> None:
        """Walk from a vertex over open edges; close cycles until the walk cannot go on."""
        path: list[tuple[int, int]] = []  # (edge, the vertex it was left from)
        seen = {start: 0}
        vertex, came = start, -1
        while (step := self._open_edge(vertex, came)) is not None:
            edge, to = step
            path.append((edge, vertex))
            if to not in seen:
                seen[to] = len(path)
                vertex, came = to, edge
                continue
            cycle = path[seen[to] :]
            self._push(cycle)
            del path[seen[to] :]
            for _, passed in cycle:
                if passed != to:
                    del seen[passed]
            vertex, came = to, path[-1][0] if path else -1

    def _open_edge(self, vertex: int, came: int) -> tuple[int, int] | None:
        """Return an open edge at the vertex, not the one we came by, and where it leads."""
        flow, left, places = self.flow, self.left, self.places
        if vertex < places:
            if vertex != came and flow[vertex] % left:
                return vertex, self.kind[vertex]
            below, above = places + vertex - 1, places + vertex
            if vertex > 0 and below != came and flow[below] % left:
                return below, vertex - 1
            if vertex < places - 1 and above != came and flow[above] % left:
                return above, vertex + 1
            return None
        members = self.of_kind[vertex - places]
        for index in range(len(members) - 1, -1, -1):
            place = members[index]
            if flow[place] % left == 0:
                del members[index]  # whole for good
            elif place != came:
                return place, place
        return None

    def _push(self, cycle: Sequence[tuple[int, int]]) -> None:
        """Push as much flow round the cycle as it takes to make one of its edges whole."""
        flow, left, places = self.flow, self.left, self.places
        with_it: list[bool] = []
        amount = left
        for edge, vertex in cycle:
            along = vertex < places if edge < places else vertex == edge - places + 1
            over = flow[edge] % left
            amount = min(amount, left - over if along else over)
            with_it.append(along)
        for (edge, _), along in zip(cycle, with_it, strict=True):
            flow[edge] += amount if along else -amount


def nearly_level_order(bots: int, groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return given groups in an order in which no bot gets far ahead of the others.

    At each step one of the bots that has played least plays next, at the table whose other bots
    have played least; of equal tables one is taken by lot. The best of several tries is kept; their
    number depends on the number of groups alone. Where any two groups share a bot, as in a
    symmetric design, a bot must get 2 ahead or more; ``lead`` says what was reached.
    """
    tries = min(200, max(1, 400_000 // len(groups) ** 2))
    best: tuple[Group, ...] = ()
    least = len(groups) + 1
    for attempt in range(tries):
        order = _greedy_order(bots, groups, attempt)
        reached = lead(bots, order)
        if reached < least:
            best, least = order, reached
        if least <= 1:
            break
    return best


def _greedy_order(bots: int, groups: Sequence[Group], attempt: int) -> tuple[Group, ...]:
    drawn = Lots(b"", f"order/{bots}/{len(groups)}/{attempt}").order(len(groups))
    waiting: list[dict[int, None]] = [{} for _ in range(bots)]  # numbers of groups, as drawn
    for number in drawn:
        for bot in groups[number]:
            waiting[bot][number] = None
    played = [0] * bots
    order: list[Group] = []
    for _ in groups:
        least = min(played)

        def ahead(number: int, least: int = least) -> int:
            return sum(4 ** (played[bot] - least) for bot in groups[number])

        chosen = min(waiting[played.index(least)], key=ahead)
        order.append(groups[chosen])
        for bot in groups[chosen]:
            played[bot] += 1
            del waiting[bot][chosen]
    return tuple(order)


def lead(bots: int, groups: Sequence[Group]) -> int:
    """Return by how many groups, at most, one bot is ahead of another at any moment.

    >>> lead(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    2
    """
    played = [0] * bots
    widest = 0
    for group in groups:
        for bot in group:
            played[bot] += 1
        widest = max(widest, max(played) - min(played))
    return widest
