"""What was seen in an index, printed; the command's tests see the rest."""

from typing import Any

import orjson
import pytest

from benchbench.client.documents import Page
from benchbench.index.look import Looked
from benchbench.index.validate import Cited, Validation
from benchbench.report import index as report
from benchbench.tables.documents import Document


def looked(*documents: Document, **categories: int) -> Looked:
    return Looked("here", Page(len(documents), list(documents), categories or None))


@pytest.mark.parametrize(("output", "said"), [("text", ""), ("jsonl", ""), ("csv", ""), ("markdown", "")])
def test_nothing_found_is_nothing_printed(output: str, said: str):
    assert report.documents(looked(), output) == said


def test_json_says_that_nothing_was_found():
    value = orjson.loads(report.documents(looked(), "json", query="x"))
    assert value == {"index": "here", "query": "x", "total": 0, "documents": []}


def test_a_bar_in_a_name_does_not_end_a_cell_of_markdown():
    lines = report.documents(looked(Document("a|b")), "markdown").splitlines()
    assert lines[2] == r"| a\|b | (none) | a\|b |"


def test_columns_of_csv_are_those_of_all_rows():
    rows = report.documents(looked(Document("a"), Document("b", text="t", score=1.0)), "csv").splitlines()
    assert rows == ["id,name,file,category,text,score", "a,,,,,", "b,,,,t,1.0"]


def test_equal_categories_are_in_the_order_of_their_names():
    rows = [orjson.loads(line) for line in report.categories(looked(b=1, a=1, c=2), "jsonl").splitlines()]
    assert [row["category"] for row in rows] == ["c", "a", "b"]


def test_of_many_truths_without_a_document_ten_are_named():
    found = Validation(12, 3, [], tuple(range(1, 13)))
    said = "Truths that cite no document: 12 (questions 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"
    assert report.validation(found, "here", "text").splitlines()[-1] == said


@pytest.mark.parametrize("output", ["text", "markdown"])
def test_what_is_found_is_not_listed_for_people(output: str):
    cited = Cited("Part 36", "", (1,), (Document("a", "Part 36"),))
    printed = report.validation(Validation(1, 1, [cited], ()), "here", output)
    assert "Part 36" not in printed
    whole: dict[str, Any] = orjson.loads(report.validation(Validation(1, 1, [cited], ()), "here", "json"))
    assert whole["citations"][0]["ids"] == ["a"]
