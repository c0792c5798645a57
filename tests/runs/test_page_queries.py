"""A page of a run shows of each query the text that was asked, whatever the file of queries looks like."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import makes
import pytest
import services
from cases import first_of
from makes import SMALL

import benchbench as bb
from benchbench.runs.page import run_page
from benchbench.tables.fields import QUERY_TEXTS

_OTHER = {"fact_id": "c1", "fact": "another case"}


def _tiered(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": makes.json_lines(folder / "tiered.jsonl", [{**row, "positives": [_OTHER]} for row in rows])}


def _beir(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    made = makes.MAKES["beir"](folder, SMALL)
    makes.json_lines(folder / "queries.jsonl", rows)
    return made


def _topics(folder: Path, content: str, name: str = "topics.xml") -> dict[str, Any]:
    made = makes.MAKES["trec, XML"](folder, SMALL)
    made["queries"].unlink()
    made["queries"] = folder / name
    made["queries"].write_text(content)
    return made


FILES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "a topic with a title and a question": lambda folder: _topics(
        folder, "<topic number='q1'><title>appeals</title><question>who may appeal?</question></topic>"
    ),
    "tiered with an id of another name": lambda folder: _tiered(
        folder, [{"id": "a", "query": {"fact": "theft"}}, {"_id": "b", "query_id": 7, "query": {"fact": "fraud"}}]
    ),
    "tiered with a title beside the text": lambda folder: _tiered(
        folder, [{"query": {"query": "short", "fact": "a long story"}}]
    ),
    "an object that is not the query": lambda folder: _beir(
        folder, [{"_id": "q1", "text": "who may appeal", "query": {"text": "of the user"}}]
    ),
    "a query twice that nobody judged": lambda folder: _beir(
        folder, [*makes.texts({"q1": "appeals", "x": "first"}), {"_id": "x", "text": "second"}]
    ),
    "an empty field beside the text": lambda folder: _topics(
        folder, "qid,query,text\nq1,,who may appeal\n2,duties,of a carrier\n", "topics.csv"
    ),
    **{
        f"a member {name}": lambda folder, name=name: _beir(folder, makes.texts(SMALL.queries, "qid", name))
        for name in QUERY_TEXTS
    },
}


@pytest.mark.parametrize("name", first_of(*FILES, first=7))
def test_what_was_asked_is_shown(tmp_path: Path, name: str) -> None:
    data = bb.locate(**FILES[name](tmp_path / "data"))
    with services.running(services.no_hits) as service:
        bb.run(bb.Settings(data, url=service.url)).save(tmp_path / "out")
        asked = [text for message in service.messages for text in message["queries"]]
    page = run_page(bb.load(tmp_path / "out"))
    assert page is not None
    assert page.texts.why == ""
    assert sorted(page.texts.whole[query] for query in page.ids) == sorted(asked)
