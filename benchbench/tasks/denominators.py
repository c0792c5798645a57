"""What recall divides by: as the options say, else each task, with the relevant documents of each query counted."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.formulas import ALL, CAPPED, FIXED
from benchbench.tables.queries import Queries
from benchbench.tables.shared_messages import of_tasks
from benchbench.tasks.compiled import CompiledTasks
from benchbench.tasks.criteria import RECALL_LIMIT, Criteria
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.rules import Recall
from benchbench.tasks.task import Task

_SIGNED = {RECALL_LIMIT: "fixed", "judged": "full", "collection": "full"}


class Denominators(NamedTuple):
    """What `denominators` returns.

    Attributes
    ----------
    rule, limit
        (tasks,): what a measure divides by that does not say it, as `kernels.query_lists.Recall` has it.
    relevant
        (queries, tasks): how many documents are taken to be relevant, of label tasks.
    signed
        The same as a signature has it.
    notes
        Sentences on what was assumed or left out.
    """

    rule: I64
    limit: F64
    relevant: I64
    signed: str
    notes: tuple[str, ...]


def denominators(
    criteria: Criteria,
    tasks: CompiledTasks,
    queries: Queries,
    data: DataSet,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
) -> Denominators:
    """Return what recall divides by.

    Parameters
    ----------
    criteria
        The options.
    tasks
        What is measured.
    queries
        Read by the schema of the tasks.
    data
        The data set. Its collection is read for the label tasks of which its card has not the relevant documents.
    encoding, skip_bad_lines
        As `formats.datasets.reading.read_queries` has them.

    Raises
    ------
    InputError
        Relevant documents that nobody can count; a collection that cannot be read.
    """
    divides = [_said(task, criteria.recall_denominator) for task in tasks.tasks]
    label_tasks = [t for t, task in enumerate(tasks.tasks) if not task.judged]
    relevant = np.full((len(queries), len(divides)), RECALL_LIMIT, np.int64)
    notes = []
    missing = []
    for t in label_tasks:
        counts = None if isinstance(divides[t], int) else _of_card(tasks.tasks[t], data, queries)
        if counts is not None:
            relevant[:, t] = counts
        elif not isinstance(divides[t], int):
            missing.append(t)
    if missing and data.collection is not None:
        from benchbench.tasks.collection_counts import relevant_in_collection

        counted = relevant_in_collection(
            data.collection, queries, tasks, criteria.self_by or data.self_by, encoding, skip_bad_lines
        )
        relevant[:, missing] = counted.counts[:, missing]
        if counted.skipped_lines:
            notes.append(f"{counted.skipped_lines:,} bad lines of the collection were skipped")
        none = [tasks.names[t] for t in missing if not counted.counts[:, t].any()]
        if none:
            notes.append(
                f"no document of the collection is relevant for a query in {of_tasks(none)}: measures that need their "
                "number, such as recall and nDCG, are 0 there"
            )
    elif missing:
        names = [tasks.names[t] for t in missing]
        wanted = [name for name, t in zip(names, missing, strict=True) if divides[t] is not None]
        if wanted:
            raise InputError(
                f"task {wanted[0]}: recall needs the number of relevant documents, and without a "
                "collection they cannot be counted: give --collection FILE, or --recall-denominator fixed"
            )
        divides = [RECALL_LIMIT if t in missing else divisor for t, divisor in enumerate(divides)]
        notes.append(
            f"there is no collection to count relevant documents in, so recall of {', '.join(names)} divides by "
            f"{RECALL_LIMIT}"
        )
    rules = [_rule(divisor) for divisor in divides]
    for t in label_tasks:
        rule, limit = rules[t]
        if rule == FIXED:
            relevant[:, t] = limit
        elif rule == CAPPED:
            relevant[:, t] = np.minimum(relevant[:, t], limit)
        rules[t] = ALL, 0.0  # of those that are taken to be relevant
    signed = _signed(dict(zip(tasks.names, divides, strict=True)))
    which, limits = zip(*rules, strict=True)
    return Denominators(np.array(which, np.int64), np.array(limits, np.float64), relevant, signed, tuple(notes))


def _said(task: Task, asked: str | None) -> Recall | None:
    """Return what recall of a task divides by; None: the relevant documents of the collection where there is one."""
    match asked:
        case "fixed":
            return RECALL_LIMIT
        case "capped":
            return "capped"
        case "full":
            return "judged" if task.judged else "collection"
    return task.recall


def _of_card(task: Task, data: DataSet, queries: Queries) -> list[int] | None:
    """Return the relevant documents of each query that the card has, which knows the tasks of legal cases alone."""
    counts = data.card.get("relevant", {}).get(task.name) if task in legal_cases() else None
    if counts is None or not all(query in counts for query in queries.ids):
        return None
    return [counts[query] for query in queries.ids]


def _rule(divisor: Recall | None) -> tuple[int, float]:
    """Return rule and limit as kernels have them."""
    if isinstance(divisor, int):
        return FIXED, float(divisor)
    return (CAPPED, float(RECALL_LIMIT)) if divisor == "capped" else (ALL, 0.0)


def _signed(divisors: Mapping[str, Recall | None]) -> str:
    words = {
        name: "full" if divisor is None else _SIGNED.get(divisor, str(divisor)) for name, divisor in divisors.items()
    }
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ",".join(f"{name}={word}" for name, word in words.items())
