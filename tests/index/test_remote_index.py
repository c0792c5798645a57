"""An index over HTTP: Azure AI Search as its documentation describes it, and our own service, both really asked."""

import asyncio
from typing import Any

import indexes
import orjson
import pytest
import services
from aiohttp.test_utils import TestServer

from benchbench.client.document_pages import Index, Page, PageRequest
from benchbench.errors import InputError, UnreachableError
from benchbench.index.kind import IndexKind
from benchbench.index.protocols import kind
from benchbench.index.remote_index import RemoteIndex, listed
from benchbench.serve.app import SearchService
from benchbench.serve.document_pages import CollectionIndex
from benchbench.tables.documents import Document

KEY = {"api-key": indexes.KEY}


def azure(**fields: str) -> IndexKind:
    return kind("azure-ai-search", {"index": "legal"}, fields)


def asked(url: str, wanted: PageRequest, described: IndexKind | None = None, **options: Any) -> Page:
    async def ask() -> Page:
        async with RemoteIndex(url, described or azure(), options.pop("headers", KEY), **options) as index:
            return await index.page(wanted)

    return asyncio.run(ask())


def all_of(url: str, described: IndexKind, limit: int | None = None) -> Page:
    async def ask() -> Page:
        async with RemoteIndex(url, described, KEY) as index:
            return await listed(index, PageRequest(text=False), limit)

    return asyncio.run(ask())


def both(wanted: PageRequest) -> tuple[Page, Page]:
    """Return the answers of Azure AI Search and of our own service over the same documents."""

    async def ours() -> Page:
        async with (
            TestServer(SearchService(indexes.collection()).application()) as server,
            RemoteIndex(str(server.make_url("")), kind("benchbench", {}, {})) as index,
        ):
            return await index.page(wanted)

    with services.running(indexes.azure()) as service:
        return asked(service.url, wanted), asyncio.run(ours())


@pytest.mark.parametrize("which", [0, 1], ids=["azure", "ours"])
def test_a_listing_has_the_documents_in_order_without_scores(which: int):
    page = both(PageRequest(top=2))[which]
    assert page.total == 4
    assert page.categories is None
    first = indexes.RECORDS[0]
    assert page.documents[0] == Document(
        "part36-1", first["sourcepage"], first["sourcefile"], first["category"], first["content"], None
    )
    assert [one.id for one in page.documents] == ["part36-1", "part36-2"]


@pytest.mark.parametrize("which", [0, 1], ids=["azure", "ours"])
def test_a_search_has_the_best_first_with_scores(which: int):
    page = both(PageRequest("disclosure Commercial Court"))[which]
    assert page.documents[0].id == "guide-d"
    scores = [one.score for one in page.documents]
    assert None not in scores
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("which", [0, 1], ids=["azure", "ours"])
@pytest.mark.parametrize(
    ("category", "ids"),
    [(indexes.GUIDE, ["guide-d"]), ("", ["notes"]), ("no such", []), (None, ["guide-d", "notes"])],
)
def test_a_category_narrows_a_search(which: int, category: str | None, ids: list[str]):
    page = both(PageRequest("disclosure", category))[which]
    assert sorted(one.id for one in page.documents) == ids
    assert page.total == len(ids)


@pytest.mark.parametrize("which", [0, 1], ids=["azure", "ours"])
def test_categories_are_counted_with_those_that_have_none(which: int):
    page = both(PageRequest(top=0, categories=True))[which]
    assert page.documents == []
    assert page.categories == {indexes.CPR: 2, indexes.GUIDE: 1, "": 1}


@pytest.mark.parametrize("which", [0, 1], ids=["azure", "ours"])
def test_texts_are_left_out_where_they_are_not_wanted(which: int):
    assert {one.text for one in both(PageRequest(text=False))[which].documents} == {""}


def test_azure_is_asked_as_its_documentation_says():
    described = kind("azure-ai-search", {"index": "a b", "order_by": "id"}, {"name": "title", "file": ""})
    assert described.path == "/indexes/a%20b/docs/search?api-version=2024-07-01"
    assert described.body(PageRequest("x", "King's Bench", 5, 7, text=False, categories=True)) == {
        "search": "x",
        "filter": "category eq 'King''s Bench'",
        "facets": ["category,count:0"],
        "select": "id,title,category",
        "count": True,
        "skip": 5,
        "top": 7,
    }
    assert described.body(PageRequest())["orderby"] == "id"
    assert described.body(PageRequest())["search"] == "*"


def test_more_documents_than_a_page_has_are_all_listed():
    many = [{**indexes.RECORDS[0], "id": f"d{n:05}"} for n in range(2500)]
    with services.running(indexes.azure(many, most=700)) as service:
        page = all_of(service.url, azure())
        skips = [message["skip"] for message in service.messages]
    assert [one.id for one in page.documents] == [one["id"] for one in many]
    assert page.total == 2500
    assert skips == [0, 700, 1400, 2100]


def test_a_limit_asks_for_no_more():
    with services.running(indexes.azure()) as service:
        page = all_of(service.url, azure(), 3)
        tops = [message["top"] for message in service.messages]
    assert (len(page.documents), page.total, tops) == (3, 4, [3])


def test_an_index_that_answers_with_the_same_page_again_ends_the_listing():
    page = {"total": 10**9, "documents": [{"id": "a"}, {"id": "b"}]}
    with services.running(services.raw(orjson.dumps(page))) as service:
        found = all_of(service.url, kind("benchbench", {}, {}))
        requests = len(service.messages)
    assert ([one.id for one in found.documents], requests) == (["a", "b"], 2)


