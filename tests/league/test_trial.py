"""The trial of a submission in its sandbox: the good pass, the bad are refused, attackers held."""

from __future__ import annotations

from pathlib import Path

import pytest
from launch.sandboxed import ATTACKS, needs_sandbox
from support.desk import GOOD, QUICK, Desk, archive, class_bot, command_bot, settled
from support.one_loop import run
from support.wheels import wheel

from sandlot.clock import Clock
from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.confining import Confine
from sandlot_server.launch.limits import Limits
from sandlot_server.league.trial import Terms
from sandlot_server.store.registered import Version

pytestmark = needs_sandbox

IMPATIENT = Terms(opponents=("caller",), hands=1, clock=Clock(0.5, 0.5), strikes=1)
"""For bots that do not answer."""


def within(limits: Limits) -> Confine:
    return lambda private: Bubblewrap(limits, private)


def tried(
    desk: Desk,
    sent: bytes,
    terms: Terms = QUICK,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    index: tuple[str, ...] = (),
) -> tuple[Version, str]:
    """Submit a bot; return what has become of it, and the log of its trial."""

    async def scene() -> tuple[Version, str]:
        options = {"confine": within(limits), "terms": terms, "index": index}
        async with desk.reception(**options) as desk_open:
            version = await settled(desk_open, await desk_open.submit(desk.ann, sent))
            return version, (await desk_open.log_of(version, None)).text

    return run(scene())


def test_a_class_passes_against_all_house_bots(desk: Desk) -> None:
    version, log = tried(desk, class_bot(), Terms())
    assert (version.status, version.reason, version.account) == ("active", "", "")
    assert "fault" not in log


@pytest.mark.parametrize("form", ["class", "command"])
def test_what_is_required_is_there_in_the_sandbox(form: str, desk: Desk, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "odds_of_mine", "1.5", {"odds_of_mine.py": "ODDS = 15\n"})
    source = "import odds_of_mine\nprint(odds_of_mine.ODDS, sys.executable, flush=True)\n"
    run_it = "run(Good)\n" if form == "command" else ""
    start = 'run = "bot.py"' if form == "class" else 'command = ["python3", "bot.py"]'
    manifest = f'name = "mine"\n{start}\nrequirements = ["odds_of_mine"]\n'
    sent = archive({"bot.py": GOOD + source + run_it, "bot.toml": manifest})
    index = ("--no-index", "--find-links", str(tmp_path / "wheels"), "--no-cache-dir")
    version, log = tried(desk, sent, index=index)
    assert (version.status, version.reason) == ("active", "")
    python = "python3" if form == "command" else "python"
    assert f"\n15 /environment/bin/{python}\n" in log


def test_a_class_may_lie_in_a_package_that_is_required(desk: Desk, tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "a_bot_of_mine", "1.0", {"a_bot_of_mine.py": GOOD})
    manifest = 'name = "mine"\nrun = "a_bot_of_mine:Good"\nrequirements = ["a_bot_of_mine"]\n'
    index = ("--no-index", "--find-links", str(tmp_path / "wheels"), "--no-cache-dir")
    version, _ = tried(desk, archive({"bot.toml": manifest}), index=index)
    assert (version.status, version.reason) == ("active", "")


def test_a_program_of_its_own_is_started(desk: Desk) -> None:
    manifest = 'name = "mine"\ncommand = ["./play", "hard"]\n'
    program = '#!/bin/sh\necho "playing $1"\nexec python3 bot.py\n'
    files = {"bot.py": f"{GOOD}run(Good)\n", "bot.toml": manifest, "play": program}
    version, log = tried(desk, archive(files))
    assert (version.status, version.reason) == ("active", "")
    assert "\nplaying hard\n" in log


ACT = """
class Mine(Good):
    def act(self, seen):
        {}
"""


@pytest.mark.parametrize(
    ("source", "reason", "account"),
    [
        ("import nowhere\n", "bot.py:Good cannot be imported: ModuleNotFoundError", "line 8"),
        ("sys.exit(3)\n", "bot.py:Good", ""),
        (ACT.format("raise ValueError('too hard')"), "exception: ValueError: too hard", "it saw"),
        (ACT.format("raise ValueError('a\\x1b[2Jb')"), "exception: ValueError: a?[2Jb", "it saw"),
        (ACT.format("return Action.FOLD"), "illegal: fold is not legal here", "it saw"),
        (ACT.format("return 'all in'"), "exception: ", "it saw"),
        (ACT.format("os._exit(7)"), "crash: would end its process: os._exit(7)", "it saw"),
        ("class Mine(Good):\n    def __init__(self, more): ...\n", "made: it cannot be made", ""),
    ],
)
def test_what_a_check_finds_refuses_it(source: str, reason: str, account: str, desk: Desk) -> None:
    version, _ = tried(desk, class_bot(source))
    assert version.status == "refused"
    assert version.reason.startswith(f"sandlot check: {reason}")
    assert account in version.account


MATCH = "in its match against caller, hand 1: "


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("raise ValueError('too hard')", f"{MATCH}exception: ValueError: too hard"),
        ("return Action.FOLD", f"{MATCH}illegal: "),
        ("import threading; threading.Event().wait()", f"{MATCH}timeout: "),
        ("os._exit(7)", f"{MATCH}crash: "),
    ],
)
def test_what_a_command_does_wrong_in_a_match_refuses_it(act: str, reason: str, desk: Desk) -> None:
    terms = IMPATIENT if "timeout" in reason else QUICK
    version, log = tried(desk, command_bot(f"{ACT.format(act)}\nrun(Mine)\n"), terms)
    assert version.status == "refused"
    assert version.reason.startswith(reason)
    assert "it saw {" in version.account
    assert "what it wrote last:" in version.account
    if "too hard" in reason:
        assert "Traceback (most recent call last)" in version.account
    if "os._exit" in act:
        assert "exited with status 7" in version.account
    assert log


