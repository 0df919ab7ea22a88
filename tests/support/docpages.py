"""Runs the code blocks of a page of documentation, from the first to the last.

A page is read as a reader would follow it: in a folder of its own, top to bottom, and what a block
makes is there for the next. What happens to a block goes by the language behind its fence:

========== ========================================================================================
python     run; with ``>>>`` as a doctest. One module a page, so names carry over.
console    each line ``$ command`` is run by bash and must succeed; the output below it, if any, is
           what it must print (standard error too), ``...`` standing for anything. Where the output
           shown has a line that begins with ``Error:``, the command must fail instead. With ``&``
           at its end it goes on behind the next ones, once it has printed what is shown, and is
           ended with the page.
toml json  parsed; ``jsonl`` line by line.
text etc.  shown only: `SHOWN`.
========== ========================================================================================

``title="bot.py"`` behind the language also writes the block into a file of that name. A block that
cannot be run carries the reason on the line above its fence::

    <!-- not run: it installs packages -->

A page has the logins of nobody, and a server that it starts listens where no other does.

Everything else is refused: a fence without a language, a language not named here, a marker without
a reason or without a block.
"""

from __future__ import annotations

import contextlib
import doctest
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from support.background import Background
from support.command import LIMIT, plain_environment

RUN = ("python", "console", "toml", "json", "jsonl")
SHOWN = ("text", "proto", "javascript", "diff")

LAID_OUT = ("bots/league.toml", "docs/examples")
"""What of the repository lies in a page's folder from the start."""

WIDTH = 100

_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,}) *(?P<language>[\w+-]*)(?P<rest>.*)$")
_TITLE = re.compile(r'^ title="(?P<title>[^"/\\]+)"$')
_MARKER = re.compile(r"^<!-- not run: (?P<reason>\S.*) -->$")


class PageError(AssertionError):
    """A block that does not do what the page says; names the page and the line."""


@dataclass(frozen=True)
class Block:
    """A code block: its language, its text, the number of its first line, and what is said of it.

    ``title`` is the file it is written to, ``not_run`` the reason why it is not run.
    """

    language: str
    text: str
    line: int
    title: str | None = None
    not_run: str | None = None


def blocks(page: str, text: str) -> Iterator[Block]:
    """Yield the code blocks of a page's text.

    Raises:
        PageError: a fence, a title or a marker that is not as this module's text says.
    """
    lines = enumerate(text.splitlines(), start=1)
    reason = None
    for number, line in lines:
        where = f"{page}:{number}"
        if line.startswith("<!-- not run"):
            marker = _MARKER.match(line)
            if marker is None:
                raise PageError(f"{where}: write <!-- not run: and why --> on one line")
            reason = marker["reason"]
            continue
        fence = _FENCE.match(line)
        if fence is None:
            if reason is not None:
                raise PageError(f"{where}: the line below a 'not run' begins no code block")
            continue
        body = []
        for _, inner in lines:
            if inner.rstrip() == fence["fence"]:
                break
            body.append(inner)
        else:
            raise PageError(f"{where}: this code block does not end")
        yield Block(
            _language(where, fence["language"], reason),
            "".join(f"{inner}\n" for inner in body),
            number + 1,
            _title(where, fence["rest"]),
            reason,
        )
        reason = None
    if reason is not None:
        raise PageError(f"{page}: the last 'not run' has no code block below it")


def _language(where: str, language: str, reason: str | None) -> str:
    if not language:
        raise PageError(f"{where}: name the block's language; 'text' is only shown")
    if reason is None and language not in RUN + SHOWN:
        raise PageError(f"{where}: {language!r} is none of {', '.join(RUN + SHOWN)}")
    return language


def _title(where: str, rest: str) -> str | None:
    if not rest.strip():
        return None
    title = _TITLE.match(rest.rstrip())
    if title is None:
        raise PageError(f'{where}: {rest.strip()!r} is no title="FILE"')
    return title["title"]


def lay_out(repository: Path, folder: Path) -> None:
    """Put into a page's folder what it may take for granted of the repository."""
    for name in LAID_OUT:
        source, target = repository / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("node_modules"))
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def run_page(page: str, text: str, folder: Path) -> int:
    """Run the code blocks of a page in a folder and return how many did run.

    Raises:
        PageError: the first one that does not do what the page says.
    """
    session = _Session(page, folder)
    try:
        for block in blocks(page, text):
            session.run(block)
    finally:
        session.end()
    return session.count


