"""Hits that nobody judged, and judgments in which they have a grade."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.judged_hits import scratch
from benchbench.kernels.unjudged import graded, unjudged_hits

grades = st.lists(
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


def judged(qrels: list[dict[str, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ordered = [sorted(one, key=one.get, reverse=True) for one in qrels]
    values = [one[document] for one, order in zip(qrels, ordered, strict=True) for document in order]
    return *columns(ordered), np.array(values)


def found(qrels: list[dict[str, float]], run: list[list[str]], other: list[list[str]], depth: int, alone: bool):
    """Return the unjudged hits of each query by both the kernel and the letter."""
    n = len(qrels)
    groups = np.arange(n)
    offsets, hits = np.zeros(n + 1, np.int64), np.zeros(sum(map(len, run)), np.uint64)
    unjudged_hits(
        *judged(qrels), *columns(run), groups, *columns(other), groups, depth, alone,
        scratch(8), np.empty(8, np.bool_), offsets, hits,
    )  # fmt: skip
    kernel = [hits[a:b].tolist() for a, b in pairwise(offsets)]
    naive = [
        [one for one in mine[:depth] if grades.get(one, -1) < 0 and not (alone and one in theirs[:depth])]
        for grades, mine, theirs in zip(qrels, run, other, strict=False)
    ]
    return kernel, naive


@given(grades, lists, lists, st.integers(1, 7), st.booleans())
def test_unjudged_hits_are_those_to_a_depth_without_a_grade_from_0(qrels, run, other, depth, alone):
    n = len(qrels)
    kernel, naive = found(qrels, run[:n], other[:n], depth, alone)
    assert kernel == [list(map(code, one)) for one in naive]


@given(grades, lists, st.sampled_from([0.5, 1.0, 2.0, 4.0]))
def test_added_documents_have_their_grade_and_grades_still_fall(qrels, run, grade):
    n = len(qrels)
    _, added = found(qrels, run[:n], run[:n], 9, False)
    size = sum(map(len, qrels)) + sum(map(len, added))
    offsets, document, value = np.zeros(n + 1, np.int64), np.zeros(size, np.uint64), np.zeros(size)
    graded(*judged(qrels), *columns(added), grade, offsets, document, value)
    for q, (one, more) in enumerate(zip(qrels, added, strict=True)):
        span = slice(offsets[q], offsets[q + 1])
        expected = {code(document): given for document, given in {**one, **dict.fromkeys(more, grade)}.items()}
        assert dict(zip(document[span].tolist(), value[span].tolist(), strict=True)) == expected
        assert (np.diff(value[span]) <= 0).all()


def test_a_query_without_hits_has_no_unjudged_ones():
    offsets, hits = np.full(2, -1), np.empty(0, np.uint64)
    nobody, nothing, known = np.full(1, -1), columns([]), np.empty(1, np.bool_)
    unjudged_hits(
        *judged([{"a": 1.0}]), *nothing, nobody, *nothing, nobody, 5, True, scratch(1), known, offsets, hits
    )  # fmt: skip
    assert offsets.tolist() == [0, 0]
