"""Scores against pytrec_eval, trec_eval's own outputs, and naive twins."""

import json
import math
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import polars as pl
import pytest
import pytrec_eval
from cases import check_each, first_of
from command_line import said
from hypothesis import given, settings
from hypothesis import strategies as st
from profiles import costly

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.excerpt import excerpt_hits
from benchbench.formats.qrels_runs import Qrels, Run, RunFile, scan_run
from benchbench.judging.relevance.pool import hashes_of
from benchbench.measures.agreement import parse as agreement_parse
from benchbench.measures.agreement import resolve as agreement_resolve
from benchbench.measures.evaluate import Evaluator
from benchbench.measures.notation import parse, resolve
from benchbench.measures.what_if import bounds
from benchbench.scoring import evaluate
from benchbench.tables.qrels_runs import at_precision

CUTOFFS = (1, 3, 10)


NAMES = {  # trec_eval's -> ours
    "map": "AP",
    "ndcg": "nDCG",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}


WITH_CUTOFF = {"P": "P", "recall": "R", "success": "Success", "ndcg_cut": "nDCG", "map_cut": "AP"}


SHARED = {  # ours -> pytrec_eval's
    **{f"{ours}@{k}": f"{theirs}_{k}" for theirs, ours in WITH_CUTOFF.items() for k in CUTOFFS},
    **{ours: theirs for theirs, ours in NAMES.items()},
    "IPrec@0.0": "iprec_at_recall_0.00",  # other levels: pytrec_eval, which is version 9, rounds them up
    "IPrec@1.0": "iprec_at_recall_1.00",
}


FAMILIES = {*(f"{name}.1,3,10" for name in WITH_CUTOFF), *NAMES, "iprec_at_recall"}


# Short ids with shared prefixes and beyond ASCII; few scores, so that ties abound.

ids = st.text("ab1é法", min_size=1, max_size=3)


grades = st.integers(-1, 4)


scores = st.sampled_from([-1.5, 0.0, 0.125, 2.0, 2.5, 1e30])  # pytrec_eval keeps 32 bits of a score


judgments = st.dictionaries(ids, st.dictionaries(ids, grades, min_size=1, max_size=12), min_size=1, max_size=4)


hits = st.dictionaries(ids, st.dictionaries(ids, scores, min_size=1, max_size=25), min_size=1, max_size=4)


@given(judgments, hits, st.sampled_from([1, 2, 3]))
def test_every_shared_measure_agrees_with_pytrec_eval(qrels: dict, run: dict, rel: int):
    """Ties, ragged depth, graded and negative judgments, missing queries, ids that share prefixes."""
    # A query with no grade of at least 0 makes the C code read before its array.
    qrels = {query: given | {"zz": 0} for query, given in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES, relevance_level=rel).evaluate(run)
    names = [name if name.startswith(("nDCG", "NumRet")) or rel == 1 else with_rel(name, rel) for name in SHARED]
    if not qrels.keys() & run.keys():
        with pytest.raises(InputError, match="no query that is judged"):
            evaluate(Qrels.from_dict(qrels), Run.from_dict(run), names)
        return
    ours = evaluate(Qrels.from_dict(qrels), Run.from_dict(run), names)
    for q, query in enumerate(ours.ids):
        for name, column in zip(SHARED, ours.values.values(), strict=True):
            if query not in theirs:
                assert column[q] == 0 or name.startswith("NumRel")
            elif name != "NumRel" or rel == 1:  # pytrec_eval counts num_rel at level 1
                assert column[q] == pytest.approx(theirs[query][SHARED[name]], abs=1e-12), (query, name)


def with_rel(name: str, rel: int) -> str:
    head, _, cutoff = name.partition("@")
    return f"{head}(rel={rel})" + (f"@{cutoff}" if cutoff else "")


# trec_eval's own files; measures out of scope: geometric means, 11-point averages, relative precision, utility,
# G, binG, yaap, preferences, multiple R-precisions, Rndcg, ndcg_rel, unj, and rbp, which it takes as graded.

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


IN_SCOPE = {
    "num_q": "NumQ",
    **NAMES,
    **{
        f"{theirs}_{k}": f"{ours}@{k}"
        for theirs, ours in WITH_CUTOFF.items()
        for k in ((1, 5, 10) if theirs == "success" else RANKS)
    },
    **{f"iprec_at_recall_{n / 10:.2f}": f"IPrec@{n / 10}" for n in range(11)},
}


