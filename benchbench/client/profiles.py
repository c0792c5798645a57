"""Profiles: the request that a kind of service takes, and how its answer is read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import orjson

from benchbench.client.headers import Headers, Variables
from benchbench.client.pages import Pages
from benchbench.client.payload import Located, Payload
from benchbench.client.response_layout import ResponseReading
from benchbench.client.secrets import telling, telling_member
from benchbench.client.templates import NOTHING, fill, members, places, variables
from benchbench.errors import InputError
from benchbench.tables.random_keys import random_part
from benchbench.tables.strings import Strings

_BATCH = 32
_LIST = b"\0"  # stands for the list of texts in a request, as JSON never has this byte
FIRST_PAGE: Mapping[str, Any] = MappingProxyType({})
_RANDOM = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+/=.-]{16,}")  # a value that may be a key, whatever its name


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of service.

    `body`, `each`, `lines` and `form` are templates (`client.templates`) with the places `{queries}` (the list of
    texts), `{query}` (one text), `{top_k}`, and in `body` `{each}` (the list of `each`, filled for every
    text). With `lines` the body is lines of JSON: all of them for the first text, then for the next. `path` is encoded
    as URLs are, with its parameters, and may have the places `{query}` and `{top_k}`. All may have those of variables,
    whose values stand in `environment` alone, and with `pages` the place that says which page is asked for. `results`
    is None where the answer has one of the usual shapes, which `decode` reads by itself.
    """

    name: str
    body: Any = None
    each: Any = None
    lines: Sequence[Any] = ()
    form: Any = None
    path: str = "/batch_search"
    method: str = "POST"
    headers: Headers = field(default_factory=Headers)
    results: ResponseReading | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # what `--protocol-option` and defaults have filled in
    environment: Variables = field(default_factory=Variables)
    pages: Pages | None = None  # how more hits are asked for than one answer has

    one_query: bool = field(init=False)  # a request carries one query only
    _located: bool = field(init=False, repr=False)  # each request has a URL of its own
    _takes_list: bool = field(init=False, repr=False)  # the texts stand in its body as one list only …
    _frames: dict[int, bytes] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )  # … in these, by top_k

    def __post_init__(self) -> None:
        object.__setattr__(self, "one_query", "query" in places([self.body, self.form, self.path]))
        located = places(self.path) or variables(self.path) or not self.media_type
        object.__setattr__(self, "_located", bool(located))
        others = self.form, self.each, self.lines, self.pages, self.one_query
        object.__setattr__(self, "_takes_list", not any(others))

    @property
    def batch_size(self) -> int:
        """Return how many queries a request carries where nothing else is said."""
        return 1 if self.one_query else _BATCH

    def check_batch_size(self, batch_size: int) -> None:
        """Refuse batches that this kind of service cannot take; InputError says what to do."""
        if self.one_query and batch_size != 1:
            raise InputError(f"--protocol {self.name} asks one query per request: use --batch-size 1, not {batch_size}")

    def check_one_page(self, top_k: int, who: str) -> None:
        """Refuse a number of hits for which several pages are asked for, where each query is one request."""
        if self.pages is None or (self.pages.size is not None and top_k <= self.pages.size):
            return
        way = f"use --top-k {self.pages.size}" if self.pages.size else "describe it without [pages]"
        raise InputError(f"--protocol {self.name} asks page after page for {top_k} hits, and {who} does not: {way}")

    def request(self, texts: Any, top_k: int, page: Mapping[str, Any] = FIRST_PAGE) -> Any:
        """Return the request for a batch as a JSON value; with `lines`, the list of them."""
        values: dict[str, Any] = {**self._variables(), **self._places(top_k, page)}
        if self.lines:
            return [fill(line, {**values, "query": text}) for text in texts for line in self.lines]
        if self.each is not None:
            values["each"] = [fill(self.each, {**values, "query": text}) for text in texts]
        if self.one_query:
            (values["query"],) = texts
        return fill(self.body if self.form is None else self.form, {**values, "queries": texts})

    def payload(self, texts: Sequence[str], top_k: int, page: Mapping[str, Any] = FIRST_PAGE) -> Payload:
        """Return what the request for a batch carries; `page` fills the place that says which page is asked for."""
        if not self._located:
            return self._body(texts, top_k, page)
        places = self._places(top_k, page).items()
        values = {**self._variables(), **{name: value if value is NOTHING else str(value) for name, value in places}}
        if self.one_query:
            (values["query"],) = texts
        return Located(values, self._body(texts, top_k, page) if self.media_type else None)

    def _places(self, top_k: int, page: Mapping[str, Any]) -> dict[str, Any]:
        if self.pages is None:
            return {"top_k": top_k}
        return {"top_k": self.pages.asked(top_k), **(page or self.pages.start())}

    def _body(self, texts: Sequence[str], top_k: int, page: Mapping[str, Any]) -> bytes:
        if self._takes_list and isinstance(texts, Strings) and (written := texts.json()) is not None:
            if top_k not in self._frames:
                self._frames[top_k] = self._frame(top_k)
            if frame := self._frames[top_k]:
                return frame.replace(_LIST, written)
        request = self.request(list(texts), top_k, page)
        if self.lines:
            return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in request)
        return orjson.dumps(request) if self.form is None else urlencode(pairs(request)).encode()

    def _frame(self, top_k: int) -> bytes:
        """Return a request with `_LIST` for the texts; nothing where they stand within a text or a name."""
        frame = orjson.dumps(self.request(orjson.Fragment(_LIST), top_k))
        return frame if frame.replace(_LIST, b'[""]') == orjson.dumps(self.request([""], top_k)) else b""

    @property
    def asks_for_hashes(self) -> bool:
        """Say whether it asks for the hashes of texts, and not for these."""
        return isinstance(self.body, dict) and "text_hash" in (self.body.get("fields") or ())

    @property
    def media_type(self) -> str:
        """Return the media type of the body; empty where there is none."""
        if self.form is not None:
            return "application/x-www-form-urlencoded"
        if self.lines:
            return "application/x-ndjson"
        return "" if self.body is None and "query" in places(self.path) else "application/json"

    @property
    def placed(self) -> list[str]:
        """Return the names of parameters of the URL that every request fills in."""
        return [name for name, value in self._parameters() if places(value)]

    def secrets(self) -> Iterator[tuple[str, str]]:
        """Yield the name and value of what may be secret: variables, and what is called so in the URL or the body."""
        yield from self.environment.items()
        form = pairs(self.form) if isinstance(self.form, dict) else []
        for name, value in (*self._parameters(), *form):
            if (telling(name) or _RANDOM.fullmatch(value)) and not places(value) and not variables(value):
                yield name, value
        for name, value in members([self.body, self.each, list(self.lines)]):
            if telling_member(name) and not places(value) and not variables(value):
                yield name, value
        yield from (("key", part) for part in self.path.partition("?")[0].split("/") if random_part(part))

    def _parameters(self) -> list[tuple[str, str]]:
        return parse_qsl(self.path.partition("?")[2])

    def _variables(self) -> dict[str, str]:
        return {f"${name}": value for name, value in self.environment.items()}


def pairs(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the members of a table as those of a form or a URL: lists repeat their name, null is left out."""
    several = ((name, value if isinstance(value, list | tuple) else [value]) for name, value in table.items())
    return [(name, _scalar(element)) for name, values in several for element in values if element is not None]


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
