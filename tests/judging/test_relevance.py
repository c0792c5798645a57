"""Labels by a judge, on real data and through interruptions."""

import json
import signal
import threading
import tracemalloc
from collections.abc import Mapping
from pathlib import Path

import pytest
from chat_server import ChatServer, Send
from command_line import process, said
from data_sets import write_lines
from pair_judges import beir, by_texts, by_words, noisy, qrels_file, run_file

import benchbench as bb
from benchbench.answers.judges.rubric import rubric
from benchbench.client.chat import ChatModel
from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.judging.relevance import pair_texts
from benchbench.judging.relevance.pair_texts import Spool
from benchbench.judging.relevance.pairs import PairsToJudge, ReadyPairs
from benchbench.judging.relevance.run import judge_relevance, planned_relevance
from benchbench.judging.settings import JudgeSettings
from benchbench.serve.bm25 import BM25
from benchbench.tables.bm25_options import BM25Options
from benchbench.tables.collection import Collection

Hits = dict[str, list[str]]

_BEGIN = 150  # characters by which a text is known


def settings(server: ChatServer, scale: int = 3, **others: object) -> JudgeSettings:
    model = ChatModel("judge-1", server.url, concurrency=8)
    return JudgeSettings(rubric("relevance", "en", scale), model, repeat=1, **others)  # type: ignore[arg-type]


def judged(path: Path) -> dict[tuple[str, str], int]:
    rows = (line.split("\t") for line in path.read_text().splitlines()[1:])
    return {(query, document): int(grade) for query, document, grade in rows}


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
def test_an_unlabelled_folder_gets_the_labels_of_its_judge(shared_data: Path, tmp_path: Path):
    """What the judge said stands in the labels, the planted noise too."""
    scifact = shared_data / "scifact"
    grades = {pair: 3 * grade for pair, grade in judged(scifact / "qrels" / "test.tsv").items()}
    folder = tmp_path / "unlabelled"
    folder.mkdir()
    (folder / "queries.jsonl").symlink_to(scifact / "queries.jsonl")
    queries = first_queries(scifact / "queries.jsonl", 20)
    rows = map(json.loads, (scifact / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    relevant = {document for _, document in grades}
    kept = [row for n, row in enumerate(rows) if n < 300 or row["_id"] in relevant]
    documents = {f"{row['title']} {row['text']}"[:_BEGIN]: row["_id"] for row in kept}
    hits = retrieved(read_collection(write_lines(folder / "corpus.jsonl", kept)), queries, BM25Options(), 5)
    run = run_file(tmp_path / "bm25.run", hits)
    script = by_texts({text: query for query, text in queries.items()}, documents, grades, 7, 3)
    with ChatServer(script) as server:
        found = judge_relevance(PairsToJudge(folder, [run], depth=5), settings(server))
    pairs = {(query, document) for query, some in hits.items() for document in some}
    said_of = {(q, d): g for q, d, g in found.table("labels").select("query", "document", "grade").iter_rows()}
    assert said_of == {one: noisy(grades, *one, 7, 3) for one in pairs}
    assert sum(grade == 3 for grade in said_of.values()) > 10
    assert found.of_pairs.labels.made == server.calls == len(pairs)


@pytest.mark.slow  # real data
def test_the_holes_of_two_retrievers_on_cacm_are_those_that_a_comparison_has(shared_data: Path, tmp_path: Path):
    cacm = shared_data / "cacm"
    queries = first_queries(cacm / "queries.jsonl", 25)
    documents = read_collection(cacm / "corpus.jsonl")
    runs = {}
    for name, options in (("usual", BM25Options()), ("long", BM25Options(k1=2.5, b=0.9))):
        runs[name] = run_file(tmp_path / f"{name}.run", retrieved(documents, queries, options, 10))
    given = PairsToJudge(bb.locate(cacm), runs, holes=True, measures=["nDCG@10", "P@5"], compare_sample=0)
    script = by_texts(
        {text.strip()[:60].splitlines()[0]: query for query, text in queries.items()}, {}, {}, 3, 1
    )  # grades go by the noise alone
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


@pytest.mark.slow  # kills a process
def test_after_a_kill_only_what_was_in_flight_is_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data, run = beir(tmp_path / "data", 20, 30), run_file(tmp_path / "a.run", HITS)
    good, answered, places = by_words(GRADES), 60, 4
    arrived = threading.Event()
    with ChatServer(lambda call, request: good(call, request) if call < answered else Send(never=True)) as server:
        line = [
            "judge", "relevance", run, "--dataset", data, "--model", "m", "--base-url", server.url, "--repeat", 1,
            "--cache", tmp_path / "cache.sqlite", "--concurrency", places, "--quiet",
        ]  # fmt: skip
        server.came.append((answered + places, arrived.set))
        with process(*line, "--out", tmp_path / "first") as running:
            assert arrived.wait(60)
            running.send_signal(signal.SIGKILL)
        assert not (tmp_path / "first").exists()
        server.script = good
        assert said(capsys, *line, "--out", tmp_path / "second").code == 0
        assert server.calls <= 200 + places
    whole = [line.split() for line in (tmp_path / "second" / "qrels.trec").read_text().splitlines()]
    assert [(q, d) for q, _, d, _ in whole] == [(q, d) for q, some in HITS.items() for d in some]
    assert {(q, d) for q, _, d, grade in whole if grade == "3"} == GRADES.keys() & {
        (q, d) for q, some in HITS.items() for d in some
    }


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


@pytest.fixture
def strange(tmp_path: Path) -> PairsToJudge:
    run = run_file(tmp_path / "a.run", {"17": ["x"]})
    return PairsToJudge(beir(tmp_path / "data"), [run])


def test_files_of_two_data_sets_are_refused_before_anything_is_paid(strange: PairsToJudge):
    with ChatServer(by_words({})) as server:
        with pytest.raises(InputError, match=r"queries.jsonl has no query of the pairs, such as 17; are these files"):
            judge_relevance(strange, settings(server))
        assert server.calls == 0
