"""What a server counts, as Prometheus finds it over HTTP."""

from __future__ import annotations

import asyncio
import math
import socket
import struct
import threading
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import get_args

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from structlog.testing import capture_logs
from support.ipv6 import needs_ipv6
from support.one_loop import run

from sandlot import Action, Bot, Observation
from sandlot.arena import play
from sandlot.errors import ServerError
from sandlot.played import FAULT_CAUSES, Decision, PlayedMatch
from sandlot_server.league.reception import Outcome
from sandlot_server.serving import scraping
from sandlot_server.serving.metrics import Metrics, VoidReason
from sandlot_server.serving.scraping import AT_ONCE, scraped

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Caller(Bot):
    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


class Broken(Bot):
    def act(self, seen: Observation) -> Action:
        raise ValueError("broken")


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def samples(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(metrics: Metrics) -> Samples:
    async def scene() -> str:
        async with scraped("0", metrics.registry) as url:
            return await asyncio.to_thread(fetch, url)

    return samples(run(scene()))


def one_match(*bots: type[Bot]) -> PlayedMatch:
    (played,) = play(bots, seed=bytes(16))
    return played


def with_decisions(decisions: Iterable[tuple[str | None, int]]) -> PlayedMatch:
    """Return a match of one hand with decisions of these faults and milliseconds."""
    played = one_match(Caller, Caller)
    made = tuple(Decision(0, ("check",), "check", "check", fault, ms) for fault, ms in decisions)
    return replace(played, hands=(played.hands[0]._replace(decisions=made),))


def test_every_outcome_reason_and_cause_is_there_from_the_start() -> None:
    found = scrape(Metrics())
    for outcome in ("finished", "void"):
        assert found["sandlot_matches_total", (("outcome", outcome),)] == 0
    for reason in VoidReason:
        assert found["sandlot_void_matches_total", (("reason", reason),)] == 0
    for cause in FAULT_CAUSES:
        assert found["sandlot_faults_total", (("cause", cause),)] == 0
    for decided in get_args(Outcome):
        assert found["sandlot_submissions_total", (("outcome", decided),)] == 0


def test_a_finished_match_counts_with_its_hands_and_decisions() -> None:
    metrics, played = Metrics(), one_match(Caller, Caller)
    metrics.match_finished(played)
    metrics.match_finished(played)
    found = scrape(metrics)
    decisions = sum(len(hand.decisions) for hand in played.hands)
    assert found["sandlot_matches_total", (("outcome", "finished"),)] == 2
    assert found["sandlot_hands_total", ()] == 16
    assert found["sandlot_decisions_total", ()] == 2 * decisions
    assert found["sandlot_decision_seconds_count", ()] == 2 * decisions


def test_faults_count_by_cause_and_who_is_out_is_not_asked() -> None:
    metrics, played = Metrics(), one_match(Caller, Broken)
    metrics.match_finished(played)
    found = scrape(metrics)
    asked = [each for hand in played.hands for each in hand.decisions if each.fault != "out"]
    assert found["sandlot_faults_total", (("cause", "exception"),)] == 3
    assert found["sandlot_decisions_total", ()] == len(asked)
    assert len(asked) < sum(len(hand.decisions) for hand in played.hands)


def test_decisions_are_measured_in_seconds_from_the_milliseconds_of_the_record() -> None:
    metrics = Metrics()
    of_bots = [(None, 1), (None, 2), ("illegal", 3), ("timeout", 1500), (None, 60_000)]
    metrics.match_finished(with_decisions([*of_bots, ("out", 0), ("crash", 0)]))
    found = scrape(metrics)
    bounds = {
        labels[0][1]: value
        for (name, labels), value in found.items()
        if name == "sandlot_decision_seconds_bucket"
    }
    assert [bounds[le] for le in ("0.001", "0.002", "0.005", "1.0", "2.0", "30.0", "+Inf")] == [
        *(1, 2, 3, 3, 4, 4, 5)
    ]
    assert found["sandlot_decision_seconds_sum", ()] == pytest.approx(61.506)


def test_void_matches_count_by_reason() -> None:
    metrics = Metrics()
    metrics.match_void(VoidReason.DRAINED)
    metrics.match_void(VoidReason.DRAINED)
    metrics.match_void(VoidReason.BOT)
    found = scrape(metrics)
    assert found["sandlot_matches_total", (("outcome", "void"),)] == 3
    assert found["sandlot_void_matches_total", (("reason", "drained"),)] == 2
    assert found["sandlot_void_matches_total", (("reason", "bot"),)] == 1


def test_submissions_count_by_outcome() -> None:
    metrics = Metrics()
    metrics.submission_tried("refused")
    found = scrape(metrics)
    assert found["sandlot_submissions_total", (("outcome", "refused"),)] == 1
    assert found["sandlot_submissions_total", (("outcome", "active"),)] == 0


def measured(metrics: Metrics, sessions: Callable[[], float]) -> None:
    metrics.measure(
        matches_under_way=lambda: 3,
        matches_queued=lambda: 40,
        sessions=sessions,
        store_bytes=lambda: 1 << 20,
    )


def test_what_is_there_at_the_moment_is_read_when_somebody_asks() -> None:
    metrics, connected = Metrics(), ["tight"]
    measured(metrics, lambda: len(connected))
    assert scrape(metrics)["sandlot_sessions", ()] == 1
    connected.append("caller")
    found = scrape(metrics)
    assert found["sandlot_sessions", ()] == 2
    assert found["sandlot_matches_under_way", ()] == 3
    assert found["sandlot_matches_queued", ()] == 40
    assert found["sandlot_store_bytes", ()] == 1 << 20


def test_a_number_that_is_not_to_be_had_spoils_no_other() -> None:
    metrics = Metrics()
    measured(metrics, lambda: 1 / 0)
    found = scrape(metrics)
    assert math.isnan(found["sandlot_sessions", ()])
    assert found["sandlot_matches_queued", ()] == 40


def test_the_build_and_the_process_are_told() -> None:
    labels = {sample[0]: sample[1] for sample in scrape(Metrics())}
    assert dict(labels["sandlot_build_info"]).keys() == {"version", "python"}
    assert "process_resident_memory_bytes" in labels


def test_two_servers_in_one_process_have_numbers_of_their_own() -> None:
    one, other = Metrics(), Metrics()
    one.match_void(VoidReason.FAILED)
    assert scrape(other)["sandlot_matches_total", (("outcome", "void"),)] == 0


def test_no_label_has_values_of_strangers() -> None:
    metrics = Metrics()
    metrics.match_finished(one_match(Caller, Broken))
    labels = {name for _, pairs in scrape(metrics) for name, _ in pairs}
    assert labels == {"outcome", "reason", "cause", "le", "version", "python"}


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("0", "127.0.0.1"),
        (":0", "127.0.0.1"),
        ("0.0.0.0:0", "0.0.0.0"),
        pytest.param("[::1]:0", "[::1]", marks=needs_ipv6),
    ],
)
def test_the_metrics_are_for_this_machine_alone_unless_a_host_is_named(
    address: str, host: str
) -> None:
    async def scene() -> str:
        async with scraped(address, Metrics().registry) as url:
            assert "sandlot_build_info" in await asyncio.to_thread(fetch, url)
            return url

    url = run(scene())
    assert url.rpartition(":")[0] == f"http://{host}"
    assert url.endswith("/metrics")


