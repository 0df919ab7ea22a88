"""A bot's process is started, watched and ended, with all that it has started itself."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from launch.daemons import DAEMONS
from support.scene import Scene

from sandlot.errors import BotError
from sandlot_server.launch.bots import ClassBot, CommandBot
from sandlot_server.launch.census import group_runs
from sandlot_server.launch.marks import carriers
from sandlot_server.launch.processes import BotProcess, Exit, Launcher

GRANDCHILD = """
if os.fork() == 0:
    say("grandchild")
    forever()
"""


def play(scene: Scene, act: Callable[[Launcher], Awaitable[None]]) -> None:
    """Run ``act`` with a launcher."""

    async def main() -> None:
        async with Launcher(scene.directory / "run") as launcher:
            await act(launcher)

    asyncio.run(main())
    assert list((scene.directory / "run").iterdir()) == []  # the ledger is gone


async def start(launcher: Launcher, bot: CommandBot, name: str = "mine") -> BotProcess:
    return await launcher.start(
        bot,
        name=name,
        address="unix:/tmp/somewhere",
        token="secret",
        log=bot.place / "logs" / "mine.log",
    )


def test_what_a_bot_is_given(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_OPERATOR", "kept")
    bot = scene.script(
        """
names = ["SANDLOT_ADDRESS", "SANDLOT_TOKEN", "GRPC_ENABLE_FORK_SUPPORT", "PYTHONUNBUFFERED"]
for name in [*names, "OF_THE_OPERATOR"]:
    say(os.environ[name])
say(os.getcwd())
say(repr(sys.stdin.read()))
say(str(os.getpid() == os.getpgid(0) == os.getsid(0)))
"""
    )

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, bot)
        assert await process.wait() == Exit(0)
        assert process.exit == Exit(0)

    play(scene, act)
    assert scene.all_gone().splitlines() == [
        "unix:/tmp/somewhere",
        "secret",
        "0",
        "1",
        "kept",
        str(scene.directory),
        "''",
        "True",
    ]


def test_what_a_bot_says_is_in_its_log_under_a_header_a_start(scene: Scene) -> None:
    bot = scene.script('print("out", sys.argv[1:]); print("err", file=sys.stderr); sys.exit(3)')

    async def act(launcher: Launcher) -> None:
        for word in ("first", "second"):
            process = await start(launcher, CommandBot((*bot.command, word), bot.place))
            assert str(await process.wait()) == "exited with status 3"
            said.append(process.said())
            pids.append(process.pid)

    said: list[str] = []
    pids: list[int] = []
    play(scene, act)
    assert said == ["out ['first']\nerr\n", "out ['second']\nerr\n"]  # its own words alone
    lines = (scene.directory / "logs" / "mine.log").read_text().splitlines()
    headers = [line for line in lines if line.startswith("--- ")]
    assert len(lines) == 6
    for header, pid, word in zip(headers, pids, ("first", "second"), strict=True):
        assert header.endswith(f"Z mine, process {pid}: {' '.join(bot.argv())} {word}")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit(1)", "exited with status 1"),
        ("os.kill(os.getpid(), 9)", "killed by signal 9 (SIGKILL)"),
        ("os.abort()", "killed by signal 6 (SIGABRT)"),
        ("raise KeyError('x')", "exited with status 1"),
    ],
)
def test_how_it_ended_is_said_in_words(body: str, words: str, scene: Scene) -> None:
    async def act(launcher: Launcher) -> None:
        process = await start(launcher, scene.script(body))
        assert str(await process.wait()) == words
        assert ("KeyError" in process.said()) == ("KeyError" in body)

    play(scene, act)


def test_stop_lets_a_bot_put_its_things_away(scene: Scene) -> None:
    bot = scene.script(
        """
def tidy(*_):
    say("tidied")
    sys.exit(0)
signal.signal(signal.SIGTERM, tidy)
say("ready")
forever()
"""
    )

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, bot)
        assert await asyncio.to_thread(scene.next_line) == "ready"
        assert await process.stop(grace=60) == Exit(0)
        assert await process.stop(grace=60) == Exit(0)  # again does nothing

    play(scene, act)
    assert scene.all_gone() == "tidied\n"


def test_stop_kills_what_ignores_it_and_its_grandchildren(scene: Scene) -> None:
    bot = scene.script(
        f"signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{GRANDCHILD}\nsay('bot')\nforever()\n"
    )

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, bot)
        lines = {await asyncio.to_thread(scene.next_line) for _ in range(2)}
        assert lines == {"bot", "grandchild"}
        assert str(await process.stop(grace=0.05)) == "killed by signal 9 (SIGKILL)"
        assert not group_runs(process.pid)

    play(scene, act)
    assert scene.all_gone() == ""


def test_a_grandchild_has_the_grace_too(scene: Scene) -> None:
    """The bot itself goes at once; its child needs a moment to write what it knows."""
    bot = scene.script(
        """
def tidy(*_):
    while os.getppid() == parent:
        pass
    say("the child tidied")
    sys.exit(0)
