"""Options of the commands that ask a judge."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli import progress
from benchbench.cli.reporting import Reporting
from benchbench.cli.screen import echo
from benchbench.cli.signatures import Fields, Options
from benchbench.errors import InterruptedRunError
from benchbench.judging.judge_settings import JudgeSettings, JudgeTrust
from benchbench.results.ranges import COUNT
from benchbench.results.settings import ADVANCED, Opt

if TYPE_CHECKING:
    from benchbench.answers.judges.rubric import Rubric
    from benchbench.chat.model import ChatModel
    from benchbench.chat.prices import Price
    from benchbench.judging.dry_run import Planned
    from benchbench.judging.judge_folder import JudgeFolder
    from benchbench.judging.judge_result import JudgeOutcome
    from benchbench.judging.nuggets.nuggets_result import NuggetOutcome


Rubrics = Callable[[], "list[Rubric]"]  # what reads them


class Judging(Options):
    """How a judge is asked, and how far it is trusted; options of `JudgeSettings`, and of `JudgeTrust`."""

    given: Annotated[dict[str, Any], Fields(JudgeSettings)]
    no_cache: Annotated[bool, Opt("Store nothing, and ask for everything.", section=ADVANCED)] = False
    dry_run: Annotated[bool, Opt("Print what it would ask and cost; ask nothing.")] = False
    trust: Annotated[dict[str, Any], Fields(JudgeTrust)]

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

    def run(
        self,
        settings: JudgeSettings,
        report: Reporting,
        folder: "JudgeFolder",
        planned: "Callable[[], Planned]",
        judge: "Callable[[Callable[[int], None]], JudgeOutcome | NuggetOutcome]",
        warnings: Callable[[], Sequence[str]] = tuple,
        **options: Any,
    ) -> None:
        """Judge into a folder and report that; with `--dry-run` print what would be asked.

        Parameters
        ----------
        settings, report
            Of the command.
        folder
            Of the results; it is opened here.
        planned
            Says what would be asked.
        judge
            Judges; it is given what shows how many verdicts have come.
        warnings
            Says what somebody should know before anything is paid.
        options
            What the layout of the kind takes.
        """
        from benchbench.report.draw import page

        if self.dry_run:
            from benchbench.report.layouts.judge import plan_layout

            echo(None, plan_layout(planned()), report.output)
            return
        old = None if settings.price is None else settings.price.warning()
        for sentence in () if report.quiet else [*([old] if old else []), *warnings()]:
            click.echo(f"Note: {sentence}", err=True)
        with folder:
            with progress.line(report.quiet) as show:
                outcome = judge(lambda done: show(f"{done:,} verdicts"))
            report.describe(outcome)
            folder.finish(outcome, page(outcome))
            if not outcome.complete:
                raise InterruptedRunError("interrupted")
        report.finish(outcome, folder.path, **options)

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
_RUBRIC = Opt("A built-in rubric, or a file.", metavar="NAME|FILE")


def several_rubrics(
    rubric: Annotated[tuple[str, ...], _RUBRIC], language: Language = None, scale: Scale = None
) -> Rubrics:
    """Return what reads the rubrics."""
    return lambda: _read(rubric, language, scale)


def one_rubric(default: str) -> Callable[..., Any]:
    """Return the group of the same options for one rubric, which has a default."""

    def rubrics(rubric: Annotated[str, _RUBRIC] = default, language: Language = None, scale: Scale = None) -> Rubrics:
        return lambda: _read((rubric,), language, scale)

    return rubrics


def _read(names: tuple[str, ...], language: str | None, scale: int | None) -> "list[Rubric]":
    from benchbench.answers.judges.rubric import rubric

    return [rubric(name, language, scale) for name in names]
