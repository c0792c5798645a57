"""The judging kernel: hits a second, for the tasks of legal cases and the default measures at once, on one core.

usage: python benchmarks/kernel.py [--queries 50000] [--depth 20] [--rounds 5]

The time must grow in proportion to the queries: the table shows three sizes.
"""

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from machine import describe, in_turn

from benchbench.kernels.formulas import ALL, FIXED
from benchbench.kernels.judge_hits import Judged, Scoring, judge
from benchbench.kernels.rules import HitColumns, LabelComparison, Members, QueryColumns
from benchbench.kernels.task_values import MeasuredTasks
from benchbench.measures.default_list import default_measures
from benchbench.measures.notation import Measure
from benchbench.measures.plan import gains_of, plans
from benchbench.tables.labels import Kind
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.task import Task

POSITIVES = 10
SPANS = 2  # of a query
SETS, MEMBERS, NAMES = 60, 2, 40  # label sets, the members of each, and of how many names these are
LONGEST = 60  # numbers are below
RECALL = 10


class Workload(NamedTuple):
    """The arguments of the kernel."""

    hits: HitColumns
    queries: QueryColumns
    tasks: Sequence[LabelComparison | None]
    members: Members
    scoring: Scoring

    def run(self) -> Judged:
        """Judge and score all hits."""
        return judge(*self, True, True)


def workload(queries: int, depth: int, tasks: Sequence[Task], measures: Sequence[Measure]) -> Workload:
    """Draw queries and hits with all labels that the tasks compare; half of the positives are among the hits."""
    rng = np.random.default_rng(7)
    hits, positives = queries * depth, queries * POSITIVES

    def hashes(n: int) -> np.ndarray:
        return rng.integers(2, 2**63, n, dtype=np.uint64)

    text, positive_text, query_text = hashes(hits), hashes(positives), hashes(queries)
    half = rng.random(positives) < 0.5
    place = np.repeat(np.arange(queries) * depth, POSITIVES) + rng.integers(1, depth, positives)
    text[place[half]] = positive_text[half]
    text[::depth] = query_text  # the query itself comes first
    chosen = compiled(tasks)
    schema = chosen.schema

    def codes(n: int) -> np.ndarray:
        rows = [
            np.full(n, -1, np.int32) if one.kind is Kind.FLAG else rng.integers(0, SETS, n, dtype=np.int32)
            for one in schema.coded
        ]
        return np.array(rows, np.int32).reshape(len(rows), n)

    def numbers(n: int) -> np.ndarray:
        rows = [rng.integers(0, LONGEST, n).astype(np.float64) for _ in schema.numeric]
        rows = [row + LONGEST if one.name == "end" else row for one, row in zip(schema.numeric, rows, strict=True)]
        return np.array(rows, np.float64).reshape(len(rows), n)

    spans = queries * SPANS
    start = rng.integers(0, LONGEST, spans).astype(np.float64)
    grade = rng.integers(1, 6, positives).astype(np.float64)
    columns = HitColumns(np.arange(0, hits + 1, depth), hashes(hits), text, codes(hits), numbers(hits))
    asked = QueryColumns(
        hashes(queries),
        query_text,
        codes(queries),
        numbers(queries),
        np.arange(0, positives + 1, POSITIVES),
        hashes(positives),
        positive_text,
        grade,
        np.tile(np.arange(0, spans + 1, SPANS), (len(schema.spans), 1)),
        rng.integers(0, SETS, spans, dtype=np.int32),
        start,
        start + LONGEST,
    )
    member = np.sort(rng.permuted(np.tile(np.arange(NAMES, dtype=np.int32), (SETS, 1)), axis=1)[:, :MEMBERS])
    members = Members(np.arange(0, SETS * MEMBERS + 1, MEMBERS), member.ravel())
    return Workload(columns, asked, chosen.comparisons, members, scoring(tasks, measures, grade, queries))


def scoring(tasks: Sequence[Task], measures: Sequence[Measure], grade: np.ndarray, queries: int) -> Scoring:
    """Return what `tasks.judging` makes of tasks whose recall divides by 10."""
    plan, count = plans(measures), len(tasks)
    judged = np.array([task.judged for task in tasks], np.bool_)
    kinds = plan.gains or ("linear",)
    measured = MeasuredTasks(
        judged,
        np.ones(count),
        np.tile(plan.plain.rels, (count, 1)),
        np.where(judged, FIXED, ALL),
        np.where(judged, float(RECALL), 0.0),
        np.tile(np.arange(len(plan.gains)), (count, 1)),
    )
    gains = np.array([gains_of(grade, kind) for kind in kinds])
    condensed = np.tile(plan.condensed.rels, (count, 1))
    return Scoring(plan.plain, plan.condensed, measured, condensed, gains, np.full((queries, count), RECALL))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=50_000)
    arguments.add_argument("--depth", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    options = arguments.parse_args()
    tasks, measures = legal_cases(), default_measures((3, 5, 10))
    print(describe("numba", "numpy"))
    print(
        f"{len(tasks)} tasks, {plans(measures).width} values per query and task; median of {options.rounds} in turn\n"
    )
    print("| queries | hits | seconds | million hits/s |\n|---:|---:|---:|---:|")
    sizes = [options.queries // 4, options.queries, options.queries * 4]
    loads = {f"{size}": workload(size, options.depth, tasks, measures) for size in sizes}
    loads[f"{sizes[0]}"].run()
    for size, seconds in in_turn(options.rounds, **{size: one.run for size, one in loads.items()}).items():
        hits = int(size) * options.depth
        print(f"| {int(size):,} | {hits:,} | {seconds:.3f} | {hits / seconds / 1e6:.1f} |")


if __name__ == "__main__":
    main()
