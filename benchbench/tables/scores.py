"""What an evaluation gives: a value a query and measure, and the aggregates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from benchbench.kernels.arrays import F64, Bools

if TYPE_CHECKING:
    import polars as pl


class HasIds(Protocol):
    """Something of which each row is a query."""

    @property
    def ids(self) -> list[str]:
        """Its id, a row each."""


@dataclass(frozen=True)
class Scores:
    """Scores of one run; `values` has a column a measure, in the order of `ids`, the judged queries."""

    name: str
    judged: HasIds  # the judged queries; a million ids are made only for those who ask
    counted: Bools  # the queries that the means are over
    values: Mapping[str, F64]  # micro measures have no value a query
    aggregates: Mapping[str, float]
    queries: Mapping[str, int]  # judged, returned, missing, unjudged, without_positives
    dropped: Mapping[str, int]
    signature: Any
    notes: tuple[str, ...] = ()  # what the reader of a report should know besides

    @property
    def ids(self) -> list[str]:
        """Return the ids of the judged queries."""
        return self.judged.ids

    def mean(self) -> dict[str, float]:
        """Return the aggregate of each measure: a mean, or a sum or micro average where the measure is one."""
        return dict(self.aggregates)

    def per_query(self) -> "pl.DataFrame":
        """Return a frame of the counted queries: `query_id`, and one column a measure."""
        import polars as pl

        ids = [identity for identity, counted in zip(self.ids, self.counted.tolist(), strict=True) if counted]
        return pl.DataFrame({"query_id": ids, **{name: column[self.counted] for name, column in self.values.items()}})
