"""What surrounds the services of a server: its address, health, metrics, signals."""

from __future__ import annotations

import os

# For all of gRPC in this room, and before it is imported. Bots are started as processes of their
# own, and gRPC's handlers for forks hang in that.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # all that matters comes as errors of Python
