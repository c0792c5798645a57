"""Judging and scoring the hits of one data set: its queries, its tasks, and what recall divides by."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.card import DataSet
from benchbench.formats.tiered import read_tiered
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.judge import Judged, Scoring, judge
from benchbench.kernels.plan import ALL, CAPPED, FIXED
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns, columns_of
from benchbench.measures.default_list import averaged_measures
from benchbench.measures.notation import Measure
from benchbench.measures.plan import gains_of, needs_judgments
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tables.shared_messages import of_tasks
from benchbench.tasks.answerable import lacking
from benchbench.tasks.compiled import CompiledTasks, compiled
from benchbench.tasks.criteria import RECALL_LIMIT, Criteria
from benchbench.tasks.defined import legal_cases, said_tasks
from benchbench.tasks.reading import OPTION
from benchbench.tasks.task import Task

_WORDS = {RECALL_LIMIT: "fixed", "judged": "full", "collection": "full"}  # of what a task says, as a signature has it


@dataclass(frozen=True)
class Judging:
    """The queries of a data set, and how their hits are judged; `judging_of` makes it.

    Attributes
    ----------
    criteria
        The options, with what the tasks say where they say nothing.
    tasks
        Names of the tasks that are measured.
    relevant
        (queries, tasks): how many documents are relevant, of label tasks.
    lacking
        Queries that no hit can be relevant for, by task.
    notes
        Sentences on what was assumed or left out.
    """

    criteria: Criteria
    queries: Queries
    compiled: CompiledTasks
    relevant: I64
    lacking: Mapping[str, int]
    said: str
    recall: str
    notes: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks that are measured."""
        return self.compiled.names

    @property
    def judged_tasks(self) -> tuple[str, ...]:
        """Names of those for which judgments say what is relevant."""
        return tuple(name for name, judged in zip(self.tasks, self.compiled.judged, strict=True) if judged)

    @property
    def undefined(self) -> frozenset[tuple[str, Measure]]:
        """The measures that are not defined for a task, and not measured for it."""
        labelled = [name for name in self.tasks if name not in self.judged_tasks]
        return frozenset((name, one) for one in self.criteria.measures if needs_judgments(one) for name in labelled)

    def columns(self, averaged: bool = False) -> Columns:
        """Return where each measure stands in a row; `averaged`: without the micro averages of the default list."""
        measures = self.criteria.measures
        measures = averaged_measures(measures) if averaged else measures
        return columns_of(self.tasks, measures, self.criteria.plans, self.undefined)

    @property
    def rules(self) -> dict[str, Any]:
        """Return what stands in a signature, as `measures.signature.run_signature` takes it."""
        return {
            "tasks": self.said,
            "measures": self.criteria.measures,
            "self_by": self.criteria.self_by,
            "gold_by": self.criteria.gold_by,
            "recall": self.recall,
            "max_positives": self.criteria.max_positives,
        }

    def judge(self, which: int | I64, hits: Hits) -> Judged:
        """Judge the hits of queries: those numbered, or from one on as many as `hits.counts` says."""
        queries = self.queries
        if isinstance(which, int):
            columns = queries.columns(which, which + len(hits.counts))
            relevant = self.relevant[which : which + len(hits.counts)]
        else:
            columns, relevant = queries.columns_at(which), self.relevant[which]
        scoring = self._scoring(columns.positive_grade, relevant)
        by_text = self.criteria.self_by == "text", self.criteria.gold_by == "text"
        members = queries.labels.members()
        return judge(hits.columns(queries.schema), columns, self.compiled.kernel, members, scoring, *by_text)

    def _scoring(self, grade: F64, relevant: I64) -> Scoring:
        plans, tasks = self.criteria.plans, self.compiled
        kinds: dict[object, int] = {}
        rows = np.zeros((len(tasks.names), len(plans.gains)), np.int64)
        for t in np.flatnonzero(tasks.judged).tolist():
            for kind, gains in enumerate(plans.gains):
                rows[t, kind] = kinds.setdefault(tasks.gains[t] if gains == "linear" else gains, len(kinds))
        rule, limit = zip(*map(self._recall, range(len(tasks.names))), strict=True)
        return Scoring(
            plans.plain,
            plans.condensed,
            _rels(plans.plain.rels, tasks.rel),
            _rels(plans.condensed.rels, tasks.rel),
            np.array([gains_of(grade, gains) for gains in kinds or ("linear",)]),
            rows,
            np.array(tasks.rel),
            np.array(rule, np.int64),
            np.array(limit, np.float64),
            relevant,
        )

    def _recall(self, t: int) -> tuple[int, float]:
        """Return what plain recall divides by; a label task has it in `relevant` already."""
        if not self.compiled.judged[t]:
            return ALL, 0.0
        given = {"fixed": RECALL_LIMIT, "full": "judged"}.get(str(self.criteria.recall_denominator))
        said = self.criteria.recall_denominator if given is None else given
        said = self.compiled.recall[t] if said is None else said
        if said == "capped":
            return CAPPED, float(RECALL_LIMIT)
        return (FIXED, float(said)) if isinstance(said, int) else (ALL, 0.0)


