"""The same judgments and hits are the same whatever they come from, and however they are read."""

import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import first_of, some_of
from hypothesis import given
from hypothesis import strategies as st
from judged_files import FILES, GRADES, HITS, Rows, equal, flat, frame, in_pieces, nested, same, written

import benchbench as bb
from benchbench.errors import InputError
from benchbench.tables import qrels_runs as tables
from benchbench.tables import threads

MEASURES = ["nDCG@10", "AP", "RR", "P@2", "bpref", "NumRet"]


@pytest.fixture(scope="module")
def expected() -> bb.Scores:
    return bb.evaluate(bb.Qrels.from_dict(GRADES), bb.Run.from_dict(HITS), MEASURES)


def pandas_frame(rows: Rows, run: bool, **kinds: str) -> Any:
    made = frame(rows, run).to_dict(as_series=False)
    return pytest.importorskip("pandas").DataFrame(made).astype(kinds)


def arrow_table(rows: Rows, run: bool) -> Any:
    return pytest.importorskip("pyarrow").table(frame(rows, run).to_dict(as_series=False))


def enumerated(rows: Rows, run: bool) -> pl.DataFrame:
    given = frame(rows, run)
    return given.with_columns(pl.col(name).cast(pl.Enum(given[name].unique().sort())) for name in given.columns[:2])


def loose_series(values: Any) -> pl.Series:
    return pl.Series(values, strict=False)


FRAMES: dict[str, Callable[[Rows, bool], Any]] = {
    "polars": frame,
    "polars, lazy": lambda rows, run: frame(rows, run).lazy(),
    "polars, other columns beside": lambda rows, run: frame(rows, run).select(
        pl.lit("text").alias("text"), pl.col("doc_id").alias("docno"), pl.col("query_id").alias("qid"), pl.nth(2)
    ),
    "polars, categories": lambda rows, run: frame(rows, run).with_columns(
        pl.col("query_id", "doc_id").cast(pl.Categorical)
    ),
    "polars, an enumeration": enumerated,
    "polars, bytes": lambda rows, run: frame(rows, run).with_columns(pl.col("query_id", "doc_id").cast(pl.Binary)),
    "polars, many pieces": lambda rows, run: pl.concat([frame([row], run) for row in rows], rechunk=False),
    "pandas": pandas_frame,
    "pandas, objects": lambda rows, run: pandas_frame(rows, run, query_id="object", doc_id="object"),
    "pandas, categories": lambda rows, run: pandas_frame(rows, run, query_id="category", doc_id="category"),
    "pandas, an index of its own": lambda rows, run: pandas_frame(rows, run).set_index(np.arange(len(rows)) * 7 % 5),
    "arrow table": arrow_table,
    "arrow batch": lambda rows, run: arrow_table(rows, run).to_batches()[0],
}


def read(path: Path, run: bool) -> Any:
    return bb.Run.from_file(path) if run else bb.Qrels.from_file(path)


def as_dict(records: Any, run: bool) -> Any:
    return bb.Run.from_dict(records) if run else bb.Qrels.from_dict(records)


@pytest.mark.parametrize("name", some_of(FILES, 4))
def test_every_file_gives_the_columns_digest_and_scores_of_the_dictionary(
    tmp_path: Path, name: str, expected: bb.Scores
):
    (tmp_path / "qrels").mkdir()
    qrels = bb.Qrels.from_file(written(tmp_path / "qrels", name, flat(GRADES), False))
    path = written(tmp_path, name, flat(HITS), True)
    assert same(qrels, bb.Qrels.from_dict(GRADES))
    assert same(bb.Run.from_file(path), bb.Run.from_dict(HITS))
    for run in (bb.Run.from_file(path), bb.scan_run(path)):
        assert run.name == name.partition(".")[0]
        assert equal(bb.evaluate(qrels, run, MEASURES), expected)


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_columns_digest_and_scores_of_the_dictionary(name: str, expected: bb.Scores):
    qrels = bb.Qrels.from_frame(FRAMES[name](flat(GRADES), False))
    run = bb.Run.from_frame(FRAMES[name](flat(HITS), True), name="mine")
    assert same(qrels, bb.Qrels.from_dict(GRADES))
    assert same(run, bb.Run.from_dict(HITS))
    assert run.name == "mine"
    assert equal(bb.evaluate(qrels, run, MEASURES), expected)