@dataclass
class _Session:
    """One reader going through one page."""

    page: str
    folder: Path
    count: int = 0
    module: ModuleType = field(init=False)
    environment: dict[str, str] = field(init=False)
    background: list[Background] = field(default_factory=list)

    def __post_init__(self) -> None:
        place = f"127.0.0.1:{_free_port()}"
        self.environment = plain_environment(WIDTH) | {
            "PYTHONDONTWRITEBYTECODE": "1",
            "SANDLOT_LEAGUE": place,
            "SANDLOT_LISTEN": place,
            "XDG_CONFIG_HOME": str(self.folder / ".config"),
        }
        name = "page_" + re.sub(r"\W", "_", self.page)
        self.module = ModuleType(name)

    def end(self) -> None:
        """End what goes on in the background, the last first."""
        with contextlib.ExitStack() as stack:
            for each in self.background:
                stack.callback(each.end)

    def run(self, block: Block) -> None:
        if block.title is not None:
            (self.folder / block.title).write_text(block.text, "utf-8")
        if block.not_run is not None or block.language in SHOWN:
            return
        self.count += 1
        try:
            getattr(self, f"_{block.language}")(block)
        except PageError:
            raise
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise PageError(f"{self.page}:{block.line}: {what}") from error

    def _toml(self, block: Block) -> None:
        tomllib.loads(block.text)

    def _json(self, block: Block) -> None:
        json.loads(block.text)

    def _jsonl(self, block: Block) -> None:
        for line in block.text.splitlines():
            json.loads(line)

    def _python(self, block: Block) -> None:
        names = self.module.__dict__
        sys.modules[self.module.__name__] = self.module  # dataclasses look their module up there
        sys.path.insert(0, str(self.folder))
        try:
            with contextlib.chdir(self.folder):
                if ">>>" in block.text:
                    self._doctest(block, names)
                else:
                    padded = "\n" * (block.line - 1) + block.text  # so that errors name the line
                    exec(compile(padded, self.page, "exec"), names)
        finally:
            sys.path.remove(str(self.folder))
            del sys.modules[self.module.__name__]

    def _doctest(self, block: Block, names: dict[str, object]) -> None:
        test = doctest.DocTestParser().get_doctest(
            block.text, names, self.page, self.page, block.line - 1
        )
        told: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        if runner.run(test, out=told.append, clear_globs=False).failed:
            raise PageError("".join(told))
        names.update(test.globs)

    def _console(self, block: Block) -> None:
        for line, command, shown in _commands(f"{self.page}:{block.line}", block):
            where = f"{self.page}:{line}: $ {command}\n"
            if command.endswith(" &"):
                self._behind(where, command.removesuffix(" &"), shown)
                continue
            ended = subprocess.run(
                ["bash", "-o", "pipefail", "-c", command],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LIMIT,
                check=False,
            )
            fails = any(each.startswith("Error:") for each in shown)
            if (ended.returncode != 0) is not fails:
                raise PageError(f"{where}exit status {ended.returncode}, printed:\n{ended.stdout}")
            if shown and not _matches(shown, ended.stdout):
                wanted = os.linesep.join(shown)
                raise PageError(f"{where}the page shows:\n{wanted}\nit printed:\n{ended.stdout}")

    def _behind(self, where: str, command: str, shown: list[str]) -> None:
        """Start a command in the background, and wait until it has printed what is shown."""
        started = Background(command, self.folder, self.environment)
        self.background.append(started)
        if not started.wait_until(lambda printed: _matches([*shown, "..."], printed), LIMIT):
            wanted = os.linesep.join(shown)
            raise PageError(f"{where}the page shows:\n{wanted}\nit printed:\n{started.printed}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _commands(where: str, block: Block) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the line number, the command, and the output shown, for each command of a block."""
    found: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif found:
            found[-1][2].append(line.rstrip())
        else:
            raise PageError(f"{where}: a console block begins with '$ ' and a command")
    for number, command, shown in found:
        while shown and not shown[-1]:
            shown.pop()
        yield number, command, shown


def _matches(shown: list[str], printed: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in shown
    )
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None
