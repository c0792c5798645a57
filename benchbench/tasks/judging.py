"""Judging and scoring the hits of one data set: its queries, its tasks, and what recall divides by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.formats.datasets.description import DESCRIBED
from benchbench.formats.datasets.reading import read_queries
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.judge_hits import Judged, Scoring, judge
from benchbench.kernels.task_values import MeasuredTasks
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns, columns_of
from benchbench.measures.default_list import averaged_measures
from benchbench.measures.notation import Measure
from benchbench.measures.plan import gains_of, needs_judgments
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries
from benchbench.tables.shared_messages import of_tasks
from benchbench.tasks.compiled import CompiledTasks, compiled
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import said_tasks
from benchbench.tasks.denominators import Denominators, denominators
from benchbench.tasks.in_force import rules_in_force
from benchbench.tasks.missing_documents import missing_documents


@dataclass(frozen=True, kw_only=True)
class Judging:
    """The queries of a data set, and how their hits are judged; `judging_of` makes it.

    Attributes
    ----------
    criteria
        The options, with what the tasks say where they say nothing.
    compiled
        The tasks that are measured.
    denominators
        What recall divides by.
    lacking
        Queries that no hit can be relevant for, by task.
    notes
        Sentences on what was assumed or left out.
    defaults
        Sentences on what is done because nothing else was asked for.
    sample
        Which of the data set's queries these are; empty for all.
    """

    criteria: Criteria
    queries: Queries
    compiled: CompiledTasks
    denominators: Denominators
    lacking: Mapping[str, int]
    notes: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()
    sample: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks that are measured."""
        return self.compiled.names

    @property
    def judged_tasks(self) -> tuple[str, ...]:
        """Names of those for which judgments say what is relevant."""
        return tuple(task.name for task in self.compiled.tasks if task.judged)

    @property
    def needs_ids(self) -> bool:
        """Say that a hit without an id is relevant for nothing."""
        return self.criteria.gold_by == "id" and set(self.judged_tasks) == set(self.tasks)

    @property
    def undefined(self) -> frozenset[tuple[str, Measure]]:
        """The measures that are not defined for a task, and not measured for it."""
        unjudged = [measure for measure in self.criteria.measures if needs_judgments(measure)]
        return frozenset((name, measure) for measure in unjudged for name in self.compiled.by_labels)

    def columns(self, averaged: bool = False) -> Columns:
        """Return where each measure stands in a row; `averaged`: without the micro averages of the default list."""
        measures = self.criteria.measures
        measures = averaged_measures(measures) if averaged else measures
        return columns_of(self.tasks, measures, self.criteria.plans, self.undefined)

    @property
    def rules(self) -> dict[str, Any]:
        """Return what stands in a signature, as `measures.signature.run_signature` takes it."""
        return {
            "tasks": said_tasks(self.compiled.tasks),
            "measures": self.criteria.measures,
            "self_by": self.criteria.self_by,
            "gold_by": self.criteria.gold_by,
            "recall": self.denominators.signed,
            "max_positives": self.criteria.max_positives,
            "sample": self.sample,
        }

    def sampled(self, limit: int | None, seed: int) -> "Judging":
        """Return the judging of `limit` queries drawn with a seed; of all for None, or where there are no more.

        Raises
        ------
        InputError
            Where none of the queries drawn has what a task compares.
        """
        total = len(self.queries)
        if limit is None or limit >= total:
            return self
        drawn = np.sort(np.random.default_rng(seed).choice(total, limit, replace=False))
        queries = self.queries.at(drawn)
        fewer = self.compiled.lacking(queries)
        none = [name for name in self.tasks if fewer[name] == limit]
        if none:
            raise InputError(
                f"--limit {limit}: no query drawn with --seed {seed} has what {of_tasks(none)} compares; a larger "
                "--limit or another --seed may draw one"
            )
        return replace(
            self,
            queries=queries,
            denominators=self.denominators._replace(relevant=self.denominators.relevant[drawn]),
            lacking=fewer,
            notes=(f"{limit:,} of {total:,} queries, drawn with seed {seed} (--limit)", *self.notes),
            sample=f"{limit} of {total}, seed {seed}",
        )

    def judge(self, which: int | I64, hits: Hits) -> Judged:
        """Judge the hits of queries: those numbered, or from one on as many as `hits.counts` says."""
        queries, relevant = self.queries, self.denominators.relevant
        if isinstance(which, int):
            last = which + len(hits.counts)
            columns, relevant = queries.columns(which, last), relevant[which:last]
        else:
            columns, relevant = queries.columns_at(which), relevant[which]
        scoring, kinds = self._scoring
        grade = columns.positive_grade
        scoring = scoring._replace(gains=np.array([gains_of(grade, gains) for gains in kinds]), relevant=relevant)
        by_text = self.criteria.self_by == "text", self.criteria.gold_by == "text"
        members = queries.labels.members()
        return judge(hits.columns(queries.schema), columns, self.compiled.comparisons, members, scoring, *by_text)

    @cached_property
    def _scoring(self) -> tuple[Scoring, tuple[object, ...]]:
        """What is measured, without what depends on the queries; and the kinds of gains."""
        plans, tasks = self.criteria.plans, self.compiled
        kinds: dict[object, int] = {}
        rows = np.zeros((len(tasks.names), len(plans.gains)), np.int64)
        for t, task in enumerate(tasks.tasks):
            for kind, gains in enumerate(plans.gains if task.judged else ()):
                rows[t, kind] = kinds.setdefault(task.gains if gains == "linear" else gains, len(kinds))
        measured = MeasuredTasks(
            np.array([task.judged for task in tasks.tasks], np.bool_),
            np.array(tasks.rel),
            _rels(plans.plain.rels, tasks.rel),
            self.denominators.rule,
            self.denominators.limit,
            rows,
        )
        condensed = _rels(plans.condensed.rels, tasks.rel)
        none = np.empty((0, 0))
        scoring = Scoring(plans.plain, plans.condensed, measured, condensed, none, self.denominators.relevant[:0])
        return scoring, tuple(kinds) or ("linear",)