def judging_of(criteria: Criteria, data: DataSet, encoding: str | None = None, skip_bad_lines: bool = False) -> Judging:
    """Read the queries of a data set, and say how hits are judged.

    Parameters
    ----------
    criteria
        The options; `Criteria.of` is applied.
    data
        The data set. Its collection is read where a task divides recall by the relevant documents there, unless its
        card has their number.
    encoding, skip_bad_lines
        As `formats.tiered.read_tiered` has them.

    Raises
    ------
    InputError
        What cannot be read; a task that no query has what it takes for; a measure that is not defined for a task;
        relevant documents that nobody can count.
    """
    wanted = criteria.tasks if criteria.tasks != tuple(task.name for task in criteria.known(data)) else ()
    known, criteria = criteria.known(data), criteria.of(data)
    whole = compiled(known)
    queries = read_tiered(data.queries, encoding, skip_bad_lines, criteria.max_positives or 0, whole.schema)
    fewer = dict(zip(whole.names, lacking(whole, queries).tolist(), strict=True))
    there = tuple(name for name in criteria.tasks if fewer[name] < len(queries))
    if not there and not wanted:
        raise InputError(
            "no hit can be relevant: no query of the data set has a positive (in `positives`, with another text than "
            f"its own) or what its tasks compare, {said_tasks(known)}; it may have tasks of its own, in "
            f"{data.description}"
        )
    left_out = [task for task in known if task.name in criteria.tasks and task.name not in there]
    for task in left_out:
        if task.name in wanted or task in known[len(known) - len(criteria.task) :]:
            option = "--tasks" if task.name in wanted else OPTION
            raise InputError(f"{option} {task.name}: no query of the data set has what this task compares")
    tasks = whole.only(there)
    relevant, notes = _relevant(criteria, tasks, queries, data, encoding, skip_bad_lines)
    said = [_check_defined(one, tasks, wanted) for one in criteria.measures if needs_judgments(one)]
    return Judging(
        criteria,
        queries,
        tasks,
        relevant,
        {name: fewer[name] for name in there},
        said_tasks(tasks.tasks),
        _said_recall(criteria, tasks),
        (*notes, *(one for one in said if one), *_unmeasured(left_out)),
    )


def _unmeasured(tasks: Iterable[Task]) -> list[str]:
    """Return a sentence on the tasks that a data set names and has nothing for; those of legal cases are no one's."""
    names = [task.name for task in tasks if task not in legal_cases()]
    said = f"no values for {of_tasks(names)}: no query of the data set has what is compared there"
    return [said] if names else []


def _rels(rels: F64, of_tasks: Sequence[float]) -> F64:
    """Return the lowest relevant grades, (tasks, grades): the task's where a measure has the default, 1."""
    return np.where(rels == 1.0, np.array(of_tasks)[:, None], rels)


def _check_defined(measure: Measure, tasks: CompiledTasks, wanted: Sequence[str]) -> str:
    """Return a sentence on the tasks for which a measure is not defined; InputError where one of them was named."""
    if CATALOG[measure.name].diverse:
        raise InputError(f"-m {measure}: {needs_judgments(measure)}, and the judgments of this data set have none")
    labelled = [name for name, judged in zip(tasks.names, tasks.judged, strict=True) if not judged]
    others = [name for name in tasks.names if name not in labelled]
    why = f"-m {measure}: {needs_judgments(measure)}"
    if not others or any(name in wanted for name in labelled):
        name = next((name for name in labelled if name in wanted), labelled[0])
        advice = f"; --tasks {','.join(others)} measures the others" if others else ""
        raise InputError(f"{why}, and task {name} compares labels{advice}")
    return f"{why}; it is not measured for {of_tasks(labelled)}, by labels" if labelled else ""


def _said_recall(criteria: Criteria, tasks: CompiledTasks) -> str:
    """Return what recall divides by as a signature has it."""
    if criteria.recall_denominator is not None:
        return criteria.recall_denominator
    words = [_WORDS.get(said, str(said)) if said is not None else "full" for said in tasks.recall]
    if len(set(words)) == 1:
        return words[0]
    return ",".join(f"{name}={word}" for name, word in zip(tasks.names, words, strict=True))


def _relevant(
    criteria: Criteria,
    tasks: CompiledTasks,
    queries: Queries,
    data: DataSet,
    encoding: str | None,
    skip_bad_lines: bool,
) -> tuple[I64, tuple[str, ...]]:
    """Return the relevant documents of each query for each label task, and sentences on what was assumed."""
    words = {"fixed": RECALL_LIMIT, "full": "collection", "capped": "capped", None: None}
    asked = words[criteria.recall_denominator]
    said = [asked or recall for recall in tasks.recall]
    counted = [t for t, judged in enumerate(tasks.judged) if not judged and not isinstance(said[t], int)]
    relevant = np.full((len(queries), len(tasks.names)), RECALL_LIMIT, np.int64)
    for t, one in enumerate(said):
        if isinstance(one, int):
            relevant[:, t] = one
    notes: list[str] = []
    missing = []
    for t in counted:
        name = tasks.names[t]
        counts = data.card.get("relevant", {}).get(name) if tasks.tasks[t] in legal_cases() else None
        if counts is None or not all(query in counts for query in queries.ids):
            missing.append(t)
            continue
        relevant[:, t] = [counts[query] for query in queries.ids]
    if missing and data.collection is not None:
        from benchbench.tasks.collection_counts import relevant_in_collection

        found = relevant_in_collection(data.collection, queries, tasks, criteria.self_by, encoding, skip_bad_lines)
        relevant[:, missing] = found.counts[:, missing]
        if found.skipped_lines:
            notes.append(f"{found.skipped_lines:,} bad lines of the collection were skipped")
    elif missing:
        for t in missing:
            if said[t] is not None:
                raise InputError(
                    f"task {tasks.names[t]}: recall needs the number of relevant documents, and there is no "
                    "collection to count them in: give --collection FILE, or --recall-denominator fixed"
                )
        names = ", ".join(tasks.names[t] for t in missing)
        notes.append(
            f"there is no collection to count relevant documents in, so recall of {names} divides by {RECALL_LIMIT}"
        )
    for t in counted:
        if said[t] == "capped":
            relevant[:, t] = np.minimum(relevant[:, t], RECALL_LIMIT)
    return relevant, tuple(notes)
