"""Sums over all results of a tournament, made by the database, exact.

Squares would overflow the 64 bits of a column in long tournaments (a net in 840ths has 20 bits and
more, its square twice as many, and then they are added up). So a value is split in SQL as
high * 2**20 + low, the three sums of high * high, high * low and low * low are made there, and put
together here, where numbers have no end. With nets below ``MOST_NET``, 2**40, they hold for two
million matches.

Of what no sums over pairs of bots can tell, how whole matches ended, the database counts how often
each finish occurs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, case, func, select, type_coerce

from sandlot_server.store.entries import bot_ids
from sandlot_server.store.schema import faults, places
from sandlot_server.tournament.rating import Finish
from sandlot_server.tournament.standings import BotSums, PairSums, Sums

_LIMB: Final = 2**20
_PAIR: Final = 2**32  # more than there are bots
_PLACE: Final = 2**4  # more than there are places


def sums(connection: Connection, tournament: int) -> Sums:
    """Return all sums of a tournament."""
    return Sums(
        _bot_sums(connection, tournament),
        _pair_sums(connection, tournament),
        _finishes(connection, tournament),
    )


def _bot_sums(connection: Connection, tournament: int) -> list[BotSums]:
    """Return the sums of each bot over its matches, in the order of the league; money in 840ths."""
    per_place = (
        select(
            places.c.bot,
            places.c.place,
            places.c.first_share,
            func.count(),
            func.sum(places.c.hands),
            func.sum(places.c.net),
            *_square_sums(places.c.net),
        )
        .where(places.c.tournament == tournament)
        .group_by(places.c.bot, places.c.place, places.c.first_share)
    )
    totals: defaultdict[int, _Total] = defaultdict(_Total)
    for bot, place, share, matches, hands, net, *squares in connection.execute(per_place):
        total = totals[bot]
        total.matches += matches
        total.hands += int(hands)
        total.net += int(net)
        total.net_square += _square(squares)
        total.share += share * matches
        total.share_square += share * share * matches
        total.places[place] = total.places.get(place, 0) + matches

    per_cause = (
        select(faults.c.bot, faults.c.cause, func.sum(faults.c["count"]))
        .where(faults.c.tournament == tournament)
        .group_by(faults.c.bot, faults.c.cause)
        .order_by(faults.c.cause)
    )
    for bot, cause, number in connection.execute(per_cause):
        totals[bot].faults[cause] = int(number)

    return [
        BotSums(
            bot=name,
            matches=total.matches,
            hands=total.hands,
            net_sum=total.net,
            net_square_sum=total.net_square,
            places_share_sum=total.share,
            places_share_square_sum=total.share_square,
            places=dict(sorted(total.places.items())),
            faults=total.faults,
        )
        for name, bot in bot_ids(connection, tournament).items()
        for total in (totals[bot],)
    ]


def _pair_sums(connection: Connection, tournament: int) -> list[PairSums]:
    """Return the sums of own net minus the other's, in 840ths, over the matches two bots shared.

    Each pair that met stands there twice, once for each as the first.
    """
    own, other = places.alias("own"), places.alias("other")
    difference = own.c.net - other.c.net
    big = type_coerce(own.c.bot, BigInteger)
    pair = (big * _PAIR + other.c.bot).label("pair")  # one number sorts faster than two
    # Each meeting once, the lower seat as own: half the rows to group.
    query = (
        select(
            pair,
            func.count(),
            func.sum(difference),
            *_square_sums(difference),
        )
        .join(
            other,
            (own.c.tournament == other.c.tournament)
            & (own.c.attempt == other.c.attempt)
            & (own.c.seat < other.c.seat),
        )
        .where(own.c.tournament == tournament)
        .group_by(pair)
    )
    met: dict[tuple[int, int], list[int]] = {}
    for bots, matches, sum_, *squares in connection.execute(query):
        one, two = divmod(bots, _PAIR)
        square = _square(squares)
        for key, signed in (((one, two), int(sum_)), ((two, one), -int(sum_))):
            sums = met.setdefault(key, [0, 0, 0])
            for place, value in enumerate((matches, signed, square)):
                sums[place] += value
    names = {bot: name for name, bot in bot_ids(connection, tournament).items()}
    return [PairSums(names[one], names[two], *met[one, two]) for one, two in sorted(met)]


def _finishes(connection: Connection, tournament: int) -> dict[Finish, int]:
    """Return how often matches ended in which way."""
    last = connection.scalar(
        select(func.max(places.c.seat)).where(places.c.tournament == tournament)
    )
    if last is None:
        return {}
    # A row a match, with a column a seat: its bot and place as one number, 0 where nobody sits.
    seated = places.c.bot * _PLACE + places.c.place
    columns = (func.max(case((places.c.seat == seat, seated), else_=0)) for seat in range(last + 1))
    ended = (
        select(*columns)
        .where(places.c.tournament == tournament)
        .group_by(places.c.attempt)
        .subquery()
    )
    names = {bot: name for name, bot in bot_ids(connection, tournament).items()}
    finishes: dict[Finish, int] = {}
    # The same bots in other seats are the same finish.
    for *seats, number in connection.execute(select(*ended.c, func.count()).group_by(*ended.c)):
        by_bot = (divmod(seat, _PLACE) for seat in seats if seat)
        finish = Finish.of({names[bot]: place for bot, place in by_bot})
        finishes[finish] = finishes.get(finish, 0) + number
    return finishes


@dataclass(slots=True)
class _Total:
    matches: int = 0
    hands: int = 0
    net: int = 0
    net_square: int = 0
    share: int = 0
    share_square: int = 0
    places: dict[int, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)


def _square_sums(value: ColumnElement[int]) -> tuple[ColumnElement[Any], ...]:
    high, low = value // _LIMB, value % _LIMB  # both round toward 0, so value = high, low again
    return func.sum(high * high), func.sum(high * low), func.sum(low * low)


def _square(sums: Iterable[Any]) -> int:
    high_high, high_low, low_low = (int(sum_) for sum_ in sums)
    return high_high * _LIMB * _LIMB + 2 * high_low * _LIMB + low_low