def test_what_lies_further_than_azure_goes_is_not_asked_for():
    with services.running(indexes.azure()) as service:
        with pytest.raises(InputError, match=r"shows its first 100,000 documents only; .* --category$"):
            asked(service.url, PageRequest(skip=100_001))
        assert service.messages == []


def test_fields_are_named_where_they_are_others():
    record = {"key": 7, "meta": {"title": "Part 1", "kind": None}, "body": "text", "sourcefile": 3}
    answer = {"value": [record], "@odata.count": 1}
    fields = {"id": "key", "name": "meta.title", "category": "meta.kind", "text": "body"}
    with services.running(services.raw(orjson.dumps(answer))) as service:
        page = asked(service.url, PageRequest(), azure(**fields))
        assert service.messages[0]["select"] == "key,meta/title,sourcefile,meta/kind,body"
    assert page.documents == [Document("7", "Part 1", text="text")]


def test_nothing_is_selected_where_a_field_is_an_expression():
    assert "select" not in azure(name="titles[0]").body(PageRequest())


@pytest.mark.parametrize(
    ("protocol", "options", "fields", "reason"),
    [
        ("qdrant", {}, {}, "--protocol qdrant cannot list an index; azure-ai-search and benchbench can"),
        ("azure-ai-search", {}, {}, "needs the name of the index: --protocol-option index=NAME"),
        ("azure-ai-search", {"index": "a", "x": "y"}, {}, "it has index, api_version, order_by"),
        ("benchbench", {"index": "a"}, {}, "has no such option here; it has none"),
        ("benchbench", {}, {"title": "x"}, "--field title: a document has no such member; it has id, name, "),
        ("benchbench", {}, {"name": "[["}, r"--field name: '[[' is not a JMESPath expression"),
        ("benchbench", {}, {"id": ""}, "--field id: documents need an id"),
    ],
)
def test_a_description_that_cannot_be_is_refused(protocol: str, options: Any, fields: Any, reason: str):
    with pytest.raises(InputError) as error:
        kind(protocol, options, fields)
    assert reason in str(error.value)


def test_an_index_filtered_by_an_expression_is_refused():
    with pytest.raises(InputError, match=r"^--field category: "):
        azure(category="a[0]").body(PageRequest(category="x"))


@pytest.mark.parametrize(
    ("answer", "error", "reason"),
    [
        (indexes.azure(index="other"), InputError, "is not there (HTTP 404); is that the name of the index"),
        (services.status(401), InputError, "requires a valid key (HTTP 401)"),
        (services.status(403), InputError, "--header 'api-key: ${SEARCH_KEY}'"),
        (services.status(400, "no facet"), InputError, "cannot answer that (HTTP 400: no facet)"),
        (services.status(302, Location="/login"), InputError, "cannot answer that (HTTP 302 from POST http://"),
        (services.status(503), UnreachableError, "gave no usable answer in 1 attempt (HTTP 503)"),
        (services.reset, UnreachableError, "gave no answer in 1 attempt (connection broken"),
        (services.html, InputError, "does not answer as --protocol azure-ai-search says: not JSON"),
        (services.raw("[]"), InputError, 'there is no list "value"'),
        (services.raw('{"value": []}'), InputError, 'there is no number of documents in "@odata.count"'),
        (services.raw('{"value": [{}], "@odata.count": 1}'), InputError, "a document has no id at id"),
        (services.raw('{"value": [], "@odata.count": 1}'), InputError, "there are no facets of the category"),
    ],
)
def test_what_goes_wrong_is_one_sentence_with_a_way_out(answer: services.Answer, error: type, reason: str):
    with services.running(answer) as service, pytest.raises(error) as raised:
        asked(service.url, PageRequest(categories=True), retries=0)
    assert reason in str(raised.value)
    assert str(raised.value).startswith(f"{service.url}/indexes/legal/docs/search ")


def test_a_field_that_azure_does_not_have_is_said_with_the_option():
    with services.running(indexes.azure()) as service, pytest.raises(InputError) as error:
        asked(service.url, PageRequest(), azure(file="filename"))
    assert "a property named 'filename'" in str(error.value)
    assert "--field MEMBER=FIELD" in str(error.value)


def test_nothing_listens_there():
    with services.refusing() as url, pytest.raises(UnreachableError, match="refuses connections"):
        asked(url, PageRequest())


def test_a_service_that_is_busy_is_asked_again():
    with services.running(services.status(503, Retry_After="0"), indexes.azure()) as service:
        assert asked(service.url, PageRequest()).total == 4


def test_the_key_is_in_no_message_though_the_service_repeats_it():
    said = services.status(400, f"your key {indexes.KEY} is for another index")
    with services.running(said) as service, pytest.raises(InputError) as error:
        asked(service.url, PageRequest())
    assert indexes.KEY not in str(error.value)
    assert "your key [hidden] is" in str(error.value)


def test_a_service_without_documents_is_told_from_ours():
    with services.running(services.status(404)) as service, pytest.raises(InputError) as error:
        asked(service.url, PageRequest(), kind("benchbench", {}, {}))
    assert "is it `benchbench serve`" in str(error.value)


def test_a_collection_is_an_index_without_a_service():
    index: Index = CollectionIndex(indexes.collection(), "file.jsonl")
    assert index.shown == "file.jsonl"
    assert asyncio.run(listed(index, PageRequest("disclosure"), 1)).documents[0].score is not None
