"""Search indexes to look into: Azure AI Search as its documentation describes it, and documents to put there."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson
import services
from aiohttp import web

from benchbench.tables.collection import Collection

KEY = "s3cret-key"
PAGE = 1000  # documents of an answer at most
FURTHEST = 100_000

GUIDE, CPR = "Commercial Court", "Civil Procedure Rules and Practice Directions"

FIELDS = ("id", "sourcepage", "sourcefile", "category", "content")  # of the azure-search-openai-demo
RECORDS: list[dict[str, Any]] = [dict(zip(FIELDS, row, strict=True)) for row in (
    ("part36-1", "Part 36#page=Offers to Settle", "Part 36", CPR,
     "PART 36\n\nA Part 36 offer is an offer to settle that is made in the way this Part says."),
    ("part36-2", "Part 36#page=Costs consequences", "Part 36", CPR,
     "Costs follow where a claimant fails to obtain a judgment more advantageous than the offer."),
    ("guide-d", "commercial-court-guide.pdf#page=41", "commercial-court-guide.pdf", GUIDE,
     "Disclosure in the Commercial Court is under Practice Direction 57AD; its scope is to be agreed."),
    ("notes", "Notes", "Notes", None,
     "These notes on disclosure say what is said elsewhere, and belong to no category whatever."),
)]  # fmt: skip


def collection() -> Collection:
    """Return the records as a collection."""
    columns = [[one[name] or "" for one in RECORDS] for name in ("sourcepage", "sourcefile", "category")]
    texts = [one["content"] for one in RECORDS]
    return Collection([one["id"] for one in RECORDS], texts, [{} for _ in RECORDS], *columns)


def lines() -> bytes:
    """Return the records as JSON lines, a file that `--collection` reads."""
    return b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in RECORDS)


def azure(records: Sequence[dict[str, Any]] = (), index: str = "legal", most: int = PAGE) -> services.Answer:
    """Answer as the documented `POST /indexes/{index}/docs/search` does; a text matches by any of its words."""
    held = records or RECORDS

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        assert request.method == "POST"
        if request.headers.get("api-key") != KEY:
            return web.Response(status=403)
        if request.path != f"/indexes/{index}/docs/search":
            return _error(404, f"The index '{request.path.split('/')[2]}' for service 'name' was not found.")
        if request.query.get("api-version") != "2024-07-01":
            return _error(400, "The request is invalid. The api-version is not supported.")
        if message.get("skip", 0) > FURTHEST:
            return _error(400, "Value must be between 0 and 100000. Parameter name: $skip")
        selected = message.get("select", ",".join(held[0])).split(",")
        for name in (*selected, *(one.partition(",")[0] for one in message.get("facets", ()))):
            if name not in held[0]:
                return _error(400, f"Could not find a property named '{name}' on type 'search.document'.")
        found = [(_score(one, message["search"]), one) for one in held if _fits(one, message.get("filter"))]
        found = [(score, one) for score, one in found if score]
        if "orderby" in message:
            found.sort(key=lambda pair: pair[1][message["orderby"]])
        else:
            found.sort(key=lambda pair: -pair[0])
        first = message.get("skip", 0)
        shown = found[first : first + min(message.get("top", 50), most)]
        said: dict[str, Any] = {"@odata.context": "https://name.search.windows.net/$metadata#docs(*)"}
        if message.get("count"):
            said["@odata.count"] = len(found)
        if message.get("facets"):
            said["@search.facets"] = {one.partition(",")[0]: _facet(found, one) for one in message["facets"]}
        if first + len(shown) < len(found) and len(shown) < message.get("top", 50):
            said["@search.nextPageParameters"] = {**message, "skip": first + len(shown)}
        said["value"] = [{"@search.score": score, **{name: one[name] for name in selected}} for score, one in shown]
        return web.Response(body=orjson.dumps(said), content_type="application/json")

    return answer


def _error(status: int, text: str) -> web.Response:
    return web.json_response({"error": {"code": "", "message": text}}, status=status)


def _score(record: dict[str, Any], query: str) -> float:
    if query == "*":
        return 1.0
    words = set(re.findall(r"\w+", record["content"].casefold()))
    return float(len(words & set(re.findall(r"\w+", query.casefold()))))


def _fits(record: dict[str, Any], expression: str | None) -> bool:
    if expression is None:
        return True
    clause = re.compile(r"(\w+) eq (?:'((?:[^']|'')*)'|(null))")
    parts = expression.split(" or ")
    assert all(clause.fullmatch(part) for part in parts), expression
    wanted = [clause.fullmatch(part).groups() for part in parts]
    return any(record[name] == (None if null else text.replace("''", "'")) for name, text, null in wanted)


def _facet(found: list[tuple[float, dict[str, Any]]], facet: str) -> list[dict[str, Any]]:
    name, _, count = facet.partition(",count:")
    most = int(count or 10) or None  # 0: all of them
    counts = Counter(one[name] for _, one in found if one[name] is not None)
    return [{"count": n, "value": value} for value, n in counts.most_common(most)]
