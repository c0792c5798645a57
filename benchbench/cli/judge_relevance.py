"""`benchbench judge relevance`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import common, data_sets, progress
from benchbench.cli.judging_options import Judging, judging_options, rubric_options
from benchbench.cli.model_options import model_options
from benchbench.cli.numbers import Number
from benchbench.cli.options import encoding, loudness, new_results
from benchbench.cli.parameters import PATH, Option
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.errors import InterruptedRunError
from benchbench.tables.numbers import COUNT_OR_0, HITS

if TYPE_CHECKING:
    from benchbench.answers.judges.rubric import Rubric
    from benchbench.client.chat import ChatModel
    from benchbench.client.prices import Price


@click.command(cls=Command, name="relevance")
@click.argument("runs", type=PATH, nargs=-1, metavar="RUN…")
@data_sets.data_set_options
@rubric_options(several=False, default="relevance")
@click.option(
    "-k",
    "--cutoff",
    "depth",
    cls=Option,
    old=("--depth",),
    type=Number(HITS),
    help="Hits of each query and run that are judged.  [default: 10; with --holes the deepest cut-off of -m]",
)
@click.option("--pairs", type=PATH, help="Judge the pairs of this file, which is as judgments are, instead of runs.")
@click.option(
    "--holes", is_flag=True, help="Judge only what nobody judged for queries that somebody did, of compared RUNs."
)
@click.option(
    "-m",
    "--measure",
    "measures",
    cls=Option,
    listed=True,
    default=("nDCG@10",),
    show_default=True,
    help="With --holes: measures whose differences are shown before and after.",
)
@common.limit(None, "Pairs to judge, drawn with --seed.  [default: all]")
@click.option(
    "--compare-with",
    type=PATH,
    help="Labels by people to compare the judge with.  [default: those of the data set]",
)
@click.option(
    "--compare-sample",
    type=Number(COUNT_OR_0),
    default=200,
    show_default=True,
    help="How many of these the judge is asked about, for the comparison alone; 0: none.",
)
@click.option(
    "--ranked-by",
    cls=Option,
    listed=True,
    metavar="MODEL",
    help="Model that is known to have retrieved or reranked; the tags of the runs are looked at anyway.",
)
@model_options
@judging_options
@reporting(
    "kappa<0.6",
    "worst nDCG@10<0",
    "errors>1%",
    out="Results folder, with qrels.trec.  [default: results/<UTC time>-judge]",
    judges=True,
)
@encoding
@loudness
def command(
    runs: tuple[Path, ...],
    rubrics: "Callable[[], list[Rubric]]",
    model: "Callable[[], ChatModel]",
    price: "Callable[[], Price | None]",
    judging: Judging,
    report: Reporting,
    **others: Any,
) -> None:
    """Label the first hits of RUNs by a language model: judgments where there are none, or fill the holes of some.

    The data set needs queries and documents; judgments that it has stay as they are, and are not asked for again.
    Writes a results folder with qrels.trec, in which the second column names the judge, and labels.parquet. What a
    judge has said is kept in a cache, so that a run which was stopped goes on where it was.
    """
    from benchbench.formats.datasets.unlabelled import located_unlabelled
    from benchbench.judging.folder import JudgeFolder
    from benchbench.judging.relevance.pairs import PairsToJudge
    from benchbench.judging.relevance.run import judge_relevance, planned_relevance
    from benchbench.report.draw import page

    data = located_unlabelled(data_sets.named(others))
    given = PairsToJudge(
        data,
        _named(runs),
        calibrations=judging.calibrations,
        least_kappa=judging.least_kappa,
        trusts_judge=judging.trust_judge,
        **others,
    )
    settings = judging.settings(rubrics(), model(), price(), report.fail_if, report.quiet)
    if judging.dry_run:
        from benchbench.report.layouts.judge import plan_layout

        echo(None, plan_layout(planned_relevance(given, settings)), report.output)
        return
    if settings.price is not None and (old := settings.price.warning()) and not report.quiet:
        click.echo(f"Note: {old}", err=True)
    with JudgeFolder(report.out or new_results("judge")) as folder:
        with progress.line(report.quiet) as show:
            outcome = judge_relevance(given, settings, folder, lambda done: show(f"{done:,} verdicts"))
        report.describe(outcome)
        folder.finish(outcome, outcome.complete, page(outcome))
        if not outcome.complete:
            raise InterruptedRunError("interrupted")
    report.finish(outcome, folder.path)


def _named(runs: tuple[Path, ...]) -> dict[str, Path]:
    """Return the runs by as much of their paths as tells them apart."""
    from benchbench.comparison.run_names import run_names

    ways = [[path.stem for path in runs], [path.name for path in runs], list(map(str, runs))]
    return dict(zip(run_names((), ways), runs, strict=True))
