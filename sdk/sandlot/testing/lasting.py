"""What of a bot outlives its objects: the attributes of its class and the globals of its module.

A check looks there when a bot does not play the same again.
"""

from __future__ import annotations

import sys
from collections import deque
from copy import deepcopy
from typing import Any, Final, TypeAlias

from sandlot.bot import BatchBot, Bot
from sandlot.host import BotClass

State: TypeAlias = dict[str, Any]

_PLAIN: Final = (bool, int, float, str, bytes, bytearray, tuple, list, dict, set, deque, type(None))


def lasting_state(bot: BotClass) -> State:
    """Return a copy of the plain values that the bot's class and its module hold, by their names.

    >>> from sandlot import Bot
    >>> class Counting(Bot):
    ...     hands = 0
    >>> lasting_state(Counting)["Counting.hands"]
    0
    """
    found: State = {}
    for owner in bot.__mro__:
        if owner not in (Bot, BatchBot, object):
            found |= {f"{owner.__name__}.{name}": value for name, value in vars(owner).items()}
    module = sys.modules.get(bot.__module__)
    found |= vars(module) if module is not None else {}
    kept: State = {}
    for name, value in found.items():
        if isinstance(value, _PLAIN) and not name.rpartition(".")[2].startswith("__"):
            try:
                kept[name] = deepcopy(value)
            except Exception:  # what cannot be copied is no evidence
                continue
    return kept


def changes(before: State, after: State) -> list[str]:
    """Return the names whose values differ, or that are new.

    >>> changes({"a": 1, "b": [2]}, {"a": 1, "b": [2, 3], "c": 4})
    ['b', 'c']
    """
    return [name for name, value in after.items() if name not in before or before[name] != value]
