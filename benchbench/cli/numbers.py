"""Numbers as options take them; what a setting may be is said in `tables.numbers`."""

from typing import Any

import click

from benchbench.tables.numbers import Range


class Number(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """A number of a range, refused in the words in which settings refuse it."""

    def __init__(self, allowed: Range, called: str | None = None) -> None:
        """Take the range, and what a message calls the number if not by its option."""
        self.allowed, self.name, self._called = allowed, "integer" if allowed.whole else "number", called

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return Python's number; InputError names the option."""
        name = self._called or (max(param.opts, key=len) if param else "a number")
        return self.allowed.read(value, name) if isinstance(value, str) else self.allowed.take(value, name)
