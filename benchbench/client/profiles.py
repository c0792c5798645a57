"""Profiles: the request that a kind of service takes, and how its answer is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from benchbench.client.headers import Headers
from benchbench.client.response_layout import Reading
from benchbench.client.templates import fill, places
from benchbench.errors import InputError


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of service.

    `body`, `each` and `lines` are templates (`client.templates`) with the places `{queries}` (the list of
    texts), `{query}` (one text), `{top_k}`, and in `body` `{each}` (the list of `each`, filled for every
    text). With `lines` the body is lines of JSON: all of them for the first text, then for the next.
    `results` is None where the answer has one of the usual shapes, which `decode` reads by itself.
    """

    name: str
    body: Any = None
    each: Any = None
    lines: Sequence[Any] = ()
    path: str = "/batch_search"
    method: str = "POST"
    headers: Headers = field(default_factory=Headers)
    results: Reading | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # what `--protocol-option` and defaults have filled in

    one_query: bool = field(init=False)  # a request carries one query only

    def __post_init__(self) -> None:
        object.__setattr__(self, "one_query", "query" in places(self.body))

    def check_batch_size(self, batch_size: int) -> None:
        """Refuse batches that this kind of service cannot take; InputError says what to do."""
        if self.one_query and batch_size != 1:
            raise InputError(f"--protocol {self.name} asks one query per request: use --batch-size 1, not {batch_size}")

    def request(self, texts: Sequence[str], top_k: int) -> Any:
        """Return the request for a batch as a JSON value; with `lines`, the list of them."""
        if self.lines:
            return [fill(line, {"query": text, "top_k": top_k}) for text in texts for line in self.lines]
        values: dict[str, Any] = {"queries": texts, "top_k": top_k}
        if self.each is not None:
            values["each"] = [fill(self.each, {"query": text, "top_k": top_k}) for text in texts]
        if self.one_query:
            (values["query"],) = texts
        return fill(self.body, values)

    def payload(self, texts: Sequence[str], top_k: int) -> bytes:
        """Return the body of the request for a batch."""
        request = self.request(texts, top_k)
        if self.lines:
            return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in request)
        return orjson.dumps(request)

    @property
    def media_type(self) -> str:
        """Return the media type of the body."""
        return "application/x-ndjson" if self.lines else "application/json"


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "benchbench",
            {"queries": "{queries}", "top_k": "{top_k}", "fields": ["id", "score", "text_hash", "meta"]},
        ),
        Profile("legal-agent", {"facts": "{queries}", "top_k": "{top_k}"}),
    )
}
