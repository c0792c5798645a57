"""The subtopic measures are those of naive twins and of ir_measures, and keep the decisions of ndeval."""

import math
from collections.abc import Sequence
from itertools import groupby, pairwise, permutations, product
from typing import NamedTuple

import naive as _naive
import naive_subtopics as naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.kernels.agreement import agree, room
from benchbench.kernels.formulas import Formula
from benchbench.kernels.judged_hits import scratch as judged_hits_scratch
from benchbench.kernels.lookup import RunHits
from benchbench.kernels.plan import plan_of
from benchbench.kernels.subtopics import (
    Subtopics,
    measure_subtopics,
    scratch,
)
from benchbench.kernels.unjudged import Added, GradedDocuments, graded, unjudged_hits
from benchbench.scoring import evaluate

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
    plan = plan_of([(one.formula, one.k, one.rel, one.alpha, int(one.judged_only)) for one in measures])
    most = int(np.diff(subtopics.offsets).max())
    log2 = np.log2(np.arange(max(most, int(np.diff(offsets).max()))) + 2.0)
    filled = np.full((len(queries), len(measures)), math.nan)
    query = np.arange(-1, len(queries))
    room = scratch(most)
    hits = offsets, np.array(hits), query, 0, query.size
    measure_subtopics(plan.columns, plan.rels, subtopics, *hits, log2, room, filled)
    return filled


def one(judgments: Judgments, ranking: Sequence[str], *measures: Measure) -> list[float]:
    return values([judgments], [ranking], measures)[0].tolist()


def expected(judgments: Judgments, ranking: Sequence[str], measure: Measure) -> float:
    formula, k, rel, alpha, judged_only = measure
    order = naive.judged_only(ranking, judgments) if judged_only else ranking
    if formula == Formula.ALPHA_NDCG:
        return naive.alpha_ndcg(order, judgments, k, rel, alpha)
    return (naive.err_ia if formula == Formula.ERR_IA else naive.strecall)(order, judgments, k, rel)


# So few documents and subtopics that equal gains are usual, and so is a document for several subtopics.

documents = st.text("abé", min_size=1, max_size=2)


grades = st.sampled_from([-2.0, 0.0, 0.5, 1.0, 2.0, 3.0])


judgments = st.dictionaries(st.tuples(documents, st.sampled_from("12345")), grades, max_size=25).map(
    lambda given: [(document, subtopic, grade) for (document, subtopic), grade in given.items()]
)


rankings = st.lists(documents, unique=True, max_size=15)


measures = st.builds(
    Measure,
    st.sampled_from([Formula.ALPHA_NDCG, Formula.ERR_IA, Formula.STRECALL]),
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

ALL = tuple(Measure(formula, 5) for formula in (Formula.ALPHA_NDCG, Formula.ERR_IA, Formula.STRECALL))


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
    assert one(rows, ranking[:100], Measure(Formula.ALPHA_NDCG, 1000)) == pytest.approx([short / long], abs=1e-12)


@pytest.mark.slow  # numba compiles the kernel, only to raise what it raised
def test_a_formula_without_a_branch_is_an_error_and_never_a_number() -> None:
    with pytest.raises(NotImplementedError, match=r"kernels\.subtopics has no branch for a formula"):
        values([[("a", "1", 1.0)]], [["a"]], [Measure(Formula.STRECALL + 1, 1)])


# Condensed lists are lists without what nobody judged, and keep their ties

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


condensed_grades = st.dictionaries(st.sampled_from("abcde"), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]), min_size=1)


scores = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([1.0, 2.0, 3.0]), min_size=1)


def means(judged: dict[str, float], run: dict[str, float], measures: list[str], ties: str = "trec") -> list[float]:
    found = evaluate(Qrels.from_dict({"q": judged}), Run.from_dict({"q": run}, ties=ties), measures)
    return list(found.mean().values())


def condensed_naive(judged: dict[str, float], run: dict[str, float]) -> dict[str, float]:
    return {document: score for document, score in run.items() if judged.get(document, -1) >= 0}


