"""Small assistants to ask: one that answers from a BM25 over documents, and ways in which one fails."""

from typing import Any

import orjson
import services
from aiohttp import web

from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

DOCUMENTS = {
    "Part 36": "Part 36 is a self-contained code about offers to settle. Rule 36.2 says what an offer is.",
    "Part 31": "Part 31 sets out rules about disclosure and inspection of documents by the claimant.",
    "Practice Direction 3D": "Practice Direction 3D covers costs management and budgets.",
}

TRUTHS = [
    {"question": "What is Part 36?", "truth": "Part 36 is about offers to settle. [Part 36]", "source_type": "CPR"},
    {"question": "What does Part 31 cover?", "truth": "Part 31 covers disclosure. [Part 31]", "source_type": "CPR"},
    {
        "question": "What are costs budgets?",
        "truth": "Practice Direction 3D. [Practice Direction 3D]",
        "source_type": "PD",
    },
]


def said(text: Any, *context: str) -> Any:
    """Return an answer as the chat protocol has it."""
    return {"message": {"content": text, "role": "assistant"}, "context": {"data_points": {"text": list(context)}}}


def saying(value: Any) -> services.Answer:
    """Answer with a JSON value, whatever is asked."""
    return services.raw(orjson.dumps(value), Content_Type="application/json")


def from_documents(documents: dict[str, str]) -> services.Answer:
    """Answer with the best documents: the first one's text, its name in brackets, and all as the context."""
    names = list(documents)
    index = BM25(Collection(names, list(documents.values()), [{} for _ in names]))

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.StreamResponse:
        question = message["messages"][-1]["content"]
        top = message["context"].get("overrides", {}).get("top", 3)
        found = [names[number] for number in index.search(question, top)[0].tolist()]
        text = f"{documents[found[0]]} [{found[0]}]" if found else "I do not know."
        body = orjson.dumps(said(text, *(f"{name}: {documents[name]}" for name in found)))
        return web.Response(body=body, content_type="application/json")

    return answer