@pytest.mark.parametrize(
    ("qrels", "run", "expected", "over", "rel"),
    [
        ("qrels.test", "results.test", "out.test", "returned", None),
        ("qrels.test.with-comments", "results.test", "out.test", "returned", None),
        ("qrels.comment.test", "results.comment.test", "out.comment.test", "returned", None),
        ("qrels.test", "results.test", "out.test.a", "returned", None),
        ("qrels.test", "results.test", "out.test.aq", "returned", None),
        ("qrels.test", "results.trunc", "out.test.aqc", "judged", None),
        ("qrels.rel_level", "results.test", "out.test.aql", "returned", 2),
    ],
)
def test_trec_evals_own_outputs_are_reproduced_digit_by_digit(
    shared_data: Path, qrels: str, run: str, expected: str, over: str, rel: int | None
):
    folder = shared_data / "trec_eval"
    lines = [line.split() for line in (folder / expected).read_text().splitlines()]
    wanted = [(name, query, value) for name, query, value in lines if name in IN_SCOPE]
    graded = ("nDCG", "NumRet", "NumQ")
    names = {
        name: with_rel(ours, rel) if rel and not ours.startswith(graded) else ours for name, ours in IN_SCOPE.items()
    }
    scores = evaluate(Qrels.from_file(folder / qrels), Run.from_file(folder / run), names.values(), over)
    column = dict(zip(names, scores.values, strict=True))
    assert len(wanted) > 15
    for name, query, value in wanted:
        if query == "all":
            ours = scores.aggregates[column[name]]
        else:
            ours = float(scores.values[column[name]][scores.ids.index(query)])
        assert value == (f"{ours:.4f}" if "." in value else f"{ours:.0f}"), (name, query)


def test_cacm_gives_the_published_figures(shared_data: Path):
    qrels, run = (shared_data / "cacm" / name for name in ("qrels.cacm.txt", "cacm-bm25.txt"))
    scores = evaluate(Qrels.from_file(qrels), Run.from_file(run), ["P_30", "map", "nDCG@10", "MRR"])
    assert [f"{value:.4f}" for value in scores.mean().values()] == ["0.1942", "0.2744", "0.4543", "0.7048"]
    assert scores.queries["unjudged"] == 12


# Cases that are decided

QRELS = Qrels.from_dict({"a": {"x": 1, "y": 0}, "b": {"x": 2}, "c": {"y": 0}})


def test_a_missing_query_counts_as_0_and_is_counted():
    scores = evaluate(QRELS, Run.from_dict({"a": {"x": 1.0}}), ["P@1"])
    assert scores.mean() == {"P@1": pytest.approx(1 / 3)}
    assert scores.queries == {"judged": 3, "returned": 1, "missing": 2, "unjudged": 0, "without_positives": 1}


def test_the_mean_over_returned_queries_leaves_missing_ones_out():
    assert evaluate(QRELS, Run.from_dict({"a": {"x": 1.0}}), ["P@1"], over="returned").mean() == {"P@1": 1.0}


def test_queries_without_positives_can_be_skipped():
    scores = evaluate(QRELS, Run.from_dict({"a": {"x": 1.0}}), ["P@1"], no_positives="skip")
    assert scores.mean() == {"P@1": 0.5}
    assert scores.per_query()["query_id"].to_list() == ["a", "b"]


def test_a_query_with_an_empty_list_of_judgments_counts_as_0_and_has_no_positives():
    run = Run.from_dict({"a": {"x": 1.0}, "b": {"x": 1.0}})
    for judgments in ({"b": {}, "a": {"x": 1}}, {"a": {"x": 1}, "b": {}}):
        scores = evaluate(Qrels.from_dict(judgments), run, ["P@1", "AP", "nDCG@5", "NumRel"])
        assert scores.mean() == {"P@1": 0.5, "AP": 0.5, "nDCG@5": 0.5, "NumRel": 1.0}
        assert scores.queries["without_positives"] == 1


