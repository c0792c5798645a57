"""PostgreSQL full-text search behind `/batch_search`, with aiohttp and psycopg.

usage: python postgres_service.py --port 8000     (PGHOST, PGUSER, PGDATABASE, … say where the database is)
The table is `cases` of postgres_schema.sql, beside this file.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import psycopg
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
CONNECTIONS = web.AppKey("connections", asyncio.Queue)
SEARCH = """
    SELECT n, hits.* FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS asked (query, n),
    LATERAL (SELECT replace(plainto_tsquery('english', query)::text, ' & ', ' | ')::tsquery AS terms) AS any_word,
    LATERAL (
        SELECT id, text, meta, ts_rank(lexemes, terms, 1) AS score
        FROM cases WHERE lexemes @@ terms ORDER BY score DESC, id LIMIT %(top_k)s
    ) AS hits ORDER BY n, score DESC, id
"""


@web.middleware
async def asked_by_own_name(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what comes under another name: a web page that lets its own name point to this machine."""
    if request.url.host not in ("127.0.0.1", "localhost"):
        raise web.HTTPMisdirectedRequest(text=f"this service does not answer to {request.url.host}")
    return await handler(request)


async def batch_search(request: web.Request) -> web.Response:
    """Answer all queries of a request with one statement; an answer has one list per query, empty ones too."""
    asked = await request.json()
    queries, top_k = asked["queries"], asked.get("top_k", 10)
    results: list[list[dict[str, object]]] = [[] for _ in queries]
    connections = request.app[CONNECTIONS]
    connection = await connections.get()
    try:
        rows = await connection.execute(SEARCH, {"texts": queries, "top_k": top_k})
        async for n, identity, text, meta, score in rows:
            results[n - 1].append({"id": identity, "score": score, "text": text, "meta": meta})
    finally:
        connections.put_nowait(connection)
    return web.json_response({"results": results})


def application(connections: int = 8) -> web.Application:
    """Return the service; its connections open when it starts."""

    async def connected(app: web.Application) -> AsyncIterator[None]:
        app[CONNECTIONS] = asyncio.Queue()
        opened = [await psycopg.AsyncConnection.connect(autocommit=True) for _ in range(connections)]
        for connection in opened:
            app[CONNECTIONS].put_nowait(connection)
        yield
        for connection in opened:
            await connection.close()

    app = web.Application(client_max_size=1 << 26, middlewares=[asked_by_own_name])
    app.cleanup_ctx.append(connected)
    app.router.add_post("/batch_search", batch_search)
    return app


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=8000)
    web.run_app(application(), host="127.0.0.1", port=options.parse_args().port)
