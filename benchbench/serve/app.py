"""The service: `/batch_search`, `/search`, `/documents`, `/healthz`, `/openapi.json`."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
from aiohttp import web

from benchbench.client import documents
from benchbench.client.messages import PATH, SearchRequest
from benchbench.serve.bm25 import BM25
from benchbench.serve.documents import Documents
from benchbench.serve.openapi import OPENAPI
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash

_MAX_REQUEST = 64 << 20  # bytes
_SEARCHERS = 2  # numpy lets go of the interpreter in its loops, so two threads keep two cores busy


class Service:
    """Answers from one collection; hits are prepared once, so that an answer is only put together."""

    def __init__(self, collection: Collection) -> None:
        """Index the collection."""
        self._retriever = BM25(collection)
        self._documents = [
            {"id": document, "text": text, "text_hash": f"{text_hash(text):016x}", "meta": meta}
            for document, text, meta in zip(collection.ids, collection.texts, collection.meta, strict=True)
        ]
        self._listed = Documents(collection, retriever=self._retriever)
        self._threads = ThreadPoolExecutor(_SEARCHERS, thread_name_prefix="search")

    def application(self) -> web.Application:
        """Return the aiohttp application."""
        application = web.Application(client_max_size=_MAX_REQUEST, middlewares=[_json_errors])
        application.router.add_post(PATH, self._batch_search)
        application.router.add_post("/search", self._search)
        application.router.add_post(documents.PATH, self._page)
        application.router.add_get("/healthz", self._health)
        application.router.add_get("/openapi.json", self._openapi)
        return application

    async def _batch_search(self, request: web.Request) -> web.Response:
        return await self._answer(request, batch=True)

    async def _search(self, request: web.Request) -> web.Response:
        return await self._answer(request, batch=False)

    async def _page(self, request: web.Request) -> web.Response:
        try:
            wanted = documents.Wanted.read(orjson.loads(await request.read()))
        except ValueError as error:
            return _json({"error": str(error)}, status=400)
        page = await asyncio.get_running_loop().run_in_executor(self._threads, self._listed.answer, wanted)
        return _json(page)

    async def _health(self, request: web.Request) -> web.Response:
        return _json({"status": "ok", "documents": len(self._documents)})

    async def _openapi(self, request: web.Request) -> web.Response:
        return _json(OPENAPI)

    async def _answer(self, request: web.Request, batch: bool) -> web.Response:
        try:
            wanted = SearchRequest.read(orjson.loads(await request.read()), batch)
        except ValueError as error:  # orjson's error is one too
            return _json({"error": str(error)}, status=400)
        body = await asyncio.get_running_loop().run_in_executor(self._threads, self._hits, wanted, batch)
        return web.Response(body=body, content_type="application/json")

    def _hits(self, wanted: SearchRequest, batch: bool) -> bytes:
        results = [self._ranked(query, wanted) for query in wanted.queries]
        return orjson.dumps({"results": results if batch else results[0]})

    def _ranked(self, query: str, wanted: SearchRequest) -> list[dict[str, Any]]:
        numbers, scores = self._retriever.search(query, wanted.top_k)
        return [
            {name: score if name == "score" else self._documents[number][name] for name in wanted.fields}
            for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        ]


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")


@web.middleware
async def _json_errors(request: web.Request, handler: Any) -> web.StreamResponse:
    try:
        response: web.StreamResponse = await handler(request)
        return response
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _json({"error": error.reason}, error.status)
