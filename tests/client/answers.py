"""Recorded shapes: what services answer two queries with, as their vendors document it.

The first query gets the hits `c1` (text 甲, score 1.5, accusation 盗窃) and `c2`, the second gets `c3`.
"""

from typing import Any


def _sources(name: str, score: str, text: str, inner: str | None) -> list[list[dict[str, Any]]]:
    documents = [
        [({"id": "c1"}, 1.5, {"text": "甲", "accusation": ["盗窃"]}), ({"id": "c2"}, 0.5, {"text": "乙"})],
        [({"id": "c3"}, 2.0, {"text": "丙"})],
    ]
    return [
        [
            {name: identity["id"], score: value}
            | ({inner: source} if inner else {text if key == "text" else key: one for key, one in source.items()})
            for identity, value, source in one
        ]
        for one in documents
    ]


_SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}

MSEARCH = {
    "took": 3,
    "responses": [
        {
            "took": 2,
            "timed_out": False,
            "_shards": _SHARDS,
            "hits": {"max_score": 1.5, "hits": [{"_index": "cases", **hit} for hit in hits]},
            "status": 200,
        }
        for hits in _sources("_id", "_score", "text", "_source")
    ],
}

MSEARCH_ONE_FAILED = {
    "took": 3,
    "responses": [
        MSEARCH["responses"][0],
        {
            "error": {
                "root_cause": [{"type": "index_not_found_exception", "reason": "no such index [cases]"}],
                "type": "index_not_found_exception",
                "reason": "no such index [cases]",
            },
            "status": 404,
        },
    ],
}

QDRANT = {
    "usage": None,
    "time": 0.002,
    "status": "ok",
    "result": [
        {"points": [{"version": 1, **hit} for hit in hits]} for hits in _sources("id", "score", "text", "payload")
    ],
}

AZURE = [
    {"@odata.context": "https://name.search.windows.net/indexes('cases')/$metadata#docs(*)", "value": hits}
    for hits in _sources("id", "@search.score", "text", None)
]

MEILISEARCH = {
    "results": [
        {"indexUid": "cases", "query": "q", "processingTimeMs": 1, "limit": 20, "offset": 0, "hits": hits}
        for hits in _sources("id", "_rankingScore", "text", None)
    ]
}

RENAMED = {
    "data": {
        "answers": [
            [{**hit, "passages": [{"body": hit["body"]}]} for hit in hits]
            for hits in _sources("fact_id", "score", "body", None)
        ]
    }
}

NESTED = {
    "data": [
        {
            "queries": [
                {
                    "documents": [
                        {
                            "key": hit["id"],
                            "deleted": False,
                            "ranking": {"first": hit["score"]},
                            "paragraphs": [{"text": hit["text"]}],
                            "labels": {"charges": [{"name": name} for name in hit.get("accusation", [])]},
                        }
                        for hit in hits
                    ]
                    + [{"key": "gone", "deleted": True}]
                }
                for hits in _sources("id", "score", "text", None)
            ]
        }
    ]
}

LISTED = [{"took": 1, "items": hits, "suggestions": [{"id": "no"}]} for hits in _sources("id", "score", "body", None)]

GROUPED = [
    {
        "groups": [
            {
                "file": "c",
                "hits": [{**hit, "file": hit["id"][:1], "part": int(hit["id"][1:]), "id": None} for hit in hits],
            },
            {"file": "d", "hits": []},
        ]
    }
    for hits in _sources("id", "score", "text", None)
]

SOLR = [
    {"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": len(hits), "start": 0, "docs": hits}}
    for hits in _sources("id", "score", "text", None)
]
