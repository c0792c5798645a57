"""Condensed lists are lists without what nobody judged, and keep their ties."""

from itertools import groupby, permutations, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.scoring import evaluate

MEASURES = (
    "P{}@1",
    "P{}@3",
    "R{}@2",
    "Success{}@2",
    "RR{}",
    "RR{}@2",
    "AP{}",
    "AP{}@2",
    "nDCG{}",
    "nDCG{}@2",
    "SetP{}",
)
PLAIN = [name.format("") for name in MEASURES]
CONDENSED = [name.format("(judged_only=True)") for name in MEASURES]
grades = st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1)
scores = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([1.0, 2.0, 3.0]), min_size=1)


def means(judged: dict[str, float], run: dict[str, float], measures: list[str], ties: str = "trec") -> list[float]:
    found = evaluate(Qrels.from_dict({"q": judged}), Run.from_dict({"q": run}, ties=ties), measures)
    return list(found.mean().values())


def naive(judged: dict[str, float], run: dict[str, float]) -> dict[str, float]:
    return {document: score for document, score in run.items() if judged.get(document, -1) >= 0}


@given(grades, scores)
def test_a_measure_of_judged_hits_is_the_measure_of_the_list_without_the_others(judged: dict, run: dict):
    kept = naive(judged, run)
    expected = means(judged, kept, PLAIN) if kept else [0.0] * len(PLAIN)
    assert means(judged, run, CONDENSED) == expected


@given(grades, scores)
def test_ties_of_judged_hits_are_averaged_over_as_if_the_others_had_not_come(judged: dict, run: dict):
    kept = naive(judged, run)
    if kept:
        assert means(judged, run, CONDENSED, "expected") == means(judged, kept, PLAIN, "expected")


@given(grades, scores)
def test_the_mean_over_all_orders_of_whole_lists_is_the_same(judged: dict, run: dict):
    """Removing hits of equally likely orders leaves equally likely orders."""
    best = sorted(run, key=lambda document: -run[document])
    blocks = [list(block) for _, block in groupby(best, key=lambda document: run[document])]
    orders = [[one for part in order for one in part] for order in product(*map(permutations, blocks))]
    if len(orders) > 24:
        return
    each = [means(judged, {one: -float(rank) for rank, one in enumerate(order)}, CONDENSED) for order in orders]
    expected = [sum(column) / len(orders) for column in zip(*each, strict=True)]
    assert means(judged, run, CONDENSED, "expected") == pytest.approx(expected, abs=1e-12)


def test_a_negative_grade_is_no_judgment_and_a_list_may_become_empty():
    judged = {"a": 1.0, "n": -1.0}
    assert means(judged, {"x": 3.0, "n": 2.0, "a": 1.0}, ["P(judged_only=True)@1", "P@1"]) == [1.0, 0.0]
    assert means(judged, {"x": 3.0, "n": 2.0}, CONDENSED) == [0.0] * len(CONDENSED)


def test_both_kinds_of_a_measure_stand_side_by_side_with_subtopics():
    """Values of the three plans come back in the columns of their measures, whatever the order of asking."""
    columns = {"query_id": ["q"] * 3, "subtopic": ["1", "2", "1"], "doc_id": ["a", "a", "b"], "relevance": [1, 1, 0]}
    qrels, run = Qrels.from_frame(pl.DataFrame(columns)), Run.from_dict({"q": {"x": 4.0, "b": 3.0, "a": 2.0}})
    asked = ["nDCG(judged_only=True)@2", "ERR_IA@3", "P@3", "AP(judged_only=True)", "RR"]
    together = evaluate(qrels, run, asked).mean()
    assert together == {one: evaluate(qrels, run, one).mean()[one] for one in asked}
    assert len(set(together.values())) == 4  # AP is RR here, of the shorter list
