"""Holes of compared runs, and what differences could be because of them."""

import pytest

import benchbench as bb
from benchbench.errors import InputError
from benchbench.judging.relevance.holes import cases, depth_of, numbers_of
from benchbench.measures.notation import resolve

RUNS = {
    "a": bb.Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}),
    "b": bb.Run.from_dict({"q1": {"d3": 3.0, "d4": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}}),
}


def test_the_depth_is_that_of_the_deepest_cut_off():
    assert depth_of(resolve(["nDCG@10", "P@5"]), None) == 10
    assert depth_of(resolve(["nDCG@10", "AP"]), 30) == 30
    assert depth_of(resolve(["nDCG@10"]), 3) == 3


def test_a_measure_of_all_hits_needs_a_depth():
    with pytest.raises(InputError, match="AP and RR look at all hits: say with -k how far"):
        depth_of(resolve(["nDCG@10", "AP", "RR"]), None)


@pytest.mark.parametrize("measure", ["alpha_nDCG@10", "microP@10", "NumRet", "Judged@10"])
def test_a_measure_without_cases_is_refused(measure: str):
    with pytest.raises(InputError, match="has no best and worst case of a difference"):
        depth_of(resolve([measure]), 10)


def test_cases_lie_around_the_difference_and_meet_where_nothing_is_unjudged():
    some = bb.Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})
    (found,) = cases(some, RUNS, resolve(["P@2"]), "before")
    assert (found.baseline, found.system, found.queries) == ("a", "b", 2)
    assert (found.mean, found.worst, found.best) == (-0.25, -0.5, 0.25)
    whole = bb.Qrels.from_dict({"q1": {"d1": 1, "d2": 0, "d3": 0, "d4": 1}, "q2": {"d1": 1}})
    (after,) = cases(whole, RUNS, resolve(["P@2"]), "after")
    assert after.mean == after.worst == after.best == 0.0


def test_numbers_say_of_which_labels_they_are():
    some = bb.Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})
    numbers = list(numbers_of(list(cases(some, RUNS, resolve(["P@2"]), "before")), {"judge": "m"}))
    assert [one.name for one in numbers] == ["Δ P@2", "worst P@2", "best P@2"]
    assert numbers[0].scope == {"system": "b", "baseline": "a", "labels": "before", "judge": "m"}
