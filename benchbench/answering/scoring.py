"""Stored answers to values, in a stream that several processes may share.

The lines go to worker processes in chunks. The results of the chunks, sums and lines to write, are merged in the order
of the file, so the number of processes changes no bit of the result.
"""

import itertools
import runpy
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.answering.per_answer import AnswerColumns, PerAnswer, columns
from benchbench.answers import choices, citation_format, law_citations, plain_metrics, precedents, terminology
from benchbench.answers.metrics import METRICS, Metric, Value, metrics_named
from benchbench.answers.summary import CHUNK, Summary, Totals
from benchbench.answers.worst import Shown, Worst
from benchbench.client.sync import run_sync
from benchbench.client.workers import Link, Worker
from benchbench.client.workers import workers as running
from benchbench.errors import InputError, said_by, visible
from benchbench.formats.ground_truth import Reading, answers_of
from benchbench.formats.lines import Chunk, json_chunks, row_chunks
from benchbench.processes import usable_cores
from benchbench.tables.questions import Answer, Question

# Importing them registers their metrics
_REGISTERED = (plain_metrics, law_citations, terminology, citation_format, precedents, choices)

DEFAULT = (
    "answer_length",
    "latency",
    "citations_matched",
    "any_citation",
    "statute_citation_accuracy",
    "case_law_citation_accuracy",
    "legal_terminology_accuracy",
    "citation_format_compliance",
    "precedent_matching",
)

MOST_WORKERS = 8  # by default
SHORT = 4 * CHUNK  # fewer lines are scored before a worker has started
_SHOWN, _MANY = 40, 10  # characters of a member's name in a sentence, and members
_AHEAD = 2  # chunks that each worker has, including the one that it scores
Line = Callable[[Answer, Sequence[Metric], Sequence[Value]], bytes]


def chosen(names: Sequence[str]) -> list[Metric]:
    """Return the metrics with these names, by default those of `DEFAULT`; InputError for an unknown name."""
    return metrics_named(names or DEFAULT)


def all_metrics() -> list[Metric]:
    """Return the whole registry, by name."""
    return [METRICS[name] for name in sorted(METRICS)]


def need_truths(metrics: Iterable[Metric]) -> bool:
    """Return whether one of the metrics compares answers with truths, so that no truth may be empty."""
    return any(metric.needs_truth for metric in metrics)


@dataclass(frozen=True, slots=True)
class ScoringTask:
    """How answers are scored: what each worker is sent."""

    metrics: Sequence[str] = ()  # names; none: `DEFAULT`
    metrics_from: Sequence[Path] = ()  # files that register metrics, for workers to run
    truths: Mapping[str, Question] | None = None  # of answers that have no truth of their own
    line: Line | None = None  # what is written of each answer; None: nothing
    cluster: str = ""  # member of the questions that intervals group them by
    has_page: bool = False  # whether the answers with the lowest scores are kept for one
    has_table: bool = False  # whether there is a table of values per answer


class ScoredChunk(NamedTuple):
    """The result of a chunk of answers."""

    totals: Totals
    lines: bytes
    asked: list[tuple[int, str]]  # line and question, where there is a ground truth
    worst: list[Shown]  # of the answers, those that a page may show
    columns: AnswerColumns | None  # of the table of values per answer


