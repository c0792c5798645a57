"""Scores of 32 bits: as pytrec_eval on scores that 32 bits cannot tell apart, and how many queries differ."""

import json
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from command_line import said
from hypothesis import given
from hypothesis import strategies as st

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.excerpt import excerpt_hits
from benchbench.formats.qrels_runs import RunFile, scan_run
from benchbench.judging.relevance.pool import hashes_of
from benchbench.tables.qrels_runs import at_precision

ORACLE = {"RR": "recip_rank", "AP": "map", "nDCG@5": "ndcg_cut_5", "P@5": "P_5"}
_NEAR = st.sampled_from(
    [0.48203300482, 0.48203300481, 0.4820330048, 7.0, 7.0 + 1e-9, 16777216.0, 16777217.0, 1e39, 2e39, -1e-50]
)
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from([f"d{n}" for n in range(12)]), _NEAR, min_size=1),
    min_size=1,
)
QRELS = {q: {f"d{n}": (n * 7 + place) % 3 for n in range(12)} for place, q in enumerate(("q1", "q2", "q3"))}


@given(RUNS)
def test_single_precision_is_that_of_pytrec_eval(run: dict[str, dict[str, float]]) -> None:
    expected = pytrec_eval.RelevanceEvaluator(QRELS, set(ORACLE.values())).evaluate(run)
    made = bb.Run.from_dict(run, precision="single")
    found = bb.evaluate(bb.Qrels.from_dict(QRELS), made, list(ORACLE)).per_query()
    for row in found.iter_rows(named=True):
        for name, other in ORACLE.items():
            if row["query_id"] in expected:
                assert row[name] == pytest.approx(expected[row["query_id"]][other], abs=1e-12)


@given(RUNS)
def test_the_number_of_queries_that_32_bits_rank_otherwise_is_exact(run: dict[str, dict[str, float]]) -> None:
    def order(hits: dict[str, float], precision: str) -> list[str]:
        scores = at_precision(np.array(list(hits.values())), precision)
        ranked = sorted(
            zip(scores.tolist(), hits, strict=True), key=lambda one: (one[0], one[1].encode()), reverse=True
        )
        return [document for _, document in ranked]

    differing = sum(order(hits, "double") != order(hits, "single") for hits in run.values())
    assert bb.Run.from_dict(run).rankings.close == differing
    assert bb.Run.from_dict(run, precision="single").rankings.close == 0


def test_a_note_says_how_many_and_the_signature_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    run.write_text("q Q0 a 1 0.48203300482 x\nq Q0 b 2 0.48203300481 x\n")
    double = json.loads(said(capsys, "score", qrels, run, "-m", "RR", "--format", "json").output)["runs"][0]
    options = ("--score-precision", "single", "--format", "json")
    single = json.loads(said(capsys, "score", qrels, run, "-m", "RR", *options).output)["runs"][0]
    assert (double["measures"]["RR"], single["measures"]["RR"]) == (1.0, 0.5)
    assert double["notes"] == [
        "1 query would rank differently with scores of 32 bits, as in trec_eval 9 and pytrec_eval "
        "(--score-precision single)"
    ]
    assert single["notes"] == []
    assert "precision" not in double["signature"]
    assert "|precision:single|" in single["signature"]
    first = excerpt_hits(scan_run(run, precision="single"), hashes_of(["q"]), 1)
    assert [one.document for one in first[0]] == ["b"]


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(InputError, match="precision is double or single, not 'half'"):
        RunFile("", "trec", False, "", lambda: iter(()), "half")
