"""Means over queries with standard error and interval, and micro averages from totals."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import costly
from scipy.stats import binomtest

from benchbench.kernels.formulas import Formula
from benchbench.measures.aggregate import block_estimates, block_values, means_of
from benchbench.measures.catalog import CATALOG
from benchbench.measures.columns import Columns, columns_of
from benchbench.measures.default_list import MICRO, averaged_measures, default_measures
from benchbench.measures.latency import PERCENTILES, latency
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.plan import plans
from benchbench.results.estimates import MeasureEstimate
from benchbench.tables.groups import Groups, grouped
from benchbench.tables.shared_messages import AT_EACH_CUTOFF as MEASURES

TASKS = ("gold", "accusation", "article", "imprisonment")


class Judged(NamedTuple):
    """Judged queries as arrays, and the number of relevant hits they were made from."""

    values: np.ndarray
    found: np.ndarray
    denominators: np.ndarray
    hits: list[list[list[int]]]  # a query, task and cut-off


def judged(hits: list[list[list[int]]], denominators: list[list[int]], cutoffs: tuple[int, ...]) -> Judged:
    """Make values from relevant hits a query, task and cut-off; nDCG and RR are any numbers."""
    values = np.zeros((len(hits), len(TASKS), len(cutoffs), len(MEASURES)))
    found = np.zeros(values.shape[:3], np.int64)
    for q, tasks in enumerate(hits):
        for t, counts in enumerate(tasks):
            for c, count in enumerate(counts):
                limit = denominators[q][t]
                found[q, t, c] = min(count, limit)
                precision, recall = count / cutoffs[c], found[q, t, c] / limit if limit else 0.0
                f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
                values[q, t, c] = precision, recall, count > 0, f1, (q + t) % 3 / 2, (q + c) % 4 / 3
    return Judged(values, found, np.array(denominators, np.int64), hits)


def rows_of(data: Judged, tasks: tuple[str, ...], cutoffs: tuple[int, ...]) -> tuple[np.ndarray, Columns]:
    """Return the values of the default measures as rows, with their columns."""
    measures = default_measures(cutoffs)
    made = plans(measures)
    values = np.zeros((len(data.values), len(tasks), made.width))
    for t, at in enumerate(map(TASKS.index, tasks)):
        for one in measures:
            c = cutoffs.index(one.cutoff)
            if one.name in MEASURES:
                values[:, t, made.columns[one][0]] = data.values[:, at, c, MEASURES.index(one.name)]
            elif one.name == "microR":
                _, hits, divisor = made.columns[one]
                values[:, t, hits], values[:, t, divisor] = data.found[:, at, c], data.denominators[:, at]
    columns = columns_of(tasks, measures, made)
    return columns.rows(values), columns


def estimates(
    data: Judged, tasks: tuple[str, ...], cutoffs: tuple[int, ...], groups: Groups | None = None
) -> list[MeasureEstimate]:
    rows, columns = rows_of(data, tasks, cutoffs)
    return block_estimates(lambda: iter([(0, rows)]), len(rows), columns, groups)


@st.composite
def judgings(draw: st.DrawFn) -> tuple[Judged, tuple[int, ...]]:
    cutoffs = tuple(draw(st.lists(st.integers(1, 10), min_size=1, max_size=2, unique=True)))
    n = draw(st.integers(1, 12))
    hits = [[[draw(st.integers(0, k)) for k in cutoffs] for _ in TASKS] for _ in range(n)]
    return judged(hits, [[draw(st.integers(0, 10)) for _ in TASKS] for _ in range(n)], cutoffs), cutoffs


def by_name(rows: list[MeasureEstimate]) -> dict[tuple[str, str], MeasureEstimate]:
    return {(row.task, row.measure): row for row in rows}


def close(value: float | None) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@given(judgings())
def test_estimates_equal_naive_sums(drawn: tuple[Judged, tuple[int, ...]]) -> None:
    data, cutoffs = drawn
    n = len(data.hits)
    rows = by_name(estimates(data, TASKS, cutoffs))
    for t, task in enumerate(TASKS):
        for c, k in enumerate(cutoffs):
            for m, measure in enumerate(MEASURES):
                column = data.values[:, t, c, m]
                row = rows[task, f"{measure}@{k}"]
                assert row.value == close(math.fsum(column) / n)
                assert row.stderr == (close(column.std(ddof=1) / math.sqrt(n)) if n > 1 else None)
            all_hits, all_found = sum(one[t][c] for one in data.hits), int(data.found[:, t, c].sum())
            precision = all_hits / sum(k for _ in data.hits)
            total = sum(int(limits[t]) for limits in data.denominators)
            recall = all_found / total if total else 0.0
            f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
            assert [rows[task, f"{name}@{k}"].value for name in MICRO] == close([precision, recall, f1])


@given(judgings())
def test_an_interval_contains_its_value_and_lies_within_the_range_of_a_share(
    drawn: tuple[Judged, tuple[int, ...]],
) -> None:
    data, cutoffs = drawn
    for row in estimates(data, TASKS, cutoffs):
        if len(data.hits) == 1:
            assert (row.stderr, row.low, row.high) == (None, None, None)
        else:
            assert row.stderr is not None
            assert row.low is not None
            assert row.high is not None
            assert -1e-12 <= row.low <= row.value + 1e-12
            assert row.value - 1e-12 <= row.high <= 1 + 1e-12


@given(judgings())
@settings(max_examples=costly(20))
def test_two_evaluations_of_the_same_input_are_equal_and_change_nothing(
    drawn: tuple[Judged, tuple[int, ...]],
) -> None:
    data, cutoffs = drawn
    before = [array.tobytes() for array in data[:3]]
    first = estimates(data, TASKS, cutoffs)
    assert estimates(data, TASKS, cutoffs) == first
    assert [array.tobytes() for array in data[:3]] == before


def some(n: int) -> Judged:
    rng = np.random.default_rng(n)
    hits = rng.binomial(10, rng.beta(1, 3, (n, 4, 1))).tolist()
    return judged(hits, rng.integers(1, 11, (n, 4)).tolist(), (10,))


def test_the_interval_of_a_mean_is_about_four_standard_errors_wide() -> None:
    data = some(400)
    for row in estimates(data, TASKS, (10,)):
        assert row.stderr
        assert row.low is not None
        assert row.high is not None
        assert row.high - row.low == pytest.approx(3.92 * row.stderr, rel=0.15)


def test_the_error_of_micro_precision_is_that_of_the_equal_mean() -> None:
    data = some(400)
    rows = by_name(estimates(data, TASKS, (10,)))
    for task in TASKS:
        macro, micro = rows[task, "P@10"], rows[task, "microP@10"]
        assert micro.value == macro.value
        assert (micro.low, micro.high) == pytest.approx((macro.low, macro.high))
        assert micro.stderr == pytest.approx(macro.stderr)


def test_only_what_was_asked_for_is_estimated_in_that_order() -> None:
    data = judged([[[1, 2]] * 4, [[2, 3]] * 4], [[10] * 4] * 2, (3, 5))
    rows = estimates(data, ("article", "gold"), (3, 5))
    names = [f"{measure}@{k}" for k in (3, 5) for measure in (*MEASURES, *MICRO)]
    assert [(row.task, row.measure) for row in rows] == [(task, name) for task in ("article", "gold") for name in names]


def test_no_relevant_hit_anywhere_is_zero_without_spread_and_has_the_interval_of_a_share() -> None:
    data = judged([[[0]] * 4] * 5, [[0] * 4] * 5, (10,))
    for row in estimates(data, TASKS, (10,)):
        if not row.measure.startswith(("nDCG", "RR")):
            assert (row.value, row.stderr, row.low, row.interval) == (0, 0, 0, "Wilson")
            assert row.high == pytest.approx(binomtest(0, 5).proportion_ci(method="wilson").high)


def test_values_of_0_and_1_have_wilsons_interval_and_others_its_form() -> None:
    data = some(60)
    rows = by_name(estimates(data, TASKS, (10,)))
    success = rows["gold", "Success@10"]
    hits = round(success.value * 60)
    expected = binomtest(hits, 60).proportion_ci(method="wilson")
    assert (success.low, success.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert (success.interval, rows["gold", "P@10"].interval) == ("Wilson", "Wilson's form with Student's t")


def ratio(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def f1(sums: np.ndarray) -> np.ndarray:
    """Return microF1@10 from the sums of relevant hits, of those that count, of divisors, and of queries."""
    precision, recall = sums[..., 0] / sums[..., 3] / 10, sums[..., 1] / sums[..., 2]
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("groups", [40, 400])
def test_errors_of_means_and_micro_averages_are_those_of_a_jackknife(groups: int) -> None:
    data, codes, ones = some(400), np.arange(400) % groups, np.ones(400)
    found = by_name(estimates(data, TASKS, (10,), None if groups == 400 else grouped("document", codes.tolist())))
    hits, there, divisors = data.values[:, 0, 0, 0] * 10, data.found[:, 0, 0], data.denominators[:, 0]
    for name, statistic, columns in (
        ("P@10", ratio, (hits / 10, ones)),
        ("nDCG@10", ratio, (data.values[:, 0, 0, MEASURES.index("nDCG")], ones)),
        ("microR@10", ratio, (there, divisors)),
        ("microF1@10", f1, (hits, there, divisors, ones)),
    ):
        row, sums = found["gold", name], np.array([np.bincount(codes, column) for column in columns]).T
        left = statistic(sums.sum(axis=0) - sums)
        assert row.value == pytest.approx(statistic(sums.sum(axis=0)))
        assert row.stderr == pytest.approx(np.sqrt((groups - 1) * left.var()), rel=0.02)
        assert row.interval == "Wilson's form with Student's t" + (", 40 groups of document" if groups == 40 else "")


def test_a_mean_of_values_beyond_1_has_students_interval() -> None:
    (_, ends), (_, scaled) = means_of(np.array([[0.5, 0.5], [2.0, 0.7], [3.5, 0.9]]))
    assert (ends.method, scaled.method) == ("Student's t", "Wilson's form with Student's t")


def test_a_value_that_rounding_puts_above_1_is_on_the_scale() -> None:
    above = np.nextafter(1.0, 2.0)
    found = means_of(np.array([[0.5, above], [0.7, above], [above, above]]))
    assert [ends.method for _, ends in found] == ["Wilson's form with Student's t", "Wilson"]
    assert [ends.high for _, ends in found][1] == pytest.approx(1.0, abs=1e-15)


def test_the_error_and_the_design_effect_of_groups_are_those_of_their_means() -> None:
    data = some(40)
    row = by_name(estimates(data, TASKS, (10,), grouped("d", [n // 4 for n in range(40)])))["gold", "P@10"]
    values = data.values[:, 0, 0, 0]
    error = values.reshape(10, 4).mean(axis=1).std(ddof=1) / np.sqrt(10)
    assert row.stderr == pytest.approx(error)
    assert row.design_effect == pytest.approx(error**2 / (values.var(ddof=1) / 40))


def test_of_one_group_no_number_has_an_interval() -> None:
    data = some(40)
    data.values[:, 0, 0, MEASURES.index("Success")] = 1.0
    found = estimates(data, TASKS, (10,), grouped("d", [0] * 40))
    assert {(row.low, row.high, row.interval) for row in found} == {(None, None, None)}
    assert {(row.stderr, row.design_effect) for row in found} == {(None, None)}  # nobody sees how much groups differ


def test_a_share_of_1_over_groups_has_the_interval_of_a_share_of_0_the_other_way_round() -> None:
    """Of means and of micro averages: no sample says how far another group could differ."""
    groups = grouped("d", [q // 3 for q in range(36)])
    whole, nothing = (judged([[[number]] * len(TASKS)] * 36, [[5] * len(TASKS)] * 36, (5,)) for number in (5, 0))
    ones, zeros = (by_name(estimates(data, TASKS, (5,), groups)) for data in (whole, nothing))
    for name in ("Success@5", "R@5", "microR@5"):
        one, zero = ones["gold", name], zeros["gold", name]
        assert (one.value, one.high, zero.value, zero.low) == (1.0, 1.0, 0.0, 0.0)
        assert one.low == pytest.approx(1.0 - zero.high)
        assert 0.0 < one.low < 1.0


def test_groups_of_one_query_give_the_interval_of_queries() -> None:
    data = some(300)
    alone, each = (
        by_name(estimates(data, TASKS, (10,), groups))["gold", "nDCG@10"]
        for groups in (None, grouped("q", list(range(300))))
    )
    assert (each.low, each.high) == (pytest.approx(alone.low), pytest.approx(alone.high))
    assert each.design_effect == pytest.approx(1.0)


@given(judgings(), st.integers(1, 5))
@settings(max_examples=costly(20))
def test_rows_in_blocks_give_the_same_bits(drawn: tuple[Judged, tuple[int, ...]], size: int) -> None:
    data, cutoffs = drawn
    rows, columns = rows_of(data, TASKS, cutoffs)

    def blocks() -> Iterator[tuple[int, np.ndarray]]:
        for first in range(0, len(rows), size):
            yield first, rows[first : first + size]

    whole = estimates(data, TASKS, cutoffs)
    assert block_estimates(blocks, len(rows), columns) == whole
    assert block_values(blocks, len(rows), columns) == {(one.task, one.measure): one.value for one in whole}


MIXED = resolve(
    ["NumRet", "RBP(p=0.5)", "microR(cap=5)@3", "AP", "nDCG(gains='exp')@7", "P@3", "NumQ", "IPrec@0.1", "microF1@5"]
)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sets(st.sampled_from(MIXED), min_size=1), st.booleans())
def test_any_measures_equal_naive_sums_as_the_catalog_says(
    seed: int, n: int, chosen: set[Measure], in_groups: bool
) -> None:
    measures, made = sorted(chosen, key=str), plans(MIXED)
    columns = columns_of(("b", "a"), measures, made)
    values = np.random.default_rng(seed).integers(0, 5, (n, 2, made.width)) / 4
    rows = columns.rows(values)
    groups = grouped("d", [q // 2 for q in range(n)]) if in_groups else None
    found = block_estimates(lambda: iter([(0, rows)]), n, columns, groups)
    assert [(one.task, one.measure) for one in found] == [(task, str(one)) for task in "ba" for one in measures]
    for row, (t, one) in zip(found, itertools.product((0, 1), measures), strict=True):
        totals = [math.fsum(values[:, t, place]) for place in made.columns[one]]
        aggregate = CATALOG[one.name].aggregate
        if aggregate == "sum":
            assert row == MeasureEstimate(task=row.task, measure=row.measure, value=totals[0])
        elif aggregate == "mean":
            assert row.value == close(totals[0] / n)
        else:
            precision, recall = totals[0] / n, totals[1] / totals[2] if totals[2] else 0.0
            f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
            assert row.value == close({"microP": precision, "microR": recall, "microF1": f1}[one.name])


def test_a_part_of_the_measures_has_the_columns_that_it_needs_and_the_same_numbers() -> None:
    data = some(50)
    rows, columns = rows_of(data, TASKS, (10,))
    whole = by_name(block_estimates(lambda: iter([(0, rows)]), 50, columns))
    measures = averaged_measures(default_measures((10,)))
    made = plans(default_measures((10,)))
    fewer = columns_of(TASKS, measures, made)
    values = rows.reshape(50, 4, made.width)
    found = block_estimates(lambda: iter([(0, fewer.rows(values))]), 50, fewer)
    assert fewer.width == 4 * len(MEASURES) == 4 * made.width - 8
    assert found == [whole[task, f"{name}@10"] for task in TASKS for name in MEASURES]


def test_what_no_answer_changes_are_the_columns_of_divisors_and_counts_of_what_is_relevant() -> None:
    made = plans(MIXED)
    columns = columns_of(("a", "b"), MIXED, made)
    settled = [Formula(made.plain.columns["formula"][place % made.width]) for place in columns.settled]
    assert sorted(settled) == [Formula.DIVISOR] * 4 + [Formula.NUMQ] * 2
    assert not columns_of(("a", "b"), resolve(["P@5", "NumRet"]), plans(resolve(["P@5", "NumRet"]))).settled.size


def test_of_no_query_no_measure_has_a_value() -> None:
    columns = columns_of(("a",), MIXED, plans(MIXED))
    found = block_values(lambda: iter([(0, np.zeros((0, columns.width)))]), 0, columns)
    assert list(found) == [("a", str(one)) for one in MIXED]
    assert all(math.isnan(value) for value in found.values())


# How fast the service answered, from the records of the attempts


def attempts(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Make attempts from (first query, sent, end, bytes, error), and where it is not the first one the page."""
    schema = {
        "first_query": pl.Int64,
        "sent": pl.Float64,
        "end": pl.Float64,
        "bytes": pl.Int64,
        "error": pl.String,
        "page": pl.Int64,
    }
    return pl.DataFrame([row if len(row) > 5 else (*row, 1) for row in rows], schema=schema, orient="row")


