"""`benchbench judge nuggets`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from benchbench.cli.judging_options import Judging, one_rubric
from benchbench.cli.model_options import ModelOptions
from benchbench.cli.options import new_results
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import InputError
from benchbench.judging.settings import JudgeTrust
from benchbench.tables.numbers import COUNT
from benchbench.tables.settings import Opt

if TYPE_CHECKING:
    from benchbench.answers.judges.rubric import Rubric


@described_command("nuggets")
def command(
    files: Annotated[tuple[Path, ...], Argument("[NUGGETS] FILES…")],
    baseline: Annotated[str | None, Opt("Run to compare with.", default="of two runs the first", metavar="RUN")] = None,
    window: Annotated[int, Opt("Nuggets that a judge is asked about at once.", COUNT)] = 10,
    answered_by: Annotated[
        str | None, Opt("Model that answers, where runs are not called as it.", metavar="NAME")
    ] = None,
    per_query: Annotated[bool, Opt("Print the scores of each answer too, in JSON and CSV.")] = False,
    *,
    rubrics: Annotated["Callable[[], list[Rubric]]", one_rubric("nugget_assignment")],
    asked: ModelOptions,
    judging: Judging,
    report: Annotated[
        Reporting,
        reporting(
            "strict_vital_score<0.4",
            "Δ strict_vital_score<0 and p strict_vital_score<0.05",
            out="Results folder.  [default: none; with --model results/<UTC time>-nuggets]",
            judges=True,
        ),
    ],
) -> None:
    """Score how many of the facts that a good answer has, its nuggets, the answers of one run or of several have.

    FILES are assignments as the nuggetizer of the TREC RAG track writes them: JSON lines with qid, run_id and nuggets,
    each with text, importance and assignment. A file of NUGGETS before them says which nuggets there are; then a
    question that a run has not answered counts as 0.

    With --model, FILES are answers, and a judge assigns their NUGGETS.
    """
    if asked.settings["model"]:
        if len(files) < 2:
            raise InputError("a judge needs two files or more: the nuggets, and the answers that it looks for them in")
        from benchbench.judging.nuggets.run import NuggetFolder, NuggetsToAssign, assign_nuggets, planned_assignments

        given = NuggetsToAssign(files[0], files[1:], window, answered_by, baseline, **judging.trust)
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
    outcome = nugget_scores(list(assignments), nuggets, baseline, report.fail_if, seed, trust)
    report.describe(outcome)
    report.finish(outcome, per_query=per_query)
