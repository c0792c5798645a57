"""Values of several systems over the same queries: what a comparison needs, and all that it needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64


@dataclass(frozen=True)
class Paired:
    """One value a query, measure and system; every system has a value for every query."""

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: Sequence[str]  # ids, in a fixed order
    values: F64  # (measures, systems, queries)
    columns: pl.DataFrame = field(default_factory=pl.DataFrame)  # a row a query: what slices may go by

    def __post_init__(self) -> None:
        """Refuse what cannot be compared."""
        if len(self.systems) < 2:
            raise InputError("a comparison needs two systems or more")
        repeated = [name for name in self.systems if self.systems.count(name) > 1]
        if repeated:
            raise InputError(f"two systems are named {repeated[0]}; name each once")
        if self.values.shape != (len(self.measures), len(self.systems), len(self.queries)):
            raise ValueError(f"values of shape {self.values.shape} do not fit the names")
        if len(self.queries) < 2:
            raise InputError("a comparison needs two queries or more that all systems have a score for")
        if not np.isfinite(self.values).all():
            raise InputError("a score that is not a finite number cannot be compared")

    def of(self, measure: str, system: str) -> F64:
        """Return the values of a system, one a query."""
        values: F64 = self.values[self.measures.index(measure), self.systems.index(system)]
        return values
