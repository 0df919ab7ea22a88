"""Which bot it was that played: the hash of its files, never what it says of itself.

The version of a bot of one file is the SHA-256 of that file. With more files it is the SHA-256 of
their list as ``sha256sum`` prints it, sorted by name, so that both can be checked by hand.

The files of a class are its module and those that it imports from beside it, found by reading the
source, not by running it. What a bot reads or imports in other ways is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from sandlot.errors import BotError
from sandlot.loading import is_file, nearest, split_spec


def version_of_class(spec: str, place: Path) -> str:
    """Return the version of ``module:Class`` or ``file.py[:Class]`` as seen from ``place``.

    Raises:
        BotError: there is no such file or module.
    """
    source, _ = split_spec(spec)
    if is_file(source):
        path = (place / source).resolve()
        if not path.is_file():
            others = (other.name for other in path.parent.glob("*.py"))
            raise BotError(f"{spec}: there is no file {path}{nearest(path.name, others)}")
        return _digest(sources_of(path, path.parent, within=""), path.parent)
    path, root = module_file(spec, source, place)
    top = source.split(".")[0]
    # In a directory of many packages, such as site-packages, only the bot's own one is its.
    within = "" if root == place.resolve() else top
    return _digest(sources_of(path, root, within), root)


def version_of_command(command: Sequence[str], place: Path) -> str:
    """Return the version of a command: the files among its words, or its words if there are none.

    The first word is the program. It is the bot's own only where it lies below ``place``; an
    interpreter is not.
    """
    place = place.resolve()
    files: set[Path] = set()
    for number, word in enumerate(command):
        path = (place / word).resolve()
        if path.is_file() and (number > 0 or path.is_relative_to(place)):
            files |= sources_of(path, path.parent, within="") if is_file(word) else {path}
    if not files:
        return hashlib.sha256("\0".join(command).encode()).hexdigest()
    return _digest(files, place)


def _digest(files: Iterable[Path], root: Path) -> str:
    listed = sorted((_name(path, root), _sha256(path)) for path in files)
    if len(listed) == 1:
        return listed[0][1]
    lines = "".join(f"{digest}  {name}\n" for name, digest in listed)
    return hashlib.sha256(lines.encode()).hexdigest()


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise BotError(f"{path} cannot be read: {error.strerror}") from error


def module_file(spec: str, name: str, place: Path) -> tuple[Path, Path]:
    """Return the file of a module and the directory that holds its top-level package."""
    parts = name.split(".")
    found = PathFinder.find_spec(parts[0], [str(place.resolve())])
    if found is None:
        try:
            found = importlib.util.find_spec(parts[0])
        except ValueError:  # a module without a spec, such as __main__
            found = None
    for number in range(1, len(parts)):
        if found is None or found.submodule_search_locations is None:
            found = None
            break
        found = PathFinder.find_spec(
            ".".join(parts[: number + 1]), found.submodule_search_locations
        )
    if found is None or not found.has_location or found.origin is None:
        raise BotError(f"{spec}: there is no module {name!r}, neither in {place} nor installed")
    path = Path(found.origin).resolve()
    return path, path.parents[len(parts) if path.stem == "__init__" else len(parts) - 1]


def sources_of(start: Path, root: Path, within: str) -> set[Path]:
    """Return a file and all files below ``root`` that it imports, one way or another.

    ``within`` is the one top-level package that counts, or ``""`` for any but ``sandlot``.
    """
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.suffix != ".py":
            continue
        for name in _imports(path, root):
            top = name.split(".")[0]
            if (top == within) if within else (top != "sandlot"):
                waiting += _files_of(name, root)
    return found


def _imports(path: Path, root: Path) -> Iterator[str]:
    """Yield the full names of all that may be modules in the imports of a file."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return  # whoever loads it will say so
    package = path.parent.relative_to(root).parts if path.is_relative_to(root) else ()
    # What a package holds, and the packages it lies in, are run before it.
    yield from (".".join(package[:number]) for number in range(1, len(package) + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join([*above, *filter(None, [node.module])])
            yield from filter(None, [start])
            yield from (".".join(filter(None, [start, alias.name])) for alias in node.names)


def _files_of(name: str, root: Path) -> Iterator[Path]:
    """Yield the source files of a module and of the packages it lies in, where they exist."""
    path = root
    for part in name.split("."):
        path = path / part
        for file in (path / "__init__.py", path.with_name(f"{path.name}.py")):
            if file.is_file():
                yield file
