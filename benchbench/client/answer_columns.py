"""Read an answer into columns without an object for each hit.

A kernel walks a body once, checks that it is JSON, and notes where the wanted members of hits stand. Columns are made
of that: scores are read where they stand; ids are hashed there, and stay JSON until something looks at them; each
different value of a label is read once; a text is read only where it can be sought.

An answer in which anything is unusual is not read here (None), so that what is decided by hit is decided in one place.
Unlike that place, the walk accepts a number of any size where it is skipped.
"""

import binascii
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import orjson

from benchbench.client.answer_plan import AnswerPlan
from benchbench.client.hit_values import digest, scores
from benchbench.client.known_labels import KnownLabels, join, space_for
from benchbench.kernels.arrays import F64, I64, U64, Bools, Bytes
from benchbench.kernels.json_columns import BLANKS, SHORTEST, read_numbers, walk
from benchbench.kernels.text_beginnings import HEAD_BYTES, OTHER, SOUGHT, characters, compare_beginnings
from benchbench.kernels.xxh3 import hash_strings
from benchbench.tables.callbacks import nothing
from benchbench.tables.fields import identity
from benchbench.tables.hashing import NO_HASH, OTHER_TEXT, compared_hash, id_hashes, text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.strings import JsonStrings
from benchbench.tables.text_prefixes import TextPrefixes

_SMALLEST = 8  # bytes of a hit that has an id, {"id":1}
_DEEPEST = 64  # values in one another
_LARGEST = 1 << 32  # bytes; places in longer answers need more than half a word
_KINDS = characters()
_WRITTEN, _QUOTE = 19, 0x22  # bytes of ,"0123456789abcdef"


Steps = Generator[str, None, Hits | None]


def read(
    body: bytes, plan: AnswerPlan, text_prefixes: TextPrefixes, known: KnownLabels, top_k: int | None
) -> Hits | None:
    """Return the hits of one batch, None for an answer that is unusual in any way.

    The parameters are those of `decode`; `plan` is made for its service and labels, and `known` is what values of these
    mean.
    """
    return finished(steps(body, plan, text_prefixes, known, top_k))


def finished(reading: Steps, done: Callable[[str], object] = nothing) -> Hits | None:
    """Return the result of all steps; `done` is called with the name of each when it ends."""
    while True:
        try:
            done(next(reading))
        except StopIteration as end:
            hits: Hits | None = end.value
            return hits


def steps(body: bytes, plan: AnswerPlan, text_prefixes: TextPrefixes, known: KnownLabels, top_k: int | None) -> Steps:
    """Read as `read` does; yield the name of each step when it ends, so that other work may be done between.

    No other answer may be read with the same `known` meanwhile.
    """
    queries = len(text_prefixes)
    if not queries or len(body) >= _LARGEST:
        return None
    text = np.frombuffer(body.rstrip(BLANKS).rjust(SHORTEST), np.uint8)
    most = text.size // _SMALLEST + 1
    counts = np.empty(queries, np.int64)
    spans = np.zeros((plan.rows, min(most, queries * top_k) if top_k else most), np.uint64)
    is_used = np.zeros(plan.rows, np.bool_)
    tree, stack = (plan.nodes, plan.names, plan.likely), np.empty(_DEEPEST, np.uint64)
    if not walk(text, *tree, top_k or most, stack, spans, is_used, counts):
        return None
    yield "walk"
    hits, sizes = Hits(), counts.tolist()
    if top_k and max(sizes) > top_k:
        hits.fault("beyond_top_k", sum(size - top_k for size in sizes if size > top_k))
        counts = np.minimum(counts, top_k)
        sizes = counts.tolist()
    hits.counts = counts
    walked = _Walked(text, spans[:, : sum(sizes)], is_used)
    with suppress(orjson.JSONDecodeError):  # a value that orjson does not read: a number out of range
        return (yield from _columns(walked, hits, plan, text_prefixes, known)) if walked.size else hits
    return None


def _columns(walked: "_Walked", hits: Hits, plan: AnswerPlan, text_prefixes: TextPrefixes, known: KnownLabels) -> Steps:
    if not _read_ids(walked, plan.fields["id"], hits):
        return None
    yield "ids"
    hits.score = _scores(walked, plan.fields["score"], hits)
    yield "scores"
    hits.text = _text_hashes(walked, plan, text_prefixes, hits)
    yield "texts"
    hits.labels = known.columns(walked.text, walked.spans, walked.is_used, plan.labels, hits)
    yield "labels"
    return hits


