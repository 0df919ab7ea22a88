"""Group commit: what comes up while one commit is under way goes into the next, all together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from support.stored import ended, open_friday

from sandlot.errors import StoreError
from sandlot_server.store import FinishedMatch, Store
from sandlot_server.tournament.commits import GroupCommit


class Watched(Store):
    """A store that tells how many each transaction held; it can be made to wait, or to fail."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, create=True)
        self.begun: list[int] = []
        self.finished: list[int] = []
        self.under_way = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.failing = ""

    def begin_attempts(self, tournament: str, matches: Sequence[str]) -> dict[str, int]:
        self.begun.append(len(matches))
        self._step("begin")
        return super().begin_attempts(tournament, matches)

    def finish(self, tournament: str, finished: Sequence[FinishedMatch]) -> None:
        self.finished.append(len(finished))
        self._step("finish")
        super().finish(tournament, finished)

    def _step(self, step: str) -> None:
        self.under_way.set()
        assert self.go_on.wait(60)
        if self.failing == step:
            raise StoreError(f"cannot {step}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Watched]:
    with Watched(tmp_path / "a.db") as store:
        open_friday(store)
        yield store


def matches(number: int, of_round: int = 1) -> list[str]:
    return [f"{of_round}-{table}-1" for table in range(1, number + 1)]


def result(match: str, attempt: int) -> FinishedMatch:
    return ended(match, attempt, {"ann": 1, "bob": -1})


async def begin_all(commits: GroupCommit, ids: Sequence[str]) -> Mapping[str, int]:
    return dict(zip(ids, await asyncio.gather(*map(commits.begin, ids)), strict=True))


async def finish_all(commits: GroupCommit, begun: Mapping[str, int]) -> None:
    await asyncio.gather(*(commits.finish(result(*each)) for each in begun.items()))


def test_what_is_asked_for_at_once_is_one_transaction(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(50))
            assert begun == dict.fromkeys(matches(50), 1)
            await finish_all(commits, begun)

    asyncio.run(scene())
    assert (store.begun, store.finished) == ([50], [50])
    assert store.done("friday") == set(matches(50))


def test_what_comes_up_during_a_commit_waits_for_the_next(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            store.go_on.clear()
            first = asyncio.create_task(commits.begin("1-1-1"))
            await asyncio.to_thread(store.under_way.wait, 60)
            second = asyncio.create_task(begin_all(commits, matches(10, of_round=2)))
            await asyncio.sleep(0)
            store.go_on.set()
            assert await first == 1
            await second

    asyncio.run(scene())
    assert store.begun == [1, 10]


def test_to_leave_waits_for_what_was_asked_for(store: Watched) -> None:
    counted: list[str] = []

    async def scene() -> None:
        async with GroupCommit(store, "friday", lambda match: counted.append(match.match)) as all_:
            begun = await begin_all(all_, matches(3))
            asked = [asyncio.ensure_future(all_.finish(result(*each))) for each in begun.items()]
            await asyncio.sleep(0)
            asked[0].cancel()  # nobody waits for it any more; it is stored all the same
        assert [task.cancelled() for task in asked] == [True, False, False]

    asyncio.run(scene())
    assert store.done("friday") == set(counted) == set(matches(3))


def test_a_failure_reaches_all_who_wait_and_nothing_of_theirs_is_stored(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(3))
            store.failing = "finish"
            done = [commits.finish(result(*each)) for each in begun.items()]
            begins = [commits.begin(match) for match in matches(3, of_round=2)]
            told = await asyncio.gather(*done, *begins, return_exceptions=True)
            assert [str(error) for error in told] == ["cannot finish"] * 6
            store.failing = ""
            await finish_all(commits, begun)  # the next one may go well again

    asyncio.run(scene())
    assert store.begun == [3]
    assert store.done("friday") == set(matches(3))


def test_a_result_that_is_stored_is_no_failure_where_a_begin_fails(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(2))
            store.failing = "begin"
            told = await asyncio.gather(
                finish_all(commits, begun), commits.begin("2-1-1"), return_exceptions=True
            )
            assert [type(each) for each in told] == [type(None), StoreError]

    asyncio.run(scene())
    assert store.done("friday") == set(matches(2))


def test_one_result_that_cannot_be_keeps_all_of_its_group_out(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(3))
            told = await asyncio.gather(
                *(commits.finish(result(*each)) for each in begun.items()),
                commits.finish(result("9-9-9", 1)),
                return_exceptions=True,
            )
            assert {type(error) for error in told} == {StoreError}
            assert "attempt 1 of match 9-9-9 is not begun" in str(told[0])

    asyncio.run(scene())
    assert store.done("friday") == frozenset()