@pytest.mark.parametrize("fail_if", ["ndcg_cut_10 < 0.4", ["nDCG@10<0.4", "P@5>0.5"]])
def test_gates_are_texts_alone_or_several_and_the_record_has_their_results(fail_if):
    qrels, run = Qrels.from_dict({"q": {"d": 1}}), Run.from_dict({"q": {"d": 2.0}})
    scores = evaluate(qrels, run, ["nDCG@10", "P@5"], fail_if=fail_if)
    texts = [fail_if] if isinstance(fail_if, str) else fail_if
    assert [(one.condition, one.verdict) for one in scores.record.gates] == [(text, "passed") for text in texts]
    assert scores.record.settings["fail_if"].value == texts
    (failed,) = evaluate(qrels, run, "nDCG@10", fail_if="nDCG@10>0.4").record.gates
    assert (failed.verdict, failed.value) == ("failed", 1.0)


@pytest.mark.parametrize("gate", ["foo<1", "p99>3ms", "AP<1"])
def test_a_gate_on_what_is_not_measured_is_refused_before_the_run_is_looked_at(gate: str):
    with pytest.raises(
        InputError, match=rf"^--fail-if {gate}: .* is not measured; measured are nDCG@10, P@5, Judged@5, Judged@10$"
    ):
        evaluate(Qrels.from_dict({"q": {"d": 1}}), None, ["nDCG@10", "P@5"], fail_if=gate)  # type: ignore[arg-type]


def test_no_measure_at_all_is_an_error():
    with pytest.raises(InputError, match="no measure"):
        evaluate(QRELS, Run.from_dict({"a": {"x": 1.0}}), [])


def test_sums_of_counts_are_whole_numbers():
    """One relevant hit in all: a mean times the number of queries would be 0.9999999999999999 for some of these."""

    def check(queries: int) -> None:
        qrels = Qrels.from_dict({f"q{i}": {"x": 1, "y": 1, "z": 1} for i in range(queries)})
        run = Run.from_dict({f"q{i}": {"x" if i == 0 else "no": 1.0} for i in range(queries)})
        sums = evaluate(qrels, run, ["NumRelRet", "NumRet", "NumRel", "NumQ"]).mean()
        assert sums == {"NumRelRet": 1.0, "NumRet": queries, "NumRel": 3 * queries, "NumQ": queries}

    check_each(check, [*range(1, 60), 93, 98, 103, 107])


def test_micro_averages_are_one_division_of_two_sums():
    qrels = Qrels.from_dict({f"q{i}": {"x": 1} for i in range(6)})
    run = Run.from_dict({f"q{i}": {"x" if i < 5 else "no": 1.0} for i in range(6)})
    assert evaluate(qrels, run, ["microP@5", "microR@5"]).mean() == {"microP@5": 5 / 30, "microR@5": 5 / 6}


def test_a_query_never_judged_is_left_out_and_counted():
    scores = evaluate(QRELS, Run.from_dict({"a": {"x": 1.0}, "q": {"x": 1.0}}), ["P@1"])
    assert scores.queries["unjudged"] == 1


def test_ties_are_broken_by_document_id_descending_or_kept_as_they_came():
    hits = {"a": {"x": 1.0, "y": 1.0}}
    assert evaluate(QRELS, Run.from_dict(hits), ["RR"]).values["RR"][0] == 0.5
    assert evaluate(QRELS, Run.from_dict(hits, ties="input"), ["RR"]).values["RR"][0] == 1.0


def test_scores_are_compared_in_64_bits():
    hits = {"a": {"x": 0.1 + 1e-16, "y": 0.1}}
    assert evaluate(QRELS, Run.from_dict(hits), ["RR"]).values["RR"][0] == 1.0


def test_fractional_grades_and_gains_of_a_map_are_summed_as_floats():
    qrels = Qrels.from_dict({"q": {"x": 0.5, "y": 2.5}})
    run = Run.from_dict({"q": {"x": 2.0, "y": 1.0}})
    ideal = 2.5 + 0.5 / math.log2(3)
    scores = evaluate(qrels, run, ["nDCG@2", "nDCG(gains={2.5:1})@2"])
    assert scores.mean()["nDCG@2"] == pytest.approx((0.5 + 2.5 / math.log2(3)) / ideal)
    assert list(scores.mean().values())[1] == pytest.approx((0.5 + 1 / math.log2(3)) / (1 + 0.5 / math.log2(3)))


@pytest.mark.parametrize(
    ("records", "reason"), [({}, "no hit"), ({"a": {}}, "no hit"), ({"a": {"x": math.nan}}, "not a number")]
)
def test_an_empty_run_and_nan_are_errors(records: dict, reason: str):
    with pytest.raises(InputError, match=reason):
        Run.from_dict(records)


