"""`benchbench judge nuggets`."""

from pathlib import Path
from typing import Annotated, Any

from benchbench.cli.judging_options import Judging, Rubrics, one_rubric
from benchbench.cli.model_options import ModelOptions
from benchbench.cli.options import new_results
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Argument, Fields, described_command
from benchbench.errors import InputError
from benchbench.judging.item_options import NuggetOptions
from benchbench.judging.judge_settings import JudgeTrust
from benchbench.results.settings import Opt


@described_command("nuggets")
def command(
    files: Annotated[tuple[Path, ...], Argument("[NUGGETS] FILES…")],
    *,
    options: Annotated[dict[str, Any], Fields(NuggetOptions)],
    per_query: Annotated[bool, Opt("Print each answer's scores, in JSON and CSV.")] = False,
    rubrics: Annotated[Rubrics, one_rubric("nugget_assignment")],
    asked: ModelOptions,
    judging: Judging,
    report: Annotated[
        Reporting,
        reporting(
            "strict_vital_score<0.4",
            "Δ strict_vital_score<0 and p strict_vital_score<0.05",
            out="Results folder.  [default: none]",
            judges=True,
        ),
    ],
) -> None:
    """Score how many of the facts that a good answer has, its nuggets, the answers of one run or of several have.

    FILES are assignments as the nuggetizer of the TREC RAG track writes them: JSON lines with qid, run_id and nuggets,
    each with text, importance and assignment. A file of NUGGETS before them says which nuggets there are; then a
    question that a run has not answered counts as 0.

    With --model, FILES are answers, and a judge assigns their NUGGETS.

    Examples
    --------
    benchbench judge nuggets nuggets.jsonl answers.jsonl --model gpt-4o --dry-run  # what would it cost?
    benchbench judge nuggets nuggets.jsonl answers.jsonl --model gpt-4o  # judge them
    benchbench judge nuggets nuggets.jsonl a.jsonl b.jsonl --model gpt-4o --baseline a  # compare two
    """
    if asked.settings["model"]:
        if len(files) < 2:
            raise InputError("a judge needs two files or more: the nuggets, and the answers that it looks for them in")
        from benchbench.judging.nuggets.nuggets_run import (
            NuggetFolder,
            NuggetsToAssign,
            assign_nuggets,
            planned_assignments,
        )

        given = NuggetsToAssign(files[0], files[1:], **options, **judging.trust)
        settings = judging.settings(rubrics(), asked.chat_model(), asked.priced(), report.fail_if, report.quiet)
        folder = NuggetFolder(report.out or new_results("nuggets"))
        judging.run(
            settings,
            report,
            folder,
            lambda: planned_assignments(given, settings),
            lambda show: assign_nuggets(given, settings, folder.write, folder.append, folder.append_attacks, show),
            per_query=per_query,
        )
        return
    if judging.dry_run:
        raise InputError("--dry-run says what a judge would be asked; name one with --model")
    from benchbench.judging.nuggets.scores import nugget_scores, split

    nuggets, assignments = split(files)
    seed, trust = judging.given["seed"], JudgeTrust(**judging.trust)
    outcome = nugget_scores(list(assignments), nuggets, options["baseline"], report.fail_if, seed, trust)
    report.describe(outcome)
    report.finish(outcome, per_query=per_query)
