"""What becomes of a submission: taken, built, tried, kept, refused; whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import pytest
from support.attacks import ATTACKS
from support.desk import Desk, archive, class_bot, command_bot, settled
from support.one_loop import run
from support.wheels import wheel

from sandlot.errors import BotError, StoreError, SubmissionError
from sandlot_server.launch.bots import ClassBot, CommandBot
from sandlot_server.launch.plain import Plain
from sandlot_server.league import reception
from sandlot_server.league.house import house_hashes
from sandlot_server.league.quotas import QuotaError, Quotas
from sandlot_server.store.registered import Version
from sandlot_server.submissions import building
from sandlot_server.submissions.unpacking import examine

SENT = class_bot(name="one")
ROOM = len(SENT) + examine(SENT).size + 50
"""Bytes that hold a small bot, and not a second one."""


class Broken(Plain):
    """A confinement that does not work until it is mended; tells when that was found."""

    def __init__(self) -> None:
        self.mended = False
        self.found = 0

    def check(self) -> None:
        if not self.mended:
            self.found += 1
            raise BotError("the sandbox does not work here")


def full(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_submission_is_built_and_tried_and_becomes_active(desk: Desk) -> None:
    sent = class_bot()
    changes: list[None] = []

    async def scene() -> list[Version]:
        async with desk.reception(on_change=lambda: changes.append(None)) as desk_open:
            version = await desk_open.submit(desk.ann, sent)
            return [version, *[one async for one in desk_open.follow(version)]]

    seen = run(scene())
    assert [one.status for one in seen] == ["received", "building", "trying", "active"]
    assert len(changes) == 4
    version = seen[-1]
    assert (version.entrant, version.owner, version.kind) == ("mine@1", "ann", "submitted")
    assert version.hash == examine(sent).version
    kept = desk.kept(version)
    assert kept.archive.read_bytes() == sent
    assert sorted(path.name for path in kept.root.iterdir()) == [
        "archive.tar.gz",
        "environment",
        "files",
        "trial.log",
    ]
    bot = desk.reception().launched(version)
    assert bot == ClassBot("bot.py:Good", kept.files, kept.environment)
    assert desk.folder.root.stat().st_mode & 0o777 == 0o700


def test_the_folder_may_be_named_from_where_the_server_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(desk: Desk) -> Version:
        async with desk.reception() as desk_open:
            return await settled(desk_open, await desk_open.submit(desk.ann, class_bot()))

    with Desk(Path("data")) as desk:
        assert run(scene(desk)).status == "active"
        assert desk.folder.root == tmp_path / "data"


def test_a_command_finds_what_it_requires(desk: Desk, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "odds_of_mine", "1.5", {"odds_of_mine.py": "ODDS = 15\n"})
    sent = command_bot(
        "import odds_of_mine\nprint(odds_of_mine.ODDS, flush=True)\nrun(Good)\n",
        requires='["odds_of_mine"]',
    )
    index = ("--no-index", "--find-links", str(tmp_path / "wheels"), "--no-cache-dir")

    async def scene() -> tuple[Version, str]:
        async with desk.reception(index=index) as desk_open:
            version = await settled(desk_open, await desk_open.submit(desk.ann, sent))
            return version, (await desk_open.log_of(version, None)).text

    version, log = run(scene())
    assert (version.status, version.reason, version.account) == ("active", "", "")
    assert "\n15\n" in log
    assert isinstance(desk.reception().launched(version), CommandBot)


def test_what_is_refused_keeps_all_that_its_author_needs_and_no_environment(desk: Desk) -> None:
    sent = class_bot("raise RuntimeError('not today')\n")

    async def scene() -> Version:
        async with desk.reception() as desk_open:
            return await settled(desk_open, await desk_open.submit(desk.ann, sent))

    version = run(scene())
    assert version.status == "refused"
    assert version.reason.startswith("sandlot check: bot.py:Good cannot be imported: RuntimeError")
    assert version.account.endswith("RuntimeError: not today\n")
    kept = desk.kept(version)
    assert kept.archive.exists()
    assert kept.files.exists()
    assert not kept.environment.exists()


def test_what_cannot_be_installed_is_refused_with_what_pip_says(desk: Desk) -> None:
    async def scene() -> Version:
        async with desk.reception(index=("--no-index",)) as desk_open:
            sent = command_bot(requires='["no-such-package-of-mine"]')
            return await settled(desk_open, await desk_open.submit(desk.ann, sent))

    version = run(scene())
    assert version.status == "refused"
    assert "cannot be installed from wheels" in version.reason
    assert "no-such-package-of-mine" in version.account


def test_a_new_version_replaces_the_one_before_whose_environment_goes_in_time(desk: Desk) -> None:
    async def scene() -> list[Version]:
        async with desk.reception() as desk_open:
            return [
                await settled(desk_open, await desk_open.submit(desk.ann, class_bot(source)))
                for source in ("", "# better\n")
            ]

    first, second = run(scene())
    assert (second.number, second.status) == (2, "active")
    assert desk.registry.version(first.id).status == "replaced"
    assert desk.kept(first).environment.exists()  # a match of it may be under way

    async def restart() -> None:
        async with desk.reception():
            pass

    run(restart())
    assert not desk.kept(first).environment.exists()
    assert desk.kept(first).files.exists()
    assert desk.kept(second).environment.exists()


def test_the_same_files_again_are_refused(desk: Desk) -> None:
    async def scene() -> None:
        async with desk.reception() as desk_open:
            version = await desk_open.submit(desk.ann, class_bot())
            with pytest.raises(SubmissionError, match=r"files of mine@1, which waits to be tried"):
                await desk_open.submit(desk.ann, class_bot())
            await settled(desk_open, version)
            with pytest.raises(SubmissionError, match=r"files of mine@1, which plays"):
                await desk_open.submit(desk.ann, class_bot())

    run(scene())
    assert len(desk.registry.bot("mine").versions) == 1


def test_names_of_others_are_refused_at_once(desk: Desk) -> None:
    async def scene() -> None:
        confine = Broken()
        async with desk.reception(confine=lambda private: confine) as desk_open:
            with pytest.raises(SubmissionError, match="'caller' is that of a bot that comes with"):
                await desk_open.submit(desk.ann, class_bot(name="caller"))
            await desk_open.submit(desk.ann, class_bot(name="one"))
            await desk_open.submit(desk.ann, class_bot(name="two"))
            desk.registry.disqualify("two", "it cheated", "a test")
            kept = desk.left()
            with pytest.raises(StoreError, match="the name 'one' is taken"):
                await desk_open.submit(desk.bob, class_bot("# bob\n", name="one"))
            with pytest.raises(StoreError, match="'two' is disqualified: it cheated"):
                await desk_open.submit(desk.ann, class_bot("# again\n", name="two"))
            assert [path for path in desk.left() if "." in Path(path).name[:1]] == []
            assert {path for path in desk.left() if path.count("/") == 1} >= {"one/1", "two/1"}
            assert "one/2" not in kept + desk.left()

    run(scene())


def test_one_file_is_called_as_its_sender_says(desk: Desk) -> None:
    async def scene() -> str:
        async with desk.reception() as desk_open:
            sent = archive({"bot.py": "from sandlot import Bot\n"})
            return (await desk_open.submit(desk.ann, sent, "river-rat")).entrant

    assert run(scene()) == "river-rat@1"


@pytest.mark.parametrize(
    ("quotas", "said"),
    [
        (Quotas(waiting=1), "1 submissions of yours wait to be tried"),
        (Quotas(bots=1), "you have 1 bots, and 1 are allowed; give this one the name of one"),
        (Quotas(daily=1), "you have sent 1 versions within 24 hours, and 1 are allowed; send the"),
        (Quotas(kept=ROOM), f"over {ROOM}; leave out what the bot does not need, or ask the"),
    ],
)
def test_what_an_owner_may_have_is_bounded(quotas: Quotas, said: str, desk: Desk) -> None:
    confine = Broken()

    async def scene() -> None:
        async with desk.reception(confine=lambda private: confine, quotas=quotas) as desk_open:
            await desk_open.submit(desk.ann, class_bot(name="one"))
            with pytest.raises((SubmissionError, StoreError)) as caught:
                await desk_open.submit(desk.ann, class_bot(name="two"))
            assert said in str(caught.value)
            await desk_open.submit(desk.bob, class_bot(name="three"))  # others are not held up

    run(scene())
    assert not (desk.folder.submissions / "two").exists()


def test_bots_that_are_connected_count_as_those_that_are_submitted(desk: Desk) -> None:
    async def scene() -> None:
        async with desk.reception(quotas=Quotas(bots=1, daily=2)) as desk_open:
            first = await desk_open.enroll(desk.ann, "far", new=False)
            with pytest.raises(QuotaError, match="you have 1 bots, and 1 are allowed"):
                await desk_open.enroll(desk.ann, "farther", new=False)
            await desk_open.enroll(desk.ann, "far", new=True)
            with pytest.raises(QuotaError, match="you have sent 2 versions within 24 hours"):
                await desk_open.enroll(desk.ann, "far", new=True)
            again = await desk_open.enroll(desk.ann, "far", new=False)  # nothing is written for it
            assert (first.entrant, again.entrant) == ("far@1", "far@2")
            await desk_open.enroll(desk.bob, "else", new=False)

    run(scene())
    assert [bot.name for bot in desk.registry.bots("ann")] == ["far"]


def test_what_a_bot_has_written_in_a_season_counts_as_kept(desk: Desk) -> None:
    async def scene() -> None:
        async with desk.reception(quotas=Quotas(kept=ROOM)) as desk_open:
            version = await desk_open.enroll(desk.ann, "far", new=False)
            log = desk.folder.log("spring", version.entrant)
            log.parent.mkdir()
            log.write_bytes(bytes(ROOM + 1))
            with pytest.raises(QuotaError, match="over"):
                await desk_open.enroll(desk.ann, "far", new=True)

    run(scene())


def test_archives_that_attack_are_refused_and_leave_nothing(desk: Desk) -> None:
    async def scene() -> None:
        async with desk.reception() as desk_open:
            for kind, attack in ATTACKS.items():
                with pytest.raises(SubmissionError) as caught:
                    await desk_open.submit(desk.ann, attack.archive)
                assert attack.told in str(caught.value), kind

    run(scene())
    assert desk.left() == []
    assert desk.registry.bots("ann") == []


def test_what_the_server_cannot_do_is_put_off_and_done_later(desk: Desk) -> None:
    confine = Broken()

    async def scene() -> Version:
        options: dict[str, Any] = {"confine": lambda private: confine, "again": 0.01}
        async with desk.reception(**options) as desk_open:
            version = await desk_open.submit(desk.ann, class_bot())
            found = asyncio.Event()

            def look() -> None:
                if confine.found >= 2:
                    confine.mended = True
                    found.set()

            desk_open._on_change = look
            await found.wait()
            return await settled(desk_open, version)

    version = run(scene())
    assert (version.status, version.reason) == ("active", "")
    assert confine.found == 2


def test_a_full_disk_refuses_a_submission_and_nothing_is_left(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> Version:
        async with desk.reception() as desk_open:
            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", full)
                with pytest.raises(StoreError, match=r"No space left on device.*send it again"):
                    await desk_open.submit(desk.ann, class_bot())
            assert desk.left() == []
            return await settled(desk_open, await desk_open.submit(desk.ann, class_bot()))

    assert run(scene()).status == "active"


@pytest.mark.parametrize("step", ["unpack", "build", "try_version"])
def test_a_disk_that_is_full_later_is_not_the_authors_fault(
    step: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(reception, step)
    calls: list[None] = []

    def once(*arguments: Any, **options: Any) -> Any:
        calls.append(None)
        return full() if len(calls) == 1 else real(*arguments, **options)

    monkeypatch.setattr(reception, step, once)

    async def scene() -> Version:
        async with desk.reception(again=0.01) as desk_open:
            return await settled(desk_open, await desk_open.submit(desk.ann, class_bot()))

    assert run(scene()).status == "active"
    assert len(calls) == 2


def test_one_that_was_put_off_does_not_replace_a_later_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = building.build

    def build(manifest: Any, files: Path, *arguments: Any, **options: Any) -> Any:
        if files.parent.name == "1" and not desk.registry.bot("mine").active:
            full()
        return real(manifest, files, *arguments, **options)

    monkeypatch.setattr(reception, "build", build)

    async def scene() -> list[Version]:
        async with desk.reception(again=0.01) as desk_open:
            first = await desk_open.submit(desk.ann, class_bot())
            second = await desk_open.submit(desk.ann, class_bot("# better\n"))
            return [await settled(desk_open, one) for one in (first, second)]

    first, second = run(scene())
    assert (first.status, first.reason) == ("replaced", "by version 2")
    assert second.status == "active"


@pytest.mark.parametrize("moment", ["building", "trying"])
def test_one_that_is_retired_meanwhile_stays_so(moment: str, desk: Desk) -> None:
    retired: list[Version] = []

    def retire() -> None:
        (version,) = desk.registry.bot("mine").versions
        if version.status == moment:
            retired.extend(desk.registry.retire("mine", "ann"))

    async def scene() -> Version:
        async with desk.reception(on_change=retire) as desk_open:
            version = await desk_open.submit(desk.ann, class_bot())
            settled_ = await settled(desk_open, version)
            other = await desk_open.submit(desk.ann, class_bot(name="other"))
            await settled(desk_open, other)
            return settled_

    assert run(scene()).status == "retired"
    assert len(retired) == 1
    assert desk.registry.version(retired[0].id).status == "retired"
    assert not desk.kept(retired[0]).environment.exists()


def test_owners_take_turns(desk: Desk) -> None:
    order: list[str] = []

    async def scene() -> None:
        confine = Broken()
        options: dict[str, Any] = {"confine": lambda private: confine, "again": 0.01}
        async with desk.reception(**options) as desk_open:
            waiting = [
                await desk_open.submit(desk.ann, class_bot(name=f"ann-{number}"))
                for number in range(3)
            ]
            waiting.append(await desk_open.submit(desk.bob, class_bot(name="bob-0")))
            confine.mended = True

            async def note(version: Version) -> None:
                order.append((await settled(desk_open, version)).bot)

            await asyncio.gather(*map(note, waiting))

    run(scene())
    assert order.index("bob-0") < 2


def test_who_goes_away_in_the_middle_has_submitted_it(desk: Desk) -> None:
    async def scene() -> Version:
        taken = asyncio.Event()
        async with desk.reception(on_change=taken.set) as desk_open:
            sending = asyncio.create_task(desk_open.submit(desk.ann, class_bot()))
            await asyncio.sleep(0)  # it has begun
            sending.cancel()
            await taken.wait()
            assert sending.cancelled()
            (version,) = desk.registry.bot("mine").versions
            return await settled(desk_open, version)

    assert run(scene()).status == "active"


def test_a_follower_sees_what_another_process_has_done(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "LOOK", 0.01)
    confine = Broken()

    async def scene() -> list[Version]:
        async with desk.reception(confine=lambda private: confine) as desk_open:
            version = await desk_open.submit(desk.ann, class_bot())
            seen: list[Version] = []
            async for now in desk_open.follow(version):
                seen.append(now)
                if now.status == "trying":
                    await asyncio.to_thread(desk.registry.disqualify, "mine", "why not", "me")
            return seen

    assert run(scene())[-1].status == "disqualified"


def test_a_log_is_that_of_the_trial_and_then_that_of_the_season(desk: Desk) -> None:
    async def scene() -> None:
        async with desk.reception() as desk_open:
            sent = class_bot("print('from the trial', file=sys.stderr)\n")
            version = await settled(desk_open, await desk_open.submit(desk.ann, sent))
            log = desk.folder.log("friday", version.entrant)
            log.parent.mkdir()
            log.write_text("from the season\n")
            desk.folder.log("friday", "other@1").write_text("from another's\n")
            trial = await desk_open.log_of(version, None)
            both = await desk_open.log_of(version, "friday")
            rest = await desk_open.log_of(version, "friday", trial.next)
            end = await desk_open.log_of(version, "friday", rest.next)
            assert "from the trial\n" in trial.text
            assert both.text == trial.text + "from the season\n"
            assert rest.text == "from the season\n"
            assert (end.text, end.next) == ("", rest.next)

    run(scene())


def test_the_house_bots_are_started_in_an_empty_folder(desk: Desk) -> None:
    hashes = house_hashes()
    for version in desk.registry.house(hashes):
        bot = desk.reception().launched(version)
        assert bot.version() == hashes[version.bot]
        assert list(bot.place.iterdir()) == []


def test_a_remote_bot_is_not_started_here(desk: Desk) -> None:
    version = desk.registry.enroll("ann", "far")
    with pytest.raises(BotError, match="far@1 plays from its owner's machine"):
        desk.reception().launched(version)
