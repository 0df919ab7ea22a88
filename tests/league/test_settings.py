"""What a season is played by: kept as it was said, refused where no season can be played so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandlot.clock import Clock
from sandlot.errors import LeagueError
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store.registered import SCHEDULE

OTHERWISE = SeasonSettings(
    variant="seven-card-stud",
    seats=7,
    hands=21,
    clock=Clock(0.25, 0),
    strikes=1,
    rank_by="places",
    anonymous=True,
    house=False,
    apart=False,
    every=0,
)


@pytest.mark.parametrize("settings", [SeasonSettings(), OTHERWISE], ids=["usual", "otherwise"])
def test_what_was_said_comes_back_out_of_the_store(settings: SeasonSettings) -> None:
    stored = json.loads(json.dumps(settings.configuration()))
    assert SeasonSettings.of(stored) == settings
    assert stored["schedule"] == SCHEDULE
    assert stored["rules"] == f"{settings.variant}/1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"variant": "basebal"}, 'variant "basebal" is unknown; write variant = "baseball"'),
        ({"seats": 7}, "seats 7 is not for baseball; write seats = 2 to 6"),
        ({"hands": 0}, "hands 0 cannot be; write hands = 1 to 1,000,000"),
        ({"strikes": 10**7}, "strikes 10000000 cannot be; write strikes = 1 to 1,000,000"),
        ({"rank_by": "luck"}, "rank_by 'luck' is unknown; write net or places"),
        ({"every": -1.0}, "every: -1.0 seconds is no duration: write a number and a unit"),
        ({"every": 90_000.0}, "every 90000s is longer than a day; write less"),
        ({"clock": Clock(90_000.0, 1)}, "decision 90000s is longer than a day; write less"),
    ],
    ids=str,
)
def test_what_cannot_be_played_is_refused_in_a_line(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(LeagueError) as refused:
        SeasonSettings(**changes)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("key", ["rules", "schedule"])
def test_a_season_of_other_rules_is_not_gone_on_with(key: str) -> None:
    stored = SeasonSettings().configuration() | {key: "older/1"}
    with pytest.raises(LeagueError, match=f"started with {key} older/1, and this Sandlot has"):
        SeasonSettings.of(stored)
