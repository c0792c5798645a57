"""Values of several runs side by side, latency by blocks, and what changed since when, against naive loops."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.history.check.run_values import (
    FEWEST,
    QUERIES,
    aligned,
    latency_names,
    means,
    moved_queries,
    moved_slices,
    onset,
    queries_of,
    requests,
    row,
    run_means,
)
from benchbench.significance.latency_ratio import block_values

NAN = math.nan
cells = st.one_of(st.just(NAN), st.floats(-1e3, 1e3))
matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=5)
)


def naive_mean(values: list[float]) -> float:
    known = [one for one in values if math.isfinite(one)]
    return sum(known) / len(known) if known else NAN


def naive_run_mean(values: list[float], reference: list[float]) -> float:
    """The mean difference over what both have, from the mean of the reference."""
    return naive_mean([a - b for a, b in zip(values, reference, strict=True)]) + naive_mean(reference)


@given(matrices)
def test_means_leave_out_what_has_no_value(rows: list[list[float]]) -> None:
    matrix = np.array(rows)
    np.testing.assert_allclose(means(matrix, 0), [naive_mean(list(one)) for one in matrix.T], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(means(matrix, 1), [naive_mean(one) for one in rows], rtol=1e-9, atol=1e-9)


@given(matrices)
def test_a_run_has_the_mean_that_it_would_have_with_all_queries_of_the_reference(rows: list[list[float]]) -> None:
    reference, *runs = rows
    found = run_means(np.array(runs).reshape(len(runs), len(reference)), np.array(reference))
    np.testing.assert_allclose(found, [naive_run_mean(one, reference) for one in runs], rtol=1e-9, atol=1e-9)


def test_a_run_of_all_queries_has_its_own_mean():
    found = run_means(np.array([[0.2, 0.6], [0.5, 0.5]]), np.array([0.1, 0.9]))
    assert found.tolist() == pytest.approx([0.4, 0.5])


def test_a_run_that_lost_its_hard_queries_is_not_better_for_it():
    """Its values are those of the reference, so its mean is, too; the plain mean would be 0.9."""
    assert run_means(np.array([[NAN, 0.9]]), np.array([0.1, 0.9])).tolist() == [0.5]


def test_queries_of_several_runs_come_once_in_the_order_in_which_they_come_first():
    first, second = pl.Series(["b", "a"]), pl.Series(["c", "b"])
    assert queries_of([first, first]).to_list() == ["b", "a"]
    assert queries_of([first, second]).to_list() == ["b", "a", "c"]


def test_rows_stand_in_the_order_of_the_queries_that_are_wanted():
    frame = pl.DataFrame({"m": [1.0, 2.0], "label": ["x", "y"]})
    found = aligned(pl.Series(["b", "a"]), frame, pl.Series(["a", "c", "b"]))
    assert found["label"].to_list() == ["y", None, "x"]
    assert np.array_equal(row(pl.Series(["b", "a"]), frame, "m", pl.Series(["a", "c", "b"])), [2.0, NAN, 1.0], True)


def test_a_measure_that_is_not_there_and_what_is_not_finite_are_no_value():
    ids = pl.Series(["a", "b"])
    assert np.isnan(row(ids, pl.DataFrame({"m": [1.0, 2.0]}), "other", ids)).all()
    assert np.isnan(row(ids, pl.DataFrame({"m": [math.inf, None]}), "m", ids)).all()


SCHEMA = {"query": pl.String, "latency_ms": pl.Float64, "request": pl.Int64, "subject": pl.String}


def frame(*rows: tuple[str, float | None, int | None, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_queries_of_one_request_are_one_latency_in_the_order_of_the_queries():
    latency = frame(("c", 5.0, 2, ""), ("d", 5.0, 2, ""), ("a", 7.0, 0, ""), ("b", 7.0, 0, ""))
    assert requests(latency, "").tolist() == [7.0, 5.0]


def test_each_target_has_latencies_of_its_own():
    latency = frame(("a", 1.0, 0, "old"), ("a", 2.0, 0, "new"))
    assert latency_names(latency) == {"old.p50": "old", "new.p50": "new"}
    assert requests(latency, "new").tolist() == [2.0]


def test_what_has_no_place_in_the_order_is_left_out():
    latency = frame(("a", 1.0, None, ""), ("b", math.inf, 1, ""), ("c", None, 2, ""), ("d", 3.0, 3, ""))
    assert requests(latency, "").tolist() == [3.0]
    assert latency_names(frame(("a", 1.0, None, ""))) == {}
    assert latency_names(frame()) == {}
    assert len(requests(frame(), "")) == 0


@pytest.mark.parametrize(("many", "blocks"), [(7, 3), (24, 24), (100, 24), (2, 4)])
def test_a_block_has_the_logarithm_of_its_median(many: int, blocks: int) -> None:
    milliseconds = np.random.default_rng(1).uniform(1.0, 100.0, many)
    found = block_values(milliseconds, blocks)
    sizes = [many // blocks + (block < many % blocks) for block in range(blocks)]
    start = 0
    for block, size in enumerate(sizes):
        part = sorted(milliseconds[start : start + size])
        start += size
        middle = [math.log(one) for one in part[(size - 1) // 2 : size // 2 + 1]]
        expected = sum(middle) / len(middle) if size else math.nan
        assert found[block] == pytest.approx(expected, nan_ok=True)


def test_a_latency_that_no_clock_can_tell_from_0_has_a_logarithm():
    assert np.isfinite(block_values(np.array([0.0, -1.0]), 2)).all()


values = st.lists(st.one_of(st.just(math.nan), st.integers(-5, 5).map(float)), min_size=24, max_size=24)


@given(values, values, st.sampled_from((1.0, -1.0)))
def test_queries_are_those_with_the_greatest_change_in_that_direction(
    before: list[float], after: list[float], sign: float
) -> None:
    found = moved_queries(pl.Series([f"q{n}" for n in range(24)]), np.array(before), np.array(after), sign)
    changes = [(sign * (b - a), -n) for n, (a, b) in enumerate(zip(before, after, strict=True)) if sign * (b - a) > 0]
    expected = [f"q{-n}" for _, n in sorted(changes, reverse=True)[:QUERIES]]
    assert [one.id for one in found] == expected
    assert all(sign * (one.after - one.before) > 0 for one in found)


def test_slices_of_enough_queries_are_ordered_by_their_change():
    columns = pl.DataFrame({"topic": ["law"] * 8 + ["tax"] * 8 + ["rare"] * 2, "id": [f"{n}x" for n in range(18)]})
    before = np.full(18, 0.5)
    after = before - np.array([0.1] * 8 + [0.3] * 8 + [0.5] * 2)
    found = moved_slices(columns, before, after, -1.0)
    assert [(one.slice, one.n) for one in found] == [("topic=tax", 8), ("topic=law", 8)]
    assert [round(one.after, 6) for one in found] == [0.2, 0.4]
    assert moved_slices(columns, before, after, 1.0) == []


def test_texts_that_are_numbers_are_cut_into_bins():
    columns = pl.DataFrame({"length": [str(100 + n) for n in range(40)]})
    found = moved_slices(columns, np.full(40, 0.5), np.full(40, 0.4), -1.0)
    assert [one.slice for one in found] == ["length=100–109", "length=110–119", "length=120–129", "length=130–139"]


def test_slices_with_the_same_queries_are_said_once_and_queries_without_a_value_do_not_count():
    columns = pl.DataFrame({"a": ["x"] * 7 + ["y"] * 7, "b": ["u"] * 7 + ["v"] * 7})
    after = np.array([0.4] * 7 + [0.4] * 5 + [math.nan] * 2)
    found = moved_slices(columns, np.full(14, 0.5), after, -1.0)
    assert [(one.slice, one.n) for one in found] == [("a=x", 7)]
    assert FEWEST == 6


def test_without_columns_there_are_no_slices():
    assert moved_slices(pl.DataFrame(), np.full(3, 0.5), np.full(3, 0.4), -1.0) == []


def naive_onset(differences: list[float]) -> int:
    """Of every step down the one that leaves the smallest sum of squares."""
    known = [place for place, one in enumerate(differences) if math.isfinite(one)]
    best, least = known[-1], sum(differences[place] ** 2 for place in known)
    for first in range(len(known)):
        after = [differences[place] for place in known[first:]]
        level = sum(after) / len(after)
        rest = sum(differences[place] ** 2 for place in known[:first]) + sum((one - level) ** 2 for one in after)
        if level < 0 and rest < least - 1e-9:
            best, least = known[first], rest
    return best


@given(st.lists(st.one_of(st.just(math.nan), st.integers(-20, 20).map(float)), min_size=1, max_size=12))
def test_it_is_the_step_that_explains_most(differences: list[float]) -> None:
    if any(map(math.isfinite, differences)):
        found, expected = onset(np.array(differences)), naive_onset(differences)
        if found != expected:  # two steps explain as much
            known = [one for one in differences if math.isfinite(one)]
            at = [sum(math.isfinite(one) for one in differences[:place]) for place in (found, expected)]
            explained = [sum(known[first:]) ** 2 / len(known[first:]) for first in at]
            assert explained[0] == pytest.approx(explained[1])


@pytest.mark.parametrize("first", [0, 3, 9])
def test_a_planted_step_is_found_where_it_is(first: int) -> None:
    noise = np.random.default_rng(3).normal(0.0, 0.1, 10)
    assert onset(noise - (np.arange(10) >= first)) == first


def test_where_nothing_fell_it_is_the_latest_run():
    assert onset(np.array([0.1, 0.2, 0.3])) == 2


def test_a_run_without_a_value_is_none():
    assert onset(np.array([0.0, math.nan, -1.0, -1.0])) == 2
    assert onset(np.array([math.nan])) == 0
    assert onset(np.array([])) == 0
