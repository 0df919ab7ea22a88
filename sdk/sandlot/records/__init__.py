"""The record of a match: written, read, verified, and shown again as each seat saw it.

A record is text, one JSON object a line: what was settled before the first card, one line a hand,
the result. A file holds one match after the other.

>>> from sandlot import Action, Bot
>>> from sandlot.arena import play
>>> class Caller(Bot):
...     def act(self, seen):
...         return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
>>> (match,) = play([Caller, Caller], seed=bytes(16))
>>> text = write(match, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
>>> [each.hands for each in verify(text)]
[8]
"""

from sandlot.records.reading import Source, Stored, read, record_of, stored
from sandlot.records.replaying import Moment, SeatAt, Unfolding, replay, replay_hand
from sandlot.records.verifying import Verified, verify, verify_match
from sandlot.records.writing import Record, utc_now, write

__all__ = [
    "Moment",
    "Record",
    "SeatAt",
    "Source",
    "Stored",
    "Unfolding",
    "Verified",
    "read",
    "record_of",
    "replay",
    "replay_hand",
    "stored",
    "utc_now",
    "verify",
    "verify_match",
    "write",
]
