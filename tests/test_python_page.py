"""The examples of docs/python.md, run in order."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import services
from aiohttp import web

import benchbench as bb
from benchbench.answers.metrics import METRICS
from benchbench.formats.collection import read_collection

PAGE = Path(__file__).resolve().parents[1] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def own_metrics() -> Iterator[None]:
    yield
    METRICS.pop("exclamations", None)


def example(start: str) -> str:
    (found,) = (one for one in EXAMPLES if start in one)
    return str(found)


@pytest.mark.slow  # a run over the shipped data set
def test_the_first_example_measures_a_service():
    collection = bb.locate("synthetic-cases").collection
    assert collection is not None
    names: dict[str, Any] = {}
    with services.running(services.searching(read_collection(collection))) as service:
        exec(example("url=").replace("http://127.0.0.1:8000", service.url), names)
    assert names["result"].counts["failed"] == 0


def test_a_data_set_is_located_and_what_it_does_not_have_is_an_exception():
    names: dict[str, Any] = {"bb": bb}
    exec(example("data.make"), names)
    assert names["data"].make == "tiered"
    exec(example("except bb.InputError"), names)
    assert "--split" in names["reason"]


@pytest.mark.slow  # two runs over the shipped data set
def test_a_function_over_bm25s_is_measured_and_so_is_one_over_vectors():
    names: dict[str, Any] = {}
    exec(example("import bm25s"), names)
    lexical = names["result"]
    assert lexical.counts["failed"] == 0
    assert lexical.counts["self_hits"] > 0
    assert lexical.counts["positive_hits"] > 0
    collection = names["collection"]

    def vectors(texts: list[str]) -> Any:
        counted = np.zeros((len(texts), 512))
        for row, text in zip(counted, texts, strict=True):
            np.add.at(row, [ord(one) % 512 for one in text], 1.0)
        return counted / np.linalg.norm(counted, axis=1, keepdims=True)

    names |= {"np": np, "vectors": vectors, "documents": vectors(collection.texts), "ids": np.array(collection.ids)}
    exec(example("def dense"), names)
    dense = names["result"]
    assert dense.counts["hits"] == 20 * len(dense.queries)
    assert dense.counts["positive_hits"] > 0


def test_answers_and_passages_are_scored_and_metrics_of_ones_own_registered(own_metrics: None):
    names: dict[str, Any] = {"bb": bb}
    exec(example("score_answers"), names)
    assert names["answers"].gates[0].said == "latency>2s passed with 0.8 s"
    assert names["passages"].means["recall@5"] == 1.0
    exec(example("answer_metric"), names)
    rows = [{"question": "a?", "truth": "b", "answer": "c!!"}]
    (line,) = bb.score_answers(rows, "exclamations").found.metrics.values()
    assert line.mean == 2.0


def test_an_assistant_is_asked_with_questions_in_memory_and_a_url():
    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return web.json_response({"message": {"content": "Yes!"}, "context": {"data_points": {"text": ["a"]}}})

    with services.running(answer) as service:
        settings = bb.AnswersSettings(
            [{"question": "May I?", "truth": "Yes."}],  # type: ignore[list-item]
            service.url,  # type: ignore[arg-type]
            metrics="answer_length",  # type: ignore[arg-type]
            fail_if="answer_length>3",  # type: ignore[arg-type]
        )
        outcome = bb.run_answers(settings)
    assert outcome.complete
    assert outcome.subject == service.url
    assert [one.failure is None for one in outcome.gates] == [False]


def test_a_function_is_measured_where_a_loop_is_running():
    async def cell() -> Any:
        return bb.run(bb.Settings("synthetic-cases", retriever=lambda q, k: [[("a", 1.0)] for _ in q]))  # type: ignore[arg-type]

    assert asyncio.run(cell()).counts["failed"] == 0
