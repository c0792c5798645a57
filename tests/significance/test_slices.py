"""Which queries a column puts together."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.significance.slices import BINS, FEW_VALUES, slices_of


def of(column: pl.Series) -> dict[str, list[int]]:
    return {value: queries.tolist() for value, queries in slices_of(pl.DataFrame({"column": column}), "column")}


@pytest.mark.parametrize(
    ("column", "slices"),
    [
        (pl.Series(["b", "a", None, "b"]), {"a": [1], "b": [0, 3], "(none)": [2]}),
        (pl.Series(["b", "a", "b"], dtype=pl.Categorical), {"a": [1], "b": [0, 2]}),
        (pl.Series([True, False, True]), {"no": [1], "yes": [0, 2]}),
        (pl.Series([3, 11, 3, None]), {"3": [0, 2], "11": [1], "(none)": [3]}),
        (pl.Series([0.5, float("nan"), 0.5, 2.0]), {"0.5": [0, 2], "2": [3], "(none)": [1]}),
        (
            pl.Series([12346.0, 12347.0, 0.1, 0.1 + 0.2]),
            {"0.1": [2], "0.30000000000000004": [3], "12346": [0], "12347": [1]},
        ),
        (pl.Series(["(none)", None, "a"]), {'"(none)"': [0], "a": [2], "(none)": [1]}),
        (pl.Series([["x", "y"], ["y"], [], None, ["y", "y"]]), {"x": [0], "y": [0, 1, 4], "(none)": [2, 3]}),
        (pl.Series([[264], [264, 347]]), {"264": [0, 1], "347": [1]}),
    ],
)
def test_a_slice_is_a_value(column: pl.Series, slices: dict[str, list[int]]) -> None:
    found = of(column)
    assert found == slices
    assert list(found)[-1] == list(slices)[-1]  # without a value comes last
    assert set(found) == set(slices)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_number_is_none_of_those_that_bins_are_made_for(missing: float | None) -> None:
    found = of(pl.Series([float(n) for n in range(FEW_VALUES)] + [missing], dtype=pl.Float64))
    assert list(found) == [*map(str, range(FEW_VALUES)), "(none)"]
    assert "0–3" in of(pl.Series([*range(FEW_VALUES + 1), None]))


def test_many_numbers_are_cut_into_bins_named_by_their_ends() -> None:
    found = of(pl.Series([*range(1, 41), None]))
    assert list(found) == ["1–10", "11–20", "21–30", "31–40", "(none)"]
    assert found["11–20"] == list(range(10, 20))
    assert list(of(pl.Series(np.arange(13) / 8))) == ["0–0.375", "0.5–0.75", "0.875–1.125", "1.25–1.5"]


def test_bins_that_four_digits_do_not_tell_apart_have_more() -> None:
    assert list(of(pl.Series(np.arange(40) + 1e9))) == [
        "1000000000–1000000009", "1000000010–1000000019", "1000000020–1000000029", "1000000030–1000000039"
    ]  # fmt: skip


@given(st.lists(st.integers(-30, 30) | st.none(), min_size=1, max_size=80))
def test_every_query_is_in_one_bin_and_equal_numbers_in_the_same(numbers: list[int | None]) -> None:
    found = slices_of(pl.DataFrame({"column": pl.Series(numbers, dtype=pl.Int64)}), "column")
    assert sorted(query for _, queries in found for query in queries.tolist()) == list(range(len(numbers)))
    if len(set(numbers) - {None}) > FEW_VALUES:
        assert len(found) <= BINS + 1
    held = [{numbers[query] for query in queries.tolist()} for _, queries in found]
    assert sum(map(len, held)) == len(set(numbers))


def test_a_number_that_most_queries_have_is_a_bin_of_its_own() -> None:
    assert list(of(pl.Series([0] * 60 + list(range(1, 21))))) == ["0", "1–20"]


def test_an_unknown_column_is_refused_with_those_there_are() -> None:
    frame = pl.DataFrame({"length": [1, 2], "kind": ["a", "b"]})
    with pytest.raises(InputError, match="no column lenght to slice by; there are: length, kind"):
        slices_of(frame, "lenght")
    with pytest.raises(InputError, match="there are: none"):
        slices_of(pl.DataFrame(), "length")


def test_a_column_without_values_to_go_by_is_refused() -> None:
    with pytest.raises(InputError, match="column meta holds"):
        slices_of(pl.DataFrame({"meta": [{"a": 1}, {"a": 2}]}), "meta")
    with pytest.raises(InputError, match="column meta holds"):
        slices_of(pl.DataFrame({"meta": [[{"a": 1}], [{"a": 2}]]}), "meta")
