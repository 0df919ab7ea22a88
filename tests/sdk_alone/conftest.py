"""These tests are for an environment with the base install and nothing else: ``tox -e sdk``.

Where the server extra is installed they would prove nothing, so there they are not collected. If
``tox -e sdk`` collected none, pytest would fail.
"""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = ["test_*.py"] if find_spec("sqlalchemy") is not None else []
