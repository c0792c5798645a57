"""Configurations of an evaluation in three pillars: TOML, JSON, and those of an assistant's evaluation."""

from pathlib import Path
from typing import Any

import orjson

from benchbench.formats.evaluation_config import ContextsConfig, read_evaluation_config

OWN = Path(__file__).with_name("own_evaluation.toml").read_text(encoding="utf-8")


def written(folder: Path, name: str, text: str | dict[str, Any]) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else orjson.dumps(text))
    return path


def test_what_a_file_leaves_out_is_the_default_and_paths_are_relative_to_it(tmp_path: Path):
    found = read_evaluation_config(written(tmp_path, "own.toml", OWN))
    assert (found.name, found.language, found.law, found.cutoff) == ("law", "ja", "jp", 3)
    assert (found.data, found.answers) == (tmp_path / "questions.jsonl", tmp_path / "answers.jsonl")
    assert found.contexts == ContextsConfig(tmp_path / "laws.jsonl", top_k=7, analysis="words", k1=1, b=0.5)
    assert found.weights == {"retrieval": 0.0, "generation": 0.0, "domain": 1.0}
    assert found.pillars == {"generation": ("faithfulness",)}
    assert (found.good, found.acceptable, found.beside, found.is_assistants) == (0.9, 0.5, None, False)
    assert found.given == ("name", "data", "language", "cutoff", "answers", "contexts", "weights", "pillars", "bands")


def test_json_says_the_same(tmp_path: Path):
    value = {"data": "questions.jsonl", "target": {"url": "http://127.0.0.1/ask", "answer": "text"}}
    found = read_evaluation_config(written(tmp_path, "own.json", value))
    assert (found.data, found.weights["retrieval"]) == (tmp_path / "questions.jsonl", 0.2)
    assert found.target is not None
    assert (found.target.url, found.target.answer) == ("http://127.0.0.1/ask", "text")
    assert found.target.context == "context.data_points.text"


def test_a_file_with_testdata_path_is_an_assistants(tmp_path: Path):
    value = {"testdata_path": "truth.jsonl", "requested_metrics": ["gpt_relevance", "latency"], "new": 1}
    found = read_evaluation_config(written(tmp_path, "own.json", value))
    assert found.is_assistants
    assert found.target is not None
    assert (found.target.judged, found.target.metrics) == (("gpt_relevance",), ("latency",))
    assert (found.data, found.language, found.law) == (tmp_path / "truth.jsonl", "en", "uk")
    assert found.notes == (f"{tmp_path / 'own.json'}: the key `new` has no effect here",)
