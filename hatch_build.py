"""Compiles the hot modules with mypyc when a wheel is built; docs/decisions/0014 says why.

Whatever stands in the way, a wheel is built: then it is pure Python, and one line on standard error
says what it was. The work is done in a temporary copy; nothing is left in the tree.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

GROUP = "sandlot"
"""Names the one library that holds all the code: ``sandlot__mypyc``, at the root of the wheel."""


def compiler() -> str | None:
    """Return the command of the C compiler, as for the variable ``CC``; None if there is none.

    Who has set ``CC`` means that one and no other.
    """
    asked = os.environ.get("CC")
    built_with = sysconfig.get_config_var("CC")
    for command in [asked] if asked else [built_with, "cc", "gcc", "clang"]:
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return command
    return None


def obstacle() -> str | None:
    """Return what speaks against compiling here, before it is tried; None if nothing does."""
    if os.environ.get("SANDLOT_PURE", "") not in ("", "0"):
        return "SANDLOT_PURE is set"
    if platform.python_implementation() != "CPython":
        return f"this is {platform.python_implementation()}, and mypyc compiles for CPython"
    if compiler() is None:
        return f"there is no C compiler ({os.environ.get('CC') or 'cc, gcc or clang'})"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return f"there is no Python.h in {sysconfig.get_path('include')}"
    return None


def compile_here(modules: list[str]) -> None:
    """Compile modules, named by their paths from the current folder, into the folder ``out``."""
    import setuptools
    from mypyc.build import mypycify

    # What is installed beside must not matter, and that the types hold is for `tox -e types` to
    # say: here a name from a library is of any type.
    alone = ["--config-file=", "--no-site-packages", "--ignore-missing-imports"]
    extensions = mypycify(
        [*alone, "--follow-imports=silent", *modules],
        opt_level="3",
        debug_level="0",
        group_name=GROUP,
        target_dir="c",
    )
    for extension in extensions:
        # mypyc would stop at any warning that a compiler yet to be written may have.
        extension.extra_compile_args = [*extension.extra_compile_args, "-Wno-error"]
        extension.extra_link_args = ["-s"] if sys.platform == "linux" else []
    where = ["--build-lib", "out", "--build-temp", "objects"]
    setuptools.setup(
        name=GROUP, packages=[], ext_modules=extensions, script_args=["build_ext", *where]
    )
    sys.path.insert(0, "out")
    __import__(f"{GROUP}__mypyc")  # what cannot be loaded must not get into a wheel


if __name__ == "__main__":
    compile_here(sys.argv[1:])
    sys.exit()

from hatchling.builders.hooks.plugin.interface import BuildHookInterface  # noqa: E402


class CompilingHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds to a wheel the extension modules of what ``compile`` lists in pyproject.toml."""

    def dependencies(self) -> list[str]:
        """Return what compiling requires, if anything is to be compiled."""
        return list(self.config["requires"]) if obstacle() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add what comes of it; an editable install is pure, as the tree is."""
        if version == "editable":
            return
        self.place = TemporaryDirectory(prefix="sandlot-build-")
        if why := obstacle() or self.failure(Path(self.place.name)):
            print(f"sandlot: building pure Python: {why}", file=sys.stderr)
            return
        out = Path(self.place.name, "out")
        for path in out.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = path.relative_to(out).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy: the wheel is written."""
        if version != "editable":
            self.place.cleanup()

    def failure(self, place: Path) -> str | None:
        """Compile in a copy of the sources; return what went wrong, None if nothing did."""
        modules = []
        for package in map(Path, self.build_config.packages):
            source = Path(self.root, package)
            shutil.copytree(
                source, place / package.name, ignore=shutil.ignore_patterns("__pycache__")
            )
            found = [path.relative_to(source.parent) for path in source.rglob("*.py")]
            modules += [path.as_posix() for path in found if self.is_hot(package.parent / path)]
        ran = subprocess.run(
            [sys.executable, str(Path(self.root, "hatch_build.py")), *sorted(modules)],
            cwd=place,
            env={**os.environ, "CC": compiler() or ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        said = ran.stdout.splitlines()
        errors = [line for line in said if "error" in line.lower()] or ["it failed"]
        return None if ran.returncode == 0 else f"mypyc: {errors[-1]}"

    def is_hot(self, path: Path) -> bool:
        """Return whether a file, named from the root of the tree, is one to compile."""

        def among(key: str) -> bool:
            return any(path.match(pattern) for pattern in self.config[key])

        return among("compile") and not among("interpret")