def test_a_port_in_use_is_told_in_one_line() -> None:
    async def scene() -> tuple[str, str]:
        async with scraped("0", Metrics().registry) as url:
            address = url.removeprefix("http://").removesuffix("/metrics")
            with pytest.raises(ServerError) as caught:
                async with scraped(address, Metrics().registry):
                    pass
        return address, str(caught.value)

    address, told = run(scene())
    assert told == (
        f"cannot show metrics at {address}: Address already in use: name another address with "
        "--metrics, or end what uses it"
    )


def test_an_address_that_is_none_is_refused() -> None:
    async def scene(address: str) -> None:
        async with scraped(address, Metrics().registry):
            pass

    for address in ("here", "127.0.0.1:http", "unix:/run/metrics.sock", "nobody.invalid:0"):
        with pytest.raises(ServerError):
            run(scene(address))


def test_clients_that_say_nothing_keep_no_thread_and_no_server_from_ending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scraping, "PATIENCE", 3600)  # they are not waited for
    before = set(threading.enumerate())

    async def scene() -> str:
        async with scraped("0", Metrics().registry) as url:
            host, _, port = url.removeprefix("http://").removesuffix("/metrics").rpartition(":")
            silent = [socket.create_connection((host, int(port))) for _ in range(AT_ONCE - 1)]
            text = await asyncio.to_thread(fetch, url)
        for each in silent:
            each.close()
        return text

    assert "sandlot_build_info" in run(scene())
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert {name for name in left if not name.startswith("asyncio")} == set()


def test_clients_beyond_the_limit_are_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scraping, "PATIENCE", 3600)  # nobody else is

    async def scene() -> bytes:
        async with scraped("0", Metrics().registry) as url:
            host, _, port = url.removeprefix("http://").removesuffix("/metrics").rpartition(":")
            clients = [await asyncio.open_connection(host, int(port)) for _ in range(AT_ONCE + 1)]
            said = await clients[-1][0].read()
        for _, writer in clients:
            writer.close()
        return said

    assert run(scene()) == b""


class Failing(Collector):
    def __init__(self) -> None:
        self.fails = False

    def collect(self) -> Iterable[Metric]:
        if self.fails:
            raise LookupError("not there")
        return []


def test_a_failure_of_our_own_is_logged_and_the_next_client_is_served() -> None:
    async def scene() -> str:
        metrics, failing = Metrics(), Failing()
        metrics.registry.register(failing)
        async with scraped("0", metrics.registry) as url:
            failing.fails = True
            with pytest.raises(OSError, match="closed connection"):
                await asyncio.to_thread(fetch, url)
            failing.fails = False
            return await asyncio.to_thread(fetch, url)

    with capture_logs() as events:
        assert "sandlot_build_info" in run(scene())
    assert [event["event"] for event in events] == ["metrics not shown"]


def test_a_client_that_hangs_up_is_not_in_the_log() -> None:
    async def scene() -> str:
        async with scraped("0", Metrics().registry) as url:
            host, _, port = url.removeprefix("http://").removesuffix("/metrics").rpartition(":")
            client = socket.create_connection((host, int(port)))
            # Closed with an error, and with what was asked for still to come.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(b"GET /metrics HTTP/1.1\r\n")
            client.close()
            return await asyncio.to_thread(fetch, url)

    with capture_logs() as events:
        assert "sandlot_build_info" in run(scene())
    assert events == []
