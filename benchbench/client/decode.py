"""Decode a response body into columns of hits.

What happens to a single bad hit (each case is counted in `Hits.faults`, and the run goes on): one that is
not an object, or that has neither id nor text, is dropped, and so is one beyond those that were asked for; an id that
is empty, holds half a surrogate pair or is of a wrong type, a label of a wrong type, a `text_hash` that is not 16
hexadecimal digits, and a score that is missing or not a number count as missing. An answer that has hits, of which
none can be used, is no answer.
"""

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, repeat
from operator import itemgetter
from string import hexdigits
from typing import Any, NamedTuple

import orjson

from benchbench.client.json_skim import Row, Skimmed, loads
from benchbench.client.record_columns import RecordColumns, is_nothing, is_whole
from benchbench.client.response_layout import MAPPED, Reading, unusable
from benchbench.client.response_layout import ProtocolError as ProtocolError
from benchbench.tables.fields import ID, META, TEXT, first, identity
from benchbench.tables.hashing import NO_HASH, compared_hash, compared_hashes, id_hashes, reserved
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Label, LabelSchema, Path, Vocabulary, without_malformed

_LARGE = 1 << 24  # bytes of a body that is looked at before it is parsed
_ROOM = 1 << 30  # bytes that the objects of one answer may take
_OBJECT, _LIST, _MEMBER = 200, 72, 72  # measured: an object or list with what is first in it, and each further value


class _Broken(str):
    """A text in which lone surrogates were replaced, because files cannot hold them. It is not usable as an id."""


def decode(
    body: bytes,
    text_prefixes: Sequence[tuple[str, ...]],
    labels: Vocabulary,
    schema: LabelSchema,
    described: Reading | None = None,
    top_k: int | None = None,
) -> Hits:
    """Return the hits of one batch.

    Parameters
    ----------
    body
        JSON; without `described`, `{"results": [[hit, …], …]}` or the bare list of lists.
    text_prefixes
        One entry per query: how the texts begin that its hits are compared with (`tables.hashing.text_prefix`).
    labels
        The vocabulary shared with the queries; grows.
    schema
        The labels of hits, which are read.
    described
        Where a described service puts its hits (`Profile.results`).
    top_k
        Hits per query that were asked for; None takes all that came.

    Raises
    ------
    ProtocolError
        Not JSON, another shape, not one list per query, more than memory can hold, or hits and none to use.
    """
    _check_room(body)
    answer, skimmed = _parse(body, labels, schema) if described is None else (parsed(body), Skimmed())
    results = _usual(answer, len(text_prefixes)) if described is None else described.read(answer, len(text_prefixes))
    hits = Hits()
    given = results = _cut(results, top_k, hits)
    if described is not None:
        results = list(map(described.named, results))
    flat = list(chain.from_iterable(results))
    if not _all_usable(flat):
        results = [_usable(one, hits) for one in results]
        flat = list(chain.from_iterable(results))
        if not flat and any(given):
            raise unusable(list(chain.from_iterable(given)), described.advice if described else MAPPED)
    hits.counts = list(map(len, results))
    if not flat:
        return hits
    members = RecordColumns(flat, skimmed.whole)
    hits.ids = _identities(members.column(ID), hits)
    hits.id = id_hashes(hits.ids)
    hits.score = _scores(members.column(("score",)), hits)
    hits.text = _text_hashes(members, text_prefixes, skimmed.text, hits)
    hits.labels = _labels(members, skimmed, labels, schema, hits)
    return hits


def _usual(answer: Any, queries: int) -> list[list[Any]]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(one, list) for one in results):
        raise ProtocolError('the body is neither a list of lists nor {"results": [[…], …]}')
    if len(results) != queries:
        raise ProtocolError(f"{len(results)} result lists for {queries} queries")
    return results


