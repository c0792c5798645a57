"""The same judgments and hits are the same whatever they come from, and however they are read."""

import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive_subtopics as naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_files import FILES, Rows, equal, flat, frame, nested, same

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats import frames, json_rows, trec_text
from benchbench.tables import judged as tables
from benchbench.tables import threads

HITS = {
    "q1": {"d1": 2.5, "d10": 2.5, "文書": -1e-3, "é": 2.5000000000000004, "7": 0.1},
    "查询": {"d1": 1e300, "7": -1e300, "12": 0.0},
    "12": {"7": 3.0, "30": 2.0},
    "13": {"7": 3.0},
}
GRADES = {"q1": {"é": 1, "7": 0, "d10": 3, "d5": -1}, "查询": {"7": 0.5, "12": 2}, "12": {"30": 1}, "14": {"7": 1}}
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


def written(folder: Path, name: str, rows: Rows, run: bool) -> Path:
    path = folder / name
    path.write_bytes(FILES[name](rows, run))
    return path


# One result, whatever the format


@pytest.mark.parametrize("name", FILES)
def test_every_file_gives_the_columns_digest_and_scores_of_the_dictionary(
    tmp_path: Path, name: str, expected: bb.Scores
):
    (tmp_path / "qrels").mkdir()
    qrels = bb.Qrels.from_file(written(tmp_path / "qrels", name, flat(GRADES), False))
    path = written(tmp_path, name, flat(HITS), True)
    assert same(qrels, bb.Qrels.from_dict(GRADES))
    assert same(bb.Run.from_file(path), bb.Run.from_dict(HITS))
    for run in (bb.Run.from_file(path), bb.scan_run(path)):
        assert run.name == name
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


def in_pieces(patch: pytest.MonkeyPatch, size: int) -> None:
    """Let parts and chunks be so small that queries are cut in the middle."""
    patch.setattr(trec_text, "PART", size * 8)
    patch.setattr(frames, "CHUNK", size)
    patch.setattr(json_rows, "CHUNK", size)


@given(rows, st.integers(1, 12), st.sampled_from(STREAMED))
@settings(max_examples=40)
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
@settings(max_examples=30)
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


SIZES = [(1, 1), (1, 3), (3, 3), (1000, 3)]


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
@pytest.mark.parametrize("size", [1, 1000])
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
@pytest.mark.parametrize("size", [1, 1000])
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
        with pytest.raises(InputError, match=r"is trec, input or expected$"):
            make()


# Subtopics

DIVERSE = ["alpha_nDCG@5", "ERR_IA@5", "StRecall@5"]
Judgments = dict[str, dict[tuple[str, str], float]]  # query -> (document, subtopic) -> grade


def diverse_lines(given: Judgments) -> bytes:
    return "".join(f"{q} {s} {d} {grade:g}\n" for q, found in given.items() for (d, s), grade in found.items()).encode()


def diverse_frame(given: Judgments, name: str = "subtopic") -> pl.DataFrame:
    kinds = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64, name: pl.String}
    rows = [(query, d, grade, s) for query, found in given.items() for (d, s), grade in found.items()]
    return pl.DataFrame(rows, kinds, orient="row")


def diverse_qrels(folder: Path, given: Judgments) -> dict[str, bb.Qrels]:
    """Return the judgments as each format that can hold subtopics gives them."""
    (folder / "d.trec").write_bytes(diverse_lines(given))
    diverse_frame(given, "iteration").write_csv(folder / "d.csv")
    diverse_frame(given).write_ndjson(folder / "d.jsonl")
    diverse_frame(given).write_parquet(folder / "d.parquet")
    files = {name: bb.Qrels.from_file(folder / name) for name in ("d.trec", "d.csv", "d.jsonl", "d.parquet")}
    numbered = diverse_frame(given).with_columns(pl.col("subtopic").cast(pl.Int64))
    return files | {"frame": bb.Qrels.from_frame(diverse_frame(given)), "numbers": bb.Qrels.from_frame(numbered)}


two = st.text("ab", min_size=1, max_size=2)
graded = st.sampled_from([-1.0, 0.0, 1.0, 2.0])
diverse = st.dictionaries(two, st.dictionaries(st.tuples(two, st.sampled_from("123")), graded, min_size=1), min_size=1)


@given(diverse, st.lists(two, unique=True, min_size=1), st.integers(1, 4))
@settings(max_examples=12)
def test_measures_of_subtopics_are_those_of_naive_twins_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, given: Judgments, ranking: list[str], size: int
):
    if len({subtopic for found in given.values() for _, subtopic in found}) < 2:
        return
    run = bb.Run.from_dict({query: {d: -float(i) for i, d in enumerate(ranking)} for query in given})
    rows = [[(d, s, grade) for (d, s), grade in found.items()] for found in given.values()]
    twins = [
        [
            naive.alpha_ndcg(ranking, one, 5, 1, 0.5),
            naive.err_ia(ranking, one, 5, 1),
            naive.strecall(ranking, one, 5, 1),
        ]
        for one in rows
    ]
    with pytest.MonkeyPatch.context() as patch:
        in_pieces(patch, size)
        read = diverse_qrels(tmp_path_factory.getbasetemp(), given)
    scores = {name: bb.evaluate(qrels, run, [*DIVERSE, "nDCG@5"]) for name, qrels in read.items()}
    for one in scores.values():
        assert one.ids == list(given)
        assert [list(row) for row in zip(*(one.values[name] for name in DIVERSE), strict=True)] == [
            pytest.approx(twin, abs=1e-12) for twin in twins
        ]
        assert equal(one, scores["frame"])