def test_contradicting_judgments_cannot_be_scored():
    with pytest.raises(InputError, match="no judgment"):
        Qrels.from_dict({})


@pytest.mark.slow  # 4,500 queries
@pytest.mark.parametrize("judged", [0, 1, 2, 15, 16, 17, 33, 200])
def test_judged_hits_are_known_whatever_the_number_of_judgments(judged: int):
    hits = {f"d{n}": -n for n in range(150)}  # in blocks of 64
    qrels = {"a": {f"d{3 * n}": 1 for n in range(judged)}, "b": {f"d{7 * n}": 1 for n in range(200)}}
    rows = evaluate(qrels, {"a": hits, "b": hits}, ["NumRelRet", "RR"]).per_query()
    expected = [("a", min(judged, 50), 1.0 if judged else 0.0), ("b", 22, 1.0)]
    assert rows.rows() == expected


def test_many_queries_in_threads_have_the_bits_of_each_alone():
    rng = np.random.default_rng(1)
    documents = [f"d{n}" for n in range(50)]
    qrels = {f"q{q}": {d: int(rng.integers(0, 3)) for d in rng.choice(documents, 5)} for q in range(4500)}
    run = {f"q{q}": {d: float(rng.integers(0, 9)) for d in rng.choice(documents, 9)} for q in range(4500)}
    names = ["nDCG@5", "AP", "RBP", "ERR@5", "bpref"]
    together = evaluate(Qrels.from_dict(qrels), Run.from_dict(run), names)
    for q in (0, 1, 2249, 2250, 4499):
        alone = evaluate(Qrels.from_dict({f"q{q}": qrels[f"q{q}"]}), Run.from_dict({f"q{q}": run[f"q{q}"]}), names)
        assert [column[q] for column in together.values.values()] == [column[0] for column in alone.values.values()]


def test_pooled_recall_is_at_most_1_where_more_was_found_than_it_divides_by() -> None:
    """Of two queries four and one are found; of each no more counts than its recall divides by, as in R."""
    qrels = Qrels.from_dict({"a": dict.fromkeys("wxyz", 1), "b": {"v": 1}})
    run = Run.from_dict({"a": {name: float(n) for n, name in enumerate("wxyz")}, "b": {"v": 1.0}})
    measures = ["microR(cap=1)@10", "microR(denominator=2)@10", "microF1(cap=1)@10", "microR(denominator=10)@10"]
    precision = 5 / 20
    assert list(evaluate(qrels, run, measures).mean().values()) == [1, 3 / 4, 2 * precision / (precision + 1), 5 / 20]


# What a person may hand over by mistake

HANDED = {"a": {"x": 1, "y": 0}}


def refused(qrels: Any, run: Any, measures: Any = ("P@1",)) -> str:
    with pytest.raises(InputError) as caught:
        evaluate(qrels, run, measures)
    return str(caught.value)


def test_judgments_and_run_in_each_others_place_are_told_to_change_it():
    qrels, run = Qrels.from_dict(HANDED), Run.from_dict(HANDED)
    assert refused(run, qrels) == (
        "the first argument is a run; judgments come first, then the run: evaluate(qrels, run)"
    )
    assert refused(qrels, qrels) == "the second argument is judgments; judgments come first, then the run"


@pytest.mark.parametrize(
    ("given", "kind", "maker"),
    [
        ("x.trec", "str", "from_file('x.trec')"),
        (Path("x.trec"), "PosixPath", "from_file('x.trec')"),
        (None, "NoneType", "from_frame, "),
        ([("a", "x", 1)], "list", "from_frame, "),
    ],
)
def test_what_is_no_table_is_refused_with_what_makes_one(given: Any, kind: str, maker: str):
    assert refused(given, Run.from_dict(HANDED)).startswith(
        f"qrels is of type {kind}; make judgments of it with Qrels.{maker}"
    )
    assert refused(Qrels.from_dict(HANDED), given).startswith(
        f"the run is of type {kind}; make a run of it with Run.{maker}"
    )


