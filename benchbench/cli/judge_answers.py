"""`benchbench judge answers`."""

from typing import Annotated

from benchbench.cli.judging_options import Judging, Rubrics, several_rubrics
from benchbench.cli.model_options import ModelOptions
from benchbench.cli.options import AnsweredBy, GroundTruth, new_results
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import File, described_command
from benchbench.results.ranges import COUNT
from benchbench.results.settings import Cluster, Opt


@described_command("answers")
def command(
    answers: File,
    rubrics: Annotated[Rubrics, several_rubrics],
    ground_truth: GroundTruth = None,
    answered_by: AnsweredBy = None,
    limit: Annotated[int | None, Opt("Answers to judge, the first ones.", COUNT, default="all")] = None,
    cluster: Cluster = None,
    *,
    asked: ModelOptions,
    judging: Judging,
    report: Annotated[
        Reporting,
        reporting(
            "faithfulness<0.8",
            "errors>1%",
            "cost>5",
            out="Results folder.  [default: results/<UTC time>-judge]",
            judges=True,
        ),
    ],
) -> None:
    """Judge stored ANSWERS by a language model: JSON lines with question, answer, context, truth.

    Writes a results folder: record.json, verdicts.parquet, report.html and more. What a judge has said is kept in a
    cache, so that a run which was stopped goes on where it was.

    Examples
    --------
    benchbench judge answers answers.jsonl --rubric faithfulness --model gpt-4o --dry-run  # what would it cost?
    benchbench judge answers answers.jsonl --rubric faithfulness --model gpt-4o  # judge them
    benchbench judge answers answers.jsonl --rubric faithfulness --model gpt-4o --html judged.html  # as a page
    """
    from benchbench.judging.answer_run import AnswersToJudge, judge_answers, planned_answers, warnings
    from benchbench.judging.judge_folder import JudgeFolder

    given = AnswersToJudge(answers, ground_truth, answered_by, cluster or "", limit, **judging.trust)
    settings = judging.settings(rubrics(), asked.chat_model(), asked.priced(), report.fail_if, report.quiet)
    folder = JudgeFolder(report.out or new_results("judge"), given.labels)
    judging.run(
        settings,
        report,
        folder,
        lambda: planned_answers(given, settings),
        lambda show: judge_answers(given, settings, folder.append, folder.append_attacks, show),
        lambda: warnings(given, settings),
    )
