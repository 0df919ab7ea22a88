"""Group commit: what comes up while one commit is under way goes into the next, all together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.stored import ended, open_friday

from sandlot.errors import StoreError
from sandlot_server.store import FinishedMatch, LostError, Store
from sandlot_server.tournament.commits import GroupCommit


class Watched(Store):
    """A store that tells how many each transaction held; it can be made to wait, or to fail."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, create=True)
        self.begun: list[int] = []
        self.finished: list[int] = []
        self.begun_with: list[int] = []  # in the transactions of results
        self.under_way = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.failing = ""
        self.failure: type[StoreError] = StoreError

    def begin_attempts(self, tournament: str, matches: Sequence[str]) -> dict[str, int]:
        self.begun.append(len(matches))
        self._step("begin")
        return super().begin_attempts(tournament, matches)

    def finish(
        self, tournament: str, finished: Sequence[FinishedMatch], begins: Sequence[str] = ()
    ) -> dict[str, int]:
        self.finished.append(len(finished))
        self.begun_with.append(len(begins))
        self._step("finish")
        return super().finish(tournament, finished, begins)

    def _step(self, step: str) -> None:
        self.under_way.set()
        assert self.go_on.wait(60)
        if self.failing == step:
            raise self.failure(f"cannot {step}")


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
            first = commits.begin("1-1-1")
            await asyncio.to_thread(store.under_way.wait, 60)
            second = asyncio.create_task(begin_all(commits, matches(10, of_round=2)))
            await asyncio.sleep(0)
            store.go_on.set()
            assert await first == 1
            await second

    asyncio.run(scene())
    assert store.begun == [1, 10]


def test_a_result_and_the_next_begin_are_one_transaction(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(3))
            stored = [commits.finish(result(*each)) for each in begun.items()]
            begins = [commits.begin(match) for match in matches(3, of_round=2)]
            assert await asyncio.gather(*begins) == [1, 1, 1]
            assert all(each.done() for each in stored)

    asyncio.run(scene())
    assert (store.begun, store.finished, store.begun_with) == ([3], [3], [3])
    assert store.done("friday") == set(matches(3))


def test_to_leave_waits_for_what_was_asked_for(store: Watched) -> None:
    counted: list[str] = []

    async def scene() -> None:
        async with GroupCommit(store, "friday", lambda match: counted.append(match.match)) as all_:
            begun = await begin_all(all_, matches(3))
            asked = [all_.finish(result(*each)) for each in begun.items()]
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
            # And what was to begin has not: it can still.
            assert set((await begin_all(commits, matches(3, of_round=2))).values()) == {1}

    asyncio.run(scene())
    assert store.done("friday") == set(matches(3))


def test_a_result_that_is_stored_is_no_failure_where_a_begin_fails(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(2))
            await commits.begin("2-1-1")
            told = await asyncio.gather(
                *(commits.finish(result(*each)) for each in begun.items()),
                commits.begin("2-1-1"),
                commits.begin("2-2-1"),
                return_exceptions=True,
            )
            assert [type(each) for each in told] == [type(None)] * 2 + [StoreError] * 2
            assert "match 2-1-1 is running in attempt 1: it cannot begin" in str(told[2])

    asyncio.run(scene())
    assert store.done("friday") == set(matches(2))
    assert (store.finished, store.begun_with) == ([2, 2], [2, 0])


def test_what_a_lost_database_may_have_stored_is_not_stored_again(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            begun = await begin_all(commits, matches(2))
            store.failing, store.failure = "finish", LostError
            told = await asyncio.gather(
                *(commits.finish(result(*each)) for each in begun.items()),
                commits.begin("2-1-1"),
                return_exceptions=True,
            )
            assert [type(each) for each in told] == [LostError] * 3

    asyncio.run(scene())
    assert store.finished == [2]


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


def test_what_breaks_the_commits_themselves_reaches_all_who_wait_or_come_later(
    store: Watched,
) -> None:
    broken = ZeroDivisionError("in what is called for each match")
    waiting: list[asyncio.Future[Any]] = []

    def breaks(match: FinishedMatch) -> None:
        waiting.append(commits.begin("3-1-1"))  # for the next group, which does not come
        raise broken

    commits = GroupCommit(store, "friday", breaks)

    async def scene() -> None:
        async with commits:
            begun = await begin_all(commits, matches(2))
            waiting.extend(commits.finish(result(*each)) for each in begun.items())
            waiting.append(commits.begin("2-1-1"))
            async with asyncio.timeout(60):
                told = await asyncio.gather(*waiting, return_exceptions=True)
            assert told == [broken] * 3
            assert waiting[3].exception() is broken
            for ask in (lambda: commits.begin("2-2-1"), lambda: commits.finish(result("2-1-1", 1))):
                with pytest.raises(ZeroDivisionError):
                    ask()

    with pytest.raises(ZeroDivisionError):  # who leaves hears of it too, if nobody else has
        asyncio.run(scene())
    assert store.done("friday") == set(matches(2))  # it was stored before


def test_a_stop_of_the_commits_is_no_stop_of_who_waits(store: Watched) -> None:
    async def scene() -> None:
        async with GroupCommit(store, "friday") as commits:
            store.go_on.clear()
            begin = commits.begin("1-1-1")
            await asyncio.to_thread(store.under_way.wait, 60)
            (task,) = [each for each in asyncio.all_tasks() if each.get_name() == "group commit"]
            task.cancel()
            with pytest.raises(RuntimeError, match="broken off"):
                await begin
            store.go_on.set()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(scene())
