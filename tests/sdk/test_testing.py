"""What a check finds, and that it finds nothing where nothing is wrong."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import count

import pytest

from sandlot import Action, BatchBot, Bot, HandEnd, MatchEnd, MatchStart, Observation
from sandlot.clock import Clock
from sandlot.errors import RuleError
from sandlot.host import BotClass
from sandlot.testing import FAULTS, REMARKS, Finding, Report, check_bot
from sandlot.testing.lasting import changes, lasting_state
from sandlot.testing.report import Kind
from sandlot.testing.ways_out import WAYS_OUT, no_way_out

SHORT = Clock(decision=0.05, bank=0.05)


class Caller(Bot):
    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


class Chancy(Bot):
    def act(self, seen: Observation) -> Action:
        return self.rng.choice(seen.legal)


class Batch(BatchBot):
    def act_many(self, seen: list[Observation]) -> list[Action]:
        return [each.legal[0] for each in seen]


def acting(act: Callable[[Observation], object]) -> type[Bot]:
    """A bot that acts by a function; its class is called Acting."""

    class Acting(Bot):
        def act(self, seen: Observation) -> Action:
            return act(seen)  # type: ignore[return-value]

    return Acting


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


@pytest.mark.parametrize(
    ("bot", "variant", "seats"),
    [
        (Chancy, "baseball", (2, 3, 4, 5, 6)),
        (Batch, "baseball", (2, 3, 4, 5, 6)),
        (Caller, "seven-card-stud", (2, 3, 4, 5, 6, 7)),
    ],
)
def test_nothing_is_found_where_nothing_is_wrong(
    bot: BotClass, variant: str, seats: tuple[int, ...]
) -> None:
    report = check_bot(bot, matches=2, variant=variant)
    assert report.findings == []
    assert report.ok
    assert (report.bot, report.variant, report.seats) == (bot.__name__, variant, seats)
    assert report.matches == 2 * len(seats)
    assert report.decisions >= 8 * report.matches
    assert 0 < report.mean_ms <= report.most_ms
    assert report.slowest is not None
    assert str(report).startswith(f"{bot.__name__}: ok, ")


def raises(seen: Observation) -> object:
    raise ZeroDivisionError("by design")


def exits(seen: Observation) -> object:
    sys.exit("I am done")


def hangs(seen: Observation) -> object:
    while True:
        try:
            for _ in count():
                pass
        except Exception:  # it will not be stopped so
            pass


def dawdles(seen: Observation) -> object:
    begun = time.perf_counter()
    while seen.hand == 8 and seen.street == 3 and time.perf_counter() < begun + 0.07:
        pass
    return seen.legal[0]


def draws(seen: Observation) -> object:
    return random.choice(seen.legal)


def draws_for_nothing(seen: Observation) -> object:
    random.random()
    return seen.legal[0]


TURNS = count()


def tires(seen: Observation) -> object:
    return seen.legal[next(TURNS) < 100]


def prints(seen: Observation) -> object:
    print("I think,")
    print("therefore I bet")
    return seen.legal[0]


def meddles(seen: Observation) -> object:
    seen.pot = 1000
    return seen.legal[0]


@pytest.mark.parametrize(
    ("act", "kind", "text"),
    [
        (raises, "exception", "ZeroDivisionError: by design"),
        (lambda seen: None, "exception", "act returned None (NoneType); it must return one of"),
        (lambda seen: "call", "exception", "act returned 'call' (str); it must return one of"),
        (lambda seen: Action("all-in"), "illegal", "all-in is not legal here; legal: "),
        (exits, "crash", "would end its process: SystemExit('I am done')"),
        (lambda seen: os._exit(0), "crash", "would end its process: os._exit(0)"),
        (lambda seen: os.abort(), "crash", "would end its process: os.abort()"),
        (lambda seen: os.kill(os.getpid(), 9), "crash", "would end its process: os.kill("),
        (lambda seen: signal.raise_signal(9), "crash", "its process: signal.raise_signal(9)"),
        (lambda seen: os.execlp("true", "true"), "crash", "would end its process: os.execv"),
        (hangs, "timeout", "no answer within 0.1 s; it was here"),
        (dawdles, "timeout", "took longer than 0.05 s for a decision, and the bank of 0.05 s for"),
        (draws, "chance", "the same seed again: in hand "),
        (draws_for_nothing, "chance", "draws from the module random"),
        (tires, "chance", "the same seed again: in hand "),
        (prints, "prints", "lines to standard output, the first is 'I think,'"),
        (meddles, "changes", "it changed seen.pot"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_check_finds_what_is_wrong(
    act: Callable[[Observation], object], kind: Kind, text: str
) -> None:
    clock = SHORT if kind == "timeout" else Clock()
    report = check_bot(acting(act), matches=1, clock=clock)
    found = [finding for finding in report.findings if finding.kind == kind]
    assert found, report
    assert text in found[0].text
    assert {finding.kind for finding in report.findings} == {kind}
    assert report.ok == (kind in REMARKS)
    assert found[0].serious == (kind in FAULTS)
    assert found[0].text in str(report)
    json.dumps(report.to_json())


def test_the_account_is_the_bots_own_traceback_and_alike_faults_are_counted() -> None:
    finding = only(check_bot(acting(raises), matches=1))
    assert finding.count > 50
    lines = finding.account.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "ZeroDivisionError: by design"
    assert "in raises" in finding.account
    assert "sandlot/host.py" not in finding.account
    assert finding.seen is not None
    assert finding.seen.legal


def test_what_happens_again_in_the_same_matches_is_counted_once() -> None:
    report = check_bot(acting(raises), matches=1)
    assert only(report).count == report.decisions
    hooked = check_bot(failing_in("match_ended"), matches=2)
    assert only(hooked).count == hooked.matches == 2 * 5


def test_what_happens_only_with_many_matches_at_once_is_found_too() -> None:
    class Crowded(Bot):
        under_way = 0

        def match_started(self, start: MatchStart) -> None:
            Crowded.under_way += 1

        def match_ended(self, end: MatchEnd) -> None:
            Crowded.under_way -= 1

        def act(self, seen: Observation) -> Action:
            if Crowded.under_way > 1:
                raise OverflowError("a crowd")
            return seen.legal[0]

    report = check_bot(Crowded, matches=2)
    assert [finding.kind for finding in report.findings] == ["exception", "memory"]
    assert report.findings[0].text == "OverflowError: a crowd"


def test_of_answers_that_never_came_nothing_is_said() -> None:
    for act in (raises, lambda seen: "call"):
        report = check_bot(acting(act), matches=1)
        assert report.finished
        assert report.decisions > report.answered == report.to_json()["answered"] == 0
        untried = [kind for kind in FAULTS | REMARKS if not report.tried(kind)]
        assert untried == ["illegal", "timeout", "chance", "memory"]
    report = check_bot(Caller, matches=1)
    assert report.answered == report.decisions
    assert all(map(report.tried, FAULTS | REMARKS))


def test_how_far_a_bot_got_that_had_to_be_stopped() -> None:
    def act(seen: Observation) -> object:
        if seen.match == "1-1-2":
            os._exit(7)
        return seen.legal[0]

    report = check_bot(acting(act), matches=3)
    assert (report.matches, report.finished) == (1, False)
    assert only(report).seen is not None
    assert "in act\n    os._exit(7)\n" in only(report).account
    assert "ways_out" not in only(report).account.rpartition("\n")[0].rpartition("\n")[0]


def test_a_bot_that_ends_its_process_when_it_is_made_is_found() -> None:
    class Leaving(Caller):
        def __init__(self) -> None:
            os._exit(0)

    assert only(check_bot(Leaving)).text == "would end its process: os._exit(0)"


def test_after_a_check_a_process_can_end_as_before() -> None:
    before = [getattr(module, name) for module, name in WAYS_OUT]
    check_bot(acting(lambda seen: os._exit(0)), matches=1)
    assert [getattr(module, name) for module, name in WAYS_OUT] == before
    with no_way_out():  # of other processes nobody is kept from ending
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        os.kill(child.pid, signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
        os.kill(os.getpid(), 0)
        with pytest.raises(KeyboardInterrupt):  # which somebody takes
            os.kill(os.getpid(), signal.SIGINT)


def test_it_is_said_where_a_bot_hangs() -> None:
    finding = only(check_bot(acting(hangs), matches=1, clock=SHORT))
    assert "in hangs" in finding.account
    assert "sandlot/testing" not in finding.account
    assert finding.seen is not None


def test_after_a_hang_nothing_is_left_ringing() -> None:
    before = signal.getsignal(signal.SIGALRM)
    check_bot(acting(hangs), matches=1, clock=SHORT)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_different_faults_are_all_found() -> None:
    def act(seen: Observation) -> object:
        if seen.hand == 2:
            return Action.FOLD
        if seen.hand == 3:
            raise KeyError(seen.decision)
        if seen.hand == 4:
            raise ZeroDivisionError
        return seen.legal[0]

    report = check_bot(acting(act), matches=1)
    assert [finding.kind for finding in report.findings] == ["illegal", "exception", "exception"]
    # Errors at one place are one finding, whatever they say.
    assert report.findings[1].text.startswith("KeyError: ")
    assert report.findings[1].count > 1


@pytest.mark.parametrize("hook", ["match_started", "hand_ended", "match_ended"])
def test_a_failing_hook_is_found(hook: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = check_bot(failing_in(hook), matches=1)
    assert (only(report).kind, only(report).text) == ("hook", f"ZeroDivisionError: {hook}")
    assert not report.ok
    assert capsys.readouterr() == ("", "")


def failing_in(hook: str) -> type[Bot]:
    """A bot that fails in one of its hooks."""

    class Failing(Caller):
        def match_started(self, start: MatchStart) -> None:
            self.fail("match_started")

        def hand_ended(self, end: HandEnd) -> None:
            self.fail("hand_ended")

        def match_ended(self, end: MatchEnd) -> None:
            self.fail("match_ended")

        def fail(self, where: str) -> None:
            if where == hook:
                raise ZeroDivisionError(where)

    return Failing


def test_a_bot_that_cannot_be_made_is_not_played() -> None:
    class Demanding(Caller):
        def __init__(self, model: str) -> None:
            self.model = model

    report = check_bot(Demanding)
    assert only(report).kind == "made"
    assert "missing 1 required positional argument: 'model'" in only(report).text
    assert (report.matches, report.decisions, report.ok) == (0, 0, False)


def test_what_is_kept_between_matches_is_named() -> None:
    report = check_bot(Forgetless, matches=1)
    finding = only(report)
    assert finding.kind == "chance"
    assert "Forgetless.asked" in finding.text
    assert "MEMORY" in finding.text


MEMORY: list[str] = []


class Forgetless(Bot):
    asked = 0

    def act(self, seen: Observation) -> Action:
        Forgetless.asked += 1
        MEMORY.append(seen.match)
        return seen.legal[Forgetless.asked % 2]


class Sharing(Bot):
    """Begins every match with a clean sheet, but there is only one sheet for all matches."""

    sheet = 0

    def match_started(self, start: MatchStart) -> None:
        Sharing.sheet = 0

    def act(self, seen: Observation) -> Action:
        Sharing.sheet += 1
        return seen.legal[Sharing.sheet % 2]


def test_what_matches_share_is_found() -> None:
    report = check_bot(Sharing, matches=2)
    finding = only(report)
    assert finding.kind == "memory"
    assert finding.text.startswith("many matches at once: in hand ")
    assert report.ok


def test_what_a_bot_prints_is_counted_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    report = check_bot(acting(prints), matches=1)
    assert capsys.readouterr() == ("", "")
    assert only(report).text.endswith("lines to standard output, the first is 'I think,'")


def test_a_meddler_is_shown_what_it_was_given() -> None:
    seen = only(check_bot(acting(meddles), matches=1)).seen
    assert seen is not None
    assert seen.pot < 1000


def test_a_batch_bot_is_watched_too() -> None:
    class Raising(BatchBot):
        def act_many(self, seen: list[Observation]) -> list[Action]:
            raise ZeroDivisionError("all")

    assert only(check_bot(Raising, matches=1)).text == "ZeroDivisionError: all"

    class Short(BatchBot):
        def act_many(self, seen: list[Observation]) -> list[Action]:
            return []

    assert "must return one action for each" in only(check_bot(Short, matches=1)).text


def test_the_same_check_finds_the_same() -> None:
    def checked() -> tuple[int, Observation | None, int]:
        report = check_bot(acting(raises), matches=1, seed=bytes(16))
        return report.decisions, only(report).seen, only(report).count

    assert checked() == checked()
    other = check_bot(acting(raises), matches=1, seed=bytes([1] * 16))
    assert only(other).seen != checked()[1]


def test_every_match_is_told_so_that_a_bar_can_move() -> None:
    calls: list[int] = []
    check_bot(Chancy, matches=2, on_match=lambda: calls.append(1))
    assert len(calls) == 2 * 2 * 5


def test_a_thread_can_check_without_an_alarm() -> None:
    reports: list[Report] = []
    thread = threading.Thread(target=lambda: reports.append(check_bot(Caller, matches=1)))
    thread.start()
    thread.join()
    assert reports[0].ok


def test_the_keyboard_still_interrupts() -> None:
    def interrupted(seen: Observation) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_bot(acting(interrupted), matches=1)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"variant": "omaha"}, "'omaha' is unknown; there is baseball"),
        ({"matches": 0}, "0 matches"),
    ],
)
def test_a_check_that_cannot_be_is_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(RuleError, match=text):
        check_bot(Caller, **settings)  # type: ignore[arg-type]


def test_lasting_state_skips_what_cannot_be_copied_and_what_is_not_plain() -> None:
    state = lasting_state(Forgetless)
    assert state["Forgetless.asked"] == Forgetless.asked
    assert state["MEMORY"] == MEMORY
    assert state["MEMORY"] is not MEMORY
    assert "TURNS" not in state
    assert "Forgetless.act" not in state
    assert not changes(state, lasting_state(Forgetless))
