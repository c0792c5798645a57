import json
import math
from collections.abc import Container
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import benchbench as bb
from benchbench.formats.collection import read_collection
from benchbench.serve.bm25 import BM25
from benchbench.serve.lucene import LuceneIndex, kept_lengths
from benchbench.tables.bm25_options import AnalysisName, BM25Options

terms = st.lists(st.sampled_from("abcde"), max_size=6)
collections = st.lists(terms, min_size=1, max_size=8)
TREC_NAMES = {"nDCG@10": "ndcg_cut.10", "R@100": "recall.100", "AP": "map", "P@30": "P.30"}
K1S, BS = st.sampled_from([0.0, 0.9, 1.2]), st.sampled_from([0.0, 0.4, 1.0])


def naive(documents: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """The formula, written down: Σ idf · tf / (tf + k1 · (1 - b + b · length / mean length))."""
    filled = [one for one in documents if one]
    mean = sum(map(len, filled)) / len(filled) if filled else 1
    scores = [0.0] * len(documents)
    for term in query:
        frequency = sum(term in one for one in documents)
        idf = math.log(1 + (len(filled) - frequency + 0.5) / (frequency + 0.5))
        for d, one in enumerate(documents):
            if tf := one.count(term):
                scores[d] += idf * tf / (tf + k1 * (1 - b + b * len(one) / mean))
    return scores


@given(collections, terms, K1S, BS)
def test_scores_are_those_of_the_formula(documents: list[list[str]], query: list[str], k1: float, b: float):
    scores = LuceneIndex(documents, k1, b).scores(query, lambda: False)
    assert scores.tolist() == pytest.approx(naive(documents, query, k1, b), rel=1e-5, abs=1e-6)


def test_a_query_of_very_many_terms_is_left_when_it_is_over():
    asked: list[int] = []
    LuceneIndex([["a"]], 0.9, 0.4).scores(map(str, range(100_000)), lambda: bool(asked.append(1) or len(asked) == 3))
    assert len(asked) == 3


def test_lengths_are_kept_as_a_byte_keeps_them():
    """Values of Lucene's SmallFloat.byte4ToInt(intToByte4(length))."""
    lengths = [0, 1, 24, 39, 40, 41, 56, 57, 100, 150, 1000, 1_000_000]
    assert kept_lengths(np.array(lengths)).tolist() == [0, 1, 24, 39, 40, 40, 56, 56, 96, 144, 984, 983_064]


def judgments(path: Path) -> dict[str, dict[str, int]]:
    """Return the judgments of a file of TREC or BEIR."""
    judged: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, *_, document, grade = line.split()
        if query != "query-id":
            judged.setdefault(query, {})[document] = int(grade)
    return judged


def ranked(folder: Path, queries: Container[str], options: BM25Options) -> dict[str, dict[str, float]]:
    """Return what is found for the queries."""
    collection = read_collection(folder / "corpus.jsonl")
    index, run = BM25(collection, options), {}
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        if query["_id"] in queries:
            numbers, scores = index.search(query["text"], 1000)
            run[query["_id"]] = {collection.ids[d]: s for d, s in zip(numbers.tolist(), scores.tolist(), strict=True)}
    return run


@pytest.mark.slow  # real data sets
@pytest.mark.parametrize(
    ("name", "qrels", "analysis", "expected"),
    [  # with stems and stop words, whole runs have their figures: tests/test_as_trec_eval.py
        ("scifact", "qrels/test.tsv", "words", {"nDCG@10": 0.6634, "R@100": 0.8826}),
        ("cacm", "qrels.cacm.txt", "words", {"AP": 0.2654, "P@30": 0.1596}),
    ],
)
def test_figures_of_known_collections(
    shared_data: Path, name: str, qrels: str, analysis: AnalysisName, expected: dict[str, float]
):
    judged = judgments(shared_data / name / qrels)
    run = ranked(shared_data / name, judged, BM25Options(analysis))
    oracle = pytrec_eval.RelevanceEvaluator(judged, {TREC_NAMES[measure] for measure in expected}).evaluate(run)
    ours = bb.evaluate(bb.Qrels.from_dict(judged), bb.Run.from_dict(run), list(expected)).aggregates
    for measure, value in expected.items():
        theirs = np.mean([one[TREC_NAMES[measure].replace(".", "_")] for one in oracle.values()])
        assert ours[measure] == pytest.approx(theirs, abs=1e-12)
        assert round(ours[measure], 4) == value


@pytest.mark.slow  # real data
def test_scores_are_those_of_a_run_of_anserini(shared_data: Path):
    """Its texts are a little longer, and so is the mean: scores differ in the third decimal, and few more."""
    rows = [line.split() for line in (shared_data / "cacm" / "cacm-bm25.txt").read_text(encoding="utf-8").splitlines()]
    run = ranked(shared_data / "cacm", {row[0] for row in rows}, BM25Options())
    differences = [abs(run[query].get(document, 0.0) - float(score)) for query, _, document, _, score, _ in rows]
    assert np.quantile(differences, (0.5, 0.98)) == pytest.approx((0, 0), abs=0.04)
