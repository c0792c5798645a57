"""Decode a response body into columns of hits.

What happens to a single bad hit (each case is counted in `Hits.faults`, and the run goes on): one that is
not an object, or that has neither id nor text, is dropped, and so is one beyond those that were asked for; an id that
is empty, holds half a surrogate pair or is of a wrong type, a label of a wrong type, a `text_hash` that is not 16
hexadecimal digits, and a score that is missing or not a number count as missing. An answer that has hits, of which
none can be used, is no answer.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, repeat
from operator import itemgetter
from typing import Any

import numpy as np
import orjson

from benchbench.client import answer_columns
from benchbench.client.answer_columns import Steps
from benchbench.client.answer_plan import plan_of
from benchbench.client.hit_values import digest, scores, usable_values
from benchbench.client.known_labels import KnownLabels
from benchbench.client.record_columns import RecordColumns
from benchbench.client.response_layout import MAPPED, ResponseReading, unusable
from benchbench.client.response_layout import ProtocolError as ProtocolError
from benchbench.kernels.arrays import U64
from benchbench.tables.fields import ID, TEXT, first, identity
from benchbench.tables.hashing import NO_HASH, compared_hash, id_hashes
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Kind, Label, LabelSchema, Vocabulary
from benchbench.tables.text_prefixes import TextPrefixes

_EXAMPLE, _EXAMPLE_LABEL = b'[[{"id":"a","text_hash":"0123456789abcdef","b":1}]]', Label("b", Kind.SET, (), (("b",),))
_LARGE = 1 << 24  # bytes of a body that is looked at before it is parsed
_ROOM = 1 << 30  # bytes that the objects of one answer may take
_OBJECT, _LIST, _MEMBER = 200, 72, 72  # measured: an object or list with what is first in it, and each further value


class _Broken(str):
    """A text in which lone surrogates were replaced, because files cannot hold them. It is not usable as an id."""


class AnswerReader:
    """Reads the answers of one service."""

    def __init__(
        self,
        labels: Vocabulary,
        schema: LabelSchema,
        described: ResponseReading | None = None,
        top_k: int | None = None,
    ) -> None:
        """Prepare.

        Parameters
        ----------
        labels
            The vocabulary shared with the queries; grows.
        schema
            The labels of hits, which are read.
        described
            Where a described service puts its hits (`Profile.results`); without it an answer is
            `{"results": [[hit, …], …]}` or the bare list of lists.
        top_k
            Hits per query that were asked for; None takes all that came.
        """
        self._labels, self._schema, self._described, self._top_k = labels, schema, described, top_k
        self._plan, self._known = plan_of(described, schema), KnownLabels(labels, schema)

    def prepare(self, texts: bool) -> None:
        """Compile the kernels that read answers, with `texts` those for texts too, before requests are under way."""
        schema = LabelSchema(tuple(_EXAMPLE_LABEL for _ in self._schema.labels[:1]))
        plan = plan_of(None, schema)
        if plan is not None and self._plan is not None:
            example = _EXAMPLE.replace(b"text_hash", b"text") if texts else _EXAMPLE
            answer_columns.read(example, plan, TextPrefixes.of([("a",)]), KnownLabels(Vocabulary(), schema), 1)

    def read(self, body: bytes, text_prefixes: Sequence[tuple[str, ...]], most: int | None = None) -> Hits:
        """Return the hits of one batch.

        Parameters
        ----------
        body
            JSON.
        text_prefixes
            One entry per query: how the texts begin that its hits are compared with (`tables.hashing.text_prefix`).
        most
            Hits per query that are read, instead of `top_k`.

        Raises
        ------
        ProtocolError
            Not JSON, another shape, not one list per query, more than memory can hold, or hits and none to use.
        """
        hits = answer_columns.finished(self.steps(body, text_prefixes, most))
        assert hits is not None
        return hits

    def steps(self, body: bytes, text_prefixes: Sequence[tuple[str, ...]], most: int | None = None) -> Steps:
        """Read as `read` does, in steps between which the event loop may do other work, but read no other answer."""
        hits, top_k = None, self._top_k if most is None else most
        if self._plan is not None:
            if not isinstance(text_prefixes, TextPrefixes):
                text_prefixes = TextPrefixes.of(text_prefixes)
            hits = yield from answer_columns.steps(body, self._plan, text_prefixes, self._known, top_k)
        if hits is None:
            hits = decode_objects(body, text_prefixes, self._labels, self._schema, self._described, top_k)
        return hits


def compile_reading(schema: LabelSchema, texts: bool) -> None:
    """Compile the kernels that read answers with some labels, with `texts` those for texts too."""
    AnswerReader(Vocabulary(), schema).prepare(texts)


def decode(
    body: bytes,
    text_prefixes: Sequence[tuple[str, ...]],
    labels: Vocabulary,
    schema: LabelSchema,
    described: ResponseReading | None = None,
    top_k: int | None = None,
) -> Hits:
    """Return the hits of one batch as an `AnswerReader` reads them."""
    return AnswerReader(labels, schema, described, top_k).read(body, text_prefixes)


def decode_objects(
    body: bytes,
    text_prefixes: Sequence[tuple[str, ...]],
    labels: Vocabulary,
    schema: LabelSchema,
    described: ResponseReading | None = None,
    top_k: int | None = None,
) -> Hits:
    """Return the same with an object for each hit: for answers of any kind, and what all others must agree with."""
    _check_room(body)
    answer = parsed(body)
    results = _usual(answer, len(text_prefixes)) if described is None else described.read(answer, len(text_prefixes))
    hits = Hits()
    given = results = _cut(results, top_k, hits)
    if described is not None:
        results = list(map(described.named, results))
    flat = list(chain.from_iterable(results))
    if not _all_usable(flat):
        results = [_usable(list_, hits) for list_ in results]
        flat = list(chain.from_iterable(results))
        if not flat and any(given):
            raise unusable(list(chain.from_iterable(given)), described.advice if described else MAPPED)
    hits.counts = np.array(list(map(len, results)), np.int64)
    if not flat:
        return hits
    members = RecordColumns(flat)
    hits.ids = _identities(members.column(ID), hits)
    hits.id = id_hashes(hits.ids)
    hits.score = scores(members.column(("score",)), hits)
    hits.text = _text_hashes(members, text_prefixes, hits)
    for label in schema.labels:
        hits.labels.append(usable_values(label, labels.column(label, members.at(label.hit)), hits))
    return hits


def _usual(answer: Any, queries: int) -> list[list[Any]]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(list_, list) for list_ in results):
        raise ProtocolError('the body is neither a list of lists nor {"results": [[…], …]}')
    if len(results) != queries:
        raise ProtocolError(f"{len(results)} result lists for {queries} queries")
    return results


def _cut(results: list[list[Any]], top_k: int | None, hits: Hits) -> list[list[Any]]:
    """Return at most the hits that were asked for: a service that sends too many must not fill memory and disk."""
    if top_k is None or all(len(list_) <= top_k for list_ in results):
        return results
    hits.fault("beyond_top_k", sum(max(0, len(list_) - top_k) for list_ in results))
    return [list_[:top_k] for list_ in results]


def _check_room(body: bytes) -> None:
    """Refuse a body that would become so many objects that they fill the memory."""
    if len(body) < _LARGE:
        return
    room = body.count(b"{") * _OBJECT + body.count(b"[") * _LIST + body.count(b",") * _MEMBER
    if room > _ROOM:
        raise ProtocolError(
            f"the body has JSON that may fill {room >> 20:,} MiB of memory, more than the {_ROOM >> 20:,} MiB that an "
            "answer may; ask for less at once with a smaller --batch-size or --top-k"
        )


def parsed(body: bytes) -> Any:
    """Return the JSON value of a body; ProtocolError where it is none."""
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(body)
    try:  # Python's own services write NaN, which JSON has not: one bad score must not fail a batch
        return _encodable(json.loads(body))
    except (ValueError, RecursionError):
        start = body[: 1 << 16].decode(errors="replace")
        raise ProtocolError("the body is not JSON: it starts with ", start, 60) from None


def _encodable(value: Any) -> Any:
    """Replace lone surrogates, which files cannot hold."""
    if type(value) is str:
        whole = value.encode(errors="replace").decode()
        return value if whole == value else _Broken(whole)
    if type(value) is list:
        return [_encodable(element) for element in value]
    if type(value) is dict:
        return {_encodable(name): _encodable(member) for name, member in value.items()}
    return value


def _all_usable(flat: list[Any]) -> bool:
    """Return True when every hit is an object with an id, as in nearly all answers; False means unknown."""
    if set(map(type, flat)) != {dict}:
        return False
    try:
        ids = list(map(itemgetter("id"), flat))
    except KeyError:
        return False
    return set(map(type, ids)) == {str} and all(ids)


def _usable(results: list[Any], hits: Hits) -> list[dict[str, Any]]:
    usable = [
        hit
        for hit in results
        if type(hit) is dict and ((type(name := hit.get("id")) is str and name) or _is_known_by(hit))
    ]
    hits.fault("dropped_hits", len(results) - len(usable))
    return usable


def _is_known_by(hit: dict[str, Any]) -> bool:
    """Say whether a hit has an id, a text or a hash of it."""
    names = _identity(first(hit, ID)), first(hit, TEXT), hit.get("text_hash")
    return any(isinstance(name, str) and name for name in names)


def _identity(value: Any) -> str | None:
    return None if type(value) is _Broken else identity(value)


def _identities(values: Sequence[Any], hits: Hits) -> list[str | None]:
    if set(map(type, values)) == {str} and all(values):
        return list(values)
    ids = list(map(_identity, values))
    hits.fault("malformed_ids", ids.count(None) - values.count(None))
    return ids


def _text_hashes(members: RecordColumns, text_prefixes: Sequence[tuple[str, ...]], hits: Hits) -> U64:
    digests, texts = members.column(("text_hash",)), members.column(TEXT)
    if None not in digests:
        column = np.array(list(map(digest, digests)), np.uint64)
    else:
        sought = chain.from_iterable(map(repeat, text_prefixes, hits.counts.tolist()))
        column = np.array(
            [
                (compared_hash(text, wanted) if text else NO_HASH) if isinstance(text, str) else digest(value)
                for value, text, wanted in zip(digests, texts, sought, strict=True)
            ],
            np.uint64,
        )
    hits.fault("without_text", int((column == NO_HASH).sum()))
    return column
