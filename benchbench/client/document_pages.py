"""The contract of `/documents`, shared by the client and the service: a page of the documents of an index.

Request: `{"query": "text", "category": "…", "skip": 0, "top": 50, "text": true, "categories": false}`, all optional,
and null counts as left out.
Response: `{"total": 345, "documents": [{"id": …, "name": …, "file": …, "category": …, "text": …, "score": …}, …],
"categories": {"…": 12, …}}`, best first where there is a query, in the order of the index where there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from msgspec import Meta, Struct

from benchbench.client.messages import Query, read
from benchbench.tables.documents import Document

PATH = "/documents"
MAX_TOP = 1000


class PageRequest(Struct, frozen=True):
    """A page that is asked for: of what a query finds, or of all documents in order; null counts as left out."""

    query: Query | None = None
    category: Annotated[str, Meta(description="a category (empty: documents without one)")] | None = None
    skip: Annotated[int, Meta(ge=0, description="a whole number from 0")] = 0
    top: Annotated[int, Meta(ge=0, le=MAX_TOP, description=f"a whole number from 0 to {MAX_TOP:,}")] = 50
    text: Annotated[bool, Meta(description="true or false (whether texts come too)")] = True
    categories: Annotated[bool, Meta(description="true or false (whether categories are counted)")] = False


@dataclass(frozen=True, slots=True)
class Page:
    """An answer; `total` counts all that fits, whatever was skipped. `categories` has "" for those without one."""

    total: int
    documents: list[Document]
    categories: Mapping[str, int] | None = None


def read_page_request(message: Any) -> PageRequest:
    """Return a parsed body as a request; InputError with a sentence for the client."""
    if isinstance(message, dict):
        message = {name: value for name, value in message.items() if value is not None}
    return read(message, PageRequest)


class Index(Protocol):
    """Something that holds documents."""

    @property
    def shown(self) -> str:
        """Return its place as it may be written down: no secret."""

    async def page(self, request: PageRequest) -> Page:
        """Return a page; InputError or UnreachableError when that fails."""
