"""Options of the commands that ask a judge."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli.numbers import Number
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.cli.settings_options import settings_options
from benchbench.judging.settings import JudgeSettings
from benchbench.tables.numbers import COUNT, SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchbench.answers.judges.rubric import Rubric
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The values of the options, which a command receives as `judging`; `given` are those of `JudgeSettings`."""

    given: dict[str, Any]
    no_cache: bool
    dry_run: bool
    calibrations: tuple[Path, ...]
    least_kappa: float
    trust_judge: bool

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


def judging_options(command: _Command) -> Callable[..., Any]:
    """Add the options that say how a judge is asked; the command receives them as `judging`, a `Judging`."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, **others: Any) -> Any:
        given = Judging(**{name: others.pop(name) for name in Judging.__slots__})
        return command(*arguments, judging=given, **others)

    for option in reversed(_JUDGING_OPTIONS):
        wrapped = option(wrapped)
    return settings_options(JudgeSettings, into="given")(wrapped)


def rubric_options(several: bool, default: str | None = None) -> Callable[[_Command], Callable[..., Any]]:
    """Add `--rubric`, `--language` and `--scale`; the command receives `rubrics`, which returns a list of rubrics."""

    def decorate(command: _Command) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(
            *arguments: Any, rubric: "tuple[str, ...] | str", language: str | None, scale: int | None, **others: Any
        ) -> Any:
            def read() -> "list[Rubric]":
                from benchbench.answers.judges.rubric import rubric as found

                return [found(name, language, scale) for name in ((rubric,) if isinstance(rubric, str) else rubric)]

            return command(*arguments, rubrics=read, **others)

        named = click.option(
            "--rubric",
            cls=Option,
            listed=several,
            metavar="NAME|FILE",
            required=default is None,
            default=default,
            show_default=default is not None,
            help="What is judged by: a rubric that is built in, or a .toml file (docs/rubrics.md).",
        )
        wrapped = click.option("--scale", type=Number(COUNT), help="Highest grade, where a rubric leaves it open.")(
            wrapped
        )
        wrapped = click.option(
            "--language", type=Choice(["en", "ja", "zh"]), help="Language of the rubric.  [default: en]"
        )(wrapped)
        return named(wrapped)

    return decorate


_JUDGING_OPTIONS = (
    click.option("--no-cache", is_flag=True, help="Store nothing, and ask for everything."),
    click.option("--dry-run", is_flag=True, help="Say what would be asked and what it would cost, and ask nothing."),
    click.option(
        "--calibration",
        "calibrations",
        type=PATH,
        multiple=True,
        help="Results folder that says how far the judge agrees with people, as of `benchbench judge agreement`.",
    ),
    click.option(
        "--least-kappa",
        type=Number(SHARE),
        default=0.4,
        show_default=True,
        help="What the lower end of the calibration's kappa must reach, for a gate to go by a score.",
    ),
    click.option("--trust-judge", is_flag=True, help="Gates go by scores that no calibration vouches for."),
)