def test_what_never_comes_up_is_refused(desk: Desk) -> None:
    terms = Terms(opponents=("caller",), hands=1, check=0.1, patience=15)
    version, log = tried(desk, class_bot("print('here', flush=True)\nwhile True: pass\n"), terms)
    assert version.status == "refused"
    assert version.reason == "it does not start: no hello within 15 s"
    assert "here" in version.account
    assert "--- the check was not over within 0.1 s\n" in log


def test_a_program_that_is_not_there_is_refused(desk: Desk) -> None:
    manifest = 'name = "mine"\ncommand = ["no-such-program"]\n'
    version, _ = tried(desk, archive({"bot.toml": manifest}))
    assert version.status == "refused"
    assert "there is no program 'no-such-program'" in version.reason


def test_files_beside_its_own_are_no_part_of_it(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("run(Good)\n")
    manifest = f'name = "mine"\ncommand = ["python3", "{tmp_path}/secret.py"]\n'
    version, _ = tried(desk, archive({"bot.toml": manifest}))
    assert version.status == "refused"
    assert "secret.py is outside the bot's own folder" in version.reason


def test_a_trial_has_an_end(desk: Desk) -> None:
    version, _ = tried(
        desk,
        command_bot(ACT.format("import threading; threading.Event().wait()") + "run(Mine)\n"),
        Terms(opponents=("caller",), clock=Clock(60, 60), whole=3),
    )
    assert version.status == "refused"
    assert version.reason == "its trial was not over within 3 s; let it answer sooner"


@pytest.mark.parametrize(
    "forged",
    [
        """b'{"ok": true, "line": "", "account": ""}'""",
        "b'{' * 100_000",
        r"b'\xff\xff'",
        "b'1'",
        "b'x' * (2 << 20)",
        "b''",
    ],
    ids=["a report", "deep", "no text", "another thing", "long", "nothing"],
)
def test_who_forges_the_report_of_the_check_gains_nothing(forged: str, desk: Desk) -> None:
    source = f"""
import contextlib, socket
if sys.argv[0].endswith("telling.py"):
    arbiter = socket.socket(socket.AF_UNIX)
    arbiter.connect(os.environ["SANDLOT_ADDRESS"].removeprefix("unix:"))
    with contextlib.suppress(OSError):
        arbiter.sendall({forged})
    os._exit(0)
class Mine(Good):
    def act(self, seen):
        raise ValueError("forged")
"""
    version, _ = tried(desk, class_bot(source))
    assert version.status == "refused"
    assert version.reason == f"{MATCH}exception: ValueError: forged"


def test_what_it_could_look_at_is_its_own(desk: Desk) -> None:
    async def others() -> None:
        async with desk.reception() as desk_open:
            other = class_bot("SECRET = 'of bob'\n", name="other")
            await settled(desk_open, await desk_open.submit(desk.bob, other))

    run(others())
    source = f"""
import socket
def look(what, do):
    try:
        do()
    except OSError as error:
        print(what, "held:", error.strerror, file=sys.stderr)
    else:
        print(what, "LET", file=sys.stderr)
root = {str(desk.folder.root)!r}
class Mine(Good):
    def match_started(self, match):
        for path in ("", "/sandlot.db", "/submissions/other/1/files/bot.py", "/run", "/logs"):
            look(path or "all", lambda path=path: os.stat(root + path))
        look("the world", lambda: socket.create_connection(("192.0.2.1", 80), 5))
        look("own folder", lambda: open("/bot/new", "w"))
        look("environment", lambda: open("/environment/site/new", "w"))
        print(*sorted(os.listdir("/bot")), file=sys.stderr)
        print(*sorted(name for name in os.environ), file=sys.stderr)
"""
    version, log = tried(desk, class_bot(source))
    assert (version.status, version.reason) == ("active", "")
    assert "LET" not in log
    assert log.count(" held: ") == 8 * log.count("the world held")
    assert "\nbot.py bot.toml\n" in log


def test_one_that_attacks_with_all_it_has_is_held(desk: Desk) -> None:
    files = {path.name: path.read_text() for path in ATTACKS.glob("*.py")}
    manifest = 'name = "mine"\nrun = "everything.py:Everything"\n'
    limits = Limits(memory=256 << 20, scratch=4 << 20, output=100 << 10)
    terms = Terms(opponents=("caller",), hands=1, clock=Clock(30, 30), check=10)
    version, log = tried(desk, archive(files | {"bot.toml": manifest}), terms, limits)
    assert version.status in ("active", "refused")
    assert len(log) < 110_000
    assert list(desk.folder.run.iterdir()) == []  # the ledgers of what is gone
    assert sorted(path.name for path in desk.kept(version).files.iterdir()) == sorted(
        [*files, "bot.toml"]
    )
    honest, _ = tried(desk, class_bot(name="honest"))
    assert honest.status == "active"


def test_one_that_prints_without_end_is_cut(desk: Desk) -> None:
    source = """
import threading
def say():
    while True:
        print("x" * 200)
threading.Thread(target=say, daemon=True).start()
run(Good)
"""
    version, log = tried(
        desk,
        command_bot(source),
        Terms(opponents=("caller",), hands=1, clock=Clock(30, 30)),
        Limits(output=20 << 10),
    )
    assert version.status == "active"
    assert "--- cut: it has written 20K" in log
    assert len(log) < 25_000


def test_what_it_has_started_goes_with_it(desk: Desk) -> None:
    source = "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
    version, _ = tried(desk, class_bot(source))
    assert version.status == "active"
    assert list(desk.folder.run.iterdir()) == []
