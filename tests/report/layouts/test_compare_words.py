"""What the sentences of a comparison say."""

import re

import numpy as np
from significance.drawn import like_measures, paired_of, six_gains_and_54_losses

from benchbench.comparison.compare_result import CompareDetails, CompareOutcome, System
from benchbench.report.draw import draw
from benchbench.report.layouts.compare_words import sentence, verdict
from benchbench.significance.comparing import compare
from benchbench.significance.settings import Settings


def outcome(values: np.ndarray, settings: Settings) -> CompareOutcome:
    paired = paired_of(values)
    systems = tuple(System(name=name, source=name, signature="", counts={}) for name in paired.systems)
    return CompareOutcome(comparison=compare(paired, settings), systems=systems, moved={}, moved_by="M0", evidence=())


def said(values: np.ndarray, settings: Settings) -> str:
    return first(outcome(values, settings).details())


def first(details: CompareDetails) -> str:
    return sentence(details, details.differences[0])


def test_where_ranks_and_mean_disagree_neither_system_is_called_better():
    found = outcome(six_gains_and_54_losses(), Settings(resamples=500, test="wilcoxon", baseline="A"))
    (one,) = found.comparison.differences
    told = first(found.details())
    assert told.startswith(f"M0: B differs from A: the mean difference is {one.mean:+.4f} (")
    assert told.endswith("but by the ranks of the differences B is worse (wins 6, losses 54).")
    assert verdict(one) == "differs"
    lines = [line.split() for line in draw(found, "text", moved=0).splitlines()]
    assert any(line[:4] == ["M0", "B", "-", "A"] and line[4:7] == ["6", "0", "54"] for line in lines)
    assert "<sup>‡</sup>" in draw(found, "markdown")
    page = draw(found, "html")
    assert "M0: B differs from A" in page
    assert "<i>≠</i>" in page
    assert 'class="cell down"' not in page


def test_what_could_have_been_shown_is_that_of_an_uncorrected_t_test():
    told = said(like_measures(2, 1, 2, 40), Settings(resamples=500))
    could = r"; an uncorrected t-test would detect a true difference of 0\.\d{4} in 80 % of such comparisons\.$"
    assert re.search(could, told)


def test_where_nothing_can_be_shown_nothing_is_said_of_it():
    values = like_measures(2, 1, 2, 4)
    assert "no difference shown" in said(values, Settings(resamples=500))
    assert "t-test" not in said(values, Settings(resamples=500))
    values[:, 1] = values[:, 0] + 0.1
    assert "t-test" not in said(values, Settings(resamples=500))
    assert outcome(values, Settings(resamples=500)).comparison.differences[0].detectable is None


def test_values_that_differ_by_ties_alone_are_not_called_the_same():
    values = np.full((1, 2, 40), 0.5)
    values[0, 1, :2] = 0.4, 0.6
    assert said(values, Settings(resamples=500, tie=0.2)).startswith("M0: no difference shown between B and A")
    assert "have the same value for every query" in said(values[:, [0, 0]], Settings(resamples=500))
