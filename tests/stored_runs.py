"""Small results to be stored in a history: with values per query, tags and a signature as they are needed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from benchbench.results.record import Data, Number, Record, identified, record
from benchbench.results.result import Result

SIGNATURE = (
    "tasks:gold|measures:nDCG|k:10|self:text|gold:text|queries:{} (scored {}, failed 0)|data:d1|run:r{}|version:0.1.0"
)
BEGAN = 1_700_000_000.0


class Kept(Result):
    """A result of a record and tables that are given."""

    def __init__(self, given: Record, tables: Mapping[str, pl.DataFrame], said: Any = None) -> None:
        """Keep them."""
        self.given, self.frames, self.said = given, dict(tables), said or {}

    def to_record(self) -> Record:
        """Return the record."""
        return self.given

    def details(self) -> Any:
        """Return the details."""
        return self.said

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return the tables."""
        return {name: lambda frame=frame: frame for name, frame in self.frames.items()}  # type: ignore[misc]


def kept(
    number: int,
    values: Sequence[float | None] | None = None,
    *,
    tables: Mapping[str, pl.DataFrame] | None = None,
    **members: Any,
) -> Kept:
    """Return a run with one measure, `gold.nDCG@10`.

    Parameters
    ----------
    number
        Runs with other numbers start a minute later each.
    values
        Of the queries q0, q1, …; None for a run that has none.
    tables
        Instead of that of these values.
    members
        Of its record, such as its `id`, instead of the usual ones.
    """
    identity = members.pop("id", None)
    many = [one or 0.0 for one in values or [0.5]]
    usual: dict[str, Any] = {
        "name": "bm25",
        "data": Data(name="cases", digest="d1", queries=len(many)),
        "signature": SIGNATURE.format(len(many), len(many), number),
        "numbers": [
            Number(
                name="nDCG@10",
                value=sum(many) / len(many),
                low=0.1,
                high=0.9,
                n=len(many),
                better="higher",
                scope={"task": "gold"},
            )
        ],
    }
    began = BEGAN + 60 * number
    made = record(members.pop("kind", "run"), began, began + 1, **{**usual, **members})
    made = made if identity is None else identified(made, identity)
    if tables is None:
        ids = pl.Series("query_id", [f"q{place}" for place in range(len(many))])
        frame = pl.DataFrame({"query_id": ids, "gold.nDCG@10": pl.Series(values, dtype=pl.Float64)}) if values else None
        tables = {} if frame is None else {"per_query": frame}
    return Kept(made, tables)