def _cut(results: list[list[Any]], top_k: int | None, hits: Hits) -> list[list[Any]]:
    """Return at most the hits that were asked for: a service that sends too many must not fill memory and disk."""
    if top_k is None or all(len(one) <= top_k for one in results):
        return results
    hits.fault("beyond_top_k", sum(max(0, len(one) - top_k) for one in results))
    return [one[:top_k] for one in results]


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


def _parse(body: bytes, labels: Vocabulary, schema: LabelSchema) -> tuple[Any, Skimmed]:
    def read(metas: list[Any]) -> list[Row]:
        if not schema.labels:
            return [()] * len(metas)
        members = RecordColumns(metas)
        columns = [labels.column(label, members.at(paths)) for label, paths in _in_meta(schema).labels]
        return list(zip(*columns, strict=True))

    with suppress(orjson.JSONDecodeError):
        return loads(body, labels.rows(schema), read)
    return parsed(body), Skimmed()


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


def _scores(values: Sequence[Any], hits: Hits) -> list[float]:
    scores = list(values) if set(map(type, values)) == {float} else [_score(value) for value in values]
    hits.fault("missing_scores", sum(map(math.isnan, scores)))
    return scores


def _score(value: Any) -> float:
    try:
        return float(value) if type(value) is float or type(value) is int else math.nan
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _text_hashes(
    members: RecordColumns, text_prefixes: Sequence[tuple[str, ...]], whole: Callable[[str], str], hits: Hits
) -> list[int]:
    digests, texts = members.column(("text_hash",)), members.column(TEXT)
    if is_whole(digests):
        column = [_digest(one) for one in digests]
    elif is_nothing(digests) and is_nothing(texts):
        column = [NO_HASH] * len(texts)
    elif is_nothing(digests) and set(map(type, texts)) == {str} and all(texts):
        column = compared_hashes(texts, chain.from_iterable(map(repeat, text_prefixes, hits.counts)), whole)
    else:
        sought = chain.from_iterable(map(repeat, text_prefixes, hits.counts))
        column = [
            (compared_hash(text, wanted, whole) if text else NO_HASH) if isinstance(text, str) else _digest(digest)
            for digest, text, wanted in zip(digests, texts, sought, strict=True)
        ]
    hits.fault("without_text", column.count(NO_HASH))
    return column


def _digest(digest: Any) -> int:
    if type(digest) is not str or len(digest) != 16 or digest.strip(hexdigits):
        return NO_HASH
    return reserved(int(digest, 16))


def _labels(
    members: RecordColumns, skimmed: Skimmed, labels: Vocabulary, schema: LabelSchema, hits: Hits
) -> list[list[Any]]:
    """Return the column of each label."""
    if members.only_in_meta(_in_meta(schema).others):
        rows = skimmed.rows(members.column((META,)))
        if rows is not None:
            columns = map(list, zip(*rows, strict=True))
            return [_usable_values(label, column, hits) for label, column in zip(schema.labels, columns, strict=True)]
    found: list[list[Any]] = []
    for label in schema.labels:
        values = members.at(label.hit)
        if is_nothing(values):
            found.append([label.kind.missing] * len(values))
        else:
            found.append(_usable_values(label, labels.column(label, values), hits))
    return found


class _InMeta(NamedTuple):
    """Where labels stand within `meta`."""

    labels: tuple[tuple[Label, tuple[Path, ...]], ...]  # with their paths from there
    others: frozenset[str]  # members of a hit beside it in which labels stand


@lru_cache(maxsize=64)
def _in_meta(schema: LabelSchema) -> _InMeta:
    inside = [(label, tuple(path[1:] for path in label.hit if path[0] == META and path[1:])) for label in schema.labels]
    others = {path[0] for label in schema.labels for path in label.hit if path[0] != META or not path[1:]}
    return _InMeta(tuple(inside), frozenset(others))


def _usable_values(label: Label, column: list[Any], hits: Hits) -> list[Any]:
    """Return a column in which what is of a wrong type is missing, and count that."""
    usable, times = without_malformed(label.kind, column)
    hits.fault(f"malformed_{label.name}", times)
    return usable
