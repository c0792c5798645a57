"""Tasks by labels on real data, through whole runs: contracts by span and by file, Japanese law by its statutes."""

import json
import re
from pathlib import Path
from typing import Any

import embedded
import measured_labels
import polars as pl
import pytest
from command_line import said
from data_sets import write_lines

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
    assert "sign flips of" in (out / "record.json").read_text("utf-8")
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
