"""Citations of documents."""

import pytest
from cases import tables

from benchbench.answers.citations.document_citations import blanked, documents, marks

TABLES = tables(__file__)


@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        ("[Part 36#page=Offers to Settle]", "Part 36", ("Offers to Settle",)),
        ("[General Rules about Costs]", "General Rules about Costs", ()),
        ("[file.pdf#page=3]", "file.pdf", ("3",)),
        ("[CPR  Part 75 ]", "CPR Part 75", ()),
    ],
)
def test_a_document_is_its_name_and_its_section(text, name, path):
    (one,) = documents(f"as said {text}.")
    assert one.key == ("document", name, path)
    assert f"as said {text}."[one.start : one.end] == text


@pytest.mark.parametrize("text", TABLES["none"])
def test_marks_placeholders_years_and_links_are_no_documents(text):
    assert documents(text) == []


def test_marks_are_single_numbers():
    assert marks("so it is [1][2] and [3, 4] [Part 36] [2024] UKSC 5") == [1, 2]


def test_blanking_keeps_the_places_of_the_rest():
    text = "see [Part 36#page=Offers] and [Part 44] and Part 45"
    assert blanked(text) == "see" + " " * 23 + "and" + " " * 11 + "and Part 45"
    assert blanked(text, sections_only=True) == "see" + " " * 23 + "and [Part 44] and Part 45"
