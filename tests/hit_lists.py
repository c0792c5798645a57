"""Hits that are written as lists, and whether two blocks of hits are the same."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from benchbench.kernels.arrays import F64, I32
from benchbench.tables.hits import Hits
from benchbench.tables.labels import LabelSchema, Vocabulary, value_at


def hits_of(
    counts: Sequence[int],
    ids: Sequence[str | None] = (),
    id_hashes: Sequence[int] = (),
    text_hashes: Sequence[int] = (),
    score: Sequence[float] = (),
    labels: Sequence[Sequence[float] | I32 | F64] = (),
    faults: dict[str, int] | None = None,
) -> Hits:
    """Return a block of hits; a column of labels with a float has numbers, another one codes."""
    return Hits(
        counts=np.array(counts, np.int64),
        ids=list(ids),
        id=np.array(id_hashes, np.uint64),
        text=np.array(text_hashes, np.uint64),
        score=np.array(score, np.float64),
        labels=[
            one if isinstance(one, np.ndarray) else np.array(one, np.float64 if float in map(type, one) else np.int32)
            for one in labels
        ],
        faults=dict(faults or {}),
    )


def label_columns(schema: LabelSchema, labels: Vocabulary, hits: Sequence[dict]) -> list[I32 | F64]:
    """Return the columns of labels of hits as a service sends them."""
    return [
        np.array(labels.column(label, [value_at(hit, label.hit) for hit in hits]), label.kind.type)
        for label in schema.labels
    ]


def assert_same(one: Hits, other: Hits) -> None:
    """Check that two blocks of hits have equal columns of equal types; NaN equals NaN."""
    assert (one.ids, one.faults, len(one.labels)) == (other.ids, other.faults, len(other.labels))
    columns = [(getattr(one, each.name), getattr(other, each.name)) for each in fields(Hits)]
    arrays = [pair for pair in columns if isinstance(pair[0], np.ndarray)]
    for a, b in [*arrays, *zip(one.labels, other.labels, strict=True)]:
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
