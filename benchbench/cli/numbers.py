"""Numbers as options take them; what a setting may be is said in `results.ranges`."""

import re
from typing import Any

import click

from benchbench.cli.parameters import called
from benchbench.errors import InputError, visible
from benchbench.results.ranges import SECONDS, Range


class Number(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """A number of a range, refused in the words in which settings refuse it."""

    def __init__(self, allowed: Range) -> None:
        """Take the range."""
        self.allowed, self.name = allowed, "integer" if allowed.whole else "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return Python's number; InputError names the option."""
        name = called(param, ctx)
        return self.allowed.read(value, name) if isinstance(value, str) else self.allowed.take(value, name)


class Time(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """Seconds, written `30s`, `500ms`, `2m` or `30`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds; InputError names the option."""
        name, match = called(param, ctx), re.fullmatch(_TIME, str(value).strip(), re.ASCII)
        if match is None:
            raise InputError(f"{name} is a time such as 30s, 500ms or 2m, and not {visible(repr(value))}")
        return float(SECONDS.take(float(match[1]) * _UNITS[match[2]], name))


_UNITS = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0}
_TIME = r"(\d+(?:\.\d+)?) ?(ms|s|min|m|)"
