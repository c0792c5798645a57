import numpy as np
import pytest
from cases import first_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from benchbench.tables.dictionary_encoding import DictionaryEncoded


def filled(values: np.ndarray, size: int) -> DictionaryEncoded:
    table = DictionaryEncoded(*values.shape)
    for first in range(0, len(values), size):
        table.put(first, values[first : first + size])
    return table


@given(
    arrays(
        np.float64, array_shapes(min_dims=2, max_dims=2, max_side=30), elements=st.floats() | st.sampled_from([0.5])
    ),
    st.integers(1, 7),
)
def test_rows_come_back_to_the_bit_whatever_the_blocks(values: np.ndarray, size: int):
    table = filled(values, size)
    back = np.concatenate([rows for _, rows in table.blocks()])
    assert back.tobytes() == np.ascontiguousarray(values).tobytes()
    assert table.rows(1, len(values)).tobytes() == np.ascontiguousarray(values[1:]).tobytes()


@pytest.mark.parametrize("distinct", [255, 256, 257, *first_of(65_536, 65_535, 65_537, 70_000)])
@pytest.mark.parametrize("size", first_of(1000, 100_000))
def test_more_values_than_codes_are_no_matter(distinct: int, size: int):
    values = np.column_stack([np.arange(distinct) / 7, np.arange(distinct) % 3])
    table = filled(values, size)
    assert np.concatenate([rows for _, rows in table.blocks()]).tobytes() == values.tobytes()


def test_rows_never_put_are_zero():
    assert DictionaryEncoded(3, 2).rows(0, 3).tolist() == [[0.0, 0.0]] * 3
