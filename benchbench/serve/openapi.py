"""The service's description of itself (OpenAPI 3.1), made of the types by which it reads requests and answers them."""

from functools import cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.json import schema_components

import benchbench
from benchbench.client import document_pages
from benchbench.client.messages import PATH, BatchAnswer, BatchSearch, SingleAnswer, SingleSearch
from benchbench.serve.sending import MAX_REQUEST, MAX_REQUESTS

_REFUSALS = {
    "400": "a bad request, with the reason",
    "403": "a request from another site's page",
    "408": "the body came too slowly",
    "413": f"the body is longer than {MAX_REQUEST >> 20} MiB",
    "415": "the body is not application/json, or is compressed",
    "421": "a Host header that is not this service's name",
    "503": f"the requests under way have more than {MAX_REQUESTS >> 20} MiB together; ask again after Retry-After",
}
_OPERATIONS: dict[str, tuple[str, type, type]] = {  # path -> what it does, its request and its answer
    PATH: (
        "Search for several texts; one list of hits per query, in the order of the queries",
        BatchSearch,
        BatchAnswer,
    ),
    "/search": ("Search for one text", SingleSearch, SingleAnswer),
    document_pages.PATH: (
        "List or search documents, page by page",
        document_pages.PageRequest,
        document_pages.Page,
    ),
}


class Refusal(Struct, frozen=True):
    """Why a request is refused, in one sentence."""

    error: str


class Health(Struct, frozen=True):
    """The service is up; `retriever` says analysis and parameters."""

    status: Literal["ok"]
    documents: int
    retriever: str


@cache
def openapi() -> dict[str, Any]:
    """Return the description."""
    types = (Refusal, Health, *(kind for _, *kinds in _OPERATIONS.values() for kind in kinds))
    schemas, components = schema_components(types, ref_template="#/components/schemas/{name}")
    schema = dict(zip(types, schemas, strict=True))

    def content(kind: type) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": schema[kind]}}}

    refusals = {status: {"description": reason, **content(Refusal)} for status, reason in _REFUSALS.items()}
    posts = {
        path: {
            "post": {
                "summary": summary,
                "requestBody": {
                    "required": True,
                    "description": f"at most {MAX_REQUEST >> 20} MiB",
                    **content(request),
                },
                "responses": {"200": {"description": "the answer", **content(answer)}, **refusals},
            }
        }
        for path, (summary, request, answer) in _OPERATIONS.items()
    }
    up = {"200": {"description": "up", **content(Health)}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "benchbench retrieval service", "version": benchbench.__version__},
        "paths": {**posts, "/healthz": {"get": {"summary": "Say that the service is up", "responses": up}}},
        "components": {"schemas": components},
    }
