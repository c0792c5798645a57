"""Differences over slices."""

from itertools import groupby

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from significance.drawn import like_measures, paired_of

from benchbench.errors import InputError
from benchbench.significance.comparing import compare
from benchbench.significance.corrections import holm
from benchbench.significance.settings import TESTS, Settings
from benchbench.significance.sliced import FEWEST
from benchbench.significance.slices import BINS, FEW_VALUES, slices_of

QUERIES = 80


LENGTHS = np.random.default_rng(3).integers(3, 300, QUERIES)


KINDS = np.where(np.arange(QUERIES) < 4, "rare", np.where(np.arange(QUERIES) % 2, "odd", "even"))


COLUMNS = pl.DataFrame({"length": LENGTHS, "kind": KINDS, "topics": [["x", "y"], ["y"]] * (QUERIES // 2)})


VALUES = like_measures(8, 2, 3, QUERIES)


PAIRED = paired_of(VALUES, COLUMNS)


SLICES = ("length", "kind", "topics")


def test_a_slice_is_the_comparison_of_its_queries() -> None:
    odd = np.flatnonzero(KINDS == "odd")
    for test in TESTS:
        settings = Settings(resamples=2000, test=test)
        alone = compare(paired_of(np.ascontiguousarray(VALUES[:, :, odd])), settings)
        means = {(one.measure, one.system): one.mean for one in alone.estimates}
        found = compare(PAIRED, Settings(resamples=2000, slices=("kind",), test=test))
        of_odd = [one for one in found.slices if one.value == "odd"]
        assert len(of_odd) == len(alone.differences)
        for one, whole in zip(of_odd, alone.differences, strict=True):
            assert (one.measure, one.baseline, one.system) == (whole.measure, whole.baseline, whole.system)
            assert (one.queries, one.mean, one.low, one.high) == (len(odd), whole.mean, whole.low, whole.high)
            assert one.p == whole.p[test]
            assert one.baseline_mean == means[one.measure, one.baseline]
            assert one.system_mean == means[one.measure, one.system]


def test_of_each_pair_and_measure_slices_are_corrected_together_and_the_greatest_loss_comes_first() -> None:
    found = compare(PAIRED, Settings(resamples=500, slices=SLICES))
    groups = [list(group) for _, group in groupby(found.slices, lambda one: (one.measure, one.baseline, one.system))]
    assert len(groups) == 2 * 3
    for group in groups:
        assert {one.column for one in group} == set(SLICES)
        means = [one.mean for one in group]
        assert means == sorted(means)
        assert [one.corrected for one in group] == holm(np.array([one.p for one in group])).tolist()
        assert all(one.significant == (one.corrected <= 0.05) for one in group)


def test_small_slices_are_left_out_and_counted() -> None:
    found = compare(PAIRED, Settings(resamples=200, slices=("kind",)))
    assert {one.value for one in found.slices} == {"odd", "even"}
    assert min(one.queries for one in found.slices) >= FEWEST
    assert f"1 of 3 slices of kind left out: fewer than {FEWEST} queries each" in found.notes


def test_the_smallest_slice_is_one_that_can_differ_by_chance_less_than_once_in_twenty() -> None:
    """Six queries that all gain have p = 2/64; five have 2/32, so that nothing they say could be significant."""
    kinds = pl.DataFrame({"kind": ["six"] * 6 + ["five"] * 5})
    gains = np.arange(1, 12) / 20
    (one,) = compare(paired_of(np.array([[gains / 2, gains]]), kinds), Settings(slices=("kind",))).slices
    assert (one.value, one.queries, one.p, one.significant) == ("six", 6, 2 / 64, True)
    just = Settings(slices=("kind",), alpha=2 / 64)
    assert compare(paired_of(np.array([[gains / 2, gains]]), kinds), just).slices[0].significant


def test_intervals_of_slices_are_of_two_thousand_resamples_however_many_the_others_have() -> None:
    """Of those of the bootstrap; the t interval beside it is not drawn at all."""
    settings = (Settings(resamples=each, slices=("kind",), test="t") for each in (2_000, 6_000))
    few, many = (compare(PAIRED, one).slices for one in settings)
    assert [(one.low, one.high) for one in few] == [(one.low, one.high) for one in many]


def test_overlapping_slices_are_named() -> None:
    found = compare(PAIRED, Settings(resamples=200, slices=("topics", "kind")))
    assert [note for note in found.notes if "overlap" in note] == [
        "slices of topics overlap: a query is in those of all its values"
    ]
    assert {(one.value, one.queries) for one in found.slices if one.column == "topics"} == {("x", 40), ("y", 80)}


@pytest.mark.parametrize("baseline", ["A", "C"])
def test_a_slice_has_the_pairs_of_the_comparison(baseline: str) -> None:
    found = compare(PAIRED, Settings(resamples=200, slices=("kind",), baseline=baseline))
    assert {(one.baseline, one.system) for one in found.slices} == {
        (baseline, other) for other in {*"ABC"} - {baseline}
    }


def test_a_column_named_twice_is_sliced_by_once() -> None:
    once, twice = (compare(PAIRED, Settings(resamples=200, slices=names)) for names in (("kind",), ("kind", "kind")))
    assert once.slices == twice.slices


def test_tests_of_many_slices_take_as_many_resamples_as_their_correction_needs() -> None:
    """Of ten slices no p-value of 100 patterns is below 10 / 101 after Holm."""
    rng = np.random.default_rng(4)
    values = np.clip(0.3 + rng.normal(0, 0.1, (1, 2, 200)), 0, 1)
    values[0, 1, ::10] += 0.5
    paired = paired_of(values, pl.DataFrame({"court": [f"c{query % 10}" for query in range(200)]}))
    found = compare(paired, Settings(resamples=100, slices=("court",)))
    assert [one.value for one in found.slices if one.significant] == ["c0"]
    assert min(one.p for one in found.slices) == 1 / 201
    assert "tests of slices take 200 resamples, which a correction for so many needs" in found.notes
    loose = compare(paired, Settings(resamples=100, slices=("court",), correction="none"))
    assert min(one.p for one in loose.slices) == 1 / 101


# Which queries a column puts together


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
