"""An index of our own service, and of whatever answers as it does."""

from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec.structs import asdict

from benchbench.client.document_pages import PATH, Page, PageRequest
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import ProtocolError
from benchbench.index.kind import MEMBERS, IndexFields, are_counts, list_at, total_at

_SCORE = FieldPath("score")


@dataclass(frozen=True, slots=True)
class Served:
    """Our own service, and whatever answers as it does."""

    fields: IndexFields

    name: ClassVar = "benchbench"
    members: ClassVar = dict(zip(MEMBERS, MEMBERS, strict=True))
    options: ClassVar = ()
    furthest: ClassVar = None
    absent: ClassVar = (
        "is it `benchbench serve` or another service with POST /documents (docs/search-indexes.md)? "
        "For Azure AI Search give --protocol azure-ai-search"
    )

    @property
    def path(self) -> str:
        """Return the end of the URL."""
        return PATH

    def body(self, request: PageRequest) -> dict[str, Any]:
        """Return the request."""
        members = asdict(request)
        return {name: value for name, value in members.items() if value is not None}

    def page(self, answer: Any, request: PageRequest) -> Page:
        """Return the page of an answer."""
        records = list_at(answer, "documents")
        documents = [self.fields.document(record, _SCORE.find(record)) for record in records]
        categories = answer.get("categories")
        if request.categories and not are_counts(categories):
            raise ProtocolError('there is no "categories" with the number of documents of each')
        return Page(total_at(answer, "total"), documents, categories if request.categories else None)


KIND = Served
