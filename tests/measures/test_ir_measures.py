"""Measures that pytrec_eval lacks, and the subtopic measures, as ir_measures gives them."""

import shutil
import warnings

import ir_measures
import pytest
from cases import first_of
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import costly

from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.scoring import evaluate

queries = st.sampled_from(["1", "2", "3"])  # gdeval takes numbers only
documents = st.text("ab1é", min_size=1, max_size=2)
judgments = st.dictionaries(queries, st.dictionaries(documents, st.integers(0, 4), min_size=1, max_size=9), min_size=1)
rankings = st.dictionaries(queries, st.lists(documents, min_size=1, max_size=9, unique=True), min_size=1)
diverse = st.dictionaries(st.tuples(queries, st.sampled_from("xyz"), documents), st.integers(0, 2), min_size=2)


def scored(ranking: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Return falling scores: ties are pytrec_eval's matter, and ndeval breaks them the other way."""
    return {query: {document: -float(rank) for rank, document in enumerate(ids)} for query, ids in ranking.items()}


def theirs(measure: str, qrels: object, run: object) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            row.query_id: row.value for row in ir_measures.iter_calc([ir_measures.parse_measure(measure)], qrels, run)
        }


@pytest.mark.parametrize(
    "name",
    first_of(
        "Judged@3", "Judged", "Success@2", "SetF(beta=2.0)", "NumRet(rel=2)", "Bpref(rel=2)", "Rprec", "R@3", first=3
    ),
)
@given(judgments, rankings)
def test_a_measure_is_theirs(name: str, qrels: dict, ranking: dict):
    agree(name, name, qrels, ranking)


@pytest.mark.parametrize(
    "name",
    first_of(
        *("nDCG(judged_only=True)@2", "AP(judged_only=True)", "P(judged_only=True,rel=2)@1"),
        *(f"{name}(judged_only=True)" for name in ("nDCG", "RR", "Rprec", "SetP", "SetF")),
        *(f"{name}(judged_only=True)@2" for name in ("AP", "P", "R", "Success")),
        first=3,
    ),
)
@given(judgments, rankings)
def test_a_measure_of_judged_hits_alone_is_theirs(name: str, qrels: dict, ranking: dict):
    agree(name, name, qrels, ranking)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and perl is not here")
@pytest.mark.parametrize(
    ("ours", "named"), first_of(("ERR@3", "ERR@3"), ("nDCG(gains='exp')@3", "nDCG(dcg='exp-log2')@3"))
)
@given(qrels=judgments, ranking=rankings)
@settings(max_examples=costly(15))
def test_a_measure_is_that_of_gdeval(ours: str, named: str, qrels: dict, ranking: dict):
    agree(ours, named, qrels, ranking, 1e-5)  # it prints five decimals


def agree(ours: str, named: str, qrels: dict, ranking: dict, within: float = 1e-12) -> None:
    if not qrels.keys() & ranking.keys():
        return
    expected = theirs(named, qrels, scored(ranking))
    scores = evaluate(Qrels.from_dict(qrels), Run.from_dict(scored(ranking)), [ours])
    (column,) = scores.values.values()
    for query, value in zip(scores.ids, column.tolist(), strict=True):
        if query in ranking:
            assert value == pytest.approx(expected.get(query, 0.0), abs=within), query


@pytest.mark.parametrize(
    "name", first_of("alpha_nDCG@5", "alpha_nDCG(alpha=0.25,rel=2)@3", "ERR_IA@5", "StRecall@3", first=2)
)
@given(diverse, rankings)
def test_a_subtopic_measure_is_theirs(tmp_path_factory: pytest.TempPathFactory, name: str, rows: dict, ranking: dict):
    if len({subtopic for _, subtopic, _ in rows}) < 2 or not {query for query, _, _ in rows} & ranking.keys():
        return
    qrels = tmp_path_factory.getbasetemp() / "diverse.qrels"
    qrels.write_text("".join(f"{q} {s} {d} {grade}\n" for (q, s, d), grade in sorted(rows.items())), encoding="utf-8")
    expected = theirs(name, list(ir_measures.read_trec_qrels(str(qrels))), scored(ranking))
    scores = evaluate(Qrels.from_file(qrels), Run.from_dict(scored(ranking)), [name])
    for query, value in zip(scores.ids, scores.values[name].tolist(), strict=True):
        if query in ranking:
            assert value == pytest.approx(expected.get(query, 0.0), abs=1e-12), query
