"""Kinds of search index: how a page of documents is asked for, and how the answer is read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from benchbench.client.document_pages import PATH, Page, PageRequest
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import ProtocolError
from benchbench.errors import InputError
from benchbench.tables.documents import Document

MEMBERS = ("id", "name", "file", "category", "text")  # of a document, each a field of the index

SERVED = dict(zip(MEMBERS, MEMBERS, strict=True))
OPENAI_DEMO = {  # the layout of an index that the azure-search-openai-demo makes
    "id": "id",
    "name": "sourcepage",
    "file": "sourcefile",
    "category": "category",
    "text": "content",
}

_SCORE, _AZURE_SCORE = FieldPath("score"), FieldPath('"@search.score"')
_FIELD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Fields:
    """Where a record has the members of a document; an empty expression: nowhere."""

    paths: Mapping[str, FieldPath]

    @classmethod
    def of(cls, defaults: Mapping[str, str], given: Mapping[str, str]) -> "Fields":
        """Return the defaults with what `--field` says; InputError for what is no member or no expression."""
        for member in given:
            if member not in MEMBERS:
                raise InputError(f"--field {member}: a document has no such member; it has {', '.join(MEMBERS)}")
        paths = {}
        for member, expression in {**defaults, **given}.items():
            try:
                if expression:
                    paths[member] = FieldPath(expression)
            except ValueError:
                raise InputError(f"--field {member}: {expression!r} is not a JMESPath expression") from None
        if "id" not in paths:
            raise InputError("--field id: a document without an id cannot be told from another; name its field")
        return cls(paths)

    def document(self, record: Any, score: Any = None) -> Document:
        """Return a record as a document; a member of another type than a text is none."""
        found = {member: path.find(record) for member, path in self.paths.items()}
        number = found["id"]
        if isinstance(number, bool) or not isinstance(number, str | int) or number == "":
            raise ProtocolError(f"a document has no id at {self.paths['id'].expression} (--field id names its field)")
        texts = {member: value for member, value in found.items() if member != "id" and isinstance(value, str)}
        real = isinstance(score, int | float) and not isinstance(score, bool)
        return Document(str(number), **texts, score=float(score) if real else None)

    def column(self, member: str) -> str | None:
        """Return a member's field as OData names it; None where there is no field or not one alone."""
        path = self.paths.get(member)
        plain = path is not None and _FIELD.fullmatch(path.expression)
        return path.expression.replace(".", "/") if path is not None and plain else None


@dataclass(frozen=True, slots=True)
class Served:
    """Our own service, and whatever answers as it does."""

    fields: Fields

    name: ClassVar = "benchbench"
    furthest: ClassVar[int | None] = None
    absent: ClassVar = (  # what to do where the URL has nothing
        "is it `benchbench serve` or another service with POST /documents (docs/search-indexes.md)? "
        "For Azure AI Search give --protocol azure-ai-search"
    )

    @property
    def path(self) -> str:
        """Return the end of the URL."""
        return PATH

    def body(self, request: PageRequest) -> dict[str, Any]:
        """Return the request."""
        members = {name: getattr(request, name) for name in PageRequest.__slots__}
        return {name: value for name, value in members.items() if value is not None}

    def page(self, answer: Any, request: PageRequest) -> Page:
        """Return the page of an answer."""
        records = _list(answer, "documents")
        documents = [self.fields.document(one, _SCORE.find(one)) for one in records]
        categories = answer.get("categories")
        if request.categories and not _counts(categories):
            raise ProtocolError('there is no "categories" with the number of documents of each')
        return Page(_total(answer, "total"), documents, categories if request.categories else None)


@dataclass(frozen=True, slots=True)
class AzureAISearch:
    """Azure AI Search's REST API, `POST /indexes/{index}/docs/search`.

    A page has at most 1,000 documents, and at most 100,000 can be skipped. Facets with `count:0` are exact; documents
    without a category are in none of them. Source: Microsoft's reference of Search Documents, API version 2024-07-01.
    """

    index: str
    fields: Fields
    api_version: str = "2024-07-01"
    order_by: str = ""  # a sortable field: without one, the service chooses the order of a listing

    name: ClassVar = "azure-ai-search"
    furthest: ClassVar[int | None] = 100_000  # documents that may be skipped
    absent: ClassVar = "is that the name of the index (--protocol-option index=NAME) and of the service?"

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
        records = _list(answer, "value")
        scored = request.query is not None
        documents = [self.fields.document(one, _AZURE_SCORE.find(one) if scored else None) for one in records]
        total = _total(answer, "@odata.count")
        return Page(total, documents, self._categories(answer, total) if request.categories else None)

    def _categories(self, answer: dict[str, Any], total: int) -> dict[str, int]:
        facets = FieldPath(f'"@search.facets"."{self.fields.column("category")}"').find(answer)
        if not isinstance(facets, list):
            raise ProtocolError("there are no facets of the category: is its field facetable (--field category)?")
        counts: dict[str, int] = {str(one["value"]): one["count"] for one in facets if _is_facet(one)}
        rest = total - sum(counts.values())
        return {**counts, "": rest} if rest > 0 else counts


Kind = Served | AzureAISearch


def kind(protocol: str, options: Mapping[str, str], given: Mapping[str, str]) -> Kind:
    """Return the kind of index that `--protocol`, `--protocol-option` and `--field` describe; InputError for none."""
    known = {"benchbench": (), "azure-ai-search": ("index", "api_version", "order_by")}.get(protocol)
    if known is None:
        raise InputError(f"--protocol {protocol} cannot list an index; benchbench and azure-ai-search can")
    for name in options:
        if name not in known:
            has = ", ".join(known) or "none"
            raise InputError(f"--protocol-option {name}: --protocol {protocol} has no such option here; it has {has}")
    if protocol == "benchbench":
        return Served(Fields.of(SERVED, given))
    if not options.get("index"):
        raise InputError("--protocol azure-ai-search needs the name of the index: --protocol-option index=NAME")
    return AzureAISearch(fields=Fields.of(OPENAI_DEMO, given), **options)


def _list(answer: Any, member: str) -> list[Any]:
    found = answer.get(member) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ProtocolError(f'there is no list "{member}"')
    return found


def _total(answer: dict[str, Any], member: str) -> int:
    total = answer.get(member)
    if not isinstance(total, int) or isinstance(total, bool) or total < 0:
        raise ProtocolError(f'there is no number of documents in "{member}"')
    return total


def _is_facet(value: Any) -> bool:
    return isinstance(value, dict) and "value" in value and _counts({"count": value.get("count")})


def _counts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(n, int) and not isinstance(n, bool) for n in value.values())
