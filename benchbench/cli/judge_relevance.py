"""`benchbench judge relevance`."""

from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

from benchbench.cli.judge import named as by_name
from benchbench.cli.judging_options import Judging, Rubrics, one_rubric
from benchbench.cli.model_options import ModelOptions
from benchbench.cli.options import new_results
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Argument, Fields, described_command
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.judging.item_options import PairOptions
from benchbench.results.settings import Encoding


@described_command("relevance")
def command(
    runs: Annotated[tuple[Path, ...], Argument("RUN…")] = (),
    *,
    named: DataSetOptions,
    rubrics: Annotated[Rubrics, one_rubric("relevance")],
    pairs: Annotated[dict[str, Any], Fields(PairOptions, but=("encoding",))],
    asked: ModelOptions,
    judging: Judging,
    report: Annotated[
        Reporting,
        reporting(
            "kappa<0.6",
            "worst nDCG@10<0",
            "errors>1%",
            out="Results folder.  [default: results/<UTC time>-judge]",
            judges=True,
        ),
    ],
    encoding: Encoding = None,
) -> None:
    """Label the first hits of RUNs by a language model: judgments where there are none, or fill the holes of some.

    The data set needs queries and documents; judgments that it has stay as they are, and are not asked for again.
    Writes a results folder with qrels.trec, in which the second column names the judge, and labels.parquet. What a
    judge has said is kept in a cache, so that a run which was stopped goes on where it was.

    Examples
    --------
    benchbench judge relevance a.run --dataset scifact --model gpt-4o --dry-run  # what would it cost?
    benchbench judge relevance a.run b.run --dataset scifact --model gpt-4o  # label both
    benchbench judge relevance a.run b.run --dataset scifact --model gpt-4o --holes  # the unjudged only
    """
    from benchbench.formats.datasets.unlabelled import located_unlabelled
    from benchbench.judging.judge_folder import JudgeFolder
    from benchbench.judging.relevance.pairs import PairsToJudge
    from benchbench.judging.relevance.relevance_run import judge_relevance, planned_relevance

    given = PairsToJudge(
        located_unlabelled(named),
        by_name(runs, *map(attrgetter, ("stem", "name")), str),
        encoding=encoding,
        **judging.trust,
        **pairs,
    )
    settings = judging.settings(rubrics(), asked.chat_model(), asked.priced(), report.fail_if, report.quiet)
    folder = JudgeFolder(report.out or new_results("judge"))
    judging.run(
        settings,
        report,
        folder,
        lambda: planned_relevance(given, settings),
        lambda show: judge_relevance(given, settings, folder, show),
    )
