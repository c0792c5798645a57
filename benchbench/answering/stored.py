"""Stored answers, in a file or in memory, scored and checked against gates."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbench.answering.answers_result import AnswersOutcome, check, details, parse_gates
from benchbench.answering.per_answer import PerAnswer
from benchbench.answering.scoring import ScoringTask, chosen, need_truths, score
from benchbench.answers.metrics import Metric
from benchbench.answers.worst import Worst
from benchbench.formats.ground_truth import Reading, ground_truth, refuse_ground_truth
from benchbench.results.ranges import WORKERS
from benchbench.tables.questions import Question, by_name

Rows = Iterable[Mapping[str, Any]]
Truths = Path | str | Iterable[Mapping[str, Any] | Question]


def score_answers(
    answers: Path | str | Rows,
    metrics: str | Sequence[str] = (),
    *,
    truths: Truths | None = None,
    fail_if: str | Sequence[str] = (),
    workers: int | None = None,
    cluster: str = "",
) -> AnswersOutcome:
    """Score stored answers.

    Parameters
    ----------
    answers
        A file of JSON lines, or such rows: mappings with `question`, `answer`, `truth`, and where there are any
        `context`, `latency` (seconds), `error`, `source_type`, `category`.
    metrics
        Names, one or several; those for English law by default. `answer_metric` registers others.
    truths
        A ground truth, a file or rows with `question` and `truth`, of answers that have no truth with them.
    fail_if
        Gates, one or several, such as `"statute_citation_accuracy<0.5"` or `"errors>1%"`.
    workers
        Processes that share the answers; the result has the same bits for any number. None: one per core, at most 8,
        but a single one for few answers and for metrics that only this process knows.
    cluster
        The member of the questions that says which belong together, such as those of one document; intervals are then
        of groups.

    Raises
    ------
    InputError
        For answers that cannot be read, with the line; for an unknown metric; for a gate on a number that there is not.

    Examples
    --------
    >>> rows = [{"question": "May a tenant …?", "answer": "See CPR 31.6.", "truth": "Yes, by CPR 31.6."}]
    >>> score_answers(rows, "citations_matched", fail_if="errors>0").numbers()
    """
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    known = truths_of(truths, chosen(names), cluster)
    number = None if workers is None else WORKERS.take(workers, "--workers")
    source = str(truths) if isinstance(truths, Path | str) else None
    task = ScoringTask(names, truths=known, cluster=cluster, has_page=True, has_table=True)
    return scored(answers, task, fail_if, number, ground_truth=source, table=PerAnswer())


def truths_of(given: Truths | None, metrics: Iterable[Metric], cluster: str = "") -> Mapping[str, Question] | None:
    """Return a ground truth by its questions; a truth may be empty where no metric needs it."""
    return None if given is None else by_name(ground_truth(given, Reading(need_truths(metrics), cluster)))


def scored(
    answers: Path | str | Rows,
    task: ScoringTask,
    fail_if: str | Sequence[str],
    workers: int | None,
    sink: Callable[[bytes], Any] = len,
    ground_truth: str | None = None,
    table: PerAnswer | None = None,
) -> AnswersOutcome:
    """Score answers as a task says, and check gates; malformed gates are refused before any answer is read.

    Parameters
    ----------
    answers, workers, sink
        As `scoring.score` has them.
    task
        How; its metrics are registered.
    fail_if
        Gates.
    ground_truth
        The file that the truths of the task are from.
    table
        Takes the values of each answer; None: nobody wants them.
    """
    began = time.time()
    metrics = chosen(task.metrics)
    conditions = parse_gates(fail_if, metrics)
    worst = Worst(metrics)
    if isinstance(answers, Path | str):
        refuse_ground_truth(Path(answers))
    summary = score(Path(answers) if isinstance(answers, str) else answers, task, workers, sink, worst, table)
    source = str(answers) if isinstance(answers, Path | str) else "answers"
    names = [metric.name for metric in metrics]
    options = {
        "answers": source,
        "ground_truth": ground_truth,
        "metrics": names,  # as version 0.1 called the option
        "measure": names,
        "metrics_from": list(map(str, task.metrics_from)),
        "cluster": task.cluster or None,
        "fail_if": [gate.text for gate in conditions],
    }
    gates = check(conditions, summary)
    return AnswersOutcome(
        found=details(summary, gates),
        metrics=metrics,
        subject=Path(source).name,
        gates=gates,
        options=options,
        began=began,
        worst=worst.rows(),
        per_answer=table if table is not None and table.folder is None else None,
    )