def judging_of(
    criteria: Criteria,
    data: DataSet,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    top_k: int | None = None,
) -> Judging:
    """Read the queries of a data set, and say how hits are judged.

    Parameters
    ----------
    criteria
        The options; `Criteria.of` is applied.
    data
        The data set. Its collection is read where a task divides recall by the relevant documents there, unless its
        card has their number.
    encoding, skip_bad_lines
        As `formats.datasets.reading.read_queries` has them.
    top_k
        Hits asked for per query, which are said with the rest.

    Raises
    ------
    InputError
        What cannot be read; a task that no query has what it takes for; a measure that is not defined for a task;
        relevant documents that nobody can count.
    """
    known = criteria.known(data)
    if not known:
        raise InputError(
            f"{data.name} has no judgments, and no task says what is relevant: give --qrels FILE, --task, or tables "
            f"[tasks.NAME] in {data.description}"
        )
    wanted = () if criteria.tasks == tuple(task.name for task in known) else criteria.tasks
    criteria = criteria.of(data)
    whole = compiled(known)
    queries = read_queries(
        data, encoding, skip_bad_lines, criteria.max_positives or 0, whole.schema, criteria.self_by or data.self_by
    )
    fewer = whole.lacking(queries)
    none = [name for name in criteria.tasks if fewer[name] == len(queries)]
    added = [task.name for task in known[len(known) - len(criteria.task) :]]
    for name in none:
        if name in wanted or name in added:
            option = "--tasks" if name in wanted else "--task"
            raise InputError(f"{option} {name}: no query of the data set has what this task compares")
    there = tuple(name for name in criteria.tasks if fewer[name] < len(queries))
    if not there:
        where = " (in `positives`, with another text than its own)" if data.make == TIERED else ""
        if queries.dropped_positives and criteria.self_by == "id" and data.make != TIERED:
            raise InputError(
                "no hit can be relevant: all judgments that count are of documents with the id of their query, which "
                "is the query itself where --self is id; --self text keeps them"
            )
        raise InputError(
            f"no hit can be relevant: no query of the data set has a positive{where} or what its "
            f"tasks compare, {said_tasks(known)}; {DESCRIBED} next to its queries can define others"
        )
    tasks = whole.only(there)
    left_out = [_check_defined(measure, tasks, wanted) for measure in criteria.measures if needs_judgments(measure)]
    divisors = denominators(criteria, tasks, queries, data, encoding, skip_bad_lines)
    notes = (*divisors.notes, *filter(None, left_out))
    if none and data.described.get("tasks"):
        verb = "is" if len(none) == 1 else "are"
        notes = (f"{of_tasks(none)} {verb} not measured: no query of the data set has what is compared", *notes)
    judging = Judging(
        criteria=criteria,
        queries=queries,
        compiled=tasks,
        denominators=divisors,
        lacking={name: fewer[name] for name in there},
        notes=notes,
    )
    if data.make == TIERED:
        return judging
    sentence = rules_in_force(data, criteria, divisors.signed, bool(judging.judged_tasks), top_k)
    read = (*queries.notes, *missing_documents(data, queries, encoding, skip_bad_lines))
    return replace(judging, notes=(*read, *notes), defaults=(sentence,))


def _rels(rels: F64, of_tasks: Sequence[float]) -> F64:
    """Return the lowest relevant grades, (tasks, grades): the task's where a measure has the default, 1."""
    return np.where(rels == 1.0, np.array(of_tasks)[:, None], rels)


def _check_defined(measure: Measure, tasks: CompiledTasks, wanted: Sequence[str]) -> str:
    """Return a sentence on the tasks for which a measure is not defined; InputError where one of them was named."""
    if CATALOG[measure.name].diverse:
        raise InputError(f"-m {measure}: {needs_judgments(measure)}, and the judgments of this data set have none")
    labelled = tasks.by_labels
    others = [name for name in tasks.names if name not in labelled]
    why = f"-m {measure}: {needs_judgments(measure)}"
    if not others or any(name in wanted for name in labelled):
        name = next((name for name in labelled if name in wanted), labelled[0])
        advice = f"; --tasks {','.join(others)} measures the others" if others else ""
        raise InputError(f"{why}, and task {name} compares labels{advice}")
    return f"{why}; it is not measured for {of_tasks(labelled)}, judged by labels" if labelled else ""
