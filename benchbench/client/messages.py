"""The contract of `/batch_search` and of `/search`, shared by the client and the service.

Request: `{"queries": ["text", …], "top_k": 20, "fields": ["id", "score", "text_hash", "meta"]}`.
Response: `{"results": [[{"id": …, "score": …, "text": …, "meta": {…}}, …], …]}`, one list per query, best first.
"""

from typing import Annotated, Any, Literal, TypedDict, TypeVar, get_args

from msgspec import Meta, Struct, ValidationError, convert

PATH = "/batch_search"
MAX_TOP_K = 2000  # a cut-off of 1,000, and what is removed before
MAX_QUERIES = 4096
MAX_LENGTH = 1_000_000  # characters of a query

Request = TypeVar("Request")
Query = Annotated[str, Meta(max_length=MAX_LENGTH, description=f"a text of at most {MAX_LENGTH:,} characters")]
Queries = Annotated[
    list[Query],
    Meta(
        min_length=1,
        max_length=MAX_QUERIES,
        description=f"a list of 1 to {MAX_QUERIES:,} texts of at most {MAX_LENGTH:,} characters each",
    ),
]
Field = Literal["id", "score", "text", "text_hash", "meta"]
FIELDS = get_args(Field)
_USUAL: tuple[Field, ...] = ("id", "score", "text", "meta")


class Hit(TypedDict, total=False):
    """A hit; it has the members that are asked for."""

    id: str
    score: float
    text: str
    text_hash: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{16}$",
            description="xxh3-64 of the text after NFC, LF line ends and removal of outer white space",
        ),
    ]
    meta: Annotated[
        dict[str, Any],
        Meta(
            description="what else the collection has on the document",
            examples=[{"brand": "Acme", "categories": ["tools", "garden"], "price": 12.5}],
        ),
    ]


Hits = Annotated[list[Hit], Meta(description="best first")]


class Wanted(Struct, frozen=True, kw_only=True):
    """How many hits of a query are asked for, and what of them."""

    top_k: Annotated[int, Meta(ge=1, le=MAX_TOP_K, description=f"a whole number from 1 to {MAX_TOP_K:,}")] = 10
    fields: Annotated[tuple[Field, ...], Meta(description=f"a list of names among {', '.join(FIELDS)}")] = _USUAL


class BatchSearch(Wanted, frozen=True):
    """A request for the hits of several queries."""

    queries: Queries


class SingleSearch(Wanted, frozen=True):
    """A request for the hits of one query."""

    query: Query


class BatchAnswer(Struct, frozen=True):
    """The hits of each query, in the order of the queries."""

    results: list[Hits]


class SingleAnswer(Struct, frozen=True):
    """The hits of the query."""

    results: Hits


def read(message: Any, kind: type[Request]) -> Request:
    """Return a parsed body as a request; InputError with a sentence for the client."""
    try:
        return convert(message, kind)
    except ValidationError:
        from benchbench.results.declared import taken  # takes a while to import, and most services refuse nothing

        return taken(message, kind, "the body", "/openapi.json describes requests")
