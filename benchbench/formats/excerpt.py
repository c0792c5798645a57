"""The hits and judgments of a few queries, with the ids of their documents, out of files of any size."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchbench.errors import visible
from benchbench.formats.parts import Parts
from benchbench.formats.qrels_runs import RunFile, scan_qrels
from benchbench.kernels.arrays import U64
from benchbench.tables.qrels_runs import RunTable, at_precision
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order

_SHOWN = 40  # characters of an id in a sentence


class ExcerptRow(NamedTuple):
    """A hit with its score, or a judgment with its grade; `hash` is that of the document's id."""

    document: str
    hash: int
    value: float


def excerpt_hits(run: RunFile, queries: U64, depth: int) -> list[list[ExcerptRow]]:
    """Return the first hits of some queries as they are ranked when scored, best first.

    Parameters
    ----------
    run
        A run that is read once more for it.
    queries
        Hashes of query ids (`kernels.spans.hash_span`).
    depth
        Most hits per query; a repeated document counts once.
    """
    found = _found(run.parts, queries, partial(_first_rows, depth=depth, precision=run.precision))
    return [_ranked(rows, run.ties, depth) for rows in found]


def excerpt_judgments(parts: Parts, queries: U64) -> list[list[ExcerptRow]]:
    """Return the judgments of some queries, best grade first; `parts` as `qrels_runs.scan_qrels` gives them."""
    found = _found(parts, queries, lambda rows, first, last: [_row(rows, row) for row in range(first, last)])
    return [_ranked(rows, "input", len(rows)) for rows in found]


def example(qrels: Path | None, run: RunTable, query: str, marked: U64) -> str:
    """Return a clause with the best hit and the best judgment of a query; empty for what cannot be read again.

    `marked` is the hash of the query's id.
    """
    if qrels is None or not qrels.is_file() or not isinstance(run, RunFile):
        return ""
    hit, judgment = excerpt_hits(run, marked, 1)[0][:1], excerpt_judgments(scan_qrels(qrels), marked)[0][:1]
    if not hit or not judgment:
        return ""
    asked, got, judged = (visible(identity, _SHOWN) for identity in (query, hit[0].document, judgment[0].document))
    return f"query {asked} got '{got}', and '{judged}' is judged"


def _found(parts: Parts, queries: U64, take: Callable[[Rows, int, int], list[ExcerptRow]]) -> list[list[ExcerptRow]]:
    """Return what is taken of the rows of each query, in the order of the rows."""
    places = {query: place for place, query in enumerate(queries.tolist())}
    found: list[list[ExcerptRow]] = [[] for _ in places]

    def picked(rows: Rows) -> list[tuple[int, list[ExcerptRow]]]:
        groups = np.flatnonzero(np.isin(rows.query, queries)).tolist()
        spans = ((int(rows.groups[group]), int(rows.groups[group + 1])) for group in groups)
        return [(places[int(rows.query[g])], take(rows, *span)) for g, span in zip(groups, spans, strict=True)]

    for picks in in_order(partial(part.use, picked) for part in parts()):
        for place, rows in picks:
            found[place] += rows
    return found


def _first_rows(rows: Rows, first: int, last: int, depth: int, precision: str) -> list[ExcerptRow]:
    """Return the best rows with so many different documents, and whatever is tied with the last of them."""
    values = at_precision(rows.value[first:last], precision)
    kept: list[ExcerptRow] = []
    seen: set[int] = set()
    for place in np.argsort(-values, kind="stable").tolist():
        if len(seen) >= depth and values[place] < kept[-1].value:
            break
        kept.append(_row(rows, first + place)._replace(value=float(values[place])))
        seen.add(kept[-1].hash)
    return kept


def _ranked(rows: list[ExcerptRow], ties: str, depth: int) -> list[ExcerptRow]:
    if ties != "input":
        rows = sorted(rows, key=lambda row: row.document.encode(), reverse=True)
    best: dict[int, ExcerptRow] = {}
    for row in sorted(rows, key=lambda row: -row.value):
        best.setdefault(row.hash, row)
    return list(best.values())[:depth]


def _row(rows: Rows, row: int) -> ExcerptRow:
    return ExcerptRow(rows.document_id(row), int(rows.document[row]), float(rows.value[row]))
