"""The service: `/batch_search`, `/search`, `/documents`, `/healthz`, `/openapi.json`."""

import re
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import orjson
from aiohttp import web

from benchbench.client import document_pages
from benchbench.client.messages import MAX_QUERIES, PATH, BatchSearch, SingleSearch, Wanted, read
from benchbench.errors import InputError
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve.bm25 import BM25
from benchbench.serve.document_pages import CollectionIndex
from benchbench.serve.guard import Handler, RefusedError, guarded, json_response
from benchbench.serve.openapi import openapi
from benchbench.serve.sending import Parts, Sending, listed
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash
from benchbench.tables.json_objects import JsonObjects

_Wanted = TypeVar("_Wanted")

_LOOKED_INTO = 1 << 20  # bytes; a longer body is looked into before it is parsed
_MOST_STRINGS = MAX_QUERIES + 64  # of a request: queries, and names of members and fields
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)


class SearchService:
    """Answers from one collection, of whose documents nothing is kept twice."""

    def __init__(self, collection: Collection, options: BM25Options | None = None) -> None:
        """Index the collection."""
        self._retriever = BM25(collection, options)
        self.about = self._retriever.about
        meta = collection.meta
        written = meta if isinstance(meta, JsonObjects) else JsonObjects(meta)
        hashes = array("Q", map(text_hash, collection.texts))
        self._members: dict[str, Callable[[int], Any]] = {  # of a hit without its score, by the number of its document
            "id": collection.ids.__getitem__,
            "text": collection.texts.__getitem__,
            "text_hash": lambda number: f"{hashes[number]:016x}",
            "meta": lambda number: orjson.Fragment(written.json(number)),
        }
        self._collection = collection
        self._listed = CollectionIndex(collection, retriever=self._retriever)

    def application(self, host: str = "127.0.0.1") -> web.Application:
        """Return the aiohttp application, for a service that listens on a host."""
        sending = Sending()

        def answering(
            reader: Callable[[Any], _Wanted], parts: Callable[[_Wanted, Callable[[], bool]], Parts]
        ) -> Handler:
            async def answer(request: web.Request) -> web.StreamResponse:
                async with sending.body(request) as body:
                    return await sending.answer(request, partial(parts, _read(body, reader)))

            return answer

        application = web.Application(middlewares=[guarded(host)])
        application.router.add_post(PATH, answering(partial(read, kind=BatchSearch), self._batch))
        application.router.add_post("/search", answering(partial(read, kind=SingleSearch), self._single))
        application.router.add_post(document_pages.PATH, answering(document_pages.read_page_request, self._page))
        application.router.add_get("/healthz", self._health)
        application.router.add_get("/openapi.json", self._openapi)
        return application

    async def _health(self, request: web.Request) -> web.Response:
        return json_response({"status": "ok", "documents": len(self._collection), "retriever": self.about})

    async def _openapi(self, request: web.Request) -> web.Response:
        return json_response(openapi())

    def _batch(self, wanted: BatchSearch, is_over: Callable[[], bool]) -> Parts:
        opening = b'{"results":['
        for query in wanted.queries:
            yield opening
            yield from listed(self._ranked(query, wanted, is_over))
            opening = b","
        yield b"]}"

    def _single(self, wanted: SingleSearch, is_over: Callable[[], bool]) -> Parts:
        yield b'{"results":'
        yield from listed(self._ranked(wanted.query, wanted, is_over))
        yield b"}"

    def _page(self, wanted: document_pages.PageRequest, is_over: Callable[[], bool]) -> Parts:
        total, documents, categories = self._listed.parts(wanted, is_over)
        yield b'{"total":%d,"documents":' % total
        yield from listed(documents)
        yield b',"categories":%b}' % orjson.dumps(categories)

    def _ranked(self, query: str, wanted: Wanted, is_over: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        numbers, scores = self._retriever.search(query, wanted.top_k, is_over)
        members = [(name, self._members.get(name)) for name in wanted.fields]
        for number, score in zip(numbers.tolist(), scores.tolist(), strict=True):
            yield {name: score if member is None else member(number) for name, member in members}


def _read(body: bytearray, reader: Callable[[Any], _Wanted]) -> _Wanted:
    """Return the request of a body, which is then dropped."""
    try:
        if len(body) > _LOOKED_INTO and _has_many_values(body):
            raise InputError(f"the body has more values than {MAX_QUERIES} queries need")
        return reader(orjson.loads(body))
    except (InputError, orjson.JSONDecodeError, RecursionError) as error:
        raise RefusedError(400, str(error)) from None
    finally:
        body.clear()


def _has_many_values(body: bytearray) -> bool:
    """Say whether a body would take many times its length when parsed, such as one of millions of empty lists."""
    between = end = 0
    for number, string in enumerate(_STRING.finditer(body), 1):
        between += string.start() - end
        end = string.end()
        if number > _MOST_STRINGS:
            return True
    return between + len(body) - end > _LOOKED_INTO
