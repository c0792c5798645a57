"""The class of the results that every measurement returns."""

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.results.measured import Measured

if TYPE_CHECKING:
    from benchbench.results.assertions import Asserted, Level
    from benchbench.results.picture import Figure


class Result(Measured):
    """A result of any kind: what can be asserted of it, saved and shown.

    A kind is a subclass with a `to_record`, and where it needs them with `details` and `tables`.
    """

    def assert_at_least(self, measure: str, bound: float | str, level: "Level" = "interval") -> None:
        """Fail when a number is not shown to be at least a bound.

        Parameters
        ----------
        measure
            As gates name it: `nDCG@10`, `gold.nDCG@10`, `Δ nDCG@10`.
        bound
            A number, or a text with a unit, such as "300ms" or "40%"; times need a unit.
        level
            `interval`: the low end of the interval must be at least the bound, so that a value that only happens to be
            above it is not enough. `point`: the value must be.

        Raises
        ------
        AssertionError
            When it is below, has no value, or the result is broken, as by too many failures; one sentence says the
            value, its interval, the bound, and what would be enough. Of several targets, steps or pairs, all must pass.
        InputError
            When nothing has that name, or the number has no interval.
        """
        __tracebackhide__ = True  # pytest then shows the line of the test
        self._assert("assert_at_least", measure, bound, level)

    def assert_at_most(self, measure: str, bound: float | str, level: "Level" = "interval") -> None:
        """Fail when a number is not shown to be at most a bound; as `assert_at_least`, with the interval's high end."""
        __tracebackhide__ = True
        self._assert("assert_at_most", measure, bound, level)

    @cached_property
    def asserted(self) -> "list[Asserted]":
        """What was asserted of the numbers so far, and what became of it."""
        return []

    def _assert(self, function: str, measure: str, bound: float | str, level: str) -> None:
        __tracebackhide__ = True
        from benchbench.results.assertions import asserted, broken, sentence

        if (why := broken(self.record)) is not None:
            raise AssertionError(why)
        try:
            results = asserted(self, function, measure, bound, level)
        except InputError as problem:
            raise problem.with_traceback(None) from None  # what is wrong is in the line that called
        self.asserted.extend(results)
        if not all(result.passed for result in results):
            raise AssertionError(sentence(results))

    def save(self, folder: str | Path) -> Path:
        """Write a folder that `load` reads: record, details and tables. It appears when it is complete.

        Raises
        ------
        InputError
            When the folder exists, or cannot be written.
        """
        from benchbench.results.folder import save

        return save(self, Path(folder))

    def figure(self, name: str) -> "Figure":
        """Return a chart of its page as a picture that stands alone; a notebook shows it, and `.save(path)` writes it.

        Raises
        ------
        InputError
            When its page has no chart of that name; the message names those that there are.
        """
        made: Figure = import_module("benchbench.report.figures").figure(self, name)
        return made

    def _repr_html_(self) -> str:
        """Show what it comes to in a notebook, its table and its first chart; the numbers where it is damaged."""
        try:
            shown: str = import_module("benchbench.report.draw").draw(self, "notebook")
        except InputError:
            shown = self.numbers()._repr_html_()
        return shown
