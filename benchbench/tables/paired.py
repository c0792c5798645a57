"""Values of several systems over the same queries: what a comparison needs, and all that it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.tables.groups import Groups

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Paired:
    """One value per query, measure and system; every system has a value for every query."""

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: Sequence[str]  # ids, in a fixed order
    values: F64  # (measures, systems, queries)
    columns: "pl.DataFrame | None" = None  # one row per query: what is known of it
    _: KW_ONLY
    groups: Groups | None = None  # of queries that belong together
    counts: Mapping[str, I64] = field(default_factory=dict)  # further columns, of whole numbers

    def __post_init__(self) -> None:
        """Refuse what cannot be compared."""
        if len(self.systems) < 2:
            raise InputError("a comparison needs at least two systems")
        repeated = [name for name in self.systems if self.systems.count(name) > 1]
        if repeated:
            raise InputError(f"two systems are named {repeated[0]}; name each once")
        if self.values.shape != (len(self.measures), len(self.systems), len(self.queries)):
            raise ValueError(f"values of shape {self.values.shape} do not fit the names")
        if self.columns is not None and self.columns.width and len(self.columns) != len(self.queries):
            raise ValueError(f"{len(self.columns)} rows of columns for {len(self.queries)} queries")
        if len(self.queries) < 2:
            raise InputError("a comparison needs at least two queries for which all systems have a score")
        if not np.isfinite(self.values).all():
            raise InputError("a score that is not a finite number cannot be compared")

    @cached_property
    def table(self) -> "pl.DataFrame":
        """What slices may go by: all columns. It is made when it is asked for, because a frame takes long to import."""
        import polars as pl

        known = [] if self.columns is None else self.columns.get_columns()
        return pl.DataFrame([*known, *(pl.Series(name, values, pl.Int64) for name, values in self.counts.items())])

    def of(self, measure: str, system: str) -> F64:
        """Return the values of a system, one per query."""
        values: F64 = self.values[self.measures.index(measure), self.systems.index(system)]
        return values

    @cached_property
    def units(self) -> tuple[F64, F64]:
        """What is independent, queries or groups: their sums (measures, systems, units), and the queries of each."""
        if self.groups is None:
            return self.values, np.ones(len(self.queries))
        return self.groups.sums(self.values), self.groups.sizes

    @property
    def unit_count(self) -> int:
        """The number of queries, or of groups."""
        return len(self.queries) if self.groups is None else self.groups.number

    @cached_property
    def rounding(self) -> tuple[float, ...]:
        """What arithmetic may have added to a value of each measure: no difference is smaller."""
        largest = np.maximum(self.values.max(axis=(1, 2)), -self.values.min(axis=(1, 2)))
        return tuple((8.0 * np.finfo(np.float64).eps * largest).tolist())

    def difference(self, measure: int, baseline: int, system: int) -> F64:
        """Return system minus baseline, one per query, by their places in the names.

        0.3 - 0.2 is not 0.1 in 64 bits: what is within rounding of 0 is 0, and differences within rounding of one
        another are all the same.
        """
        rounding = self.rounding[measure]
        differences: F64 = self.values[measure, system] - self.values[measure, baseline]
        differences[np.abs(differences) <= rounding] = 0.0
        if np.ptp(differences) <= rounding:
            differences[:] = differences[0]
        return differences

    def part(self, queries: I64) -> "Paired":
        """Return the same of some of the queries, by their places."""
        return Paired(
            self.systems,
            self.measures,
            [self.queries[query] for query in queries.tolist()],
            np.ascontiguousarray(self.values[:, :, queries]),
            groups=self.groups and self.groups.part(queries),
        )
