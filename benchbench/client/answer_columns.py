"""Read an answer into columns without an object for each hit.

msgspec checks that a body is JSON and takes it apart into lists, which it skips; a kernel walks each list once and
notes where the wanted members of hits stand. Columns are made of that: the values of a field are joined to one JSON
list, which orjson reads; each different value of a label is read once; a text is read only where it can be sought.

An answer in which anything is unusual is not read here (None), so that what is decided by hit is decided in one place.
Unlike that place, msgspec accepts a number of any size where it is skipped.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
import orjson

from benchbench.client.answer_plan import Plan
from benchbench.client.hit_values import digest, scores, usable_values
from benchbench.kernels.arrays import F64, I32, I64, U64, Bools, Bytes
from benchbench.kernels.json_columns import (
    HEAD_BYTES,
    OPEN,
    OTHER,
    characters,
    compare_beginnings,
    join_values,
    number_values,
    walk,
)
from benchbench.kernels.xxh3 import hash_strings, read_hashes
from benchbench.tables.fields import identity
from benchbench.tables.hashing import NO_HASH, OTHER_TEXT, compared_hash, id_hashes
from benchbench.tables.hits import Hits
from benchbench.tables.labels import LabelSchema, Vocabulary
from benchbench.tables.text_prefixes import TextPrefixes

_SMALLEST = 8  # bytes of a hit that has an id, {"id":1}
_LARGEST = 1 << 32  # bytes; places in longer answers need more than half a word
_KINDS = characters()
_NO_NUMBERS = b'"', b"u", b"l", b"[", b"{"  # what has none of these is a list of numbers
_AROUND = 5  # bytes of a comma or bracket, and of null where there is no value


def read(
    body: bytes,
    plan: Plan,
    text_prefixes: TextPrefixes,
    labels: Vocabulary,
    schema: LabelSchema,
    top_k: int | None,
    done: Callable[[str], object] = lambda stage: None,
) -> Hits | None:
    """Return the hits of one batch, None for an answer that is unusual in any way.

    The parameters are those of `decode`; `plan` is made for its service and labels, and `done` is called with the name
    of each stage when it ends.
    """
    queries, lists = len(text_prefixes), plan.lists
    begins = lists.find(body, queries) if queries and len(body) < _LARGEST else None
    if begins is None:
        return None
    done("check")
    if not _is_utf8(body):
        return None
    done("UTF-8")
    text = np.frombuffer(body, np.uint8)
    most = text.size // _SMALLEST + 1
    counts = np.empty(queries, np.int64)
    spans = np.zeros((plan.rows, min(most, queries * top_k) if top_k else most), np.uint64)
    is_used = np.zeros(plan.rows, np.bool_)
    tree = plan.nodes, plan.names, plan.likely
    if not walk(text, begins, lists.together, *tree, top_k or most, spans, is_used, counts):
        return None
    done("walk")
    with suppress(orjson.JSONDecodeError):  # a value that orjson does not read: a number out of range
        return _hits(text, spans, is_used, counts, plan, text_prefixes, labels, schema, top_k, done)
    return None


def _hits(
    text: Bytes,
    spans: U64,
    is_used: Bools,
    counts: I64,
    plan: Plan,
    text_prefixes: TextPrefixes,
    labels: Vocabulary,
    schema: LabelSchema,
    top_k: int | None,
    done: Callable[[str], object],
) -> Hits | None:
    hits = Hits()
    if top_k:
        hits.fault("beyond_top_k", int(np.maximum(counts - top_k, 0).sum()))
        counts = np.minimum(counts, top_k)
    hits.counts = counts
    found = _Found(text, spans[:, : counts.sum()], is_used)
    if not found.size:
        return hits
    if not _read_ids(found, plan.fields["id"], hits):
        return None
    done("ids")
    hits.score = _scores(found, plan.fields["score"], hits)
    done("scores")
    hits.text = _text_hashes(found, plan, text_prefixes, hits)
    done("texts")
    hits.labels = _labels(found, plan, labels, schema, hits)
    done("labels")
    return hits


class _Found:
    """What the walk has noted."""

    def __init__(self, text: Bytes, spans: U64, is_used: Any) -> None:
        self.text, self._spans, self._is_used = text, spans, is_used.tolist()
        self.size = spans.shape[1]
        self._space = np.empty(text.size + _AROUND * self.size + 1, np.uint8)

    def chosen(self, rows: Sequence[int]) -> U64 | None:
        """Return the spans of a field that may stand at several places, None where no hit has it."""
        spans: U64 | None = None
        for row in rows:
            if self._is_used[row]:
                spans = self._spans[row] if spans is None else np.where(spans, spans, self._spans[row])
        return spans

    def different_values(self, fields: Sequence[U64]) -> list[tuple[I32, list[Any]]]:
        """Return for each field the number of each hit's value, -1 for none, and the different values."""
        if not fields:
            return []
        spans = np.stack(fields)
        numbers, all_different = np.empty(spans.shape, np.int32), np.empty(spans.shape, np.uint64)
        slots = np.full((len(fields), 1 << (2 * self.size).bit_length()), -1, np.int32)
        found = np.zeros(len(fields), np.int64)
        number_values(self.text, spans, slots, numbers, all_different, found)
        different = np.concatenate([its[:count] for its, count in zip(all_different, found.tolist(), strict=True)])
        needed = int(((different >> np.uint64(32)) - (different & np.uint64(0xFFFFFFFF)) + np.uint64(1)).sum()) + 1
        if needed > self._space.size:  # several fields may stand at one place
            self._space = np.empty(needed, np.uint8)
        values = iter(self.read(different))
        return [(its, list(islice(values, count))) for its, count in zip(numbers, found.tolist(), strict=True)]

    def joined(self, spans: U64) -> Bytes:
        """Return values as one JSON list, until the next call."""
        return self._space[: int(join_values(self.text, spans, self._space))]

    def read(self, spans: U64) -> list[Any]:
        """Return values as Python has them; JSONDecodeError for a number out of range, and half a surrogate pair."""
        values: list[Any] = orjson.loads(self.joined(spans).data) if spans.size else []
        return values


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    import polars as pl

    try:
        pl.Series([body], dtype=pl.Binary).cast(pl.String)  # seven times as fast as to decode
    except pl.exceptions.PolarsError:
        return False
    return True


