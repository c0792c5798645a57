"""Options of the commands that ask a judge."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli.signatures import Fields, Options
from benchbench.judging.settings import JudgeSettings
from benchbench.tables.numbers import COUNT, SHARE
from benchbench.tables.settings import Opt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchbench.answers.judges.rubric import Rubric
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price


class Judging(Options):
    """How a judge is asked; `given` are the options of `JudgeSettings`."""

    given: Annotated[dict[str, Any], Fields(JudgeSettings)]
    no_cache: Annotated[bool, Opt("Store nothing, and ask for everything.")] = False
    dry_run: Annotated[bool, Opt("Say what would be asked and what it would cost, and ask nothing.")] = False
    calibrations: Annotated[
        tuple[Path, ...],
        Opt(
            "Results folder that says how far the judge agrees with people, as of `benchbench judge agreement`.",
            flags=("--calibration",),
            is_repeated=True,
        ),
    ] = ()
    least_kappa: Annotated[
        float, Opt("What the lower end of the calibration's kappa must reach, for a gate to go by a score.", SHARE)
    ] = 0.4
    trust_judge: Annotated[bool, Opt("Gates go by scores that no calibration vouches for.")] = False

    def settings(
        self,
        rubrics: "Sequence[Rubric]",
        model: "ChatModel",
        price: "Price | None",
        fail_if: tuple[str, ...] = (),
        quiet: bool = False,
    ) -> JudgeSettings:
        """Return the settings of a run; what a reader should know of the cache or the price goes to standard error.

        Raises
        ------
        InputError
            For options that exclude one another, or a limit without a price.
        """
        return JudgeSettings(rubrics, model, price, fail_if=fail_if, **{**self.given, "cache": self._place(quiet)})

    def _place(self, quiet: bool) -> Path | None:
        """Return the file of the cache; a usual place that cannot be used is done without."""
        from benchbench.errors import InputError
        from benchbench.judging.cache import default_place, why_unusable

        cache: Path | None = self.given["cache"]
        if self.no_cache:
            if cache is not None:
                raise InputError("--cache and --no-cache are both given; give one of them")
            return None
        if cache is not None:
            return cache
        place = default_place()
        problem = why_unusable(place)
        if problem is not None and not quiet:
            click.echo(f"Note: no verdict is stored, because {problem}; name a file with --cache", err=True)
        return None if problem else place


Language = Annotated[str | None, Opt("Language of the rubric.", ("en", "ja", "zh"), default="en")]
Scale = Annotated[int | None, Opt("Highest grade, where a rubric leaves it open.", COUNT)]
_RUBRIC = Opt("What is judged by: a rubric that is built in, or a .toml file (docs/rubrics.md).", metavar="NAME|FILE")


def several_rubrics(
    rubric: Annotated[tuple[str, ...], _RUBRIC], language: Language = None, scale: Scale = None
) -> "Callable[[], list[Rubric]]":
    """Return what reads the rubrics."""
    return lambda: _read(rubric, language, scale)


def one_rubric(default: str) -> Callable[..., Any]:
    """Return the group of the same options for one rubric, which has a default."""

    def rubrics(
        rubric: Annotated[str, _RUBRIC] = default, language: Language = None, scale: Scale = None
    ) -> "Callable[[], list[Rubric]]":
        return lambda: _read((rubric,), language, scale)

    return rubrics


def _read(names: tuple[str, ...], language: str | None, scale: int | None) -> "list[Rubric]":
    from benchbench.answers.judges.rubric import rubric

    return [rubric(name, language, scale) for name in names]
