"""What a whole comparison says of a margin, of queries that changed, and of how many would show a difference."""

import math

import numpy as np
import polars as pl
import pytest
from significance.drawn import like_measures, paired_of

from benchbench.results.record import Number
from benchbench.significance.comparing import compare
from benchbench.significance.corrections import holm
from benchbench.significance.gates import as_gates, numbers, verdicts
from benchbench.significance.notes import asked_of
from benchbench.significance.power import detectable_effect
from benchbench.significance.result import Difference
from benchbench.significance.settings import Settings


def one_of(differences: np.ndarray, **settings) -> Difference:
    """Compare two systems of which the second differs so."""
    values = np.array([[np.full(len(differences), 0.5), 0.5 + differences]])
    return compare(paired_of(values), Settings(margin=0.05, **settings)).differences[0]


def verdict(differences: np.ndarray) -> str:
    margin = one_of(differences).margin
    assert margin is not None
    return margin.verdict


NOISE = np.random.default_rng(0).normal(0, 0.05, 1000)


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        (NOISE, "equivalent within 0.05"),
        (np.zeros(200), "equivalent within 0.05"),
        (np.zeros(50), "too few queries to say"),
        (NOISE[:40], "too few queries to say"),
        (NOISE + 0.2, "better"),
        (NOISE - 0.2, "worse"),
        (NOISE - 0.02, "equivalent within 0.05"),
        (np.where(np.arange(400) < 6, 0.4, 0.0) - np.where(np.arange(400) > 397, 0.1, 0.0), "equivalent within 0.05"),
        (np.where(np.arange(100) % 10 == 0, 0.45, 0.0) - np.where(np.arange(100) % 10 == 1, 0.2, 0.0),
         "not inferior by more than 0.05"),
    ],
)  # fmt: skip
def test_each_verdict_is_said_where_it_holds(differences: np.ndarray, said: str) -> None:
    assert verdict(differences) == said


def test_a_difference_may_be_significant_and_within_the_margin() -> None:
    one = one_of(NOISE - 0.02)
    assert one.direction == -1
    assert one.margin is not None
    assert one.margin.verdict == "equivalent within 0.05"
    assert -0.05 < one.margin.low < one.margin.high < 0.0


def test_without_a_margin_none_is_spoken_of() -> None:
    found = compare(paired_of(like_measures(1)), Settings(resamples=200))
    assert {one.margin for one in found.differences} == {one.need for one in found.differences} == {None}
    assert asked_of(found.differences[0], found.settings, 3) == ""


@pytest.mark.parametrize("correction", ["holm", "maxt"])
def test_p_values_of_a_margin_are_corrected_over_the_family(correction) -> None:
    values = np.clip(0.5 + np.random.default_rng(2).normal(0, 0.06, (2, 3, 400)), 0, 1)
    loose = compare(paired_of(values), Settings(margin=0.02, correction="none", resamples=500)).differences
    found = compare(paired_of(values), Settings(margin=0.02, correction=correction, resamples=500)).differences
    for first in (0, 3):
        for name in ("equivalent", "not_inferior"):
            plain, after = (
                [getattr(one.margin, name) for one in all_of[first : first + 3]] for all_of in (loose, found)
            )
            assert after == holm(np.array(plain)).tolist()


def test_a_margin_against_a_baseline_goes_the_way_of_the_difference() -> None:
    values = np.clip(0.5 + np.random.default_rng(3).normal(0, 0.02, (1, 2, 400)) + [[[0.0], [0.1]]], 0, 1)
    up, down = (
        compare(paired_of(values), Settings(baseline, margin=0.05)).differences[0].margin for baseline in ("A", "B")
    )
    assert (up.verdict, down.verdict) == ("better", "worse")
    assert up.low == pytest.approx(-down.high, abs=1e-3)
    assert up.not_inferior < 0.05 < down.not_inferior


def test_queries_of_a_group_count_once() -> None:
    """Four hundred queries that did not change say enough, and forty groups of ten do not."""
    values = np.full((1, 2, 400), 0.5)
    columns = pl.DataFrame({"case": [f"c{query // 10}" for query in range(400)]})
    assert compare(paired_of(values), Settings(margin=0.01)).differences[0].margin.equivalent <= 0.05
    grouped = compare(paired_of(values, columns), Settings(margin=0.01, need=0.01, cluster="case")).differences[0]
    assert grouped.margin.verdict == "too few queries to say"
    assert grouped.need is None


