"""Options of the commands that ask a judge."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli import common
from benchbench.cli.numbers import Number
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.tables.numbers import COUNT, MONEY, REPEATS, SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchbench.answers.judges.rubric import Rubric
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price
    from benchbench.judging.settings import JudgeSettings

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Judging:
    """The values of the options; a command receives them as `judging`."""

    repeat: int
    repeat_sample: int
    cache: Path | None
    no_cache: bool
    retry_failed: bool
    max_cost: float | None
    dry_run: bool
    seed: int
    max_error_rate: float
    give_up_after: int
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
    ) -> "JudgeSettings":
        """Return the settings of a run; what a reader should know of the cache or the price goes to standard error.

        Raises
        ------
        InputError
            For options that exclude one another, or a limit without a price.
        """
        from benchbench.judging.settings import JudgeSettings

        return JudgeSettings(
            rubrics,
            model,
            price,
            self.repeat,
            self.repeat_sample,
            self._place(quiet),
            self.retry_failed,
            self.max_cost,
            self.seed,
            self.max_error_rate,
            fail_if,
            self.give_up_after,
        )

    def _place(self, quiet: bool) -> Path | None:
        """Return the file of the cache; a usual place that cannot be used is done without."""
        from benchbench.errors import InputError
        from benchbench.judging.cache import default_place, why_unusable

        if self.no_cache:
            if self.cache is not None:
                raise InputError("--cache and --no-cache are both given; give one of them")
            return None
        if self.cache is not None:
            return self.cache
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
    return wrapped


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
    click.option(
        "--repeat",
        type=Number(REPEATS),
        default=2,
        show_default=True,
        help="How many times the items of a sample are judged, to see how far scores differ; 1: once, as all others.",
    ),
    click.option(
        "--repeat-sample",
        type=Number(COUNT),
        default=50,
        show_default=True,
        help="Items of that sample, drawn with --seed.",
    ),
    click.option(
        "--cache",
        type=PATH,
        help="File of what judges have said, so that nothing is paid twice.  [default: in the user's cache folder]",
    ),
    click.option("--no-cache", is_flag=True, help="Store nothing, and ask for everything."),
    click.option("--retry-failed", is_flag=True, help="Ask again for stored refusals and answers that were cut off."),
    click.option(
        "--max-cost",
        type=Number(MONEY),
        metavar="USD",
        help="What the run may cost at most; the worst case is reserved before each request.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what would be asked and what it would cost, and ask nothing."),
    common.seed(0),
    common.max_error_rate,
    common.give_up_after,
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
