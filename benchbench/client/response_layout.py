"""The places of hits in an answer, and of members in a hit."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

from msgspec import Struct, field

from benchbench.client.jmespath_fields import FieldPath, JoinedPath
from benchbench.tables.fields import ID, TEXT

_QUOTED, _SHOWN = 1 << 16, 200  # characters of what is wrong that are kept, and shown
_LOOKED_AT = 1000  # hits whose keys are named
MAPPED = "--protocol FILE says where ids and texts are (results.id, results.text; docs/protocol.md, Describe a service)"

MEMBERS = {  # member of a hit -> its usual names, its own first, by which it is found without a description
    "id": ID,
    "score": ("score",),
    "text": TEXT,
    "text_hash": ("text_hash",),
    "meta": ("meta",),
}


class ProtocolError(Exception):
    """The body is not an answer to the request; its batch fails with this reason.

    `quote` is what of the body shows it. A careless service may have put a secret there, so that what is
    written down is `text(transport.hide)`.
    """

    def __init__(self, reason: str, quote: str | None = None, shown: int = _SHOWN) -> None:
        super().__init__(reason)
        self._reason, self._quote, self._shown = reason, quote, shown

    def __str__(self) -> str:
        return self.text(str)

    def text(self, hide: Callable[[str], str]) -> str:
        """Return the reason with the quote, from which `hide` has removed all secrets before it is cut."""
        return self._reason if self._quote is None else f"{self._reason}{hide(self._quote)[: self._shown]!r}"


class ResponseReading(Protocol):
    """How an answer becomes one list of hits per query, each with the usual names."""

    @property
    def advice(self) -> str:
        """Return what to do where hits have other names."""

    def __hash__(self) -> int:
        """Hash; what is made of a reading is kept."""

    def read(self, answer: Any, queries: int) -> list[list[Any]]:
        """Return the hits of each query; ProtocolError for another shape."""

    def named(self, hits: list[Any]) -> list[Any]:
        """Return hits with the usual names."""


class ResponseLayout(Struct, frozen=True):
    """How a described service's answer becomes one list of hits per query, each with the usual names.

    `lists` finds one element per query in the answer, None where a request has one query; `hits` finds the
    list of hits in each element, and `members` what is described of a hit: members of `MEMBERS`, then any others.
    """

    hits: FieldPath
    lists: FieldPath | None = None
    members: Mapping[str, FieldPath | JoinedPath] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Hash, for what is made of a layout is kept."""
        return hash((self.hits, self.lists, frozenset(self.members.items())))

    @property
    def advice(self) -> str:
        """Return what to do where hits have other names."""
        return MAPPED

    def read(self, answer: Any, queries: int) -> list[list[Any]]:
        """Return the hits of each query, as the service has them.

        Raises
        ------
        ProtocolError
            No list with one element per query, or an element without a list of hits.
        """
        elements = [answer] if self.lists is None else self.lists.find(answer)
        if not isinstance(elements, list):
            raise ProtocolError("there is no list of result lists where the protocol says: ", _json(answer))
        if len(elements) != queries:
            raise ProtocolError(f"{len(elements)} result lists for {queries} queries")
        return [self._hits(element, number, queries) for number, element in enumerate(elements, 1)]

    def named(self, hits: list[Any]) -> list[dict[str, Any]]:
        """Return hits with what is described of them and their own other members, in which labels may be.

        What is described of a hit and not there is looked for under no other name.
        """
        records = [dict(hit) if type(hit) is dict else {} for hit in hits]
        for name, path in self.members.items():
            find, others = path.find, MEMBERS.get(name, ())[1:]
            for hit, record in zip(hits, records, strict=True):
                if (value := find(hit)) is None:
                    for other in others:
                        record.pop(other, None)
                record[name] = value
        return records

    def _hits(self, element: Any, number: int, queries: int) -> list[Any]:
        hits = self.hits.find(element)
        if not isinstance(hits, list):
            raise ProtocolError(f"result {number} of {queries} has no list of hits: ", _json(element))
        return hits


def unusable(hits: Sequence[Any], advice: str = MAPPED) -> ProtocolError:
    """Return the error of an answer whose hits have neither an id nor a text under a known name."""
    objects = [hit for hit in islice(hits, _LOOKED_AT) if type(hit) is dict]
    if not objects:
        return ProtocolError(f"no hit can be used: hits are not JSON objects; {advice}; for example ", _json(hits[0]))
    names = ", ".join(dict.fromkeys(name for hit in objects for name in hit))
    return ProtocolError(
        f"no hit can be used: none has an id or a text by a usual name; {advice}; they have the keys ", names
    )


def _json(value: Any) -> str:
    """Return the beginning of a value as JSON, without encoding all of a large one."""
    text, pieces = "", json.JSONEncoder(ensure_ascii=False).iterencode(value)
    try:
        while len(text) < _QUOTED and (more := "".join(islice(pieces, _QUOTED))):
            text += more
        return text[:_QUOTED]
    except RecursionError:
        return "JSON too deep to show"
