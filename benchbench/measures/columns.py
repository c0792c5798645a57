"""Where the values of measures stand in a row that has all tasks."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.formulas import Formula
from benchbench.measures.notation import Measure
from benchbench.measures.plan import Plans

_OF_ANY_ANSWER = (Formula.DIVISOR, Formula.NUMREL, Formula.NUMQ)


class Columns(Struct, frozen=True):
    """The columns that some measures need of those of a plan, one task after the other."""

    tasks: tuple[str, ...]
    places: Mapping[Measure, tuple[int, ...]]  # of each measure among the columns of a task, in the order of the report
    used: I64  # columns of the plan
    settled: I64  # columns of a row that are the same whatever was answered
    undefined: Collection[tuple[str, Measure]] = ()  # what is not measured: a measure of a task

    @property
    def width(self) -> int:
        """The number of columns of a row."""
        return len(self.tasks) * self.used.size

    def rows(self, values: F64) -> F64:
        """Return rows of values per query, task and column of the plan."""
        return np.ascontiguousarray(values[:, :, self.used]).reshape(len(values), self.width)

    def __iter__(self) -> Iterator[tuple[str, Measure, tuple[int, ...]]]:
        """Yield task, measure, and its places in a row, in the order of the report."""
        for t, task in enumerate(self.tasks):
            for measure, places in self.places.items():
                if (task, measure) in self.undefined:
                    continue
                yield task, measure, tuple(t * self.used.size + place for place in places)


def columns_of(
    tasks: Sequence[str], measures: Sequence[Measure], plans: Plans, undefined: Collection[tuple[str, Measure]] = ()
) -> Columns:
    """Return the columns of some measures of a plan; what is `undefined`, a measure of a task, is not measured."""
    used = np.array(sorted({place for measure in measures for place in plans.columns[measure]}), np.int64)
    places = {measure: tuple(np.searchsorted(used, plans.columns[measure]).tolist()) for measure in measures}
    plain = used[used < plans.plain.columns.size]
    settled = np.flatnonzero(np.isin(plans.plain.columns["formula"][plain], _OF_ANY_ANSWER))
    starts = np.arange(len(tasks))[:, None] * used.size
    return Columns(tuple(tasks), places, used, (starts + settled).ravel(), undefined)