def score(
    answers: Path | Iterable[Mapping[str, Any]],
    task: ScoringTask,
    workers: int | None = None,
    sink: Callable[[bytes], Any] = len,
    worst: Worst | None = None,
    table: PerAnswer | None = None,
) -> Summary:
    """Score answers; a file is read as a stream of a few thousand lines.

    Parameters
    ----------
    answers
        A file of JSON lines, as `formats.ground_truth` has them, or such rows.
    task
        How.
    workers
        Processes that share the lines; the result has the same bits for any number. None: one per core, at most
        `MOST_WORKERS`. A file of fewer than `SHORT` lines is scored in this process.
    sink
        Called with the lines that `task.line` makes, in the order of the answers, many at once.
    worst
        Takes the answers that a page shows, where the task has one.
    table
        Takes the values of each answer, where the task has a table of them.

    Raises
    ------
    InputError
        For a file that cannot be read or has no answer, or null ones only; for a line that is wrong, and for a question
        of a ground truth that is answered twice.
    """
    metrics = chosen(task.metrics)
    summary = Summary(metrics, task.cluster)
    path = answers if isinstance(answers, Path) else Path("answers")
    seen: dict[str, int] = {}

    def take(part: ScoredChunk) -> None:
        for number, question in part.asked:
            if (first := seen.setdefault(question, number)) != number:
                raise InputError(f"{path}, line {number}: the question of line {first} again; remove one of the two")
        sink(part.lines)
        summary.merge(part.totals)
        if worst is not None:
            worst.merge(part.worst)
        if table is not None and part.columns is not None:
            table.add(part.columns)

    chunks = json_chunks(answers, CHUNK) if isinstance(answers, Path) else row_chunks(answers, CHUNK, str(path))
    start = list(itertools.islice(chunks, SHORT // CHUNK))
    number = workers or min(usable_cores(), MOST_WORKERS)
    if not task.metrics_from and not all(map(_is_ours, metrics)):
        number = 1  # a worker would not know them
    if number == 1 or len(start) < SHORT // CHUNK:
        kept = Worst(metrics)
        for chunk in itertools.chain(start, chunks):
            take(_scored(chunk, metrics, task, kept))
    else:
        run_sync(_share(itertools.chain(start, chunks), task, number, take))
    if not summary.total:
        raise InputError(f"{path} has no answer in it")
    if summary.totals.nulls == summary.total:
        raise InputError(f"{path} has no answer in it: {_why_none(start, summary)}")
    if task.cluster and not summary.is_clustered:
        raise InputError(f"no question of {path} has a member {task.cluster} to group by")
    if task.truths is not None:
        summary.unanswered = len({question.question for question in task.truths.values()}) - len(seen)
    return summary


def _is_ours(metric: Metric) -> bool:
    return str(getattr(metric.function, "__module__", None)).startswith("benchbench.")


def _why_none(start: Sequence[Chunk], summary: Summary) -> str:
    """Return why all answers of a file are null: the most frequent reason, or the members of its first line."""
    reason, times = max(summary.totals.failures.items(), key=lambda item: item[1])
    sentence = f"`answer` is null, empty or missing in each of its {summary.total:,} lines"
    _, first = next(start[0].values())
    if times == summary.total and "answer" not in first:
        members = ", ".join(visible(name, _SHOWN) for name in list(first)[:_MANY])
        return f"{sentence}; the members of the first are {members}"
    return f"{sentence}, mostly: {visible(reason, 200)}"


def _scored(chunk: Chunk, metrics: Sequence[Metric], task: ScoringTask, worst: Worst) -> ScoredChunk:
    """Score a chunk; `worst` are the answers that this process has kept so far."""
    numbered = list(answers_of(chunk, task.truths, Reading(need_truths(metrics), task.cluster)))
    scored = [(answer, [metric.value(answer) for metric in metrics]) for _, answer in numbered]
    asked = [] if task.truths is None else [(number, answer.asked.question) for number, answer in numbered]
    lines = b"" if task.line is None else b"".join(task.line(answer, metrics, values) for answer, values in scored)
    shown = []
    for (number, answer), (_, values) in zip(numbered, scored, strict=True) if task.has_page else ():
        if (kept := worst.add(number, answer, values)) is not None:
            shown.append(kept)
    table = columns(metrics, [number for number, _ in numbered], scored, task.cluster) if task.has_table else None
    return ScoredChunk(Totals.of(metrics, scored), lines, asked, shown, table)


async def _share(chunks: Iterable[Chunk], task: ScoringTask, number: int, take: Callable[[ScoredChunk], None]) -> None:
    """Send the chunks to the workers in turn, and take their results in order."""
    async with running(number, work, task) as started:
        under_way: deque[Worker] = deque()
        for chunk, worker in zip(chunks, itertools.cycle(started), strict=False):
            if len(under_way) == _AHEAD * number:
                take(await under_way.popleft().receive())
            worker.send(chunk)
            under_way.append(worker)
        while under_way:
            take(await under_way.popleft().receive())


async def work(link: Link, number: int, task: ScoringTask) -> None:
    """Score the chunks that a worker receives."""
    load_metrics(task.metrics_from)
    metrics = chosen(task.metrics)
    worst = Worst(metrics)
    while True:
        link.send(_scored(await link.receive(), metrics, task, worst))


def load_metrics(files: Iterable[Path]) -> None:
    """Run Python files that register metrics; InputError for one that cannot be run."""
    for file in files:
        try:
            runpy.run_path(str(file), run_name="benchbench_metrics")
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"--metrics-from {file}: {type(error).__name__}: {said_by(error)}") from error
