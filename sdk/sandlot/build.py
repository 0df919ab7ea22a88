"""Which build of the library this is: compiled, or pure Python."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES

from sandlot.game import hand


def compiled() -> bool:
    """Return whether the hot modules run compiled: a wheel has them so, a working tree never.

    Both play the same, to the byte; docs/decisions/0014-compiled-modules.md says more.
    """
    return hand.__file__.endswith(tuple(EXTENSION_SUFFIXES))
