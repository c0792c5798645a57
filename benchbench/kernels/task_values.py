"""The values of one task for some queries, from their hits that are relevant."""

from benchbench.kernels._jit import inline, step
from benchbench.kernels.arrays import F64, I32, I64, Bools
from benchbench.kernels.formulas import add_up_ideals, fill_values
from benchbench.kernels.plan import Lists, Recall


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
    rels: F64,
    recall: Recall,
    condensed: bool,
    judged: bool,
    places: I64,
    ends: I64,
    rank: I32,
    depth: I64,
    positive: I64,
    positive_offsets: I64,
    grade: F64,
    gains: F64,
    gain_row: I64,
    number: I64,
    log2: F64,
    ideal_ones: F64,
    sorted_down: F64,
    here: Lists,
    rare: bool | None,
    values: F64,
    t: int,
    column: int,
) -> None:
    """Fill `values` (queries, tasks, columns) of a task from a column on.

    Parameters
    ----------
    condensed
        Over the hits that were judged.
    judged
        Whether the task has judgments.
    places, ends
        The hits that are a positive; or that are relevant, for a label task; as `rules.Relevant` has them.
    number
        (queries, tasks): the relevant documents, of a label task.
    """
    for which in range(rels.size):
        here.levels[which].rel = rels[which]
    i, width = 0, here.columns.size
    for q in range(first, last):
        begin, end = (positive_offsets[q], positive_offsets[q + 1]) if judged else (0, 0)
        found = 0
        if judged:
            while i < ends[q]:
                h = places[i]
                i += 1
                p = positive[h]
                if condensed and grade[p] < 0.0:
                    continue
                here.hits[found].rank, here.hits[found].grade = found if condensed else rank[h] - 1, grade[p]
                for kind in range(gain_row.size):
                    here.gains[kind, found] = gains[gain_row[kind], p]
                found += 1
            for which in range(rels.size):
                count = 0
                for p in range(begin, end):
                    count += grade[p] >= rels[which]
                here.levels[which].number = count
            if found > 0:
                for kind in range(gain_row.size):
                    _sort_down(gains[gain_row[kind], begin:end], sorted_down)
                    add_up_ideals(sorted_down[: end - begin], here.gained, kind, log2)
        else:
            while i < ends[q]:
                here.hits[found].rank, here.hits[found].grade = rank[places[i]] - 1, 1.0
                for kind in range(gain_row.size):
                    here.gains[kind, found] = 1.0 if found < number[q, t] else 0.0
                found += 1
                i += 1
            for which in range(rels.size):
                here.levels[which].number = number[q, t] if rels[which] <= 1.0 else 0
            for g in range(here.gained.size):
                here.gained[g].ideal = ideal_ones[min(here.gained[g].rank, number[q, t])]
        returned = found if condensed else depth[q]
        fill_values(here, found, returned, grade[begin:end], recall, log2, rare, values[q, t, column : column + width])


@step
def fill_relevant(hits: I64, positive: I64, grade: F64, rel: float, judged: bool, relevant: Bools) -> None:
    """Say of each of some hits whether it is relevant: of a task with judgments, those of a high enough grade."""
    for h in hits:
        relevant[h] = not judged or grade[positive[h]] >= rel
