"""What holds for every test: the same on a slow machine as on a fast one."""

from __future__ import annotations

import os
from importlib.util import find_spec

if find_spec("hypothesis") is not None:  # the check of the SDK alone does without it
    from hypothesis import settings

    # No deadline: how long an example takes says more about the machine than about the code. In CI
    # the examples are always the same, so that a red run can be looked at again.
    settings.register_profile("sandlot", deadline=None, derandomize="CI" in os.environ)
    settings.load_profile("sandlot")
