"""Find the class of a bot by what its author wrote: ``module:Class`` or ``file.py[:Class]``.

The same code loads a bot in this process (the arena, ``sandlot play``) and in a process of its own
(``python -m sandlot.client``), so that what can be loaded here can be loaded there.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from sandlot.bot import BatchBot, Bot
from sandlot.errors import BotError

BotClass: TypeAlias = type[Bot] | type[BatchBot]


def load_bot(spec: str, place: Path | None = None) -> BotClass:
    """Return the class that ``spec`` names, importing its module.

    The directory of the file, or ``place`` for a module, is put first on ``sys.path``, as
    ``python file.py`` does, so that a bot finds the modules beside it.

    Args:
        spec: ``module:Class`` or ``path.py:Class``. Without ``:Class`` it is the one bot that the
            module itself defines; names that begin with an underscore do not count.
        place: the directory that a path or module is seen from; the working directory if absent.

    Raises:
        BotError: no such file, module or class (with the nearest name), the module fails when it
            is imported (its own traceback is in the error's ``account``), or not a bot.

    """
    place = (place or Path.cwd()).resolve()
    source, name = split_spec(spec)
    if is_file(source):
        module = _module_of_file(spec, place / source)
    else:
        module = _module_of_name(spec, source, place)
    return _named(spec, module, name) if name else _only(spec, module)


def split_spec(spec: str) -> tuple[str, str]:
    """Return the module or file of a spec, and its class or ``""``.

    >>> split_spec("bots/mybot.py:MyBot"), split_spec("mybot.py")
    (('bots/mybot.py', 'MyBot'), ('mybot.py', ''))

    Raises:
        BotError: there is no module before the colon, or no name after it.
    """
    source, colon, name = spec.rpartition(":")
    if not colon:
        source, name = spec, ""
    if not source or (colon and not name.isidentifier()):
        raise BotError(f"{spec!r} names no bot: write module:Class or file.py:Class")
    return source, name


def is_file(source: str) -> bool:
    """Tell whether the part before the colon is meant as a file: it ends in ``.py``."""
    return source.endswith(".py")


def nearest(name: str, names: Iterable[str]) -> str:
    """Return ``; did you mean 'X'?`` for the name most like this one, or nothing.

    >>> nearest("Cller", ["Caller", "Tight"])
    "; did you mean 'Caller'?"
    >>> nearest("Cller", ["Watcher"])
    ''
    """
    close = get_close_matches(name, list(names), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _module_of_file(spec: str, path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        others = (other.name for other in path.parent.glob("*.py"))
        raise BotError(f"{spec}: there is no file {path}{nearest(path.name, others)}")
    _look_in(path.parent)
    name = _name_for(path)
    known = sys.modules.get(name)
    if known is not None:
        return known
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None  # so it is for every .py file, with its loader
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # dataclasses and pickle look their module up there
    try:
        found.loader.exec_module(module)
    except KeyboardInterrupt:
        del sys.modules[name]
        raise
    except BaseException as error:
        del sys.modules[name]
        raise _import_failed(spec, error) from error
    return module


def _name_for(path: Path) -> str:
    """Return the file's own name, or one that is free where another module has that name.

    A bot may well be called ``random.py``; it must not take the place of the real one.
    """
    known = sys.modules.get(path.stem)
    if known is not None:
        ours = getattr(known, "__file__", None) == str(path)
    else:
        ours = path.stem.isidentifier() and path.stem not in sys.stdlib_module_names
    if ours:
        return path.stem
    return f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"


def _module_of_name(spec: str, name: str, place: Path) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise BotError(f"{spec!r} names no bot: write module:Class or file.py:Class")
    _look_in(place)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _import_failed(spec, error) from error  # a module that the bot itself imports
        hint = nearest(error.name, _neighbours(error.name, place))
        raise BotError(
            f"{spec}: there is no module {error.name!r}, neither in {place} nor installed{hint}"
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _import_failed(spec, error) from error


def _neighbours(name: str, place: Path) -> list[str]:
    """Return the full names of the modules beside the one that is missing."""
    parent = name.rpartition(".")[0]
    package = sys.modules.get(parent)
    where = [str(place)] if package is None else list(getattr(package, "__path__", ()))
    prefix = "" if package is None else f"{parent}."
    return [found.name for found in pkgutil.iter_modules(where, prefix)]


def _look_in(directory: Path) -> None:
    importlib.invalidate_caches()  # the file may be younger than the last look at its directory
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def _import_failed(spec: str, error: BaseException) -> BotError:
    """Return the error, with the traceback from the bot's first line on."""
    frames = error.__traceback__
    while frames is not None:
        file = frames.tb_frame.f_code.co_filename
        if file not in (__file__, importlib.__file__) and not file.startswith("<frozen importlib"):
            break
        frames = frames.tb_next
    account = "".join(traceback.format_exception(type(error), error, frames))
    if not isinstance(error, Exception):  # SystemExit, or what a check puts in its place
        return BotError(
            f"{spec} ends the program when it is imported: "
            'put what it does under `if __name__ == "__main__":`',
            account,
        )
    reason = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
    return BotError(f"{spec} cannot be imported: {reason}", account)


def _bots_of(module: ModuleType) -> list[str]:
    """Return the names of the bots that a module defines itself, in its order."""
    return [
        name
        for name, value in vars(module).items()
        if _is_bot(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]


def _is_bot(value: object) -> bool:
    return (
        inspect.isclass(value)
        and issubclass(value, (Bot, BatchBot))
        and value not in (Bot, BatchBot)
    )


def _named(spec: str, module: ModuleType, name: str) -> BotClass:
    found = getattr(module, name, None)
    if found is None:
        raise BotError(
            f"{spec}: there is no class {name!r} in {module.__file__}"
            f"{nearest(name, _bots_of(module) or vars(module))}"
        )
    return _playing(spec, name, found)


def _only(spec: str, module: ModuleType) -> BotClass:
    names = _bots_of(module)
    if not names:
        raise BotError(f"{spec} defines no bot: derive a class from sandlot.Bot")
    if len(names) > 1:
        raise BotError(
            f"{spec} defines {len(names)} bots, {', '.join(names)}: say which, {spec}:{names[0]}"
        )
    return _playing(spec, names[0], getattr(module, names[0]))


def _playing(spec: str, name: str, found: object) -> BotClass:
    """Return what was found if it is a bot that says how it acts."""
    if not inspect.isclass(found) or not issubclass(found, (Bot, BatchBot)):
        raise BotError(f"{spec}: {name} is not a bot: derive the class from sandlot.Bot")
    if issubclass(found, Bot):
        if found.act is Bot.act:
            raise BotError(f"{spec}: {name} does not say how it acts: write act(self, seen)")
        return found
    if found.act_many is BatchBot.act_many:
        raise BotError(f"{spec}: {name} does not say how it acts: write act_many(self, seen)")
    return found
