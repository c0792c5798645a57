"""Labels by a judge, on real data; and those that there are, as they are, with those of a judge behind them."""

import json
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from chat_server import ChatServer, verdicts
from pair_judges import beir, by_words, qrels_file, run_file

import benchbench as bb
from benchbench.answers.judges.rubric import rubric
from benchbench.chat.model import ChatModel
from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.records import Part
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.judging.relevance import pair_texts
from benchbench.judging.relevance.labels import (
    add_labels,
    human,
    judge_name,
    label_frames,
    read_labels,
    spread_sample,
    write_labels,
)
from benchbench.judging.relevance.pair_texts import Spool
from benchbench.judging.relevance.pairs import PairsToJudge, ReadyPairs
from benchbench.judging.relevance.pool import hashes_of, keys_of
from benchbench.judging.relevance.relevance_run import judge_relevance, planned_relevance
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

Hits = dict[str, list[str]]


def settings(server: ChatServer, scale: int = 3, **others: object) -> JudgeSettings:
    model = ChatModel("judge-1", server.url, concurrency=8)
    return JudgeSettings(rubric("relevance", "en", scale), model, repeat=1, **others)  # type: ignore[arg-type]


def retrieved(
    documents: Collection, queries: Mapping[str, str], options: BM25Options, depth: int
) -> dict[str, list[str]]:
    index = BM25(documents, options)
    return {
        query: [documents.ids[one] for one in index.search(text, depth)[0].tolist()] for query, text in queries.items()
    }


def first_queries(path: Path, most: int) -> dict[str, str]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:most])
    return {row["_id"]: row["text"] for row in rows}


@pytest.mark.slow  # real data
def test_the_holes_of_two_retrievers_on_cacm_are_those_that_a_comparison_has(shared_data: Path, tmp_path: Path):
    cacm = shared_data / "cacm"
    queries = first_queries(cacm / "queries.jsonl", 25)
    documents = read_collection(cacm / "corpus.jsonl")
    runs = {}
    for name, options in (("usual", BM25Options()), ("long", BM25Options(k1=2.5, b=0.9))):
        runs[name] = run_file(tmp_path / f"{name}.run", retrieved(documents, queries, options, 10))
    given = PairsToJudge(bb.locate(cacm), runs, holes=True, measures=["nDCG@10", "P@5"], compare_sample=0)
    script = verdicts(lambda asked: {"rationale": "", "relevance": zlib.crc32(asked.encode()) % 3 // 2})
    with ChatServer(script) as server:
        found = judge_relevance(given, settings(server, 1))
    cases = {(one.measure, one.labels): one for one in found.of_pairs.holes}
    qrels = bb.Qrels.from_file(cacm / "qrels" / "test.tsv")
    compared = bb.compare(qrels, {name: bb.scan_run(path) for name, path in runs.items()}, ["nDCG@10", "P@5"], moved=0)
    known = {(one.name, one.scope.get("system")): one.value for one in compared.record.numbers}
    for measure in ("nDCG@10", "P@5"):
        before, after = cases[measure, "before"], cases[measure, "after"]
        assert before.worst == pytest.approx(known[f"worst {measure}", "long"])
        assert before.best == pytest.approx(known[f"best {measure}", "long"])
        assert after.worst == after.mean == after.best
        assert before.worst <= after.mean <= before.best
    assert found.of_pairs.labels.people == qrels.document.size
    assert found.of_pairs.labels.made == server.calls == found.of_pairs.pool.asked


GRADES = {(f"q{n}", f"d{n}"): 3 for n in range(20)}
HITS = {f"q{n}": [f"d{(n + k) % 30}" for k in range(10)] for n in range(20)}


@pytest.mark.slow  # a large pool
def test_texts_of_a_large_pool_are_not_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """300 documents of 100,000 characters, each for three queries, within a tenth of the memory of their texts."""
    monkeypatch.setattr(pair_texts, "_IN_MEMORY", 1 << 20)
    data = beir(tmp_path / "data", 3, 1)
    with (data / "corpus.jsonl").open("w") as file:
        for n in range(300):
            file.write(json.dumps({"_id": f"d{n}", "text": f"{n} " + "x" * 100_000}) + "\n")
    run = run_file(tmp_path / "a.run", {f"q{q}": [f"d{n}" for n in range(300)] for q in range(3)})
    given = PairsToJudge(data, [run], depth=300)
    with Spool(tmp_path) as spool:
        ReadyPairs(PairsToJudge(data, [run], depth=1), 0, tmp_path, spool)  # what is loaded and compiled once
    tracemalloc.start()
    with Spool(tmp_path) as spool:
        ready = ReadyPairs(given, 0, tmp_path, spool)
        assert sum(len(one.fields["document"]) for one in ready.items()) > 90_000_000
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000


def test_without_a_folder_labels_are_in_memory(tmp_path: Path):
    data, run = beir(tmp_path / "data", 20, 30), run_file(tmp_path / "a.run", HITS)
    people = qrels_file(tmp_path / "people.trec", {("q1", "d1"): 1})
    with ChatServer(by_words(GRADES)) as server:
        given = PairsToJudge(
            bb.locate(queries=data / "queries.jsonl", collection=data / "corpus.jsonl", qrels=people),
            {"a": run},
            depth=3,
        )
        found = judge_relevance(given, settings(server))
        assert planned_relevance(given, settings(server)).items == 60
    labels = found.table("labels")
    assert labels.columns == ["query", "document", "grade", "judge", "rationale", "is_new"]
    assert labels.row(0) == ("q1", "d1", 1.0, None, None, False)
    assert labels.height == 60
    assert found.qrels.judges == {}
    assert found.table("verdicts").height == 60
    score = bb.evaluate(found.qrels, bb.Run.from_file(run), "P@3").mean()["P@3"]
    assert score == pytest.approx(1 / 3)
    bb.load(found.save(tmp_path / "saved"))


def test_a_run_is_named_by_its_file(tmp_path: Path):
    data = beir(tmp_path / "data")
    (tmp_path / "a").mkdir()
    paths = [run_file(tmp_path / "x.run", HITS), run_file(tmp_path / "a" / "x.run", HITS)]
    assert list(PairsToJudge(data, paths).files) == ["x.run", "x.run (2)"]


def test_files_of_two_data_sets_are_refused_before_anything_is_paid(tmp_path: Path):
    strange = PairsToJudge(beir(tmp_path / "data"), [run_file(tmp_path / "a.run", {"17": ["x"]})])
    with ChatServer(by_words({})) as server:
        with pytest.raises(InputError, match=r"queries.jsonl has no query of the pairs, such as 17; do these files"):
            judge_relevance(strange, settings(server))
        assert server.calls == 0


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


def test_lines_of_a_judge_are_those_of_the_graded_pairs_in_their_order(tmp_path: Path):
    pool = pl.DataFrame({"query": ["q1", "q1", "q2"], "document": ["a", "b", "a"]})
    path, no_reasons = tmp_path / "qrels.trec", np.full(3, -1)
    path.write_text("q0 0 a 1\n")
    with Spool() as spool:
        frames = label_frames(read_labels(path), pool, np.array([2.0, np.nan, 0.5]), no_reasons, spool, JUDGE)
        table = add_labels(path, frames, None)
    assert path.read_text() == f"q0 0 a 1\nq1 {JUDGE} a 2\nq2 {JUDGE} a 0.5\n"
    assert table is not None
    assert table["is_new"].to_list() == [False, True, True]


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