def test_the_pages_of_a_query_are_requests_and_have_one_latency() -> None:
    result = latency(
        attempts(
            (0, 1.0, 1.5, 10, None, 1),
            (0, 1.75, 2.0, 10, "503", 2),
            (0, 2.5, 3.0, 10, None, 2),
            (1, 1.0, 1.25, 5, None),
        ),
        scored_queries=2,
    )
    assert (result.requests, result.attempts, result.timed, result.further_pages) == (3, 4, 2, 1)
    assert (result.percentiles["p50"], result.max) == (250.0, 2000.0)


def test_a_request_lasts_from_its_first_sending_to_its_last_end() -> None:
    result = latency(
        attempts((0, 1.0, 1.5, 10, "503"), (0, 2.0, 2.25, 30, None), (32, 1.0, 1.25, 5, None)), scored_queries=64
    )
    assert (result.requests, result.attempts, result.failed_attempts, result.bytes) == (2, 3, 1, 45)
    assert result.max == pytest.approx(1250)
    assert result.mean == pytest.approx((1250 + 250) / 2)
    assert result.percentiles["p50"] == pytest.approx(250)


def test_failed_requests_count_with_the_others() -> None:
    result = latency(attempts((0, 0.0, 60.0, 0, "timeout"), (1, 0.0, 0.5, 9, None)), scored_queries=1)
    assert result.max == result.percentiles["p99"] == pytest.approx(60_000)
    assert (result.requests, result.failed_attempts) == (2, 1)