@pytest.mark.parametrize("make", [list, np.array, loose_series, lambda given: np.array(given, object)])
def test_arrays_and_lists_give_the_columns_and_digest_of_the_dictionary(make: Callable[[Any], Any]):
    assert same(bb.Run.from_arrays(*map(make, zip(*flat(HITS), strict=True))), bb.Run.from_dict(HITS))
    assert same(bb.Qrels.from_arrays(*map(make, zip(*flat(GRADES), strict=True))), bb.Qrels.from_dict(GRADES))


@pytest.mark.parametrize("kind", ["int64", "uint8", ">i4", "object"])
def test_whole_numbers_as_ids_are_their_digits(tmp_path: Path, kind: str):
    query, document = (np.array(ids).astype(kind) for ids in ([1, 1, 2], [30, 4, 30]))
    given, wanted = (
        {"query_id": query, "doc_id": document, "score": [2.0, 1.0, 0.5]},
        {"1": {"30": 2.0, "4": 1.0}, "2": {"30": 0.5}},
    )
    assert same(bb.Run.from_arrays(*given.values()), bb.Run.from_dict(wanted))
    assert same(bb.Run.from_frame(pytest.importorskip("pandas").DataFrame(given)), bb.Run.from_dict(wanted))
    columns = {name: np.asarray(column).tolist() for name, column in given.items()}
    assert same(bb.Run.from_frame(pl.DataFrame(columns)), bb.Run.from_dict(wanted))
    (tmp_path / "run.jsonl").write_bytes(pl.DataFrame(columns).write_ndjson().encode())
    assert same(bb.Run.from_file(tmp_path / "run.jsonl"), bb.Run.from_dict(wanted))


def test_grades_may_be_true_and_false():
    wanted = bb.Qrels.from_dict({"a": {"x": 1, "y": 0}})
    assert same(bb.Qrels.from_arrays(["a", "a"], ["x", "y"], np.array([True, False])), wanted)
    assert same(
        bb.Qrels.from_frame(pl.DataFrame({"qid": ["a"] * 2, "docno": ["x", "y"], "rel": [True, False]})), wanted
    )


# No white space, quotation marks or signs of a comment, which some formats cannot hold.
ids = st.text("ab7é法", min_size=1, max_size=3)
numbers = st.integers(-2, 3).map(float) | st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(st.tuples(ids, ids, numbers), min_size=1, max_size=20)
STREAMED = [name for name in FILES if " " not in name]


@given(rows, st.integers(1, 12), st.sampled_from(STREAMED))
def test_pieces_of_any_size_give_what_the_dictionary_gives(
    tmp_path_factory: pytest.TempPathFactory, given: Rows, size: int, name: str
):
    records = nested(given)
    for run in (True, False):
        path = written(tmp_path_factory.getbasetemp(), name, flat(records), run)
        with pytest.MonkeyPatch.context() as patch:
            in_pieces(patch, size)
            assert same(read(path, run), as_dict(records, run))


SCATTERED = ["lines.trec", "lines.trec.gz", "rows.jsonl", "beir.tsv", "commas.csv", "columns.parquet", "columns.arrow"]


