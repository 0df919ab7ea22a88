"""Any bytes at all as a bot.toml: they are a manifest that can be used, or refused in one line."""

from __future__ import annotations

import json
import re

from hypothesis import example, given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from support.fuzzing import always_the_same, check_told, fuzzed

from sandlot.errors import SubmissionError
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.manifest import manifest_of, read_manifest
from sandlot_server.submissions.names import check_name

FILES = ("bot.py", "bot.toml", "cards/odds.py", "start")

WORDS = st.one_of(
    st.sampled_from(
        [
            *("mine", "bot.py:Mine", "bot.py", "cards.odds:Odds", "cards/odds.py:Odds", "./start"),
            *(
                "node",
                "numpy>=2,<3",
                "numpy",
                "-e .",
                "a @ file:///etc",
                "../x",
                "/bin/sh",
                "x.whl",
            ),
            *("a[b]==1.*", "a;python_version<'3'", "start", "sandlot", "a===b", "a~=1", "~", "%s"),
        ]
    ),
    st.text(max_size=12),
    st.text(st.sampled_from("ab.-_<>=!~,;[]()@:/ \"'\\"), max_size=12),
)


def toml(value: object) -> str:
    """Return a value as TOML writes it: text as JSON does, but for what JSON leaves as it is."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    return str(value).lower()


def likely(*right: str) -> st.SearchStrategy[str]:
    """Return words that are right in the main."""
    good = st.sampled_from(right)
    return st.integers(0, 7).flatmap(lambda chance: good if chance else WORDS)


NAMES = likely("mine", "river-rat")
RUNS = likely("bot.py:Mine", "bot.py", "cards.odds:Odds", "cards/odds.py:Odds")
COMMANDS = st.lists(likely("./start", "node", "bot.js", "--bold"), min_size=1, max_size=4)
REQUIRED = st.lists(likely("numpy>=2,<3", "a[b]==1.*", "a;python_version<'3'"), max_size=3)

VALUES = st.one_of(WORDS, st.lists(WORDS, max_size=4), st.integers(), st.booleans(), st.floats())
KEYS = st.sampled_from(["name", "run", "command", "requirements", "requirement", "a.b", "[name]"])


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """Return a file of keys and values, right in the main."""
    values: dict[str, object] = {"name": draw(NAMES)}
    if draw(st.booleans()):
        values["run"] = draw(RUNS)
    else:
        values["command"] = draw(COMMANDS)
    values["requirements"] = draw(REQUIRED)
    if draw(st.integers(0, 3)) == 0:
        values[draw(KEYS)] = draw(VALUES)
    text = "".join(f"{key} = {toml(value)}\n" for key, value in values.items())
    raw = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3]))):
        raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
    return bytes(raw)


@given(st.one_of(written(), written(), st.binary(max_size=300)))
@example(b"name = " + b"[" * 8000)
@example(b"name" + b".a" * 4000 + b" = 1")
@example(b"requirements = [" + b"{a.a.a.a=1}," * 600 + b"]")
@example(b"name = " + b"9" * 8000)
@example(b"name = 1e9999\nrun = nan")
@fuzzed
def test_any_bytes_are_a_manifest_or_refused(text: bytes) -> None:
    try:
        manifest = read_manifest(text, FILES)
    except SubmissionError as error:
        check_told(error)
        return
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,31}", manifest.name)
    assert (manifest.run is None) != (manifest.command is None)
    if manifest.command is not None:
        assert manifest.command[0]
        assert not manifest.command[0].startswith("/")
    assert manifest.program is None or manifest.program in FILES
    for requirement in manifest.requirements:
        assert re.fullmatch(r"[A-Za-z0-9].*", requirement)
        assert str(Requirement(requirement)) == requirement
        assert Requirement(requirement).url is None


@given(st.text(max_size=40))
@fuzzed
def test_any_name_of_a_file_is_that_of_a_bot_or_refused(file: str) -> None:
    try:
        check_name(file, Limits())
        manifest = manifest_of([file], None)
    except SubmissionError as error:
        check_told(error)
        return
    assert manifest.run == file


def test_the_examples_reach_both_ends() -> None:
    """Were all refused, or none, the first target would show little."""
    taken, refused = set[str](), set[str]()

    @given(written())
    @always_the_same
    def sort(text: bytes) -> None:
        try:
            taken.add(str(read_manifest(text, FILES)))
        except SubmissionError as error:
            refused.add(re.sub("'.*'", "", str(error)))

    sort()
    assert len(taken) > 20
    assert len(refused) > 15
