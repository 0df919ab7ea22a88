"""What a sandboxed bot is shown of the disk: the system, Python, and its own files; all read-only.

A league's folder holds more than bots: the league file, perhaps with the tournament's seed, the
store, the logs. So it is not shown. In the sandbox ``/bot`` stands for it, and holds of it

- the whole folder that a bot's file lies in, if it is a folder below the league's;
- of a file beside the league file, or outside its folder: that file, and what its version counts
  (``versions``), which are the modules beside it that it imports.

A folder that holds anything private is never shown whole. Where the place of a bot holds nothing
private it is the bot's own, and shown whole; then nothing outside it is the bot's, but for an
environment of its own, which is shown as ``/environment``.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sandlot.errors import BotError
from sandlot.loading import is_file, split_spec
from sandlot_server.launch.bots import ClassBot, LaunchedBot
from sandlot_server.launch.versions import module_file, sources_of

BOT: Final = Path("/bot")
"""What the bot's place is in the sandbox."""

ENVIRONMENT: Final = Path("/environment")
"""What the bot's environment is in the sandbox, if it has one of its own."""

_SYSTEM: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC: Final = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")
_OF_PYTHON: Final = ("bin", "lib", "lib64", "pyvenv.cfg")
_USR: Final = Path("/usr")
_OURS: Final = ("sandlot", "sandlot_bots")
_ADDED: Final = Path("/opt")  # what is installed beside the system, a folder each


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown to a bot, and what it is started with.

    Attributes:
        argv: the bot's program and its arguments, as they are called in the sandbox.
        places: the files and folders on the disk, by where they are in the sandbox.
        modules: directories in the sandbox where modules are looked for, beside the usual ones.

    """

    argv: tuple[str, ...]
    places: dict[Path, Path]
    modules: tuple[Path, ...]


def system_words() -> list[str]:
    """Return the words that have bwrap show the system's own programs and libraries."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM:
        path = Path("/") / name
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--dir", "/etc"]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return words


def shown_to(bot: LaunchedBot, private: Sequence[Path]) -> Shown:
    """Return what a bot is to be shown.

    Args:
        bot: as its user wrote it.
        private: files and folders that no bot may see.

    Raises:
        BotError: its program or file is not there, or what must be shown holds something private.

    """
    room = _Room(bot.place.resolve(), [path.resolve() for path in private], bot.environment)
    python = _python()
    room.places |= {path: path for path in python.places}
    room.modules += python.modules
    if room.is_own(room.place):
        room.places[BOT] = room.place
    if bot.environment is not None:
        room.places[ENVIRONMENT] = bot.environment
    argv = room.of_class(bot) if isinstance(bot, ClassBot) else room.of_command(bot.argv())
    for source in (_USR, *room.places.values()):
        for path in room.private:
            if path.is_relative_to(source.resolve()):
                raise BotError(
                    f"{bot} would see {path}, which is not for bots, in {source}: "
                    "move one of them elsewhere"
                )
    return Shown(tuple(argv), dict(sorted(room.places.items())), tuple(room.modules))