@given(rows, st.integers(1, 12), st.sampled_from(SCATTERED), st.sampled_from(["trec", "input", "expected"]))
def test_rows_of_a_query_that_do_not_stand_together_are_gathered(
    tmp_path_factory: pytest.TempPathFactory, given: Rows, size: int, name: str, ties: str
):
    """Repeated documents among them: the first in rank order stays, the others are counted."""
    together = [row for query in nested(given) for row in given if row[0] == query]
    with pytest.MonkeyPatch.context() as patch:
        in_pieces(patch, size)
        path = written(tmp_path_factory.getbasetemp(), name, given, True)
        scattered, scanned = bb.Run.from_file(path, ties), bb.scan_run(path, ties)
        wanted = bb.Run.from_arrays(*zip(*together, strict=True), ties=ties)
        assert scattered.digest == wanted.digest
        assert scattered.rankings.duplicates == len(given) - sum(map(len, nested(given).values()))
        scores = [
            bb.evaluate(bb.Qrels.from_dict({"a": {"a": 1}, given[0][0]: {"b": 1}}), run, ["AP", "NumRet"])
            for run in (scattered, scanned, wanted)
        ]
        assert equal(scores[0], scores[1])
        assert equal(scores[0], scores[2])


SIZES = first_of((1, 3), (3, 3), (1, 1), (1000, 3))


@pytest.mark.parametrize(("size", "workers"), SIZES)
@pytest.mark.parametrize("name", SCATTERED)
def test_a_scan_has_the_scores_of_the_run_in_memory_for_any_pieces_and_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, size: int, workers: int, expected: bb.Scores
):
    in_pieces(monkeypatch, size)
    monkeypatch.setattr(threads, "THREADS", workers)
    monkeypatch.setattr(tables, "THREADS", workers)
    monkeypatch.setattr(tables, "_MANY", 1)
    (tmp_path / "qrels").mkdir()
    qrels = bb.Qrels.from_file(written(tmp_path / "qrels", name, flat(GRADES), False))
    scan = bb.scan_run(written(tmp_path, name, flat(HITS), True))
    for run in (scan, scan, bb.Run.from_file(tmp_path / name)):
        assert equal(bb.evaluate(qrels, run, MEASURES), expected)


@pytest.mark.parametrize("name", SCATTERED)
def test_shards_of_a_scan_are_the_same_however_often_and_wherever_they_are_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
):
    in_pieces(monkeypatch, 1)
    shards = list(bb.scan_run(written(tmp_path, name, flat(HITS), True), "expected").shards())
    assert len(shards) > 1
    once, again = ([shard.kept() for shard in order] for order in (shards, shards[::-1]))
    elsewhere = threads.in_order(shard.kept for shard in shards)
    for first, second, third in zip(once, again[::-1], elsewhere, strict=True):
        for column in ("query", "offsets", "document", "tied", "fingerprint"):
            assert np.array_equal(getattr(first, column), getattr(second, column))
            assert np.array_equal(getattr(first, column), getattr(third, column))


def test_frames_dictionaries_and_arrays_are_never_changed():
    columns = [np.array(column) for column in zip(*flat(HITS)[::-1], strict=True)]
    kept = [column.copy() for column in columns]
    given, records = frame(flat(HITS)[::-1], True), {query: dict(found) for query, found in HITS.items()}
    for column in columns:
        column.flags.writeable = False
    qrels = bb.Qrels.from_dict(GRADES)
    before = qrels.document.copy(), qrels.grade.copy()
    runs = [bb.Run.from_frame(given), bb.Run.from_arrays(*columns), bb.Run.from_dict(records, ties="expected")]
    first = [bb.evaluate(qrels, run, ["AP", "nDCG"]) for run in runs]
    assert all(equal(one, bb.evaluate(qrels, run, ["AP", "nDCG"])) for one, run in zip(first, runs, strict=True))
    assert given.equals(frame(flat(HITS)[::-1], True))
    assert records == HITS
    assert all(np.array_equal(column, copy) for column, copy in zip(columns, kept, strict=True))
    assert all(np.array_equal(now, then) for now, then in zip((qrels.document, qrels.grade), before, strict=True))


def test_a_frame_of_pandas_is_not_changed():
    given = pandas_frame(flat(HITS), True)
    kept = given.copy(deep=True)
    bb.evaluate(bb.Qrels.from_dict(GRADES), bb.Run.from_frame(given), ["AP"])
    assert given.equals(kept)


# Standard input and pipes are read once

