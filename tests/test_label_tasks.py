"""Tasks by labels on real data, through whole runs: contracts by span and by file, Japanese law by its statutes."""

import json
import math
import re
from pathlib import Path
from typing import Any

import embedded
import measured_labels
import naive_passages
import polars as pl
import pytest
from command_line import said
from data_sets import write_lines

from benchbench.answers.passage_metrics import score
from benchbench.formats.collection import read_collection
from benchbench.formats.legalbench_rag import read_gold, read_predictions
from benchbench.prepare.chunks import Cut, write_chunks
from benchbench.serve.bm25 import BM25
from benchbench.tables.passages import Place

EVERY = 96  # the plain-Python twin compares each question with each chunk


STATUTES = (
    "statute=overlap(meta.law)",
    "all=contains(meta.law)",
    "one=equal(meta.law)",
    "book=equal(meta.book)",
    "half=overlap(meta.law, jaccard=0.5)",
)


@pytest.fixture(scope="session")
def contracts(shared_data: Path) -> Path:
    return shared_data / "legalbench-rag"


@pytest.fixture(scope="session")
def questions(shared_data: Path) -> list[dict[str, Any]]:
    """Return a third of the four-choice questions on Japanese law."""
    file = shared_data / "lawqa-jp" / "selection.json"
    return list(json.loads(file.read_bytes())["samples"][::3])


@pytest.mark.slow  # 22,000 chunks
def test_contracts_are_measured_by_span_and_by_file(
    capsys, monkeypatch: pytest.MonkeyPatch, contracts: Path, tmp_path: Path
):
    """A chunk is a positive where it has a character of a snippet, so gold and spans have the same values."""
    embedded.in_this_process(monkeypatch)
    tests = json.loads((contracts / "benchmarks" / "contractnli.json").read_bytes())["tests"][::EVERY]
    benchmark, data, out = (tmp_path / name for name in ("benchmark.json", "data", "out"))
    benchmark.write_text(json.dumps({"tests": tests}))
    command = ("prepare", "legalbench-rag", contracts / "corpus", benchmark, "--chunk-size", 400, "--overlap", 100)
    assert said(capsys, *command, "--out", data).code == 0
    wide, same = "wide=span(meta.spans, least=50)", 'same=equal({query = "meta.document", hit = "meta.file"})'
    assert said(capsys, "run", "--dataset", data, "--task", wide, "--task", same, "--out", out).code == 0
    assert " groups of " in (out / "record.json").read_text("utf-8")
    per_query = measured_labels.check(data, out, ("span", "contract", "wide", "same"), (3, 5, 10), wide, same)
    assert len(per_query) == len(tests)
    assert pl.read_parquet(out / "hits.parquet")["wide"].sum() < pl.read_parquet(out / "hits.parquet")["span"].sum()
    for measure in ("P", "R", "Success", "nDCG", "RR"):
        for k in (3, 5, 10):
            of_spans = per_query[f"span.{measure}@{k}"].to_list()
            assert per_query[f"gold.{measure}@{k}"].to_list() == pytest.approx(of_spans, abs=1e-12)
            assert per_query[f"same.{measure}@{k}"].equals(per_query[f"contract.{measure}@{k}"])


@pytest.mark.slow  # 47 questions beside their articles by five rules, in plain Python
def test_questions_on_japanese_law_are_measured_by_its_statutes(
    capsys, monkeypatch: pytest.MonkeyPatch, questions: list[dict[str, Any]], tmp_path: Path
):
    """The articles that come with the questions are the collection; a label is their law, another the book."""
    embedded.in_this_process(monkeypatch)
    articles: dict[str, dict[str, Any]] = {}
    lines = []
    for number, sample in enumerate(questions, 1):
        book = sample["ファイル名"].partition("_")[0]
        found = re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", sample["コンテキスト"], flags=re.MULTILINE)
        for law, text in found:
            for article in re.split(r"^(?=### )", text, flags=re.MULTILINE):
                if article.strip():
                    meta = {"law": law.strip(), "book": book}
                    articles.setdefault(article, {"_id": f"a{len(articles)}", "text": article, "meta": meta})
        meta = {"law": [law.strip() for law, _ in found], "book": book}
        lines.append({"query_id": f"q{number}", "query": {"text": sample["問題文"], "meta": meta}})
    write_lines(tmp_path / "tiered.jsonl", lines)
    write_lines(tmp_path / "collection.jsonl", list(articles.values()))
    options = [option for text in STATUTES for option in ("--task", text)]
    names = [text.partition("=")[0] for text in STATUTES]
    out = tmp_path / "out"
    assert said(capsys, "run", "--dataset", tmp_path, *options, "-k", "3,10", "--out", out).code == 0
    per_query = measured_labels.check(tmp_path, out, tuple(names), (3, 10), *STATUTES)
    assert len(per_query) == 47
    assert all(0 < per_query[f"{name}.P@10"].mean() < 1 for name in names)


# LegalBench-RAG's questions about contracts, end to end: chunks, retrieval, passages, and the plain-Python twin


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
