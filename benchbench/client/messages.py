"""The contract of `/batch_search`, shared by the client and the service.

Request: `{"queries": ["text", …], "top_k": 20, "fields": ["id", "score", "text_hash", "meta"]}`.
Response: `{"results": [[{"id": …, "score": …, "text": …, "meta": {…}}, …], …]}`, one list per query, best first.
"""

from typing import Any

from msgspec import Struct

PATH = "/batch_search"
FIELDS = ("id", "score", "text", "text_hash", "meta")
MAX_TOP_K = 2000  # a cut-off of 1,000, and what is removed before
MAX_QUERIES = 4096
MAX_LENGTH = 1_000_000  # characters of a query


class SearchRequest(Struct, frozen=True):
    """A request as the service reads it."""

    queries: list[str]
    top_k: int
    fields: tuple[str, ...]

    @classmethod
    def read(cls, message: Any, batch: bool = True) -> "SearchRequest":
        """Check a parsed request body; ValueError with a sentence for the client."""
        if not isinstance(message, dict):
            raise ValueError("the body is not a JSON object")
        queries = message.get("queries") if batch else [message.get("query")]
        if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
            raise ValueError('"queries" is not a list of strings' if batch else '"query" is not a string')
        if not 1 <= len(queries) <= MAX_QUERIES:
            raise ValueError(f'"queries" has {len(queries)} members, not 1 to {MAX_QUERIES}')
        check_length(*queries)
        top_k = message.get("top_k", 10)
        if not isinstance(top_k, int) or isinstance(top_k, bool) or not 1 <= top_k <= MAX_TOP_K:
            raise ValueError(f'"top_k" is not a whole number from 1 to {MAX_TOP_K}')
        fields = message.get("fields", ["id", "score", "text", "meta"])
        if not isinstance(fields, list) or not all(name in FIELDS for name in fields):
            raise ValueError(f'"fields" is not a list of names among {", ".join(FIELDS)}')
        return cls(queries, top_k, tuple(dict.fromkeys(fields)))


def check_length(*queries: str) -> None:
    """Refuse a query that is too long; ValueError with a sentence for the client."""
    longest = max(map(len, queries))
    if longest > MAX_LENGTH:
        raise ValueError(f"a query has {longest:,} characters, more than {MAX_LENGTH:,}")
