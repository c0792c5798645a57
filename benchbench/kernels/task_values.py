"""The values of one task for some queries, from their hits that are relevant."""

from typing import NamedTuple

from benchbench.kernels._jit import inline, step
from benchbench.kernels.arrays import F64, I32, I64, Bools, F64x2, F64x3, I64x2
from benchbench.kernels.formulas import add_up_ideals, fill_values
from benchbench.kernels.query_lists import QueryLists, Recall
from benchbench.kernels.rules import Relevant


class RankedHits(NamedTuple):
    """Hits of a chunk without those that are removed."""

    rank: I32  # (hits,) from 1 among the kept hits, 0 when removed
    depth: I64  # (queries,) how many are kept
    positive: I64  # (hits,) the positive that the hit is, or -1


class PositiveGrades(NamedTuple):
    """Judged documents of queries, in file order."""

    offsets: I64
    grade: F64
    gains: F64x2  # (gain rows, positives)


class MeasuredTasks(NamedTuple):
    """How the tasks of a run are measured, an entry or a row each."""

    judged: Bools  # whether they have judgments
    rel: F64  # the lowest grade that is relevant
    rels: F64x2  # (tasks, grades of the plan)
    recall_rule: I64  # as `query_lists.Recall` has them
    recall_limit: F64
    gain_row: I64x2  # (tasks, kinds): the row of `PositiveGrades.gains` of each kind of gains


class ScoringRoom(NamedTuple):
    """What is the same for all queries, and room for the gains of one."""

    log2: F64  # `log2(i + 2)`
    ideal_ones: F64  # the DCG of so many gains of 1
    sorted_down: F64


@inline
def _sort_down(values: F64, sorted_down: F64) -> None:
    """Fill with the values in descending order: each goes behind all that are larger; there are some ten."""
    is_sorted = True
    for p in range(1, values.size):
        is_sorted &= values[p - 1] >= values[p]
    for p in range(values.size):
        place = p
        if not is_sorted:
            place = 0
            for other in range(p):
                place += values[other] >= values[p]
            for other in range(p + 1, values.size):
                place += values[other] > values[p]
        sorted_down[place] = values[p]


@step
def score(
    first: int,
    last: int,
    t: int,
    tasks: MeasuredTasks,
    condensed: bool,
    found: Relevant,
    hits: RankedHits,
    positives: PositiveGrades,
    number: I64,
    room: ScoringRoom,
    here: QueryLists,
    values: F64x3,
    column: int,
) -> None:
    """Fill `values` (queries, tasks, columns) of task `t` from a column on.

    Parameters
    ----------
    condensed
        Over the hits that were judged.
    found
        The hits that are a positive; or that are relevant, for a label task.
    number
        (queries, tasks): the relevant documents, of a label task.
    """
    judged, rels, gain_row = tasks.judged[t], tasks.rels[t], tasks.gain_row[t]
    recall = Recall(tasks.recall_rule[t], tasks.recall_limit[t])
    for which in range(rels.size):
        here.levels[which].rel = rels[which]
    i, width = 0, here.columns.size
    for q in range(first, last):
        begin, end = (positives.offsets[q], positives.offsets[q + 1]) if judged else (0, 0)
        listed = 0
        if judged:
            while i < found.ends[q]:
                h = found.places[i]
                i += 1
                p = hits.positive[h]
                grade = positives.grade[p]
                if condensed and grade < 0.0:
                    continue
                here.hits[listed].rank, here.hits[listed].grade = listed if condensed else hits.rank[h] - 1, grade
                for kind in range(gain_row.size):
                    here.gains[kind, listed] = positives.gains[gain_row[kind], p]
                listed += 1
            for which in range(rels.size):
                count = 0
                for p in range(begin, end):
                    count += positives.grade[p] >= rels[which]
                here.levels[which].number = count
            if listed > 0:
                for kind in range(gain_row.size):
                    _sort_down(positives.gains[gain_row[kind], begin:end], room.sorted_down)
                    add_up_ideals(room.sorted_down[: end - begin], here.gained, kind, room.log2)
        else:
            while i < found.ends[q]:
                here.hits[listed].rank, here.hits[listed].grade = hits.rank[found.places[i]] - 1, 1.0
                for kind in range(gain_row.size):
                    here.gains[kind, listed] = 1.0 if listed < number[q, t] else 0.0
                listed += 1
                i += 1
            for which in range(rels.size):
                here.levels[which].number = number[q, t] if rels[which] <= 1.0 else 0
            for g in range(here.gained.size):
                here.gained[g].ideal = room.ideal_ones[min(here.gained[g].rank, number[q, t])]
        returned = listed if condensed else hits.depth[q]
        its = values[q, t, column : column + width]
        fill_values(here, listed, returned, positives.grade[begin:end], recall, room.log2, its)


@step
def fill_relevant(
    places: I64, hits: RankedHits, positives: PositiveGrades, rel: float, judged: bool, relevant: Bools
) -> None:
    """Say of each of some hits whether it is relevant: of a task with judgments, those of a high enough grade."""
    for h in places:
        relevant[h] = not judged or positives.grade[hits.positive[h]] >= rel
