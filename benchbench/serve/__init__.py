"""The embedded service: aiohttp over a BM25 retriever."""