class _Walked:
    """What the walk has noted."""

    def __init__(self, text: Bytes, spans: U64, is_used: Bools) -> None:
        self.text, self.spans, self.is_used = text, spans, is_used
        self.size = spans.shape[1]
        self._space = space_for(text.size, self.size)

    def chosen(self, rows: Sequence[int]) -> U64 | None:
        """Return the spans of a field that may stand at several places, None where no hit has it."""
        spans: U64 | None = None
        for row in rows:
            if self.is_used[row]:
                spans = self.spans[row] if spans is None else np.where(spans, spans, self.spans[row])
        return spans

    def joined(self, spans: U64) -> Bytes:
        """Return values as one JSON list, until the next call."""
        return join(self.text, spans, self._space)

    def read(self, spans: U64) -> list[Any]:
        """Return values as Python has them; JSONDecodeError for a number out of range, and half a surrogate pair."""
        values: list[Any] = orjson.loads(self.joined(spans).data) if spans.size else []
        return values


def _read_ids(walked: _Walked, rows: Sequence[int], hits: Hits) -> bool:
    """Read the ids of hits and their hashes; False where a hit has no id that can be used."""
    spans = walked.chosen(rows)
    if spans is None:
        return False
    hits.id = np.empty(spans.size, np.uint64)
    if hash_strings(walked.text, spans, hits.id):  # strings without an escape, which any parser reads
        hits.ids = JsonStrings(walked.joined(spans).tobytes(), spans.size)
        return True
    hits.ids = list(map(identity, walked.read(spans)))
    if not all(hits.ids):
        return False
    others = np.flatnonzero(hits.id <= OTHER_TEXT)
    hits.id[others] = id_hashes([hits.ids[other] for other in others.tolist()])
    return True


def _scores(walked: _Walked, rows: Sequence[int], hits: Hits) -> F64:
    """Return the scores of hits, at once where all are numbers."""
    spans = walked.chosen(rows)
    if spans is None:
        return scores([None] * walked.size, hits)
    column = np.empty(walked.size)
    return column if read_numbers(walked.text, spans, column) else scores(walked.read(spans), hits)


def _text_hashes(walked: _Walked, plan: AnswerPlan, text_prefixes: TextPrefixes, hits: Hits) -> U64:
    """Return the `text_hash` of each hit, `OTHER_TEXT` where that is of no text that is sought."""
    digests, spans = walked.chosen(plan.fields["text_hash"]), walked.chosen(plan.fields["text"])
    column = np.full(walked.size, NO_HASH, np.uint64) if digests is None else _digests(walked, digests)
    if spans is not None and (digests is None or not digests.all()):
        column = _compared(walked, spans, column, text_prefixes, hits.counts)
    hits.fault("without_text", walked.size - int(np.count_nonzero(column)))
    return column


def _digests(walked: _Walked, spans: U64) -> U64:
    """Return the hashes that hits give, at once where all are written as they should be."""
    joined = walked.joined(spans)
    if joined.size == spans.size * _WRITTEN + 1:
        written = joined[:-1].reshape(-1, _WRITTEN)
        if (written[:, [1, -1]] == _QUOTE).all():
            with suppress(binascii.Error):
                column = np.frombuffer(binascii.unhexlify(written[:, 2:-1].tobytes()), ">u8").astype(np.uint64)
                if column.min() > OTHER_TEXT:
                    return column
    return np.array(list(map(digest, orjson.loads(joined.data))), np.uint64)


def _compared(walked: _Walked, spans: U64, digests: U64, text_prefixes: TextPrefixes, counts: I64) -> U64:
    """Return the hashes of the texts that are sought; `digests` are those that hits give, for hits without a text."""
    kinds, head = np.empty(spans.size, np.uint8), np.empty(HEAD_BYTES, np.uint8)
    compare_beginnings(walked.text, spans, counts, *text_prefixes.columns(), _KINDS, head, kinds)
    column = digests
    np.copyto(column, OTHER_TEXT, where=kinds == OTHER)
    others = np.flatnonzero(kinds >= SOUGHT)
    ends = np.cumsum(counts)
    for hit, value in zip(others.tolist(), walked.read(spans[others]), strict=True):
        if kinds[hit] == SOUGHT:
            column[hit] = text_hash(value)
        elif type(value) is str:
            query = int(np.searchsorted(ends, hit, side="right"))
            column[hit] = compared_hash(value, text_prefixes[query]) if value else NO_HASH
    return column
