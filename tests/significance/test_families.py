"""maxT in a whole comparison: over each family, of queries and of groups, with intervals that hold together."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from significance.drawn import like_measures, paired_of

from benchbench.significance.comparing import compare
from benchbench.significance.corrections import holm
from benchbench.significance.settings import Settings

MAXT = Settings(resamples=500, correction="maxt")


def corrected(found) -> list[float]:
    return [one.corrected["randomization"] for one in found.differences]


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([None, "C"]))
def test_an_interval_leaves_out_0_only_where_the_difference_is_significant(seed, grouped, baseline) -> None:
    values = np.clip(like_measures(seed, 2, 4, 60) + np.array([0.0, 0.05, 0.1, 0.3])[:, None], 0, 1)
    columns = pl.DataFrame({"case": [f"c{query // 2}" for query in range(60)]})
    settings = Settings(baseline, correction="maxt", resamples=500, cluster="case" if grouped else None)
    found = compare(paired_of(values, columns), settings).differences
    assert any(one.significant for one in found)
    for one in found:
        assert one.low <= one.mean <= one.high
        if one.significant:
            assert one.corrected["randomization"] <= 0.05
            assert one.low >= 0.0 or one.high <= 0.0
        else:
            assert one.low <= 0.0 <= one.high


def test_intervals_of_a_family_are_wider_than_those_of_one_difference() -> None:
    paired = paired_of(like_measures(3, 1, 5, 60))
    alone, together = compare(paired, Settings(resamples=500)).differences, compare(paired, MAXT).differences
    inside = [one for one, other in zip(alone, together, strict=True) if not (one.significant or other.significant)]
    assert len(inside) > 3
    assert all(
        other.low <= one.low and one.high <= other.high
        for one, other in zip(alone, together, strict=True)
        if one in inside
    )
    assert sum(other.high - other.low for other in together) > 1.1 * sum(one.high - one.low for one in alone)


def test_a_family_of_all_measures_is_corrected_for_all_of_them() -> None:
    paired = paired_of(like_measures(4, 3, 4, 50))
    apart, together = (
        compare(paired, MAXT),
        compare(paired, Settings(family="together", correction="maxt", resamples=500)),
    )
    least = [min(found) for found in (corrected(apart), corrected(together))]
    assert least[0] <= least[1]
    assert sum(corrected(apart)) < sum(corrected(together))
    assert "18 tests, corrected by step-down maxT" in together.family


def test_the_baseline_turns_signs_and_makes_the_family_smaller() -> None:
    paired = paired_of(like_measures(7, 1, 4, 40))
    of_all = {frozenset((one.baseline, one.system)): one for one in compare(paired, MAXT).differences}
    for one in compare(paired, Settings("C", correction="maxt", resamples=500)).differences:
        other = of_all[frozenset((one.baseline, one.system))]
        assert one.p == other.p
        assert one.corrected["randomization"] <= other.corrected["randomization"]
        assert abs(one.mean) == abs(other.mean)


def test_groups_are_flipped_whole() -> None:
    """Ten copies of each query say no more than one."""
    few = like_measures(2, 1, 4, 30)
    many = np.repeat(few, 10, axis=2)
    columns = pl.DataFrame({"case": [f"c{query // 10}" for query in range(300)]})
    found = compare(paired_of(many, columns), Settings(correction="maxt", resamples=500, cluster="case"))
    assert corrected(found) == pytest.approx(corrected(compare(paired_of(few), MAXT)), abs=1e-9)


def test_the_tests_that_do_not_decide_are_corrected_by_holm() -> None:
    found = compare(paired_of(like_measures(5, 1, 4, 40)), MAXT).differences
    for test in ("t", "wilcoxon"):
        assert [one.corrected[test] for one in found] == holm(np.array([one.p[test] for one in found])).tolist()


def test_the_tests_take_as_many_resamples_as_the_correction_needs() -> None:
    """Of 15 pairs p-values of 100 patterns are 15 / 101 or more after Holm."""
    values = like_measures(1, 1, 6, 40)
    values[0, 5] = np.clip(values[0, 5] + 0.4, 0, 1)
    found = compare(paired_of(values), Settings(resamples=100))
    assert found.resamples == 300
    assert any(one.significant for one in found.differences)
    assert min(one.p["randomization"] for one in found.differences) == 1 / 301
    assert compare(paired_of(values), Settings(resamples=400)).resamples == 400
    assert compare(paired_of(values), Settings(resamples=100, test="t")).resamples == 100
    assert compare(paired_of(values[:, :, :6]), Settings(resamples=100)).resamples == 100


def test_resamples_rise_no_further_than_the_work_that_they_make(monkeypatch) -> None:
    monkeypatch.setattr("benchbench.significance.comparing.MOST_WORK", 15 * 200)
    values = like_measures(1, 1, 6, 40)
    found = compare(paired_of(values), Settings(resamples=100))
    assert found.resamples == 200
    assert found.notes[0].startswith("no p-value of the randomisation test is below 0.005, times 15 tests 0.075: more")
    of_one = compare(paired_of(values), Settings(resamples=100, baseline="A"))
    assert of_one.notes[0].startswith("no p-value of the randomisation test is below 0.005, times 15 pairs 0.075: more")
    assert {(one.rank_low, one.rank_high) for one in of_one.estimates} == {(1, 6)}
