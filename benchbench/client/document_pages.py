"""The contract of `/documents`, shared by the client and the service: a page of the documents of an index.

Request: `{"query": "text", "category": "…", "skip": 0, "top": 50, "text": true, "categories": false}`, all optional.
Response: `{"total": 345, "documents": [{"id": …, "name": …, "file": …, "category": …, "text": …, "score": …}, …],
"categories": {"…": 12, …}}`, best first where there is a query, in the order of the index where there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchbench.client.messages import check_length
from benchbench.tables.documents import Document

PATH = "/documents"
MAX_TOP = 1000


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page that is asked for."""

    query: str | None = None  # None: all documents
    category: str | None = None  # None: of all; "": of those that have none
    skip: int = 0
    top: int = 50
    text: bool = True  # whether the documents come with their texts
    categories: bool = False  # whether all that fits is counted by category

    @classmethod
    def read(cls, message: Any) -> "PageRequest":
        """Check a parsed request body; ValueError with a sentence for the client."""
        if not isinstance(message, dict):
            raise ValueError("the body is not a JSON object")
        request = cls(**{name: message[name] for name in cls.__slots__ if message.get(name) is not None})
        for name, text in (("query", request.query), ("category", request.category)):
            if not isinstance(text, str | None):
                raise ValueError(f'"{name}" is not a string')
        check_length(request.query or "")
        for name, number, most in (("skip", request.skip, None), ("top", request.top, MAX_TOP)):
            if not isinstance(number, int) or isinstance(number, bool) or number < 0 or (most and number > most):
                raise ValueError(f'"{name}" is not a whole number from 0{f" to {most}" if most else ""}')
        for name, flag in (("text", request.text), ("categories", request.categories)):
            if not isinstance(flag, bool):
                raise ValueError(f'"{name}" is not true or false')
        return request


@dataclass(frozen=True, slots=True)
class Page:
    """An answer; `total` counts all that fits, whatever was skipped. `categories` has "" for those without one."""

    total: int
    documents: list[Document]
    categories: Mapping[str, int] | None = None


class Index(Protocol):
    """Something that holds documents."""

    @property
    def shown(self) -> str:
        """Return its place as it may be written down: no secret."""

    async def page(self, request: PageRequest) -> Page:
        """Return a page; InputError or UnreachableError when that fails."""
