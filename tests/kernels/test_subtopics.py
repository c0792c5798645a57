"""The subtopic measures are those of naive twins and of ir_measures, and keep the decisions of ndeval."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import naive_subtopics as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.subtopics import (
    ALPHA_NDCG,
    ERR_IA,
    STRECALL,
    SubtopicPlan,
    Subtopics,
    measure_subtopics,
    scratch,
)

Judgments = Sequence[naive.Judgment]
NOBODY = np.uint64(1)


class Measure(NamedTuple):
    formula: int
    k: int
    rel: float = 1.0
    alpha: float = 0.5
    judged_only: bool = False


def judged(queries: Sequence[Judgments]) -> Subtopics:
    """Make the columns without the package's own hashing; hashes have their low bits in common."""
    rows, ends = [], [0]
    for judgments in queries:
        subtopics = sorted({subtopic for _, subtopic, _ in judgments})
        by_subtopic = sorted(judgments, key=lambda row: row[1])
        for document, subtopic, grade in sorted(by_subtopic, key=lambda row: row[0].encode(), reverse=True):
            rows.append((hashed(document), subtopics.index(subtopic), grade))
        ends.append(len(rows))
    document, subtopic, grade = zip(*rows, strict=True) if rows else ((), (), ())
    return Subtopics(
        np.array(ends, np.int64),
        np.array(document, np.uint64),
        np.array(subtopic, np.int64),
        np.array(grade, np.float64),
    )


def hashed(document: str) -> int:
    return int.from_bytes(document.encode()) << 24


def values(queries: Sequence[Judgments], rankings: Sequence[Sequence[str]], measures: Sequence[Measure]) -> np.ndarray:
    """Score one ranking a query; before the first stand the hits of a query that nobody judged."""
    subtopics = judged(queries)
    offsets = np.cumsum([0, 2, *map(len, rankings)])
    hits = [NOBODY, NOBODY, *(np.uint64(hashed(document)) for ranking in rankings for document in ranking)]
    plan = SubtopicPlan(
        np.array([one.formula for one in measures]),
        np.array([one.k for one in measures]),
        np.array([one.rel for one in measures], np.float64),
        np.array([one.alpha for one in measures], np.float64),
        np.array([one.judged_only for one in measures], np.int64),
    )
    most = int(np.diff(subtopics.offsets).max())
    log2 = np.log2(np.arange(max(most, int(np.diff(offsets).max()))) + 2.0)
    filled = np.full((len(queries), len(measures)), math.nan)
    query = np.arange(-1, len(queries))
    room = scratch(most)
    measure_subtopics(plan, subtopics, offsets, np.array(hits), query, 0, query.size, log2, room, filled)
    return filled


def one(judgments: Judgments, ranking: Sequence[str], *measures: Measure) -> list[float]:
    return values([judgments], [ranking], measures)[0].tolist()


def expected(judgments: Judgments, ranking: Sequence[str], measure: Measure) -> float:
    formula, k, rel, alpha, judged_only = measure
    order = naive.judged_only(ranking, judgments) if judged_only else ranking
    if formula == ALPHA_NDCG:
        return naive.alpha_ndcg(order, judgments, k, rel, alpha)
    return (naive.err_ia if formula == ERR_IA else naive.strecall)(order, judgments, k, rel)


# So few documents and subtopics that equal gains are usual, and so is a document for several subtopics.
documents = st.text("abé", min_size=1, max_size=2)
grades = st.sampled_from([-2.0, 0.0, 0.5, 1.0, 2.0, 3.0])
judgments = st.dictionaries(st.tuples(documents, st.sampled_from("12345")), grades, max_size=25).map(
    lambda given: [(document, subtopic, grade) for (document, subtopic), grade in given.items()]
)
rankings = st.lists(documents, unique=True, max_size=15)
measures = st.builds(
    Measure,
    st.sampled_from([ALPHA_NDCG, ERR_IA, STRECALL]),
    st.sampled_from([1, 2, 3, 5, 20, 10**9]),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]),
    st.booleans(),
)


@given(st.lists(st.tuples(judgments, rankings), min_size=1, max_size=4), st.lists(measures, min_size=1, max_size=6))
def test_values_equal_naive_twins(asked: list[tuple[Judgments, list[str]]], wanted: list[Measure]):
    queries, orders = zip(*asked, strict=True)
    twins = [[expected(judgments, ranking, shallow(each)) for each in wanted] for judgments, ranking in asked]
    np.testing.assert_allclose(values(queries, orders, wanted), twins, rtol=0, atol=1e-12)


def shallow(measure: Measure) -> Measure:
    """Spare the twin the sum over all ranks of a cut-off that none reaches."""
    return measure._replace(k=min(measure.k, 100))


@given(judgments, rankings, st.lists(measures, min_size=2, max_size=6))
def test_a_measure_has_the_same_bits_alone_and_among_others(judgments: Judgments, ranking: list[str], wanted: list):
    assert one(judgments, ranking, *wanted) == [one(judgments, ranking, each)[0] for each in wanted]


# Cases that are decided

ALL = tuple(Measure(formula, 5) for formula in (ALPHA_NDCG, ERR_IA, STRECALL))
TWO = [("x", "1", 1.0), ("x", "2", 1.0), ("y", "2", 1.0)]


def test_a_query_without_judgments_is_0():
    assert one([], ["x", "y"], *ALL) == [0, 0, 0]
    assert values([[], TWO], [["x"], ["x", "y"]], ALL)[1].tolist() == one(TWO, ["x", "y"], *ALL)


def test_a_judgment_given_twice_counts_once():
    assert one([*TWO, *TWO], ["y", "x"], *ALL) == one(TWO, ["y", "x"], *ALL)


def test_a_cutoff_beyond_all_documents_takes_all():
    deep = [each._replace(k=2**62) for each in ALL]
    shallow = [each._replace(k=200) for each in ALL]
    assert one(TWO, ["x", "y"], *deep) == pytest.approx(one(TWO, ["x", "y"], *shallow), abs=1e-15)


def test_thousands_of_judged_documents_have_their_greedy_ideal():
    rows = [(f"d{i:04}", str(i % 7), 1.0) for i in range(3500)]
    ranking = [document for document, _, _ in reversed(rows)]
    short, long = (sum(0.5 ** (i // 7) / math.log2(i + 2) for i in range(n)) for n in (100, 1000))
    assert one(rows, ranking[:100], Measure(ALPHA_NDCG, 1000)) == pytest.approx([short / long], abs=1e-12)


def test_a_formula_without_a_branch_is_an_error_and_never_a_number() -> None:
    with pytest.raises(NotImplementedError, match="no branch for a formula"):
        values([[("a", "1", 1.0)]], [["a"]], [Measure(STRECALL + 1, 1)])
