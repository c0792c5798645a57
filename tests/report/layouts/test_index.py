"""What was seen in an index, drawn; the command's tests see the rest."""

from typing import Any

import orjson
import pytest
from any_result import UNBROKEN

from benchbench.client.document_pages import Page
from benchbench.index.look import Looked
from benchbench.index.validate import Cited, Validation
from benchbench.report.draw import draw, rendered
from benchbench.report.layouts.index import documents
from benchbench.tables.documents import Document


def looked(*documents: Document, **categories: int) -> Looked:
    return Looked("here", Page(len(documents), list(documents), categories or None))


def listed(found: Looked, form: str, **asked: Any) -> str:
    return rendered(None, documents(found, **asked), form)


def cited(name: str, *ids: str) -> Cited:
    return {
        "name": name,
        "section": None,
        "questions": [1],
        "found": bool(ids),
        "ids": [*ids],
        "section_checked": True,
        "near": [],
    }


@pytest.mark.parametrize("form", ["text", "jsonl", "csv", "markdown", "latex"])
def test_nothing_found_is_nothing_printed(form: str):
    assert "NOTHING" not in (shown := listed(looked(), form))
    assert shown == ("here: 0 of 0 documents.\n" if form == "text" else "")


def test_json_says_that_nothing_was_found():
    value = orjson.loads(listed(looked(), "json", query="x"))
    assert value == {"index": "here", "query": "x", "total": 0, "documents": []}


def test_a_bar_in_a_name_does_not_end_a_cell_of_markdown():
    lines = listed(looked(Document("a|b")), "markdown").splitlines()
    assert lines[2] == r"| a\|b | (none) | a\|b |"


def test_columns_of_csv_are_those_of_all_rows():
    rows = listed(looked(Document("a"), Document("b", text="t", score=1.0)), "csv").splitlines()
    assert rows == ["id,name,file,category,text,score", "a,,,,,", "b,,,,t,1.0"]


def test_of_many_truths_without_a_document_ten_are_named():
    found = Validation(questions=12, documents=3, cited=[], citing_none=list(range(1, 13)))
    said = "Truths that cite no document: 12 (questions 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"
    assert f"\nNote        {said}\n" in draw(found, "text", UNBROKEN)


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_what_is_found_is_not_listed_for_people(form: str):
    found = Validation(questions=1, documents=1, cited=[cited("Part 36", "a")], citing_none=[])
    assert "Part 36" not in draw(found, form, UNBROKEN)
    whole: dict[str, Any] = orjson.loads(draw(found, "json"))
    assert whole["citations"][0]["ids"] == ["a"]


def test_a_citation_from_outside_is_text_on_a_page():
    found = Validation(questions=1, documents=1, cited=[cited("<script>")], citing_none=[], index="<b>held")
    page = draw(found, "html")
    assert "[&lt;script&gt;]" in page
    assert "<script>" not in page
    assert "<b>held" not in page