def test_dictionaries_and_frames_stand_for_judgments_and_runs():
    grades, scores = {"a": {"x": 1, "y": 0}, "b": {"z": 2}}, {"a": {"y": 0.9, "x": 0.8}, "b": {"z": 0.5}}
    rows = [(query, document, value) for query, found in grades.items() for document, value in found.items()]
    hits = [(query, document, value) for query, found in scores.items() for document, value in found.items()]
    judged = pl.DataFrame(rows, ["query_id", "doc_id", "relevance"], orient="row")
    run = pl.DataFrame(hits, ["query_id", "doc_id", "score"], orient="row")
    expected = evaluate(Qrels.from_dict(grades), Run.from_dict(scores), ["RR", "nDCG@2"]).mean()
    assert expected["RR"] == 0.75
    for one in (grades, judged, judged.lazy(), judged.to_pandas(), judged.to_arrow()):
        for other in (scores, run, run.lazy(), run.to_pandas(), run.to_arrow()):
            assert evaluate(one, other, ["RR", "nDCG@2"]).mean() == expected
    assert "no column doc_id" in refused(pl.DataFrame({"qid": ["a"]}), scores)
    assert "no column doc_id" in refused(grades, pl.DataFrame({"qid": ["a"]}))


def test_one_measure_may_stand_alone_and_several_in_any_iterable():
    qrels, run = Qrels.from_dict(HANDED), Run.from_dict(HANDED)
    for one in ("P@1", parse("P@1")[0], ["P@1"], (text for text in ["P@1"]), {"P@1": None}):
        assert evaluate(qrels, run, one).mean() == {"P@1": 1.0}


@pytest.mark.parametrize("measures", [[], (), "", 5, None, [5], [None], [["P@1"]], b"P@1"])
def test_what_names_no_measure_is_refused_with_an_example(measures: Any):
    assert "nDCG@10" in refused(Qrels.from_dict(HANDED), Run.from_dict(HANDED), measures)


def test_a_run_of_other_queries_is_refused_with_ids_that_are_judged():
    said = refused(Qrels.from_dict({"7": {"x": 1}, "8": {"x": 1}, "9": {"x": 1}}), Run.from_dict({"q7": {"x": 1}}))
    assert said.endswith("; the ids differ: judged are, for example, '7', '8'")


@pytest.mark.parametrize("first", [0, 1])
def test_scores_that_count_the_hits_as_ranks_do_are_noted(first: int):
    ranks = {q: {f"d{i}": i + first for i in range(n)} for q, n in (("a", 3), ("b", 1), ("c", 4))}
    qrels = Qrels.from_dict({query: {"d0": 1} for query in "abc"})
    (note,) = evaluate(qrels, Run.from_dict(ranks), "RR").notes
    assert note.startswith("the scores of each query rise by 1 from hit to hit, as ranks do")
    falling = {q: dict(reversed(hits.items())) for q, hits in ranks.items()}
    other = ranks | {"c": {"d0": 1, "d1": 2, "d2": 2.5}}
    short = {q: {"d0": 1, "d1": 2} for q in "abc"}
    for hits in (falling, other, short):
        assert evaluate(qrels, Run.from_dict(hits), "RR").notes == ()


def test_ranks_and_scores_in_each_others_column_are_noted_whether_the_run_is_scanned_or_read(tmp_path: Path):
    lines = (f"{q} Q0 d{i} {9.5 - i} {i + 1} t\n" for q in "ba" for i in range(4))
    (tmp_path / "run.trec").write_text("".join(lines))
    qrels = Qrels.from_dict({"a": {"d0": 1}, "b": {"d1": 1}})
    for run in (scan_run(tmp_path / "run.trec"), Run.from_file(tmp_path / "run.trec")):
        (note,) = evaluate(qrels, run, "RR").notes
        assert note.endswith("if scores and ranks have changed places (columns 4 and 5 of TREC text), change them back")


def test_grades_that_are_mostly_fractions_are_noted_because_scores_are():
    run = Run.from_dict(HANDED)
    (note,) = evaluate(Qrels.from_dict({"a": {"x": 0.7, "y": 0.3}}), run, "RR").notes
    assert note.startswith("most grades are fractions, as the scores of a run are")
    assert evaluate(Qrels.from_dict({"a": {"x": 0.5, "y": 0}}), run, "RR").notes == ()


JUDGED = Qrels.from_dict({"p": {"a": 1, "b": 0, "n": -1}, "q": {"a": 1}, "absent": {"a": 1}})


HALF = Run.from_dict({"p": {"a": 4.0, "n": 3.0, "x": 2.0, "b": 1.0}, "q": {"a": 2.0, "x": 1.0}})


