"""When time begins for a request: the rule of the design, against a model that is too slow."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cache

from hypothesis import given
from hypothesis import strategies as st
from support.reducing import setup_for

from sandlot.match import Ask
from sandlot.observation import Observation
from sandlot_server.arbiter.requests import Request, Requests
from sandlot_server.arbiter.table import Table


@cache
def table(match: str) -> Table:
    async def made() -> Table:
        return Table(setup_for(match=match), [], lambda fault: None)

    return asyncio.run(made())


def request(match: str, decision: int = 1, allowed: float = 10.0) -> Request:
    return Request(table(match), Ask(0, decision, allowed, 0.0, Observation.blank()))


@dataclass
class Model:
    """Every request ever written, in order, and when it was answered first."""

    written: list[tuple[Request, float]] = field(default_factory=list)
    answered: dict[int, float] = field(default_factory=dict)

    def start(self, asked: Request) -> float:
        place = next(i for i, (each, _) in enumerate(self.written) if each is asked)
        earlier = [when for i, when in self.answered.items() if i < place]
        return max([self.written[place][1], *earlier])


steps = st.lists(
    st.tuples(st.sampled_from(["write", "answer", "overdue", "late"]), st.integers(0, 10**6)),
    max_size=80,
)


@given(steps)
def test_time_begins_as_the_model_says_whatever_the_order_of_answers(
    steps: list[tuple[str, int]],
) -> None:
    requests, model, now = Requests(), Model(), 0.0
    overdue: list[Request] = []
    for number, (step, choice) in enumerate(steps):
        now += 1.0
        open_now = list(requests)
        if step == "write":
            new = request(f"m{number}")
            requests.add(new)
            requests.writing([new], now)
            requests.written([new], now)
            model.written.append((new, now))
        elif step == "late" and overdue:
            late = overdue.pop(choice % len(overdue))
            found = requests.late(late.table.match_id, late.ask.decision)
            assert found == late.number
            assert requests.late(late.table.match_id, late.ask.decision) is None
            model.answered[late.number - 1] = now
            requests.mark(late.number, now)
        elif open_now:
            asked = open_now[choice % len(open_now)]
            if step == "answer":
                assert requests.find(asked.table.match_id, 1) is asked
                requests.close(asked)
                model.answered[asked.number - 1] = now
                requests.mark(asked.number, now)
            else:
                requests.close_late(asked)
                overdue.append(asked)
        for each in requests:
            assert requests.start(each) == model.start(each)
        assert requests.oldest() is next(iter(requests), None)
        expected = min(
            (model.start(each) + 10.0 + 0.001 for each in requests), default=float("inf")
        )
        assert requests.next_due() == expected


def test_marks_are_not_kept_forever() -> None:
    requests = Requests()
    held = request("held")
    for number in range(10_000):
        new = request(f"m{number % 100}")
        requests.add(new)
        if number == 5_000:
            requests.add(held)
            requests.writing([held], 5_000.0)
        requests.writing([new], float(number))
        requests.close(new)
        requests.mark(new.number, number + 0.5)
    assert len(requests._answered) < 6_000  # those behind the request that is held
    assert requests.start(held) == 5_000.0
    requests.close(held)
    requests.mark(held.number, 20_000.0)
    last = request("last")
    requests.add(last)
    requests.writing([last], 20_001.0)
    requests.close(last)
    requests.mark(last.number, 20_002.0)
    assert len(requests._answered) < 70
    assert not len(requests)


def test_a_request_is_not_timed_before_it_is_written() -> None:
    requests = Requests()
    asked = request("m", decision=7)
    requests.add(asked)
    assert requests.find("m", 7) is None
    assert requests.oldest() is None
    assert requests.next_due() == float("inf")
    assert requests.overdue(1e9) == []
    requests.writing([asked], 5.0)
    requests.written([asked], 8.0)
    assert requests.start(asked) == 8.0
    assert requests.find("m", 7) is asked
    assert requests.find("m", 6) is None


def test_time_runs_on_while_a_bot_is_away() -> None:
    requests = Requests()
    first, second = request("1"), request("2")
    for each in (first, second):
        requests.add(each)
    requests.writing([first, second], 1.0)
    requests.close(first)
    requests.mark(first.number, 4.0)
    requests.interrupt()
    assert requests.start(second) == 4.0
    requests.writing([second], 9.0)  # again, on the new stream
    requests.written([second], 9.0)
    assert requests.start(second) == 4.0


def test_a_match_that_is_over_leaves_nothing_behind() -> None:
    requests = Requests()
    late, unanswered = request("m", 1), request("m", 2)
    requests.add(late)
    requests.writing([late], 1.0)
    requests.close_late(late)
    requests.add(unanswered)
    requests.forget("m")
    assert requests.late("m", 1) is None
    assert not len(requests)
