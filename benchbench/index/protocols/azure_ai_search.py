"""An index of Azure AI Search."""

from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from benchbench.client.document_pages import Page, PageRequest
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import ProtocolError
from benchbench.errors import InputError
from benchbench.index.kind import IndexFields, are_counts, list_at, total_at

_SCORE = FieldPath('"@search.score"')


@dataclass(frozen=True, slots=True)
class AzureAISearch:
    """Azure AI Search's REST API, `POST /indexes/{index}/docs/search`.

    A page has at most 1,000 documents, and at most 100,000 can be skipped. Facets with `count:0` are exact; documents
    without a category are in none of them. Source: Microsoft's reference of Search Documents, API version 2024-07-01.
    """

    fields: IndexFields
    index: str = ""
    api_version: str = "2024-07-01"
    order_by: str = ""  # a sortable field: without one, the service chooses the order of a listing

    name: ClassVar = "azure-ai-search"
    members: ClassVar = {  # the layout of an index that the azure-search-openai-demo makes
        "id": "id",
        "name": "sourcepage",
        "file": "sourcefile",
        "category": "category",
        "text": "content",
    }
    options: ClassVar = ("index", "api_version", "order_by")
    furthest: ClassVar = 100_000
    absent: ClassVar = "is that the name of the index (--protocol-option index=NAME) and of the service?"

    def __post_init__(self) -> None:
        if not self.index:
            raise InputError(f"--protocol {self.name} needs the name of the index: --protocol-option index=NAME")

    @property
    def path(self) -> str:
        """Return the end of the URL."""
        return f"/indexes/{quote(self.index, safe='')}/docs/search?api-version={quote(self.api_version, safe='')}"

    def body(self, request: PageRequest) -> dict[str, Any]:
        """Return the request."""
        body: dict[str, Any] = {"search": request.query or "*", "top": request.top, "skip": request.skip, "count": True}
        if self.order_by and request.query is None:
            body["orderby"] = self.order_by
        members = [member for member in self.fields.paths if request.text or member != "text"]
        columns = [self.fields.column(member) for member in members]
        if None not in columns:
            body["select"] = ",".join(dict.fromkeys(filter(None, columns)))
        if request.category is not None or request.categories:
            category = self.fields.column("category")
            if category is None:
                raise InputError("--field category: the index is filtered and counted by one field; name it")
            if request.category is not None:
                value = request.category.replace("'", "''")  # OData's way to write a quote
                body["filter"] = f"{category} eq '{value}'" + ("" if value else f" or {category} eq null")
            if request.categories:
                body["facets"] = [f"{category},count:0"]
        return body

    def page(self, answer: Any, request: PageRequest) -> Page:
        """Return the page of an answer."""
        records = list_at(answer, "value")
        scored = request.query is not None
        documents = [self.fields.document(record, _SCORE.find(record) if scored else None) for record in records]
        total = total_at(answer, "@odata.count")
        return Page(total, documents, self._categories(answer, total) if request.categories else None)

    def _categories(self, answer: dict[str, Any], total: int) -> dict[str, int]:
        facets = FieldPath(f'"@search.facets"."{self.fields.column("category")}"').find(answer)
        if not isinstance(facets, list):
            raise ProtocolError("there are no facets of the category: is its field facetable (--field category)?")
        counts: dict[str, int] = {str(facet["value"]): facet["count"] for facet in facets if _is_facet(facet)}
        rest = total - sum(counts.values())
        return {**counts, "": rest} if rest > 0 else counts


def _is_facet(value: Any) -> bool:
    return isinstance(value, dict) and "value" in value and are_counts({"count": value.get("count")})


KIND = AzureAISearch
