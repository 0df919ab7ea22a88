"""The gRPC shell round the match reducer: sessions, clocks, seats.

One ``Player`` a bot, one ``Stream`` a connection of it, one ``Table`` a match. A stream's reader
hands what a bot says to its player, the player finds the tables that wait for it, the table lets it
happen in the reducer and hands what the reducer wants to other players, whose streams' writers send
it: no task and no timer a decision.
"""

from sandlot_server.arbiter.clock import LoopClock, Timekeeper, Timer
from sandlot_server.arbiter.limits import Limits, server_options
from sandlot_server.arbiter.server import Arbiter
from sandlot_server.arbiter.table import Fault
from sandlot_server.arbiter.watching import Running, Watched

__all__ = [
    "Arbiter",
    "Fault",
    "Limits",
    "LoopClock",
    "Running",
    "Timekeeper",
    "Timer",
    "Watched",
    "server_options",
]