@dataclass(slots=True)
class _Room:
    """What is shown to one bot, as it is found out; ``place`` is what its files are seen from."""

    place: Path
    private: list[Path]
    environment: Path | None
    places: dict[Path, Path] = field(default_factory=dict)
    modules: list[Path] = field(default_factory=list)

    def of_class(self, bot: ClassBot) -> list[str]:
        """Show what a class needs; return how it is started."""
        source, _ = split_spec(bot.spec)
        written = source
        if is_file(source):
            path = (self.place / source).resolve()
            if not path.is_file():
                raise BotError(f"{bot}: there is no file {path}")
            outside = not path.is_relative_to(self.place)
            if outside:
                self._go_out(path)
                self.place = path.parent
            written = str(self.file(path, alone=outside).relative_to(BOT))
        elif self.environment is None:  # else all that it may have is shown already
            self._module(bot.spec, source)
        environment = None if self.environment is None else ENVIRONMENT
        return ClassBot(f"{written}{bot.spec[len(source) :]}", BOT, environment).argv()

    def of_command(self, words: list[str]) -> list[str]:
        """Show the files among the words of a command; return how it is started."""
        argv = [str(self._program(Path(words[0])))]
        for word in words[1:]:
            path = self._file_named(word)
            if path is not None and not _lies_in(path, [_USR, *self.places]):
                outside = not path.is_relative_to(self.place)
                if outside:
                    self._go_out(path)
                shown = self.file(path, alone=outside)
                argv.append(str(shown.relative_to(BOT) if shown.is_relative_to(BOT) else shown))
            else:
                argv.append(word)
        return argv

    def _file_named(self, word: str) -> Path | None:
        """Return the file that a word of a command names, None if it names none."""
        try:
            path = (self.place / word).resolve()
            return path if path.is_file() else None
        except OSError:  # what we may not look at is not for bots either
            return None

    def file(self, path: Path, *, alone: bool) -> Path:
        """Show a file, with the folder it lies in if that is the bot's; return where it is."""
        folder = path.parent
        if not alone and self.is_own(folder):
            self.places[self._seen(folder)] = folder
        elif path.suffix == ".py":
            self.places |= {self._seen(each): each for each in sources_of(path, folder, "")}
        else:
            self.places[self._seen(path)] = path
        return self._seen(path)

    def _module(self, spec: str, name: str) -> None:
        """Show a module, with the whole package that it lies in."""
        path, root = module_file(spec, name, self.place)
        package = root / name.split(".")[0]
        whole = package if package.is_dir() else path
        if root == self.place:
            if package.is_dir() and self.is_own(package):
                self.places[self._seen(package)] = package
            self.places |= {self._seen(each): each for each in sources_of(path, root, "")}
        elif not _lies_in(whole, self.places):  # installed from where its sources are
            self.places[whole] = whole
            self.modules.append(root)

    def _program(self, path: Path) -> Path:
        """Show the program of a command, unless it belongs to what is shown already."""
        if self.environment is not None and path.is_relative_to(self.environment):
            return ENVIRONMENT / path.relative_to(self.environment)
        real = path.resolve()
        if real.is_relative_to(self.place):
            return self.file(real, alone=False)
        if _lies_in(path, [_USR, *self.places]):
            return path
        if real.is_relative_to(_ADDED):
            product = _ADDED / real.relative_to(_ADDED).parts[0]
            self.places[product] = product
        self.places[path] = real
        return path

    def _go_out(self, path: Path) -> None:
        if BOT in self.places:
            raise BotError(f"{path} is outside the bot's own folder, {self.place}")

    def is_own(self, folder: Path) -> bool:
        """Tell whether a folder may be shown whole."""
        return not any(path.is_relative_to(folder) for path in self.private)

    def _seen(self, path: Path) -> Path:
        """Return where something is in the sandbox."""
        if path.is_relative_to(self.place):
            return BOT / path.relative_to(self.place)
        return path


@dataclass(frozen=True, slots=True)
class _Python:
    places: tuple[Path, ...]
    modules: tuple[Path, ...]


@cache
def _python() -> _Python:
    """Return where this Python, the SDK and what they need lie, and where modules are found."""
    places: dict[Path, None] = {}
    modules: list[Path] = []

    def show(path: Path) -> None:
        if path.exists() and not path.is_relative_to(_USR) and not _lies_in(path, places):
            places[path] = None

    for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix):
        for spelled in (Path(prefix), Path(prefix).resolve()):
            for name in _OF_PYTHON:
                show(spelled / name)
    for link in _links(Path(sys.executable)):
        show(link)
    installed = [Path(path) for path in site.getsitepackages() if path in sys.path]
    if (user := site.getusersitepackages()) in sys.path:  # in the sandbox there is another HOME
        installed.append(Path(user))
        modules.append(Path(user))
    for path in installed:
        show(path)
    for name in _OURS:
        found = find_spec(name)
        if found is not None and found.origin is not None:
            package = Path(found.origin).parent
            if not _lies_in(package, installed):  # installed from where its sources are
                show(package)
                modules.append(package.parent)
    return _Python(tuple(places), tuple(modules))


def _links(path: Path) -> Iterator[Path]:
    """Yield what a path leads to, link by link, and itself."""
    yield path
    while path.is_symlink():
        path = Path(os.path.normpath(path.parent / os.readlink(path)))
        yield path


def _lies_in(path: Path, places: Sequence[Path] | dict[Path, Path] | dict[Path, None]) -> bool:
    return any(path.is_relative_to(place) for place in places)
