from contextlib import nullcontext

import indexes
import pytest

from benchbench.errors import InputError
from benchbench.index import look
from benchbench.serve.document_pages import CollectionIndex


@pytest.fixture
def index() -> look.Opened:
    return nullcontext(CollectionIndex(indexes.collection(), "here"))


def test_a_listing_says_where_it_is_from(index: look.Opened):
    found = look.documents(index, limit=2)
    assert (found.shown, found.page.total, len(found.page.documents)) == ("here", 4, 2)
    assert {one.text for one in found.page.documents} == {""}


def test_a_search_has_texts_and_scores(index: look.Opened):
    (best,) = look.search(index, "offer claimant", top=1).page.documents
    assert best.text
    assert best.score is not None


@pytest.mark.parametrize("query", ["", " \n"])
def test_an_empty_query_is_refused(index: look.Opened, query: str):
    with pytest.raises(InputError, match=r"^the query is empty"):
        look.search(index, query)


def test_every_query_of_a_test_has_its_page(index: look.Opened):
    found = look.probe(index, ["disclosure", "zoning"])
    assert (found.index, found.nothing) == ("here", ["zoning"])
    assert [(one["query"], one["total"]) for one in found.queries] == [("disclosure", 2), ("zoning", 0)]


def test_the_legal_queries_are_ten_and_differ():
    assert len(set(look.LEGAL_QUERIES)) == len(look.LEGAL_QUERIES) == 10
