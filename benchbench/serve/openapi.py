"""The service's description of itself (OpenAPI 3.1)."""

from typing import Any

import benchbench
from benchbench.client.messages import FIELDS, MAX_QUERIES, MAX_TOP_K, PATH

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
            "properties": {
                "accusation": {"type": "array", "items": {"type": "string"}},
                "relevant_articles": {"type": "array", "items": {"type": ["integer", "string"]}},
                "imprisonment": {"type": "object"},
            },
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


def _operation(summary: str, member: str, query: dict[str, Any], results: dict[str, Any]) -> dict[str, Any]:
    request = {"type": "object", "required": [member], "properties": {member: query, **_OPTIONS}}
    answer = {"type": "object", "required": ["results"], "properties": {"results": results}}
    error = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
            "responses": {
                "200": {"description": "hits", "content": {"application/json": {"schema": answer}}},
                "400": {
                    "description": "a bad request, with the reason",
                    "content": {"application/json": {"schema": error}},
                },
            },
        }
    }


_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MAX_QUERIES}
_HEALTH = {"type": "object", "properties": {"status": {"const": "ok"}, "documents": {"type": "integer"}}}

OPENAPI: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "benchbench retrieval service", "version": benchbench.__version__},
    "paths": {
        PATH: _operation(
            "Search for several texts; one list of hits a query, in the order of the queries",
            "queries",
            _TEXTS,
            {"type": "array", "items": _LIST},
        ),
        "/search": _operation("Search for one text", "query", {"type": "string"}, _LIST),
        "/healthz": {
            "get": {
                "summary": "Say that the service is up",
                "responses": {"200": {"description": "up", "content": {"application/json": {"schema": _HEALTH}}}},
            }
        },
    },
}