PIPED = {
    name: FILES[name]
    for name in ("lines.trec", "lines.trec.gz", "object.json", "rows.jsonl", "beir.tsv", "columns.parquet")
}


@pytest.mark.parametrize("name", PIPED)
def test_standard_input_is_told_by_its_content_and_scored_twice(
    monkeypatch: pytest.MonkeyPatch, name: str, expected: bb.Scores
):
    data = PIPED[name](flat(HITS), True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    run, qrels = bb.scan_run("-"), bb.Qrels.from_dict(GRADES)
    assert run.name == "standard input"
    assert equal(bb.evaluate(qrels, run, MEASURES), expected)
    assert equal(bb.evaluate(qrels, run, MEASURES), expected)
    with pytest.raises(InputError, match="standard input is empty"):
        bb.scan_run("-")


def test_a_fault_in_standard_input_names_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a Q0 x 1 2 t\na Q0\n")))
    with pytest.raises(InputError, match=r"^standard input, line 2: 2 fields"):
        bb.Run.from_file("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is empty"):
        bb.Run.from_file("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", PIPED)
def test_a_named_pipe_is_read_once_and_scored_twice(tmp_path: Path, name: str, expected: bb.Scores):
    path = tmp_path / name
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(PIPED[name](flat(HITS), True),))
    writer.start()
    run, qrels = bb.scan_run(path), bb.Qrels.from_dict(GRADES)
    writer.join()
    assert equal(bb.evaluate(qrels, run, MEASURES), expected)
    assert equal(bb.evaluate(qrels, run, MEASURES), expected)


# Repeated documents

REPEATED = [("a", "x", 1.0), ("b", "x", 1.0), ("a", "y", 3.0), ("a", "x", 2.0)]


@pytest.mark.parametrize("name", SCATTERED)
@pytest.mark.parametrize("size", first_of(1, 1000))
def test_a_repeated_document_is_counted_or_with_strict_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, size: int
):
    """Also when its two rows stand in parts that are read apart."""
    in_pieces(monkeypatch, size)
    path, qrels = written(tmp_path, name, REPEATED, True), bb.Qrels.from_dict({"a": {"x": 1}})
    for run in (bb.Run.from_file(path), bb.scan_run(path)):
        scores = bb.evaluate(qrels, run, ["RR", "NumRet"])
        assert scores.mean() == {"RR": 0.5, "NumRet": 2.0}
        assert scores.dropped["duplicate_hits"] == 1
    with pytest.raises(InputError, match="has document x twice for query a"):
        bb.Run.from_file(path, strict=True)
    with pytest.raises(InputError, match="has document x twice for query a"):
        bb.evaluate(qrels, bb.scan_run(path, strict=True), ["RR"])


@pytest.mark.parametrize("name", SCATTERED)
@pytest.mark.parametrize("size", first_of(1, 1000))
def test_two_grades_of_a_document_are_an_error_wherever_they_stand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, size: int
):
    in_pieces(monkeypatch, size)
    with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
        bb.Qrels.from_file(written(tmp_path, name, REPEATED, False))
    same_grade = [(query, document, 1.0) for query, document, _ in REPEATED]
    assert bb.Qrels.from_file(written(tmp_path, name, same_grade, False)).duplicates == 1


# Ties


@pytest.mark.parametrize("ties", ["", "first", None, 1])
def test_a_word_for_ties_that_is_none_is_refused(tmp_path: Path, ties: Any):
    path = written(tmp_path, "lines.trec", flat(HITS), True)
    for make in (
        lambda: bb.Run.from_file(path, ties),
        lambda: bb.scan_run(path, ties),
        lambda: bb.Run.from_dict(HITS, ties=ties),
        lambda: bb.Run.from_frame(frame(flat(HITS), True), ties=ties),
        lambda: bb.Run.from_arrays(*zip(*flat(HITS), strict=True), ties=ties),
    ):
        with pytest.raises(InputError, match=r"^ties is trec, input or expected, not "):
            make()