def test_changed_found_and_lost_queries_are_counted() -> None:
    before = np.array([0.0, 0.0, 0.5, 0.5, 1.0, 0.3, 0.2])
    after = np.array([0.0, 0.4, 0.0, 0.0, 0.7, 0.1 + 0.2, 0.2])
    values = np.array([[before, after]])
    one = compare(paired_of(values), Settings(resamples=100)).differences[0]
    assert (one.changed, one.found, one.lost) == (4, 1, 2)
    other = compare(paired_of(values), Settings("B", resamples=100)).differences[0]
    assert (other.changed, other.found, other.lost) == (4, 2, 1)


@pytest.mark.parametrize("grouped", [False, True])
def test_so_many_queries_or_groups_show_the_difference_asked_for(grouped: bool) -> None:
    values = like_measures(9, 1, 2, 60)
    columns = pl.DataFrame({"case": [f"c{query // 3}" for query in range(60)]})
    settings = Settings(resamples=100, need=0.05, cluster="case" if grouped else None)
    one = compare(paired_of(values, columns), settings).differences[0]
    units = 20 if grouped else 60
    spread = one.detectable / detectable_effect(units, 0.05, 0.8)
    assert detectable_effect(one.need, 0.05, 0.8) * spread <= 0.05 < detectable_effect(one.need - 1, 0.05, 0.8) * spread


@pytest.mark.parametrize(("test", "fewest"), [("randomization", 6), ("wilcoxon", 6), ("t", 2)])
def test_no_fewer_queries_show_a_difference_than_the_test_can_be_significant_of(test, fewest: int) -> None:
    (one,) = compare(paired_of(like_measures(9, 1, 2, 60)), Settings(test=test, need=5.0)).differences
    assert one.need == fewest


def test_the_record_has_what_gates_may_name() -> None:
    values = np.clip(0.5 + np.random.default_rng(2).normal(0, 0.06, (1, 2, 50)), 0, 1)
    values[0, 1, 0] = 0.0
    found = compare(paired_of(values), Settings(margin=0.02, need=0.01))
    named: dict[str, Number] = {one.name: one for one in numbers(found) if "baseline" in one.scope}
    one = found.differences[0]
    assert named["p_equivalent M0"].value == one.margin.equivalent
    assert named["p_not_inferior M0"].value == one.margin.not_inferior
    assert named["changed M0"].value == 1.0
    assert (named["lost M0"].value, named["found M0"].value) == (1.0, 0.0)
    assert named["need M0"].value == one.need
    assert named["need M0"].unit == "queries"
    gates = as_gates(("p_not_inferior M0 > 0.05", "changed M0 > 5%", "lost M0 > 1", "need M0 < 2"), lambda name: name)
    assert [gate.verdict for gate in verdicts(gates, found)] == ["failed", "failed", "passed", "passed"]


def test_the_sentence_says_what_was_asked() -> None:
    one = one_of(NOISE, need=0.01)
    said = asked_of(one, Settings(margin=0.05, need=0.01), 3)
    assert said.startswith("B and A are equivalent within 0.05 (90 % interval ")
    assert said.endswith(
        f"after Holm). A difference of 0.01 would be shown by {one.need:,} queries in 80 % of such comparisons."
    )
    worse = asked_of(one_of(NOISE - 0.2), Settings(margin=0.05), 1)
    assert worse.startswith("B and A are not shown to be within 0.05 (90 % interval −0.2")
    few = asked_of(one_of(NOISE[:3]), Settings(margin=0.05), 1)
    assert few == "Too few queries to say whether B and A are within 0.05 (90 % interval −∞ to +∞)."


def test_a_measure_beyond_1_may_change_by_its_range() -> None:
    values = np.array([[np.linspace(0, 10, 100), np.linspace(0, 10, 100)]])
    found = compare(paired_of(values), Settings(margin=0.2)).differences[0].margin
    assert found.low == pytest.approx(-10 * (1 - 0.05 ** (1 / 100)))
    assert not math.isinf(found.high)
