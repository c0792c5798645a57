"""Labels that there are, as they are, and those of a judge behind them."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.options import DataSetOptions
from benchbench.formats.records import Part
from benchbench.judging.relevance.labels import human, judge_name, new_lines, read_labels, spread_sample, write_labels
from benchbench.judging.relevance.pool import hashes_of, keys_of

JUDGE = "gpt-4o/relevance.zh@1"


def data(*qrels: Path) -> DataSet:
    return DataSet("files", DataSetOptions(), Part(Path("queries.jsonl")), tuple(map(Part, qrels)))


def labels_of(found: DataSet, folder: Path) -> bytes:
    path = folder / "written.trec"
    labels = write_labels(found, path)
    assert labels.equals(read_labels(path))
    return path.read_bytes()


def test_labels_of_trec_text_stay_byte_by_byte(tmp_path: Path):
    path = tmp_path / "qrels.trec"
    text = f"# from NIST\nq1\t0\td1 2\nq2  Q0 d%20 0\nq1 {JUDGE} d3 1.5"
    path.write_text(text)
    assert labels_of(data(path), tmp_path) == f"{text}\n".encode()


@pytest.mark.parametrize("name", ["qrels.tsv", "qrels.json", "qrels.jsonl", "qrels.parquet"])
def test_labels_of_other_formats_become_trec_text(tmp_path: Path, name: str):
    path = tmp_path / name
    rows = [("q1", "d 1", 2), ("q1", "d2", 0), ("问", "d1", 1)]
    if name.endswith("tsv"):
        path.write_text("query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g}\n" for q, d, g in rows))
    elif name.endswith("json"):
        path.write_text(json.dumps({"q1": {"d 1": 2, "d2": 0}, "问": {"d1": 1}}))
    elif name.endswith("jsonl"):
        keys = ("query_id", "doc_id", "relevance")
        path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    else:
        pl.DataFrame(rows, ["query_id", "doc_id", "relevance"], orient="row").write_parquet(path)
    assert labels_of(data(path), tmp_path).decode() == "q1 0 d%201 2\nq1 0 d2 0\n问 0 d1 1\n"


def test_labels_of_several_files_follow_each_other(tmp_path: Path):
    for name, text in (("a.trec", "q1 0 d1 1\n"), ("b.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t2\n")):
        (tmp_path / name).write_text(text)
    assert labels_of(data(tmp_path / "a.trec", tmp_path / "b.tsv"), tmp_path) == b"q1 0 d1 1\nq2 0 d1 2\n"


def test_positives_of_tiered_data_are_labels(tmp_path: Path):
    path = tmp_path / "tiered.jsonl"
    positives = [{"fact_id": "c1", "fact": "甲", "tier": 1}, {"fact_id": "c 2", "fact": "乙", "tier": 3}]
    path.write_text(json.dumps({"query_id": 7, "query": {"fact": "丙"}, "positives": positives}) + "\n")
    assert labels_of(bb.locate(path), tmp_path) == b"7 0 c1 5\n7 0 c%202 3\n"


def test_what_is_wrong_with_labels_is_told_of_their_own_file(tmp_path: Path):
    path = tmp_path / "people.trec"
    path.write_text("q1 0 d1 1\nq1 0 d2 high\n")
    with pytest.raises(InputError, match=r"people.trec, line 2: the grade 'high' is not a number"):
        write_labels(data(path), tmp_path / "written.trec")


def test_labels_are_read_with_who_judged_and_with_the_keys_of_the_pool(tmp_path: Path):
    path = tmp_path / "qrels.trec"
    path.write_text(f"q1 0 d1 2\nq1 {JUDGE} d2 1\nq2 Q0 d1 -1\nq1 0 d9 0\n")
    found = read_labels(path)
    assert found["query"].to_list() == ["q1", "q1", "q2", "q1"]
    assert found["judge"].to_list() == [None, JUDGE, None, None]
    assert found["document"].to_list() == ["d1", "d2", "d1", "d9"]
    assert found["grade"].to_list() == [2, 1, -1, 0]
    keys = keys_of(hashes_of(found["query"].to_list()), hashes_of(found["document"].to_list()))
    assert np.array_equal(found["key"].to_numpy(), keys)


def test_a_file_without_a_label_has_none(tmp_path: Path):
    for text in ("", "# nobody has judged\n"):
        (tmp_path / "none.trec").write_text(text)
        assert read_labels(tmp_path / "none.trec").height == 0


def test_lines_of_a_judge_are_those_of_the_graded_pairs_in_their_order():
    pool = pl.DataFrame({"query": ["q1", "q1", "q2"], "document": ["a", "b", "a"]})
    written = b"".join(new_lines(pool, np.array([2.0, np.nan, 0.5]), JUDGE))
    assert written.decode() == f"q1 {JUDGE} a 2\nq2 {JUDGE} a 0.5\n"


def test_a_judges_name_is_one_field():
    assert judge_name("gpt 4o#mini", "relevance.zh@1") == "gpt%204o#mini/relevance.zh@1"
    assert judge_name("Qwen/Qwen3-8B", "umbrela.en@1") == "Qwen/Qwen3-8B/umbrela.en@1"


def test_labels_of_people_are_those_that_no_judge_has_made(tmp_path: Path):
    path = tmp_path / "qrels.trec"
    path.write_text(f"q1 0 d1 2\nq1 {JUDGE} d2 1\nq2 0 d1 1\nq2 0 d1 1\n")
    assert human(read_labels(path)).select("query", "document", "grade").rows() == [("q1", "d1", 2), ("q2", "d1", 1)]


def test_a_sample_has_as_many_of_each_grade_as_there_can_be(tmp_path: Path):
    path = tmp_path / "qrels.trec"
    path.write_text("".join(f"q{n % 7} 0 d{n} {0 if n % 50 else 3 if n % 100 else 1}\n" for n in range(1000)))
    labels = read_labels(path)
    found = spread_sample(labels, 60, 3)
    assert Counter(found["grade"].to_list()) == {0.0: 40, 1.0: 10, 3.0: 10}
    assert found.equals(spread_sample(labels, 60, 3))
    assert not found.equals(spread_sample(labels, 60, 4))
    shuffled = labels.sample(fraction=1, shuffle=True, seed=1)
    assert set(spread_sample(shuffled, 60, 3)["key"]) == set(found["key"])
    assert spread_sample(labels, 5000, 3).equals(labels)


def test_labels_of_a_beir_folder_are_scored_as_before(shared_data: Path, tmp_path: Path):
    folder = shared_data / "scifact"
    path = tmp_path / "qrels.trec"
    write_labels(bb.locate(folder), path)
    assert bb.Qrels.from_file(path).digest == bb.Qrels.from_file(folder / "qrels" / "test.tsv").digest
