"""What travels comes out as it went in: owners, bots, matches and tables."""

from __future__ import annotations

import json
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from support.command import run_python

from sandlot.v1 import league_pb2
from sandlot_server.service.tables import read_table, write_table
from sandlot_server.service.values import (
    public,
    read_bot,
    read_match,
    read_owner,
    write_bot,
    write_match,
    write_owner,
)
from sandlot_server.store.registered import (
    OwnedBot,
    Owner,
    StoredMatch,
    StoredSeat,
    Version,
)
from sandlot_server.store.values import StoredBot, StoredTournament, VoidAttempt
from sandlot_server.tournament.rating import Rating
from sandlot_server.tournament.standings import Mean, Meeting, Row, Standings
from sandlot_server.tournament.table import TournamentTable

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COUNTS = st.integers(0, 2**32 - 1)
MONEY = st.fractions(max_denominator=840)
NUMBERS = st.floats(allow_nan=False)
FAULTS = st.dictionaries(TEXTS, COUNTS, max_size=3)

OWNERS = st.builds(Owner, TEXTS, st.sampled_from(["admin", "owner", "reader"]), TEXTS, COUNTS)
MANIFESTS = st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS, max_size=2), max_size=3)
VERSIONS = st.builds(
    Version,
    id=COUNTS,
    bot=TEXTS,
    owner=TEXTS,
    number=COUNTS,
    kind=st.sampled_from(["submitted", "remote", "house"]),
    hash=TEXTS,
    manifest=MANIFESTS,
    status=st.sampled_from(["received", "active"]),
    reason=TEXTS,
    account=TEXTS,
    received=TEXTS,
    settled=st.none() | TEXTS,
)
BOTS = st.builds(
    OwnedBot,
    name=TEXTS,
    owner=TEXTS,
    created=TEXTS,
    disqualified=st.none() | TEXTS,
    versions=st.lists(VERSIONS, max_size=3).map(tuple),
)
SEATS = st.builds(StoredSeat, TEXTS, MONEY, COUNTS, FAULTS)
MATCHES = st.builds(
    StoredMatch,
    match=TEXTS,
    attempt=COUNTS,
    started=TEXTS,
    ended=TEXTS,
    digest=TEXTS,
    hands=COUNTS,
    seats=st.lists(SEATS, max_size=3).map(tuple),
    position=st.integers(0, 2**63),
)
MEANS = st.builds(Mean, MONEY, st.none() | st.tuples(NUMBERS, NUMBERS))
MEETINGS = st.builds(Meeting, TEXTS, TEXTS, COUNTS, MEANS)
ROWS = st.builds(
    Row,
    rank=st.none() | COUNTS,
    bot=TEXTS,
    matches=COUNTS,
    hands=st.integers(0, 2**64 - 1),
    net=st.none() | MEANS,
    first_places=st.none() | MEANS,
    places=st.dictionaries(st.integers(1, 7), COUNTS),
    faults=FAULTS,
    rating=st.none() | st.builds(Rating, NUMBERS, NUMBERS, COUNTS),
    above=st.none() | MEETINGS,
)
TABLES = st.builds(
    TournamentTable,
    st.builds(
        StoredTournament,
        name=TEXTS,
        configuration=st.dictionaries(TEXTS, st.integers() | st.booleans() | TEXTS, max_size=3),
        rounds=COUNTS,
        seed=st.just(b""),
        commitment=TEXTS,
        created=TEXTS,
        season=st.sampled_from([None, "open", "closed"]),
        bots=st.lists(st.builds(StoredBot, TEXTS, TEXTS, st.none() | TEXTS), max_size=3).map(tuple),
    ),
    st.builds(
        Standings,
        st.sampled_from(["net", "places"]),
        st.lists(ROWS, max_size=3).map(tuple),
        st.lists(MEETINGS, max_size=3).map(tuple),
    ),
    st.lists(st.builds(VoidAttempt, TEXTS, COUNTS, TEXTS, TEXTS, TEXTS), max_size=2).map(tuple),
)


@given(OWNERS)
def test_an_owner_comes_out_as_it_went_in(owner: Owner) -> None:
    sent = write_owner(owner).SerializeToString()
    assert read_owner(league_pb2.Owner.FromString(sent)) == owner


@given(BOTS)
def test_a_bot_comes_out_as_it_went_in(bot: OwnedBot) -> None:
    sent = write_bot(bot).SerializeToString()
    read = read_bot(league_pb2.Bot.FromString(sent))
    assert read == bot
    assert [each.manifest for each in read.versions] == [each.manifest for each in bot.versions]


@given(MATCHES)
def test_a_match_comes_out_as_it_went_in(match: StoredMatch) -> None:
    sent = write_match(match).SerializeToString()
    read = read_match(league_pb2.FinishedMatch.FromString(sent))
    assert read == match
    assert [seat.faults for seat in read.seats] == [seat.faults for seat in match.seats]


@given(TABLES)
def test_a_table_comes_out_as_it_went_in(table: TournamentTable) -> None:
    sent = write_table(table).SerializeToString()
    read = read_table(league_pb2.StandingsResponse.FromString(sent))
    assert read == table
    assert read.standings.to_json() == table.standings.to_json()


def test_the_seed_of_a_season_does_not_travel() -> None:
    seed = bytes(range(100, 132))
    tournament = StoredTournament("spring", {}, 1, seed, "", "", ())
    table = TournamentTable(tournament, Standings("net", (), ()), ())
    sent = write_table(table).SerializeToString()
    assert seed not in sent
    assert seed.hex().encode() not in sent


def test_what_everybody_may_know_of_a_version_leaves_out_what_its_owner_is_told() -> None:
    version = Version(
        *(1, "river-rat", "ann", 1, "submitted", "ab", {"run": "bot.py"}),
        *("refused", "it crashed", "Traceback", "2026-12-01T12:00:00Z", None),
    )
    shown = str(write_bot(OwnedBot("river-rat", "ann", "", None, (public(version),))))
    assert "bot.py" not in shown
    assert "crashed" not in shown
    assert "Traceback" not in shown
    assert "refused" in shown


def test_an_exact_mean_is_not_rounded() -> None:
    third = Mean(Fraction(-1, 3), None)
    row = Row(1, "a@1", 1, 8, third, third, {1: 1}, {})
    tournament = StoredTournament("spring", {}, 1, b"", "", "", ())
    table = TournamentTable(tournament, Standings("net", (row,), ()), ())
    read = read_table(write_table(table))
    assert read.standings.rows[0].net == third


def test_a_client_reads_them_with_the_base_install() -> None:
    ran = run_python(
        "-c",
        "import json, sys\n"
        "import sandlot_server.service.tables, sandlot_server.service.values\n"
        "print(json.dumps([*sys.modules]))\n",
    )
    loaded = {module.partition(".")[0] for module in json.loads(ran.out)}
    assert "sandlot_server" in loaded
    assert not loaded & {"sqlalchemy", "structlog", "scipy", "numpy", "alembic"}
