"""What the first hits have in them, against slow and obvious counts, and kinds of queries by a number."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from benchbench.runs.page_depth import depth
from benchbench.runs.page_numbers import FEWEST, latency_by_value, number_labels
from benchbench.significance.rank_correlation import rank_correlation

QUERIES, HITS = 40, 12


def folder_of(folder: Path, grades: int) -> tuple[list[dict[int, int]], list[list[int]]]:
    """Write hits and judgments; return the grades of each query by document, and its documents by rank."""
    random = np.random.default_rng(grades)
    judged = [{int(n): int(random.integers(1, grades + 1)) for n in random.choice(30, 4)} for _ in range(QUERIES)]
    lists = [random.permutation(30)[: HITS if query else 0].tolist() for query in range(QUERIES)]  # the first has none
    rows = [
        (f"q{query}", rank, f"d{document}", document in judged[query], None)
        for query, documents in enumerate(lists)
        for rank, document in enumerate(documents, 1)
    ]
    schema = {"query_id": pl.String, "rank": pl.Int32, "id": pl.String, "gold": pl.Boolean, "positive_id": pl.String}
    pl.DataFrame(rows, schema, orient="row").write_parquet(folder / "hits.parquet")
    lines = [f"q{n} 0 d{document} {grade}\n" for n, its in enumerate(judged) for document, grade in its.items()]
    (folder / "qrels.trec").write_text("".join(lines))
    return judged, lists


@pytest.mark.parametrize("grades", [1, 3])
def test_curves_and_ranks_are_what_counting_gives(tmp_path: Path, grades: int):
    judged, lists = folder_of(tmp_path, grades)
    found = depth(tmp_path, "gold", pl.Series([f"q{n}" for n in range(QUERIES)]), np.zeros(QUERIES, bool), 10, None)
    assert found is not None
    for curve, of_query in (
        (found.recall, lambda count, _, its: count / len(its)),
        (found.precision, lambda c, k, _: c / k),
    ):
        assert [where for where, *_ in curve] == [1, 2, 3, 5, 7, 10]
        for where, mean, low, high in curve:
            counts = [
                sum(document in its for document in got[: int(where)]) for its, got in zip(judged, lists, strict=True)
            ]
            naive = [of_query(count, where, its) for count, its in zip(counts, judged, strict=True)]
            assert mean == pytest.approx(np.mean(naive))
            assert low is not None
            assert high is not None
            assert low <= mean <= high
    for level, mean, *_ in found.by_recall:
        best = []
        for its, got in zip(judged, lists, strict=True):
            counts = np.cumsum([document in its for document in got[:10]])
            reached = [c / k for k, c in enumerate(counts, 1) if c / len(its) >= level - 1e-9 and c]
            best.append(max(reached, default=0.0))
        assert mean == pytest.approx(np.mean(best))
    wanted = [{document for document, grade in its.items() if grade == max(its.values())} for its in judged]
    firsts = [
        next((n for n, d in enumerate(got[:10], 1) if d in its), 0) for its, got in zip(wanted, lists, strict=True)
    ]
    assert found.ranks.tolist() == firsts
    assert found.graded == (grades > 1)
    assert found.relevant.tolist() == [len(its) for its in judged]


def test_ranks_are_counted_with_no_answer_first_and_none_last(tmp_path: Path):
    folder_of(tmp_path, 1)
    ids = pl.Series([f"q{n}" for n in range(QUERIES)])
    found = depth(tmp_path, "gold", ids, np.arange(QUERIES) == 0, None, None)
    assert found is not None
    assert found.hits == HITS
    assert found.edges == (1, 2, 3, 5, 10, HITS)
    starts = (0, *found.edges)
    naive = [sum(low < rank <= high for rank in found.ranks) for low, high in pairwise(starts)]
    assert found.counts == (1, *naive, QUERIES - 1 - sum(naive))
    assert depth(tmp_path / "gone", "gold", ids, np.zeros(QUERIES, bool), None, None) is None


@given(st.lists(st.integers(0, 30), min_size=1, max_size=80))
def test_the_label_of_a_number_says_where_it_is(numbers: list[int]):
    labels, order = number_labels(np.array(numbers))
    for number, label in zip(numbers, labels, strict=True):
        ends = [int(word) for word in label.split() if word.isdecimal()]
        low, high = 0 if "up to" in label else ends[0], 30 if "more" in label else ends[-1]
        assert low <= number <= high
    assert len(order) == 1 or labels.count(order[-1]) >= FEWEST
    assert set(labels) <= set(order)


def test_latencies_of_queries_are_told_apart_by_their_value():
    values, times = np.array([0.0, 0.2, 0.5, 0.9, 1.0, 1.0] * 3), np.arange(18.0)
    found = latency_by_value(values, times, 1.0)
    assert [part[:2] for part in found.parts] == [("0", 3), ("below 0.5", 3), ("below 1", 6), ("1", 6)]
    assert found.parts[2].median == np.median(times[(values >= 0.5) & (values < 1)])
    assert found.correlation is not None
    assert found.correlation[0] == pytest.approx(spearmanr(values, times).statistic)


def test_a_rank_correlation_has_its_interval_and_none_of_equal_values():
    random = np.random.default_rng(1)
    first = random.normal(size=200)
    found = rank_correlation(first, first + random.normal(size=200))
    assert found is not None
    assert 0.0 < found[1] < found[0] < found[2] < 1.0
    assert rank_correlation(first, first) == (1.0, 1.0, 1.0)
    assert rank_correlation(first, np.zeros(200)) is None
    assert rank_correlation(first[:9], first[:9]) is None
