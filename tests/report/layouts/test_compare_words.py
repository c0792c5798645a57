"""What the sentences of a comparison say."""

import re

import numpy as np
import pytest
from invented_comparison import compared
from significance.drawn import like_measures, six_gains_and_54_losses

from benchbench.report.draw import draw
from benchbench.report.layouts.compare_words import reading, sentence
from benchbench.significance.comparison_settings import CompareSettings


def said(values: np.ndarray, settings: CompareSettings) -> str:
    details = compared(values, settings).details()
    return sentence(details, details.differences[0])


def test_where_ranks_and_mean_disagree_neither_system_is_called_better():
    found = compared(six_gains_and_54_losses(), CompareSettings(resamples=500, test="wilcoxon", baseline="s0"))
    (one,) = found.comparison.differences
    tone, first, rest = reading(found.details(), one)
    assert (tone, first) == ("open", "s1 differs from s0 in m0:")
    assert rest.startswith(f"the mean difference is {one.mean:+.3f} (")
    assert rest.endswith("but by the ranks of the differences s1 is worse. 54 queries worse, 0 equal, 6 better.")
    lines = [line.split() for line in draw(found, "text", moved=0).splitlines()]
    assert any(line[:4] == ["m0", "s1", "-", "s0"] and line[4:7] == ["6", "0", "54"] for line in lines)
    assert "<sup>‡</sup>" in draw(found, "markdown")
    page = draw(found, "html")
    assert "s1 differs from s0 in m0" in page
    assert "<i>≠</i>" in page
    assert 'class="cell down"' not in page


def test_what_could_have_been_shown_is_that_of_an_uncorrected_t_test():
    told = said(like_measures(2, 1, 2, 40), CompareSettings(resamples=500))
    could = r" With 40 queries, an uncorrected t-test has 80 % power for a true difference of 0\.\d{3}\. "
    assert re.search(could, told)


def test_where_nothing_can_be_shown_nothing_is_said_of_it():
    values = like_measures(2, 1, 2, 4)
    assert "do not differ measurably" in said(values, CompareSettings(resamples=500))
    assert "t-test" not in said(values, CompareSettings(resamples=500))
    values[:, 1] = values[:, 0] + 0.1
    assert "t-test" not in said(values, CompareSettings(resamples=500))
    assert compared(values, CompareSettings(resamples=500)).comparison.differences[0].detectable is None


def test_values_that_differ_by_ties_alone_are_not_called_the_same():
    values = np.full((1, 2, 40), 0.5)
    values[0, 1, :2] = 0.4, 0.6
    told = said(values, CompareSettings(resamples=500, tie=0.2))
    assert told.startswith("s1 and s0 do not differ measurably in m0. Equal means (")
    assert "have the same value of m0 for every query" in said(values[:, [0, 0]], CompareSettings(resamples=500))


@pytest.mark.parametrize(("family", "tests"), [("measure", 1), ("together", 2)])
def test_a_verdict_counts_the_tests_of_its_family(family: str, tests: int):
    details = compared(
        np.random.default_rng(0).random((2, 2, 20)), CompareSettings(resamples=100, family=family)
    ).details()
    assert details.tests == tests
    assert ("after Holm" in sentence(details, details.differences[0])) == (tests > 1)