def _read_ids(found: _Found, rows: Sequence[int], hits: Hits) -> bool:
    """Read the ids of hits and their hashes; False where a hit has no id that can be used."""
    spans = found.chosen(rows)
    if spans is None:
        return False
    values, hashes = found.read(spans), np.empty(spans.size, np.uint64)
    hash_strings(found.text, spans, hashes)
    if hashes.min() <= OTHER_TEXT:
        values = [None if type(value) is bool else identity(value) for value in values]
        if not all(values):
            return False
        others = np.flatnonzero(hashes <= OTHER_TEXT)
        hashes[others] = id_hashes([values[other] for other in others.tolist()])
    hits.ids, hits.id = values, hashes
    return True


def _scores(found: _Found, rows: Sequence[int], hits: Hits) -> F64:
    """Return the scores of hits, at once where all are numbers."""
    spans = found.chosen(rows)
    if spans is None:
        return scores([None] * found.size, hits)
    joined = found.joined(spans).tobytes()
    values = orjson.loads(joined)
    if any(mark in joined[1:] for mark in _NO_NUMBERS):
        return scores(values, hits)
    return np.fromiter(values, np.float64, found.size)


def _text_hashes(found: _Found, plan: Plan, text_prefixes: TextPrefixes, hits: Hits) -> U64:
    """Return the `text_hash` of each hit, `OTHER_TEXT` where that is of no text that is sought."""
    said, spans = found.chosen(plan.fields["text_hash"]), found.chosen(plan.fields["text"])
    column = np.full(found.size, NO_HASH, np.uint64) if said is None else _digests(found, said)
    if spans is not None and (said is None or not said.all()):
        column = _compared(found, spans, column, text_prefixes, hits.counts)
    hits.fault("without_text", int((column == NO_HASH).sum()))
    return column


def _digests(found: _Found, spans: U64) -> U64:
    """Return the hashes that hits give, at once where all are written as they should be."""
    column = np.empty(spans.size, np.uint64)
    if read_hashes(found.text, spans, column) and column.min() > OTHER_TEXT:
        return column
    return np.array(list(map(digest, found.read(spans))), np.uint64)


def _compared(found: _Found, spans: U64, said: U64, text_prefixes: TextPrefixes, counts: I64) -> U64:
    """Return the hashes of the texts that are sought; `said` is what hits without a text are known by."""
    kinds, head = np.empty(spans.size, np.uint8), np.empty(HEAD_BYTES, np.uint8)
    compare_beginnings(found.text, spans, counts, *text_prefixes.columns(), _KINDS, head, kinds)
    column = said
    column[kinds == OTHER] = OTHER_TEXT
    open_ones = np.flatnonzero(kinds == OPEN)
    if open_ones.size:
        queries = np.repeat(np.arange(counts.size), counts)[open_ones].tolist()
        for hit, query, value in zip(open_ones.tolist(), queries, found.read(spans[open_ones]), strict=True):
            if type(value) is str:
                column[hit] = compared_hash(value, text_prefixes[query]) if value else NO_HASH
    return column


def _labels(found: _Found, plan: Plan, labels: Vocabulary, schema: LabelSchema, hits: Hits) -> list[I32 | F64]:
    """Return the column of each label."""
    fields = list(map(found.chosen, plan.labels))
    numbered = iter(found.different_values([spans for spans in fields if spans is not None]))
    columns: list[I32 | F64] = []
    for label, spans in zip(schema.labels, fields, strict=True):
        if spans is None:
            columns.append(np.full(found.size, label.kind.missing, label.kind.type))
            continue
        numbers, values = next(numbered)
        column = [*labels.column(label, values), label.kind.missing]  # the last is that of all whose number is -1
        each = np.array(column, label.kind.type)[numbers]
        columns.append(usable_values(label, each, hits) if label.kind.malformed in column else each)
    return columns
