"""Run with `python -m pytest`, after every change."""

from bot import MyBot

from sandlot.arena import Fault, play
from sandlot_bots.caller import Caller


def test_it_plays_twenty_matches_without_a_fault() -> None:
    """A fault is an action that is not allowed, or an exception; three put a bot out."""
    faults: list[Fault] = []
    played = list(play([MyBot, Caller], matches=20, seed=bytes(16), on_fault=faults.append))
    assert len(played) == 20
    assert faults == []