def test_the_judged_share_stands_beside_measures_that_unjudged_hits_distort():
    """It is of the queries that have hits; a negative grade is no judgment."""
    scores = evaluate(JUDGED, HALF, ["P@1", "nDCG@3", "AP"])
    assert scores.judged_means == {"Judged@1": 1.0, "Judged@3": pytest.approx((1 / 3 + 1 / 2) / 2)}
    assert list(scores.mean()) == ["P@1", "nDCG@3", "AP"]
    (number,) = [one for one in scores.record.numbers if one.name == "Judged@3"]
    assert (number.value, number.n) == (scores.judged_means["Judged@3"], 2)


@pytest.mark.parametrize(
    ("measures", "beside"),
    [
        (["AP", "RR"], ["Judged@10"]),
        (["P@5", "Judged@5", "R@7"], ["Judged@7"]),
        (["NumRet", "Judged@5"], []),
        (["nDCG(judged_only=True)@10", "AP(judged_only=True)"], []),
        (["IPrec@0.5", "microP@3"], ["Judged@3"]),
    ],
)
def test_it_has_the_cutoffs_of_the_measures_or_10_and_is_not_said_twice(measures: list[str], beside: list[str]):
    assert list(evaluate(JUDGED, HALF, measures).judged_means) == beside


def test_a_gate_may_be_about_it():
    (gate,) = evaluate(JUDGED, HALF, "P@3", fail_if="Judged@3<0.8").record.gates
    assert gate.verdict == "failed"
    (gate,) = evaluate(JUDGED, HALF, ["P@3", "Judged@3"], fail_if="Judged@3<0.2").record.gates
    assert gate.value == pytest.approx((1 / 3 + 1 / 2) / 3)  # as a measure, over all judged queries


@pytest.mark.parametrize(("measure", "highest"), [("nDCG@10", 0), ("P@1", -1), ("P(rel=3)@1", 2), ("AP", 0)])
def test_judgments_of_which_none_is_relevant_are_refused(measure: str, highest: int):
    evaluator = Evaluator(Qrels.from_dict({"q": {"d": highest, "e": -1}}), parse(measure))
    with pytest.raises(InputError, match=r"^no document is judged relevant, so every score would be 0"):
        evaluator.refuse_nothing_relevant()


# The best and the worst case of a difference, by judging the hits by hand

MEASURES = ["P@2", "nDCG(judged_only=True)@2", "AP", "P(rel=2)@3", "nDCG@3", "nDCG(gains='exp')@2", "R@2", "RR"]


what_if_judgments = st.dictionaries(
    st.sampled_from("pq"),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([-1, 0, 1, 3]), min_size=1),
    min_size=1,
)


rankings = st.fixed_dictionaries({"p": st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6, unique=True)})


