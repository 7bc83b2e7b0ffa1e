"""Spans of time as options: `90d`, `12h`, `30m`, `0s`."""

from __future__ import annotations

import re

import click

_FORM = re.compile(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Duration(click.ParamType[float]):
    """A span of time, in seconds."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The seconds that the text says."""
        if isinstance(value, float):
            return value
        found = _FORM.fullmatch(str(value))
        if found is None:
            self.fail(f"{value!r} is not a duration such as 90d, 12h, 30m or 0s.", param, ctx)
        return float(found[1]) * _SECONDS[found[2]]
