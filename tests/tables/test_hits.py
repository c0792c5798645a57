"""Hits as columns."""

import math

import numpy as np
import pytest
from hit_lists import assert_same, hits_of

from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema

SCHEMA = LabelSchema(
    tuple(
        Label(name, kind, (), ((name,),))
        for name, kind in (("brand", Kind.SET), ("price", Kind.NUMBER), ("sold", Kind.FLAG))
    )
)


def some(counts: list[int], first: int) -> Hits:
    n = sum(counts)
    codes = list(range(first, first + n))
    return hits_of(counts, [f"{c}" for c in codes], codes, codes, [1.0] * n, [codes, [0.5] * n, [-1] * n], {"odd": n})


def test_columns_have_a_row_per_label_of_each_kind():
    columns = some([2, 0, 1], 4).columns(SCHEMA)
    assert columns.offsets.tolist() == [0, 2, 2, 3]
    assert (columns.codes.tolist(), columns.numbers.tolist()) == ([[4, 5, 6], [-1, -1, -1]], [[0.5, 0.5, 0.5]])
    assert (columns.codes.dtype, columns.numbers.dtype) == (np.int32, np.float64)


def test_hits_without_columns_have_no_label():
    columns = hits_of([1], ["a"], [1], [1], [1.0]).columns(SCHEMA)
    assert columns.codes.tolist() == [[-1], [-1]]
    assert math.isnan(columns.numbers[0, 0])
    none = Hits.none(3).columns(SCHEMA)
    assert (none.codes.shape, none.numbers.shape, none.offsets.tolist()) == ((2, 0), (1, 0), [0, 0, 0, 0])


def test_joined_hits_stand_in_the_order_of_their_parts():
    one, other = some([1, 2], 0), some([2], 7)
    whole = Hits.joined([Hits.none(1), one, Hits.none(2), other])
    assert whole.counts.tolist() == [0, 1, 2, 0, 0, 2]
    assert whole.ids == ["0", "1", "2", "7", "8"]
    assert [column.tolist() for column in whole.labels] == [[0, 1, 2, 7, 8], [0.5] * 5, [-1] * 5]
    assert [column.dtype for column in whole.labels] == [np.int32, np.float64, np.int32]
    assert (whole.id.tolist(), whole.text.tolist(), whole.score.tolist()) == (
        [0, 1, 2, 7, 8],
        [0, 1, 2, 7, 8],
        [1.0] * 5,
    )
    assert whole.faults == {"odd": 5}
    assert_same(one, some([1, 2], 0))  # the parts stay as they are


def test_parts_without_labels_join_where_none_has_any():
    part = hits_of([1], ["a"], [1], [1], [1.0])
    assert Hits.joined([part, Hits.none(1)]).labels == []
    assert Hits.joined([part, part]).columns(NO_LABELS).codes.shape == (0, 2)
    with pytest.raises(ValueError, match="shorter"):
        Hits.joined([some([1], 0), part])