def test_the_rate_is_of_scored_queries_over_the_time_from_first_sending_to_last_end() -> None:
    result = latency(attempts((0, 0.5, 1.0, 0, None), (32, 0.75, 4.5, 0, None)), scored_queries=64)
    assert result.seconds == pytest.approx(4.0)
    assert result.queries_per_second == pytest.approx(16.0)


def test_one_request_is_every_percentile() -> None:
    result = latency(attempts((0, 0.0, 0.125, 0, None)), scored_queries=1)
    assert set(result.percentiles.values()) == {125.0} == {result.mean, result.max}
    assert list(result.percentiles) == ["p50", "p90", "p95", "p99"]


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=300))
def test_a_percentile_is_the_smallest_observed_value_that_enough_requests_do_not_exceed(times: list[int]) -> None:
    result = latency(attempts(*((q, 0.0, time / 1024, 0, None) for q, time in enumerate(times))), len(times))
    ordered = sorted(times)
    for p in PERCENTILES:
        rank = ceil(Fraction(int(p), 100) * len(times))
        assert result.percentiles[f"p{p:g}"] == ordered[rank - 1] / 1024 * 1e3
    assert result.max == ordered[-1] / 1024 * 1e3
    assert result.mean == pytest.approx(np.mean(times) / 1.024)


@pytest.mark.parametrize("n", [20, 40, 60, 100, 180, 200, 700, 1000, 2000])
def test_a_percentile_is_exact_where_its_share_is_a_whole_number_of_requests(n: int) -> None:
    result = latency(attempts(*((q, 0.0, float(q + 1), 0, None) for q in range(n))), n)
    assert [result.percentiles[f"p{p}"] for p in (50, 90, 95)] == [n * p // 100 * 1000 for p in (50, 90, 95)]