def scored(ranking: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {query: {one: -float(rank) for rank, one in enumerate(hits)} for query, hits in ranking.items()}


def values(qrels: dict, ranking: dict, measure: str) -> dict[str, float]:
    scores = evaluate(Qrels.from_dict(qrels), Run.from_dict(scored(ranking)), measure)
    return dict(zip(scores.ids, next(iter(scores.values.values())).tolist(), strict=True))


def naive(qrels: dict, one: dict, other: dict, measure: str) -> dict[str, tuple[float, float, float]]:
    """Return the difference of each query, its least and its greatest value over the cases, judged in dictionaries."""
    (parsed,) = resolve(measure)
    params = dict(parsed.params)
    depth, grade = parsed.cutoff if "judged_only" not in params else None, params.get("rel", 1)

    def case(run: dict, against: dict, alone: bool) -> dict[str, float]:
        changed = {}
        for query, grades in qrels.items():
            hits, others = run.get(query, [])[:depth], against.get(query, [])[:depth] if alone else []
            added = {hit: grade for hit in hits if grades.get(hit, -1) < 0 and hit not in others}
            changed[query] = {**grades, **added}
        before, after = values(changed, one, measure), values(changed, other, measure)
        return {query: after[query] - before[query] for query in qrels}

    as_judged = case({}, {}, False)
    least = [as_judged, case(one, other, False), case(one, other, True)]
    greatest = [as_judged, case(other, one, False), case(other, one, True)]
    return {
        query: (as_judged[query], min(each[query] for each in least), max(each[query] for each in greatest))
        for query in qrels
    }


@pytest.mark.parametrize("measure", first_of(*MEASURES, first=2))
@given(what_if_judgments, rankings, rankings)
def test_they_are_those_of_judgments_changed_by_hand(measure: str, qrels: dict, one: dict, other: dict):
    if "p" not in qrels:
        return
    runs = [Run.from_dict(scored(ranking)) for ranking in (one, other)]
    table = Qrels.from_dict(qrels)
    (found,) = bounds(table, *runs, resolve(measure)).values()
    expected = naive(qrels, one, other, measure)
    rows = zip(table.ids, found.mean.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    for query, *ends in rows:
        assert ends == pytest.approx(expected[query], abs=1e-12)
        assert ends[1] <= ends[0] <= ends[2]


def test_hits_that_both_have_cancel_in_precision():
    qrels, shared = {"q": {"a": 1}}, {"q": ["x", "a"]}
    (found,) = bounds(Qrels.from_dict(qrels), *[Run.from_dict(scored(shared))] * 2, resolve("P@2")).values()
    assert (found.low.tolist(), found.high.tolist()) == ([0.0], [0.0])


def test_one_of_two_hits_that_both_have_in_opposite_order_goes_further_than_the_cases_as_documented():
    one, other, judged = {"p": ["a", "b"]}, {"p": ["b", "a"]}, {"p": {"c": 1}}
    runs = [Run.from_dict(scored(ranking)) for ranking in (one, other)]
    (found,) = bounds(Qrels.from_dict(judged), *runs, resolve("RR")).values()
    assert (*found.low, *found.high) == (0.0, 0.0)
    relevant = {"p": {"b": 1, "c": 1}}
    assert values(relevant, other, "RR")["p"] - values(relevant, one, "RR")["p"] == 0.5


def test_a_relevant_hit_enters_the_ideal_order_too():
    """Baseline x a, system a: with x relevant nDCG@2 of the system is 1 / (1 + 1 / log2 3)."""
    runs = [Run.from_dict(scored({"q": hits})) for hits in (["x", "a"], ["a"])]
    (found,) = bounds(Qrels.from_dict({"q": {"a": 1}}), *runs, resolve("nDCG@2")).values()
    assert found.low[0] == pytest.approx(1 / (1 + 0.6309297535714575) - 1.0)
    assert found.mean[0] == found.high[0] == pytest.approx(1 - 0.6309297535714575)


def test_measures_of_subtopics_have_no_cases():
    runs = [Run.from_dict({"q": {"a": 1.0}})] * 2
    assert bounds(Qrels.from_dict({"q": {"a": 1}}), *runs, resolve(["alpha_nDCG@5"])) == {}


# The names of what says how alike two rankings are


@pytest.mark.parametrize("text", ["overlap@10", "overlap@1", "RBO", "RBO(p=0.95)", "tau", "top_changed"])
def test_what_is_parsed_and_printed_is_parsed_again(text: str):
    assert str(agreement_parse(text)) == text
    assert agreement_parse(str(agreement_parse(text))) == agreement_parse(text)


@pytest.mark.parametrize(("text", "printed"), [("rbo", "RBO"), ("RBO(p=.9)", "RBO"), ("Overlap@5", "overlap@5")])
def test_other_spellings_have_one_form(text: str, printed: str):
    assert str(agreement_parse(text)) == printed


@pytest.mark.parametrize(
    "text", ["nDCG@10", "overlap", "overlap@0", "RBO@10", "RBO(p=1)", "RBO(p=.0)", "tau@5", "tau(p=0.5)", "", "x" * 999]
)
def test_what_is_none_is_refused_with_what_there_is(text: str):
    with pytest.raises(InputError, match=re.escape("without judgments there are overlap@10, RBO, RBO(p=0.95), tau")):
        agreement_parse(text)


def test_each_is_named_once_and_one_may_stand_alone():
    assert list(map(str, agreement_resolve(["tau", "RBO", "RBO(p=0.9)"]))) == ["tau", "RBO"]
    assert list(map(str, agreement_resolve("tau"))) == ["tau"]
    with pytest.raises(InputError, match="no measure is named"):
        agreement_resolve([])


# Scores of 32 bits: as pytrec_eval on scores that 32 bits cannot tell apart, and how many queries differ

ORACLE = {"RR": "recip_rank", "AP": "map", "nDCG@5": "ndcg_cut_5", "P@5": "P_5"}


_NEAR = st.sampled_from(
    [0.48203300482, 0.48203300481, 0.4820330048, 7.0, 7.0 + 1e-9, 16777216.0, 16777217.0, 1e39, 2e39, -1e-50]
)


RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from([f"d{n}" for n in range(12)]), _NEAR, min_size=1),
    min_size=1,
)


