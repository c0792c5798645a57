"""Fixed answers over real documents, and their queries."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import orjson

from benchbench.kernels.arrays import I64
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash
from benchbench.tables.queries import Positives, Queries, SpanColumns
from benchbench.tables.strings import Strings

_STEP = 7  # documents from one hit to the next


def answers(documents: Collection, queries: int, hits: int) -> dict[str, bytes]:
    """Return the body of a batch's answer, by what a hit has in it.

    Parameters
    ----------
    documents
        What is found; from the first again when there are fewer than hits.
    queries, hits
        Lists, and hits in each.
    """
    return {
        "texts and labels": _body(documents, queries, hits, ("id", "score", "text", "meta")),
        "ids and scores": _body(documents, queries, hits, ("id", "score")),
        "hashes and labels": _body(documents, queries, hits, ("id", "score", "text_hash", "meta")),
    }


def _body(documents: Collection, queries: int, hits: int, members: tuple[str, ...]) -> bytes:
    def hit(number: int) -> dict[str, Any]:
        d = number * _STEP % len(documents)
        score = 99.5 - number % hits
        text = documents.texts[d]
        whole = {
            "id": documents.ids[d],
            "score": score,
            "text": text,
            "text_hash": f"{text_hash(text):016x}",
            "meta": documents.meta[d],
        }
        return {name: whole[name] for name in members}

    return orjson.dumps({"results": [[hit(q * hits + h) for h in range(hits)] for q in range(queries)]})


def repeated(queries: Queries, size: int) -> Queries:
    """Return so many queries: after the last comes the first again, by the same id."""
    rows = np.arange(size) % len(queries)
    columns, positives = queries.columns_at(rows), queries.positives
    kept = np.concatenate([np.arange(*positives.offsets[q : q + 2]) for q in rows.tolist()])
    return replace(
        queries,
        ids=_taken(queries.ids, rows),
        texts=_taken(queries.texts, rows),
        id=columns.id,
        text=columns.text,
        text_prefixes=_taken(queries.text_prefixes, rows),
        codes=columns.codes,
        numbers=columns.numbers,
        spans=SpanColumns(columns.span_offsets, columns.span_file, columns.span_start, columns.span_end),
        positives=Positives(
            columns.positive_offsets,
            _taken(positives.ids, kept),
            columns.positive_id,
            columns.positive_text,
            _taken(positives.text_prefixes, kept),
            columns.positive_grade,
        ),
    )


def _taken(column: Sequence[str], rows: I64) -> Strings:
    return Strings(column[row] for row in rows.tolist())
