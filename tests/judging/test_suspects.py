"""Pairs that anybody graded, their columns, and which probe finds the planted bias of scripted judges."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging.agreement.grades import Grades
from benchbench.judging.agreement.suspects import (
    Lengths,
    PairColumns,
    Suspects,
    probes_of,
    rated,
    read_lengths,
    read_pair_columns,
)
from benchbench.judging.relevance.pool import hashes_of
from benchbench.kernels.arrays import F64
from benchbench.significance.judge_bias import Probe

QUERIES, DOCUMENTS = 30, 12
PAIRS = [(f"q{q}", f"d{d}") for q in range(QUERIES) for d in range(DOCUMENTS)]
RNG = np.random.default_rng(4)
GRADE = RNG.integers(0, 3, len(PAIRS)).astype(float)
LENGTH = RNG.integers(50, 5_000, DOCUMENTS).astype(float)
RANK = np.concatenate([RNG.permutation(DOCUMENTS) + 1.0 for _ in range(QUERIES)])
OWN = RNG.integers(0, 2, len(PAIRS))
LONG = np.log2(LENGTH)[np.tile(np.arange(DOCUMENTS), QUERIES)]


def labels(grades: F64) -> Qrels:
    return Qrels.from_arrays([q for q, _ in PAIRS], [d for _, d in PAIRS], np.clip(np.rint(grades), 0, 4))


def probes(judge: F64, suspects: Suspects, model: str = "m") -> dict[str, Probe]:
    people, one = labels(GRADE), Grades("j", "memory", labels(judge), model=model)
    found, _ = probes_of(suspects, people, one, rated([people, one.qrels]), 1, 0.05, 0)
    return {one.name: one for one in found}


def columns(**numbers: F64) -> PairColumns:
    queries, documents = (hashes_of(list(ids)) for ids in zip(*PAIRS, strict=True))
    return PairColumns(queries, documents, numbers, OWN.astype(np.int64), ("other", "M-latest"))


def noisy() -> F64:
    return GRADE + np.random.default_rng(9).normal(0, 0.6, len(PAIRS))


def lengths() -> Lengths:
    document = hashes_of([f"d{d}" for d in range(DOCUMENTS)])
    order = np.argsort(document)
    return Lengths(document[order], LENGTH[order])


def order() -> Run:
    places = {pair: -rank for pair, rank in zip(PAIRS, RANK.tolist(), strict=True)}
    return Run.from_dict(
        {f"q{q}": {f"d{d}": places[f"q{q}", f"d{d}"] for d in range(DOCUMENTS)} for q in range(QUERIES)}
    )


def test_a_judge_that_likes_long_texts_is_found_by_their_lengths() -> None:
    suspects = Suspects(lengths=lengths(), order=order())
    found = probes(noisy() + 0.35 * (LONG - LONG.mean()), suspects)
    assert found["length"].adjusted < 0.01 < found["position"].adjusted
    assert found["length"].effect == pytest.approx(0.35, abs=0.12)


def test_a_judge_that_likes_what_it_is_shown_first_is_found_by_the_run() -> None:
    found = probes(noisy() - 0.4 * np.log2(RANK), Suspects(lengths=lengths(), order=order()))
    assert found["position"].adjusted < 0.01 < found["length"].adjusted
    assert found["position"].effect < 0.0


def test_a_judge_that_likes_its_own_model_is_found_by_the_column_of_models() -> None:
    found = probes(noisy() + 0.6 * OWN, Suspects(columns=columns()))
    assert found["self_preference"].adjusted < 0.01
    assert found["self_preference"].effect == pytest.approx(0.6, abs=0.2)


def test_a_judge_that_likes_what_its_own_model_has_ranked_is_found_by_that_run() -> None:
    chosen = (RANK <= 10).astype(float)
    found = probes(noisy() + 1.2 * chosen, Suspects(own_run=order()))["self_preference"]
    assert found.p < 0.01
    assert found.effect == pytest.approx(1.2, abs=0.4)
    assert probes(noisy(), Suspects(own_run=order()))["self_preference"].p > 0.05


def test_columns_of_pairs_go_before_what_else_is_known() -> None:
    flat = columns(length=np.full(len(PAIRS), 7.0))
    assert (
        probes(noisy(), Suspects(lengths=lengths(), columns=flat))["length"].skipped == "it is the same for all pairs"
    )


def test_an_unbiased_judge_is_not_accused() -> None:
    found = probes(noisy(), Suspects(lengths=lengths(), columns=columns(position=RANK)))
    assert {name: one.adjusted > 0.05 for name, one in found.items()} == dict.fromkeys(
        ("length", "position", "self_preference"), True
    )


def test_a_judge_that_is_asked_again_in_another_order_is_compared_with_itself() -> None:
    again = labels(GRADE + np.random.default_rng(8).normal(0, 0.6, len(PAIRS)) + 0.5 * np.log2(RANK))
    turned = DOCUMENTS + 1 - RANK
    both = columns(position=RANK, position_again=turned)
    found = probes(noisy() + 0.5 * np.log2(turned), Suspects(columns=both, again=again))["position"]
    assert found.null == "signs of queries"
    assert found.p < 0.01


def test_no_text_of_the_judges_own_model_is_said() -> None:
    found = probes(noisy(), Suspects(columns=columns()), "somebody else")
    assert found["self_preference"].skipped == "no row is of the judge's own model; --own names it"
    assert probes(noisy(), Suspects(columns=columns(), own="other"), "x")["self_preference"].skipped == ""


def test_nothing_to_look_at_has_no_probe() -> None:
    assert probes(noisy(), Suspects()) == {}


def test_lengths_are_those_of_the_whole_text_of_the_documents_that_are_wanted(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        '{"id": "a", "title": "Law", "text": "第一条"}\n{"id": "b", "text": "abcd"}\n{"id": "c", "title": "no text"}\n'
    )
    found = read_lengths(path, hashes_of(["b", "a", "c", "missing", "a"]))
    lengths = found.of(hashes_of(["a", "b", "c", "missing"]))
    assert lengths[0] > 3 + 3
    assert lengths[1] == 4
    assert np.isnan(lengths[2:]).all()


def test_no_document_has_no_length(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"id": "a", "text": "abcd"}\n')
    assert np.isnan(read_lengths(path, hashes_of(["b"])).of(hashes_of(["b"]))).all()


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_columns_are_read_from_any_table(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"pairs.{suffix}"
    rows = [
        {"query_id": "q1", "doc_id": "d1", "length": 120, "model": "m"},
        {"query_id": "q2", "doc_id": "d1", "length": None, "model": None},
    ]
    if suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        frame = pl.DataFrame(rows)
        frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    found = read_pair_columns(path)
    assert found.query.tolist() == hashes_of(["q1", "q2"]).tolist()
    assert found.document.tolist() == hashes_of(["d1", "d1"]).tolist()
    np.testing.assert_array_equal(found.numbers["length"], [120, np.nan])
    assert list(found.numbers) == ["length"]
    assert found.model is not None
    assert (found.models, found.model.tolist()) == (("m",), [0, -1])


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"doc_id": "d"}, "line 1: a pair needs a query_id and a doc_id"),
        ({"query_id": "q", "doc_id": "d", "length": "long"}, "line 1: length 'long' is not a number"),
        ({"query_id": "q", "doc_id": "d", "position": 0}, "line 1: position counts from 1, and is 0"),
        (
            {"query_id": "q", "doc_id": "d", "size": 1},
            "has none of the columns length, position, position_again, model",
        ),
    ],
)
def test_what_is_no_pair_is_refused_with_its_line(tmp_path: Path, row: dict[str, object], why: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=why):
        read_pair_columns(path)


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        read_pair_columns(path)


tables = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "1", "10"]),
    st.dictionaries(st.sampled_from(["d1", "d2", "0", "01"]), st.integers(-1, 3).map(float), min_size=1),
    min_size=1,
)


@given(st.lists(tables, min_size=1, max_size=3))
def test_each_pair_stands_once_with_the_grades_of_all(drawn: list[dict[str, dict[str, float]]]) -> None:
    found = rated([Qrels.from_dict(one) for one in drawn])
    pairs = sorted({(q, d) for one in drawn for q in one for d in one[q]})
    at = found.at(hashes_of([q for q, _ in pairs]), hashes_of([d for _, d in pairs]))
    assert sorted(at.tolist()) == list(range(len(found.key)))
    for rater, one in enumerate(drawn):
        expected = [one.get(q, {}).get(d, np.nan) for q, d in pairs]
        np.testing.assert_array_equal(found.grades[rater][at], expected)
    queries = {q for q, _ in pairs}
    assert found.queries == len(queries)
    assert len({(q, int(found.query[place])) for (q, _), place in zip(pairs, at, strict=True)}) == len(queries)


def test_a_pair_that_nobody_graded_has_no_place() -> None:
    found = rated([Qrels.from_dict({"q1": {"d1": 1}})])
    assert found.at(hashes_of(["q1", "q2"]), hashes_of(["d2", "d1"])).tolist() == [-1, -1]