parent = os.getpid()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
if os.fork() == 0:
    signal.signal(signal.SIGTERM, tidy)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    say("ready")
    forever()
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
forever()
"""
    )

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, bot)
        assert await asyncio.to_thread(scene.next_line) == "ready"
        assert str(await process.stop(grace=60)) == "killed by signal 15 (SIGTERM)"

    play(scene, act)
    assert scene.all_gone() == "the child tidied\n"


def test_a_bot_that_exits_takes_its_grandchildren_with_it(scene: Scene) -> None:
    bot = scene.script(f"{GRANDCHILD}\nsys.exit(4)\n")

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, bot)
        assert await process.wait() == Exit(4)
        assert not group_runs(process.pid)
        assert (await asyncio.to_thread(scene.all_gone)) in ("", "grandchild\n")

    play(scene, act)


@pytest.mark.skipif(sys.platform != "linux", reason="marks are read from /proc")
@pytest.mark.parametrize("daemon", DAEMONS.values(), ids=DAEMONS)
def test_what_has_left_the_group_goes_as_well(daemon: str, scene: Scene) -> None:
    bot = scene.script(f"{daemon}\nsay('bot')\nforever()\n")
    other = scene.script(daemon + "say('bot')\nforever()\n", "other.py")

    async def act(launcher: Launcher) -> None:
        running = [await start(launcher, one) for one in (bot, other)]
        for _ in range(4):
            await asyncio.to_thread(scene.next_line)
        await running[0].stop()
        left = list(carriers().values())
        assert left.count(running[0]._mark) == 0
        assert left.count(running[1]._mark) == 2  # the other bot and its child

    play(scene, act)
    assert scene.all_gone() == ""


def test_leaving_the_launcher_ends_all_bots(scene: Scene) -> None:
    bot = scene.script(f"{GRANDCHILD}\nsay('bot')\nforever()\n")

    async def act(launcher: Launcher) -> None:
        for name in ("one", "two"):
            await start(launcher, bot, name)
        for _ in range(4):
            await asyncio.to_thread(scene.next_line)
        raise KeyError("the run fails")

    with pytest.raises(KeyError):
        play(scene, act)
    assert scene.all_gone() == ""
    assert list((scene.directory / "run").iterdir()) == []


def test_a_stop_that_is_cancelled_kills_at_once(scene: Scene) -> None:
    bot = scene.script(
        """
def heard(*_):
    say("TERM")
signal.signal(signal.SIGTERM, heard)
say("ready")
forever()
"""
    )

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, bot)
        assert await asyncio.to_thread(scene.next_line) == "ready"
        stopping = asyncio.create_task(process.stop(grace=1000))
        assert await asyncio.to_thread(scene.next_line) == "TERM"
        stopping.cancel()
        assert await process.wait() == Exit(-signal.SIGKILL)
        with pytest.raises(asyncio.CancelledError):
            await stopping

    play(scene, act)


def test_a_run_that_is_cancelled_leaves_nothing(scene: Scene) -> None:
    bot = scene.script("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay('ready')\nforever()\n")

    async def run() -> None:
        async with Launcher(scene.directory / "run") as launcher:
            started.append(await start(launcher, bot))
            await asyncio.to_thread(scene.next_line)
            leaving.set()

    async def main() -> None:
        task = asyncio.create_task(run())
        await leaving.wait()
        task.cancel()  # it is in the middle of stopping its bots
        await asyncio.wait({task})
        assert task.cancelled()
        assert await started[0].wait() == Exit(-signal.SIGKILL)

    started: list[BotProcess] = []
    leaving = asyncio.Event()
    asyncio.run(main())
    assert scene.all_gone() == ""


def test_a_program_that_is_not_there(scene: Scene) -> None:
    async def act(launcher: Launcher) -> None:
        with pytest.raises(BotError, match="there is no program 'no-such-program' "):
            await start(launcher, CommandBot(("no-such-program", "x"), scene.directory))
        with pytest.raises(BotError, match=r"there is no program '\./bot' "):
            await start(launcher, CommandBot(("./bot",), scene.directory))
        with pytest.raises(BotError, match="cannot be started"):
            await start(launcher, CommandBot((sys.executable,), scene.directory / "nowhere"))

    (scene.directory / "nowhere").write_text("a file")
    play(scene, act)


def test_a_program_beside_the_league_file(scene: Scene) -> None:
    program = scene.directory / "bot"
    program.write_text("#!/bin/sh\necho played\n")
    program.chmod(0o755)

    async def act(launcher: Launcher) -> None:
        process = await start(launcher, CommandBot(("./bot",), scene.directory))
        assert await process.wait() == Exit(0)
        assert process.said() == "played\n"

    play(scene, act)


def test_exits_print_as_words() -> None:
    assert str(Exit(0)) == "exited with status 0"
    assert str(Exit(-15)) == "killed by signal 15 (SIGTERM)"
    assert str(Exit(-40)) == "killed by signal 40"


def test_a_class_is_played_by_the_sdk_and_its_import_error_is_in_the_log(scene: Scene) -> None:
    scene.script("import no_such_library\n", "random.py")  # a name that must not get in the way

    async def act(launcher: Launcher) -> None:
        process = await launcher.start(
            ClassBot("random.py", scene.directory),
            name="mine",
            address="unix:/nowhere",
            token="secret",
            log=scene.directory / "mine.log",
        )
        assert await process.wait() == Exit(1)
        said = process.said().splitlines()
        assert said[0] == "Traceback (most recent call last):"
        assert said[2].strip() == "import no_such_library"
        assert said[-1].startswith("Error: random.py cannot be imported: ModuleNotFoundError")
        assert scene.all_gone() == ""

    play(scene, act)


def test_bots_of_one_run_have_a_log_each(scene: Scene, tmp_path: Path) -> None:
    bot = scene.script("print(sys.argv[1])")

    async def act(launcher: Launcher) -> None:
        running = [
            await launcher.start(
                CommandBot((*bot.command, name), bot.place),
                name=name,
                address="",
                token="",
                log=tmp_path / f"{name}.log",
            )
            for name in ("one", "two")
        ]
        for process in running:
            await process.wait()
            assert process.said() == f"{process.name}\n"

    play(scene, act)
