"""The service's description of itself (OpenAPI 3.1)."""

from typing import Any

import benchbench
from benchbench.client import document_pages
from benchbench.client.messages import FIELDS, MAX_LENGTH, MAX_QUERIES, MAX_TOP_K, PATH
from benchbench.serve.sending import MAX_REQUEST, MAX_REQUESTS

_HIT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "score": {"type": "number"},
        "text": {"type": "string"},
        "text_hash": {
            "type": "string",
            "pattern": "^[0-9a-f]{16}$",
            "description": "xxh3-64 of the text after NFC, LF line ends and removal of outer white space",
        },
        "meta": {
            "type": "object",
            "description": "what the collection says of the document besides id, title and text",
            "examples": [{"brand": "Acme", "categories": ["tools", "garden"], "price": 12.5}],
        },
    },
}
_LIST = {"type": "array", "items": _HIT, "description": "best first"}
_OPTIONS: dict[str, Any] = {
    "top_k": {"type": "integer", "minimum": 1, "maximum": MAX_TOP_K, "default": 10},
    "fields": {
        "type": "array",
        "items": {"enum": list(FIELDS)},
        "default": ["id", "score", "text", "meta"],
        "description": "members of a hit to return",
    },
}


def _search(summary: str, member: str, query: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    request = {"type": "object", "required": [member], "properties": {member: query, **_OPTIONS}}
    answer = {"type": "object", "required": ["results"], "properties": {"results": results}}
    return _operation(summary, request, "hits", answer)


_REFUSALS = {
    "400": "a bad request, with the reason",
    "403": "asked by a page of another place",
    "408": "the body came too slowly",
    "413": f"the body is longer than {MAX_REQUEST >> 20} MiB",
    "415": "the body is not named application/json, or is packed",
    "421": "asked under a name that is not this service's",
    "503": f"the requests under way have more than {MAX_REQUESTS >> 20} MiB together; ask again after Retry-After",
}


def _operation(summary: str, request: dict[str, Any], what: str, answer: dict[str, Any]) -> dict[str, Any]:
    error = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
    return {
        "post": {
            "summary": summary,
            "requestBody": {
                "required": True,
                "description": f"at most {MAX_REQUEST >> 20} MiB",
                "content": {"application/json": {"schema": request}},
            },
            "responses": {
                "200": {"description": what, "content": {"application/json": {"schema": answer}}},
                **{
                    status: {"description": reason, "content": {"application/json": {"schema": error}}}
                    for status, reason in _REFUSALS.items()
                },
            },
        }
    }


_QUERY = {"type": "string", "maxLength": MAX_LENGTH}
_TEXTS = {"type": "array", "items": _QUERY, "minItems": 1, "maxItems": MAX_QUERIES}
_WANTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {**_QUERY, "description": "what to search for; without it, all documents in order"},
        "category": {"type": "string", "description": "only these; empty: only those without one"},
        "skip": {"type": "integer", "minimum": 0, "default": 0},
        "top": {"type": "integer", "minimum": 0, "maximum": document_pages.MAX_TOP, "default": 50},
        "text": {"type": "boolean", "default": True, "description": "whether the documents come with their texts"},
        "categories": {"type": "boolean", "default": False, "description": "whether all that fits is counted"},
    },
}
_STRING = {"type": "string"}
_DOCUMENT: dict[str, Any] = {
    "type": "object",
    "required": ["id"],
    "properties": {
        **dict.fromkeys(("id", "name", "file", "category", "text"), _STRING),
        "score": {"type": ["number", "null"]},
    },
}
_PAGE: dict[str, Any] = {
    "type": "object",
    "required": ["total", "documents"],
    "properties": {
        "total": {"type": "integer", "description": "all that fits, whatever was skipped"},
        "documents": {"type": "array", "items": _DOCUMENT},
        "categories": {"type": ["object", "null"], "additionalProperties": {"type": "integer"}},
    },
}
_HEALTH = {
    "type": "object",
    "properties": {
        "status": {"const": "ok"},
        "documents": {"type": "integer"},
        "retriever": {"type": "string", "description": "analysis and parameters"},
    },
}

OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "benchbench retrieval service", "version": benchbench.__version__},
    "paths": {
        PATH: _search(
            "Search for several texts; one list of hits per query, in the order of the queries",
            "queries",
            _TEXTS,
            {"type": "array", "items": _LIST},
        ),
        "/search": _search("Search for one text", "query", _QUERY, _LIST),
        document_pages.PATH: _operation("List or search documents, page by page", _WANTED, "a page", _PAGE),
        "/healthz": {
            "get": {
                "summary": "Say that the service is up",
                "responses": {"200": {"description": "up", "content": {"application/json": {"schema": _HEALTH}}}},
            }
        },
    },
}
