"""Vectors in Chroma behind `/batch_search`, with aiohttp and numpy.

usage: python chroma_service.py --port 8001     (--chroma URL and --name NAME say where the vectors are)
chroma_index.py, beside this file, puts them there.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

import numpy as np
from aiohttp import ClientSession, web
from numpy.typing import NDArray

COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SESSION, QUERY = web.AppKey("session", ClientSession), web.AppKey("query", str)


def embed(texts: list[str]) -> NDArray[np.float32]:
    """Return a row of length 1 a text: characters and pairs of them, hashed. Your model goes here instead."""
    rows = np.zeros((len(texts), 512), np.float32)
    for row, text in zip(rows, texts, strict=True):
        codes = np.frombuffer(f" {text} ".encode("utf-32-le"), np.uint32).astype(np.uint64)
        terms, counts = np.unique(np.concatenate([codes, codes[:-1] << 32 | codes[1:]]), return_counts=True)
        hashes = terms * np.uint64(0x9E3779B97F4A7C15)  # 9 of its bits are a term's column, and one its sign
        signs = 1.0 - 2.0 * (hashes >> 54 & 1)
        row[:] = np.bincount((hashes >> 55).astype(np.int64), signs * np.log1p(counts), len(row))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@web.middleware
async def asked_by_own_name(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what comes under another name: a web page that lets its own name point to this machine."""
    if request.url.host not in ("127.0.0.1", "localhost"):
        raise web.HTTPMisdirectedRequest(text=f"this service does not answer to {request.url.host}")
    return await handler(request)


async def batch_search(request: web.Request) -> web.Response:
    """Embed all queries of a request at once, and ask Chroma once; a cosine distance is 1 - cosine."""
    asked = await request.json()
    vectors = await asyncio.to_thread(embed, asked["queries"])
    wanted = {"query_embeddings": vectors.tolist(), "n_results": asked.get("top_k", 10)}
    wanted["include"] = ["distances", "documents", "metadatas"]
    async with request.app[SESSION].post(request.app[QUERY], json=wanted) as response:
        if not response.ok:
            return web.Response(status=response.status, text=await response.text())
        found = await response.json()
    results = [
        [
            {"id": identity, "score": 1 - distance, "text": text, "meta": json.loads(metadata["meta"])}
            for identity, distance, text, metadata in zip(*columns, strict=True)
        ]
        for columns in zip(*(found[name] for name in ("ids", *wanted["include"])), strict=True)
    ]
    return web.json_response({"results": results})


def application(chroma: str, name: str = "cases") -> web.Application:
    """Return the service; it looks its collection up when it starts."""

    async def connected(app: web.Application) -> AsyncIterator[None]:
        async with ClientSession() as app[SESSION]:
            async with app[SESSION].get(f"{chroma}{COLLECTIONS}/{name}", raise_for_status=True) as response:
                app[QUERY] = f"{chroma}{COLLECTIONS}/{(await response.json())['id']}/query"
            yield

    app = web.Application(client_max_size=1 << 26, middlewares=[asked_by_own_name])
    app.cleanup_ctx.append(connected)
    app.router.add_post("/batch_search", batch_search)
    return app


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--chroma", default="http://127.0.0.1:8000")
    options.add_argument("--name", default="cases")
    options.add_argument("--port", type=int, default=8001)
    given = options.parse_args()
    web.run_app(application(given.chroma, given.name), host="127.0.0.1", port=given.port)
