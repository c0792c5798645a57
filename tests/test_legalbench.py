"""LegalBench-RAG's questions about contracts, end to end: chunks, retrieval, passages, and the plain-Python twin."""

import json
import math
from pathlib import Path
from typing import Any

import naive_passages
import pytest
from command_line import said

from benchbench.answers.passage_metrics import score
from benchbench.formats.collection import read_collection
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.prepare.chunks import Cut, write_chunks
from benchbench.serve.bm25 import BM25
from benchbench.tables.passages import Place


@pytest.fixture(scope="session")
def legalbench(shared_data: Path) -> Path:
    return shared_data / "legalbench-rag"


def retrieved(folder: Path, queries: list[str]) -> list[dict[str, Any]]:
    """Return ten passages of a prepared data set for each query, by our BM25."""
    collection = read_collection(folder / "collection.jsonl")
    index, predictions = BM25(collection), []
    for query in queries:
        passages = []
        for number in index.search(query, 10)[0].tolist():
            place = Place.parse(collection.ids[number])
            assert place is not None
            passages.append({"text": collection.texts[number], "file_path": place.file, "span": list(place[1:])})
        predictions.append({"query": query, "retrieved_passages": passages})
    return predictions


@pytest.mark.slow  # 326 questions beside all chunks, in plain Python
def test_questions_are_scored_as_by_plain_python(legalbench: Path, tmp_path: Path):
    whole, benchmark = legalbench / "benchmarks" / "contractnli.json", tmp_path / "benchmark.json"
    gold = {"tests": json.loads(whole.read_bytes())["tests"][::3]}
    benchmark.write_text(json.dumps(gold))
    write_chunks(legalbench / "corpus", benchmark, tmp_path / "data", Cut(500, 100))
    predictions = retrieved(tmp_path / "data", [test["query"] for test in gold["tests"]])
    file = tmp_path / "predictions.json"
    file.write_text(json.dumps(predictions))
    answers, found = read_gold(benchmark), read_predictions(file)
    scores = score(answers, found)
    twin = naive_passages.scores(predictions, gold, 10, "gold")
    assert len(twin) == len(scores.queries) == 326
    for column, expected in zip(scores.values.values(), zip(*twin, strict=True), strict=True):
        assert column == pytest.approx(list(expected), abs=1e-12)
        assert 0 <= min(column) <= max(column) <= 1
    # With the seed's ideal all numbers are the seed's: how it takes white space makes no difference on these texts.
    texts = [{**one, "retrieved_passages": [each["text"] for each in one["retrieved_passages"]]} for one in predictions]
    seed = naive_passages.scores(texts, gold, 10, "retrieved", naive_passages.as_seed)
    means = list(score(answers, found, ideal="retrieved").means.values())[:4]
    assert means == pytest.approx([math.fsum(column) / 326 for column in zip(*seed, strict=True)], abs=1e-12)


@pytest.mark.slow  # real data, and a run over them
def test_the_results_of_a_run_are_predictions(capsys, legalbench: Path, tmp_path: Path):
    """The commands of docs/passages.md, with 25 questions."""
    gold = json.loads((legalbench / "benchmarks" / "contractnli.json").read_bytes())
    benchmark = tmp_path / "benchmark.json"
    benchmark.write_text(json.dumps({"tests": gold["tests"][:25]}))
    data, results = tmp_path / "data", tmp_path / "results"
    code, output, _ = said(capsys, "prepare", "legalbench-rag", legalbench / "corpus", benchmark, "--out", data)
    assert (code, output.splitlines()[1].startswith("25 queries with ")) == (0, True)
    code, *_ = said(capsys, "run", "--dataset", data, "--out", results, "-q")
    assert code == 0
    code, output, _ = said(capsys, "passages", results, benchmark, "--format", "json", "--per-query")
    queries = [test["query"] for test in gold["tests"][:25]]
    twin = naive_passages.scores(retrieved(data, queries), {"tests": gold["tests"][:25]}, 10, "gold")
    assert code == 0
    assert [list(row.values()) for row in json.loads(output)["per_query"].values()] == [
        pytest.approx(row, abs=1e-12) for row in twin
    ]
