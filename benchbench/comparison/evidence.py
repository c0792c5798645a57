"""What queries got: their texts, the documents that each system returned, and those that were relevant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchbench.tables.fields import called

if TYPE_CHECKING:
    import polars as pl

    from benchbench.formats.query_table import QueryTable


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document of a query: retrieved, or judged relevant."""

    id: str
    grade: float | None  # None: never judged
    relevant: bool
    rank: int | None = None  # from 1; None where it was not retrieved
    score: float | None = None
    text: str | None = None  # None where no collection is at hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One query: what was asked, what each system returned, and what was relevant."""

    number: int  # of the query in `comparison.paired`
    text: str | None
    hits: Mapping[str, tuple[ShownDocument, ...]]  # by system, by rank
    relevant: tuple[ShownDocument, ...]  # by the judgments, best grade first
    labels: str | None = None  # what else is known of it, `name: value` per line
    tasks: Mapping[str, Mapping[str, tuple[bool, ...]]] = field(default_factory=dict)  # by task and system: of each hit
    by_labels: frozenset[str] = frozenset()  # those of the tasks that have no judgments

    def relevant_for(self, task: str) -> tuple[ShownDocument, ...]:
        """Return what is relevant for a task: as judged, or by labels, of which only what was found is known."""
        if task not in self.by_labels:
            return self.relevant
        relevant_hits: dict[str, ShownDocument] = {}
        for system, hits in self.hits.items():
            for hit, relevant in zip(hits, self.tasks[task].get(system, ()), strict=False):
                if relevant:
                    relevant_hits[hit.id] = ShownDocument(hit.id, hit.grade, True, text=hit.text)
        return tuple(relevant_hits.values())


def known_of_queries(table: "QueryTable | None", queries: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """Return the text of each query, and what else is known of it; None for what is not."""
    if table is None:
        return [(None, None)] * len(queries)
    rows = {query: row for row, query in enumerate(table.ids)}
    places = [rows.get(query) for query in queries]
    return [(None, None) if row is None else (table.texts[row], _labels(table.columns, row)) for row in places]


def _labels(columns: "pl.DataFrame", row: int) -> str | None:
    """Return what is known of a query, `name: value` per line; None where nothing is."""
    lines = []
    for name, value in columns.row(row, named=True).items() if columns.width and columns.height else ():
        values = value if isinstance(value, list) else [value]
        if shown := ", ".join(called(part) for part in values if part is not None):
            lines.append(f"{name}: {shown}")
    return "\n".join(lines) or None
