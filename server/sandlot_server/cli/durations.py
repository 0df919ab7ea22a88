"""Durations on a command line, written as in a league file: ``250ms``, ``1s``, ``2m``."""

from __future__ import annotations

from typing import Any

import click

from sandlot.clock import parse_duration
from sandlot.errors import ClockError


class Duration(click.ParamType[float]):
    """A time in seconds."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds, or fail with a line that says how a duration is written."""
        if isinstance(value, float):
            return value
        try:
            return parse_duration(value)
        except ClockError as error:
            self.fail(str(error), param, ctx)