def test_a_document_judged_for_several_subtopics_counts_with_its_highest_grade_elsewhere(tmp_path: Path):
    given: Judgments = {"a": {("x", "1"): 0, ("x", "2"): 2, ("y", "1"): 1, ("y", "2"): 0}, "b": {("x", "1"): 1}}
    plain = bb.Qrels.from_dict({"a": {"x": 2, "y": 1}, "b": {"x": 1}})
    for qrels in diverse_qrels(tmp_path, given).values():
        one, other = (
            bb.evaluate(each, bb.Run.from_dict(HITS | {"a": {"y": 2, "x": 1}}), MEASURES) for each in (qrels, plain)
        )
        assert {name: column.tolist() for name, column in one.values.items()} == {
            name: column.tolist() for name, column in other.values.items()
        }


@pytest.mark.parametrize("size", [1, 1000])
def test_two_grades_for_one_subtopic_are_an_error_wherever_other_subtopics_stand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int
):
    in_pieces(monkeypatch, size)
    for text in ("a 0 x 1\na 0 x 2\n", "a 1 x 1\na 1 x 2\nb 2 x 1\n", "a 1 x 1\nb 2 x 1\na 1 x 2\n"):
        (tmp_path / "qrels").write_text(text)
        with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
            bb.Qrels.from_file(tmp_path / "qrels")


def test_a_measure_of_subtopics_is_refused_where_there_are_none(tmp_path: Path):
    path = written(tmp_path, "lines.trec", flat(GRADES), False)
    for qrels in (bb.Qrels.from_file(path), bb.Qrels.from_dict(GRADES)):
        with pytest.raises(InputError, match="the qrels name no subtopics"):
            bb.evaluate(qrels, bb.Run.from_dict(HITS), ["nDCG@5", "StRecall@5"])


# Data sets of ir_datasets


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Return what adds a data set of given qrels to the registry, in memory."""
    ir_datasets = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(ir_datasets.registry, "_registered", dict(ir_datasets.registry._registered))

    def add(name: str, rows: Any) -> None:
        class Judged(ir_datasets.formats.BaseQrels):  # type: ignore[misc]
            def qrels_iter(self) -> Any:
                yield from rows() if callable(rows) else rows

        ir_datasets.registry.register(name, ir_datasets.Dataset(Judged()))

    return add


def test_qrels_of_a_data_set_of_ir_datasets_are_those_of_its_rows(registered: Callable[[str, Any], None]):
    trec_rows = pytest.importorskip("ir_datasets").formats.TrecQrel
    registered("tiny", [trec_rows(query, document, grade, "Q0") for query, document, grade in flat(GRADES)])
    assert same(bb.Qrels.from_ir_datasets("tiny"), bb.Qrels.from_dict(GRADES))
    assert same(bb.Qrels.from_file("ir_datasets:tiny"), bb.Qrels.from_dict(GRADES))


def test_subtopics_of_ir_datasets_are_subtopics_and_its_iterations_are_not(registered: Callable[[str, Any], None]):
    formats = pytest.importorskip("ir_datasets").formats
    registered("subtopics", [formats.TrecSubQrel("a", "x", 1, "1"), formats.TrecSubQrel("a", "x", 2, "2")])
    registered("rounds", [formats.TrecQrel("a", "x", 1, "0.5"), formats.TrecQrel("a", "y", 2, "1")])
    run = bb.Run.from_dict({"a": {"x": 1.0}})
    assert bb.evaluate(bb.Qrels.from_ir_datasets("subtopics"), run, ["StRecall@5"]).mean() == {"StRecall@5": 1.0}
    assert bb.Qrels.from_ir_datasets("rounds").subtopics is None


def test_a_data_set_that_is_absent_or_has_no_qrels_is_refused(registered: Callable[[str, Any], None]):
    def unreachable() -> Any:
        raise ConnectionError("the network is down")

    registered("empty", [])
    registered("others", [("a", "x")])
    registered("far", unreachable)
    for name, reason in (
        ("no/such/data set", "names no data set that has qrels"),
        ("antique", "names no data set that has qrels"),
        ("others", "names no data set that has qrels"),
        ("empty", "has no judgment"),
        ("far", "cannot be read: the network is down"),
    ):
        with pytest.raises(InputError, match=f"^ir_datasets:{name} {reason}"):
            bb.Qrels.from_file(f"ir_datasets:{name}")


def test_ir_datasets_names_its_extra_where_it_is_absent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match=r"pip install 'benchbench\[ir_datasets\]'$"):
        bb.Qrels.from_file("ir_datasets:antique")
