import asyncio

import indexes
import pytest

from benchbench.client.document_pages import PageRequest
from benchbench.serve.document_pages import Documents
from benchbench.tables.collection import Collection


@pytest.fixture
def documents() -> Documents:
    return Documents(indexes.collection(), "here")


@pytest.mark.parametrize(("skip", "top", "ids"), [(0, 2, ["part36-1", "part36-2"]), (3, 5, ["notes"]), (4, 1, [])])
def test_a_page_is_a_stretch_of_the_collection(documents: Documents, skip: int, top: int, ids: list[str]):
    page = documents.answer(PageRequest(skip=skip, top=top))
    assert ([one.id for one in page.documents], page.total) == (ids, 4)


def test_a_page_of_a_search_is_a_stretch_of_the_ranking(documents: Documents):
    whole = documents.answer(PageRequest("disclosure offer", top=10)).documents
    pages = [documents.answer(PageRequest("disclosure offer", skip=n, top=1)).documents for n in range(len(whole))]
    assert [one for page in pages for one in page] == whole
    assert len(whole) == 4


def test_categories_are_counted_among_what_a_query_finds(documents: Documents):
    page = documents.answer(PageRequest("disclosure", categories=True))
    assert page.categories == {indexes.GUIDE: 1, "": 1}


def test_documents_without_names_and_categories_are_documents():
    plain = Documents(Collection(["a"], ["text"], [{}]))
    page = asyncio.run(plain.page(PageRequest(category="", categories=True)))
    assert [(one.name, one.category, one.called) for one in page.documents] == [("", "", "a")]
    assert page.categories == {"": 1}


def test_the_title_is_taken_from_the_front_of_the_text():
    titled = Documents(Collection(["a", "b"], ["Title text", "Title text"], [{}, {}], ["Title", ""]))
    assert [one.text for one in titled.answer(PageRequest()).documents] == ["text", "Title text"]