SCORE_PRECISION_QRELS = {
    q: {f"d{n}": (n * 7 + place) % 3 for n in range(12)} for place, q in enumerate(("q1", "q2", "q3"))
}


@given(RUNS)
def test_single_precision_is_that_of_pytrec_eval(run: dict[str, dict[str, float]]) -> None:
    expected = pytrec_eval.RelevanceEvaluator(SCORE_PRECISION_QRELS, set(ORACLE.values())).evaluate(run)
    made = bb.Run.from_dict(run, precision="single")
    found = bb.evaluate(bb.Qrels.from_dict(SCORE_PRECISION_QRELS), made, list(ORACLE)).per_query()
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


# Measures that pytrec_eval lacks, and the subtopic measures, as ir_measures gives them

queries = st.sampled_from(["1", "2", "3"])  # gdeval takes numbers only


documents = st.text("ab1é", min_size=1, max_size=2)


ir_measures_judgments = st.dictionaries(
    queries, st.dictionaries(documents, st.integers(0, 4), min_size=1, max_size=9), min_size=1
)


ir_measures_rankings = st.dictionaries(queries, st.lists(documents, min_size=1, max_size=9, unique=True), min_size=1)


diverse = st.dictionaries(st.tuples(queries, st.sampled_from("xyz"), documents), st.integers(0, 2), min_size=2)


def ir_measures_scored(ranking: dict[str, list[str]]) -> dict[str, dict[str, float]]:
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
@given(ir_measures_judgments, ir_measures_rankings)
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
@given(ir_measures_judgments, ir_measures_rankings)
def test_a_measure_of_judged_hits_alone_is_theirs(name: str, qrels: dict, ranking: dict):
    agree(name, name, qrels, ranking)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and perl is not here")
@pytest.mark.parametrize(
    ("ours", "named"), first_of(("ERR@3", "ERR@3"), ("nDCG(gains='exp')@3", "nDCG(dcg='exp-log2')@3"))
)
@given(qrels=ir_measures_judgments, ranking=ir_measures_rankings)
@settings(max_examples=costly(15))
def test_a_measure_is_that_of_gdeval(ours: str, named: str, qrels: dict, ranking: dict):
    agree(ours, named, qrels, ranking, 1e-5)  # it prints five decimals


def agree(ours: str, named: str, qrels: dict, ranking: dict, within: float = 1e-12) -> None:
    if not qrels.keys() & ranking.keys():
        return
    expected = theirs(named, qrels, ir_measures_scored(ranking))
    scores = evaluate(Qrels.from_dict(qrels), Run.from_dict(ir_measures_scored(ranking)), [ours])
    (column,) = scores.values.values()
    for query, value in zip(scores.ids, column.tolist(), strict=True):
        if query in ranking:
            assert value == pytest.approx(expected.get(query, 0.0), abs=within), query


@pytest.mark.parametrize(
    "name", first_of("alpha_nDCG@5", "alpha_nDCG(alpha=0.25,rel=2)@3", "ERR_IA@5", "StRecall@3", first=2)
)
@given(diverse, ir_measures_rankings)
def test_a_subtopic_measure_is_theirs(tmp_path_factory: pytest.TempPathFactory, name: str, rows: dict, ranking: dict):
    if len({subtopic for _, subtopic, _ in rows}) < 2 or not {query for query, _, _ in rows} & ranking.keys():
        return
    qrels = tmp_path_factory.getbasetemp() / "diverse.qrels"
    qrels.write_text("".join(f"{q} {s} {d} {grade}\n" for (q, s, d), grade in sorted(rows.items())), encoding="utf-8")
    expected = theirs(name, list(ir_measures.read_trec_qrels(str(qrels))), ir_measures_scored(ranking))
    scores = evaluate(Qrels.from_file(qrels), Run.from_dict(ir_measures_scored(ranking)), [name])
    for query, value in zip(scores.ids, scores.values[name].tolist(), strict=True):
        if query in ranking:
            assert value == pytest.approx(expected.get(query, 0.0), abs=1e-12), query
