"""`benchbench judge answers`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli import common, progress
from benchbench.cli.judging_options import Judging, judging_options, rubric_options
from benchbench.cli.model_options import model_options
from benchbench.cli.options import loudness, new_results
from benchbench.cli.parameters import PATH
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.errors import InterruptedRunError

if TYPE_CHECKING:
    from benchbench.answers.judges.rubric import Rubric
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price


@click.command(cls=Command, name="answers")
@click.argument("answers", type=PATH)
@rubric_options(several=True)
@click.option("--ground-truth", type=PATH, help="Ground truth, for answers without one.")
@click.option("--answered-by", metavar="NAME", help="Model that answers, where the answers have no `model`.")
@common.limit(None, "Answers to judge, the first ones.  [default: all]")
@common.cluster
@model_options
@judging_options
@reporting(
    "faithfulness<0.8", "errors>1%", "cost>5", out="Results folder.  [default: results/<UTC time>-judge]", judges=True
)
@loudness
def command(
    answers: Path,
    rubrics: "Callable[[], list[Rubric]]",
    ground_truth: Path | None,
    answered_by: str | None,
    limit: int | None,
    cluster: str | None,
    model: "Callable[[], ChatModel]",
    price: "Callable[[], Price | None]",
    judging: Judging,
    report: Reporting,
) -> None:
    """Judge stored ANSWERS by a language model: JSON lines with question, answer, context, truth.

    Writes a results folder: record.json, verdicts.parquet, report.html and more. What a judge has said is kept in a
    cache, so that a run which was stopped goes on where it was.
    """
    from benchbench.judging.answer_run import AnswersToJudge, judge_answers, planned_answers, warnings
    from benchbench.judging.folder import JudgeFolder
    from benchbench.report.draw import page

    given = AnswersToJudge(
        answers,
        ground_truth,
        answered_by,
        cluster or "",
        limit,
        judging.calibrations,
        judging.least_kappa,
        judging.trust_judge,
    )
    settings = judging.settings(rubrics(), model(), price(), report.fail_if, report.quiet)
    if judging.dry_run:
        from benchbench.report.layouts.judge import plan_layout

        echo(None, plan_layout(planned_answers(given, settings)), report.output)
        return
    old = None if settings.price is None else settings.price.warning()
    for sentence in () if report.quiet else [*([old] if old else []), *warnings(given, settings)]:
        click.echo(f"Note: {sentence}", err=True)
    with JudgeFolder(report.out or new_results("judge"), given.labels) as folder:
        with progress.line(report.quiet) as show:
            outcome = judge_answers(
                given,
                settings,
                folder.append,
                folder.append_attacks,
                lambda done: show(f"{done:,} verdicts"),
            )
        report.describe(outcome)
        folder.finish(outcome, outcome.complete, page(outcome))
        if not outcome.complete:
            raise InterruptedRunError("interrupted")
    report.finish(outcome, folder.path)
