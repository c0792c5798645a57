"""The documents of a collection into Chroma, with the vectors of chroma_service.py, which is beside this file.

usage: python chroma_index.py my/collection.jsonl     (--chroma URL and --name NAME say where they go)
"""

import argparse
import asyncio
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from aiohttp import ClientSession
from chroma_service import COLLECTIONS, embed

BATCH = 500  # documents a request; Chroma takes no more than its /api/v2/pre-flight-checks says


async def index(collection: Path, chroma: str, name: str) -> tuple[int, int]:
    """Upsert all documents of a file; return how many, and how many Chroma now has under the name."""
    sent = 0
    async with ClientSession(raise_for_status=True) as session:

        async def call(path: str, body: object) -> Any:
            async with session.post(chroma + COLLECTIONS + path, json=body) as response:
                return await response.json()

        made = await call("", {"name": name, "get_or_create": True, "configuration": {"hnsw": {"space": "cosine"}}})
        with collection.open(encoding="utf-8") as lines:
            while documents := [json.loads(line) for line in islice(lines, BATCH)]:
                texts = [document["text"] for document in documents]
                columns = {
                    "ids": [document["_id"] for document in documents],
                    "documents": texts,
                    "embeddings": embed(texts).tolist(),
                    "metadatas": [{"meta": json.dumps(document.get("meta", {}))} for document in documents],
                }
                await call(f"/{made['id']}/upsert", columns)
                sent += len(documents)
        async with session.get(f"{chroma}{COLLECTIONS}/{made['id']}/count") as response:
            return sent, await response.json()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("collection", type=Path)
    options.add_argument("--chroma", default="http://127.0.0.1:8000")
    options.add_argument("--name", default="cases")
    given = options.parse_args()
    sent, there = asyncio.run(index(given.collection, given.chroma, given.name))
    if sent != there:
        sys.exit(f"{given.name}: {sent:,} documents sent, and {there:,} are there: take another --name")
    print(f"{given.name}: {there:,} documents")