@given(condensed_grades, scores)
def test_a_measure_of_judged_hits_is_the_measure_of_the_list_without_the_others(judged: dict, run: dict):
    kept = condensed_naive(judged, run)
    expected = means(judged, kept, PLAIN) if kept else [0.0] * len(PLAIN)
    assert means(judged, run, CONDENSED) == expected


@given(condensed_grades, scores)
def test_ties_of_judged_hits_are_averaged_over_as_if_the_others_had_not_come(judged: dict, run: dict):
    kept = condensed_naive(judged, run)
    if kept:
        assert means(judged, run, CONDENSED, "expected") == means(judged, kept, PLAIN, "expected")


@given(condensed_grades, scores)
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


# Hits that nobody judged, and judgments in which they have a grade

unjudged_grades = st.lists(
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([-1.0, 0.0, 1.0, 1.5, 3.0]), min_size=1),
    min_size=1,
    max_size=3,
)


lists = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True), min_size=3, max_size=3)


def code(document: str) -> int:
    return ord(document) * 0x9E3779B97F4A7C15 % 2**64


def columns(parts: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    return offsets, np.array([code(one) for part in parts for one in part], np.uint64)


def unjudged_judged(qrels: list[dict[str, float]]) -> GradedDocuments:
    ordered = [sorted(one, key=one.get, reverse=True) for one in qrels]
    values = [one[document] for one, order in zip(qrels, ordered, strict=True) for document in order]
    return GradedDocuments(*columns(ordered), np.array(values))


def found(qrels: list[dict[str, float]], run: list[list[str]], other: list[list[str]], depth: int, alone: bool):
    """Return the unjudged hits of each query by both the kernel and the letter."""
    n = len(qrels)
    groups = np.arange(n)
    offsets, hits = np.zeros(n + 1, np.int64), np.zeros(sum(map(len, run)), np.uint64)
    mine, theirs = (RunHits(*columns(one), groups) for one in (run, other))
    room = judged_hits_scratch(8), np.empty(8, np.bool_)
    unjudged_hits(unjudged_judged(qrels), mine, theirs, depth, alone, *room, Added(offsets, hits))
    kernel = [hits[a:b].tolist() for a, b in pairwise(offsets)]
    naive = [
        [one for one in mine[:depth] if unjudged_grades.get(one, -1) < 0 and not (alone and one in theirs[:depth])]
        for unjudged_grades, mine, theirs in zip(qrels, run, other, strict=False)
    ]
    return kernel, naive


@given(unjudged_grades, lists, lists, st.integers(1, 7), st.booleans())
def test_unjudged_hits_are_those_to_a_depth_without_a_grade_from_0(qrels, run, other, depth, alone):
    n = len(qrels)
    kernel, naive = found(qrels, run[:n], other[:n], depth, alone)
    assert kernel == [list(map(code, one)) for one in naive]


@given(unjudged_grades, lists, st.sampled_from([0.5, 1.0, 2.0, 4.0]))
def test_added_documents_have_their_grade_and_grades_still_fall(qrels, run, grade):
    n = len(qrels)
    _, added = found(qrels, run[:n], run[:n], 9, False)
    size = sum(map(len, qrels)) + sum(map(len, added))
    offsets, document, value = np.zeros(n + 1, np.int64), np.zeros(size, np.uint64), np.zeros(size)
    graded(unjudged_judged(qrels), Added(*columns(added)), grade, GradedDocuments(offsets, document, value))
    for q, (one, more) in enumerate(zip(qrels, added, strict=True)):
        span = slice(offsets[q], offsets[q + 1])
        expected = {code(document): given for document, given in {**one, **dict.fromkeys(more, grade)}.items()}
        assert dict(zip(document[span].tolist(), value[span].tolist(), strict=True)) == expected
        assert (np.diff(value[span]) <= 0).all()


def test_a_query_without_hits_has_no_unjudged_ones():
    offsets, hits = np.full(2, -1), np.empty(0, np.uint64)
    nothing, known = RunHits(*columns([]), np.full(1, -1)), np.empty(1, np.bool_)
    judged = unjudged_judged([{"a": 1.0}])
    unjudged_hits(judged, nothing, nothing, 5, True, judged_hits_scratch(1), known, Added(offsets, hits))
    assert offsets.tolist() == [0, 0]


# How alike two rankings are: naive twins, scipy, and the example of the paper

CUTOFFS, PS = (1, 3, 10), (0.5, 0.9, 0.98)


agreement_rankings = st.lists(st.sampled_from("abcdefghijkl"), max_size=9, unique=True)


def agreement_columns(lists: list[str]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.array([ord(one) * 0x9E3779B97F4A7C15 % 2**64 for part in lists for one in part], np.uint64)


def agreement_values(
    *pairs: tuple[str, str], cutoffs: tuple[int, ...] = CUTOFFS, ps: tuple[float, ...] = PS
) -> np.ndarray:
    """Return a row per pair of lists; a query without a group is one that the side lacks."""
    ones, others = zip(*pairs, strict=True)
    groups = np.arange(len(pairs))
    found = np.full((len(pairs), len(cutoffs) + len(ps) + 2), np.nan)
    one, other = (RunHits(*agreement_columns(lists), groups) for lists in (ones, others))
    agree(one, other, np.array(cutoffs, np.int64), np.array(ps), room(12), found)
    return found


def agreement_expected(one: list[str], other: list[str]) -> list[float]:
    shared = [document for document in one if document in other]
    tau = math.nan
    if len(shared) > 1:
        tau = stats.kendalltau([one.index(each) for each in shared], [other.index(each) for each in shared]).statistic
    return [
        *(_naive.overlap(one, other, k) for k in CUTOFFS),
        *(_naive.rank_biased_overlap(one, other, p) for p in PS),
        tau,
        float(one[:1] != other[:1]),
    ]


@given(st.lists(st.tuples(agreement_rankings, agreement_rankings), min_size=1, max_size=3))
def test_each_column_is_its_naive_twin_and_tau_that_of_scipy(pairs: list[tuple[list[str], list[str]]]):
    found = agreement_values(*(("".join(one), "".join(other)) for one, other in pairs))
    np.testing.assert_allclose(found, [agreement_expected(*pair) for pair in pairs], rtol=0, atol=1e-12)


def test_overlaps_are_those_of_the_example_in_the_paper():
    """Webber, Moffat and Zobel 2010, figure 2: the agreement at depths 1 to 7 of two lists."""
    (found,) = agreement_values(("abcdefg", "zcavwxy"), cutoffs=tuple(range(1, 8)), ps=())
    assert found[:7].round(3).tolist() == [0.0, 0.0, 0.667, 0.5, 0.4, 0.333, 0.286]


def test_rbo_of_lists_of_one_length_is_the_closed_form_of_the_paper():
    """Equation 30: RBO_EXT is X_k / k p^k + (1 - p) / p times the sum over d of X_d / d p^d."""
    p, shared = 0.9, [0, 0, 2, 2, 2, 2, 2]
    closed = shared[-1] / 7 * p**7 + (1 - p) / p * sum(x / d * p**d for d, x in enumerate(shared, 1))
    (found,) = agreement_values(("abcdefg", "zcavwxy"), cutoffs=(), ps=(p,))
    assert found[0] == pytest.approx(closed, abs=1e-15)


@pytest.mark.parametrize("shorter", range(1, 12))
def test_a_list_and_its_beginning_have_an_rbo_of_1_unrounded_and_overlap_as_far_as_the_shorter_goes(shorter: int):
    """Lists of unlike length in which nothing is missing: what stands behind the end is taken to be shared."""
    whole, ps = "abcdefghijkl", tuple(percent / 100 for percent in range(1, 100))
    for found in agreement_values((whole, whole[:shorter]), (whole[:shorter], whole), ps=ps):
        assert found[:3].tolist() == [min(shorter, k) / k for k in CUTOFFS]
        assert set(found[3:102].tolist()) == {1.0}


def test_a_query_that_a_side_lacks_has_an_empty_list_there():
    found = np.empty((1, 4))
    one = RunHits(*agreement_columns(["abc"]), np.zeros(1, np.int64))
    nothing = RunHits(*agreement_columns([]), np.full(1, -1))
    agree(one, nothing, np.array([10]), np.array([0.9]), room(3), found)
    assert found[0, [0, 1, 3]].tolist() == [0.0, 0.0, 1.0]
