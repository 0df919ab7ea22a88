"""Whether this machine has IPv6: one in a container often has none."""

from __future__ import annotations

import socket

import pytest


def _is_there() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not _is_there(), reason="this machine has no IPv6")
