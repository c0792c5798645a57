"""A response body to columns of hits.

What happens to a single bad hit (each case is counted in `Hits.faults`, and the run goes on): one that is
not an object, or that has neither id nor text, is dropped; an id or a label of a wrong type, a `text_hash`
that is not 16 hexadecimal digits, and a score that is missing or not a number count as missing.
"""

import json
import math
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from string import hexdigits
from typing import Any

import orjson

from benchbench.client.results import ProtocolError as ProtocolError
from benchbench.client.results import Results
from benchbench.tables.fields import ACCUSATION, ARTICLES, ID, SENTENCE, TEXT, first, identity
from benchbench.tables.hashing import NO_HASH, id_hashes, reserved, sought_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MALFORMED, MISSING, Labels, sentences


def decode(body: bytes, openings: Sequence[tuple[str, ...]], labels: Labels, described: Results | None = None) -> Hits:
    """Return the hits of one batch.

    Parameters
    ----------
    body
        JSON; without `described`, `{"results": [[hit, …], …]}` or the bare list of lists.
    openings
        One entry a query: how the texts begin that its hits are compared with (`tables.hashing.opening`).
    labels
        The vocabulary shared with the queries; grows.
    described
        Where a described service puts its hits (`Profile.results`).

    Raises
    ------
    ProtocolError
        Not JSON, another shape, or not one list a query.
    """
    answer = _parse(body)
    results = _usual(answer, len(openings)) if described is None else described.read(answer, len(openings))
    hits = Hits()
    kept = [_usable(one, hits) for one in results]
    hits.counts = [len(one) for one in kept]
    flat = [hit for one in kept for hit in one]
    if not flat:
        return hits
    members = _Members(flat)
    hits.ids = _identities(members.column(ID), hits)
    hits.id = id_hashes(hits.ids)
    hits.score = _scores(members.column(("score",)), hits)
    sought = [wanted for one, wanted in zip(kept, openings, strict=True) for _ in one]
    hits.text = _text_hashes(members, sought, hits)
    hits.accusation = _known(labels.codes(members.label(ACCUSATION)), hits, "accusation")
    hits.article = _known(labels.codes(members.label(ARTICLES)), hits, "article")
    months, hits.penalty = sentences(members.label(SENTENCE))
    hits.months = _known(months, hits, "imprisonment")
    return hits


def _usual(answer: Any, queries: int) -> list[list[Any]]:
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(one, list) for one in results):
        raise ProtocolError('the body is neither a list of lists nor {"results": [[…], …]}')
    if len(results) != queries:
        raise ProtocolError(f"{len(results)} result lists for {queries} queries")
    return results


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:  # Python's own services write NaN, which JSON has not: one bad score must not fail a batch
        return _encodable(json.loads(body))
    except (ValueError, RecursionError):
        start = body[: 1 << 16].decode(errors="replace")
        raise ProtocolError("the body is not JSON: it starts with ", start, 60) from None


def _encodable(value: Any) -> Any:
    """Replace half surrogate pairs, which no file can hold."""
    if type(value) is str:
        return value.encode(errors="replace").decode()
    if type(value) is list:
        return [_encodable(element) for element in value]
    if type(value) is dict:
        return {_encodable(name): _encodable(member) for name, member in value.items()}
    return value


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
    names = identity(first(hit, ID)), first(hit, TEXT), hit.get("text_hash")
    return any(isinstance(name, str) and name for name in names)


class _Members:
    """The hits' members as columns; fast where all hits have the same ones, as those of a service do."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self._records = records
        self._names = records[0].keys()
        self._uniform = all(map(self._names.__eq__, map(dict.keys, records)))

    def column(self, names: tuple[str, ...]) -> list[Any]:
        """Return the first member of each hit that has one of the names; None where there is none."""
        if self._uniform:
            present = [name for name in names if name in self._names]
            if not present:
                return [None] * len(self._records)
            column = list(map(itemgetter(present[0]), self._records))
            if _whole(column):
                return column
        return [first(record, names) for record in self._records]

    def label(self, names: tuple[str, ...]) -> list[Any]:
        """Return one label of each hit, from its top level or from its `meta`."""
        if self._uniform and self._names.isdisjoint(names):
            return self._meta.column(names)
        column = self.column(names)
        if _whole(column):
            return column
        return [b if a is None else a for a, b in zip(column, self._meta.column(names), strict=True)]

    @cached_property
    def _meta(self) -> "_Members":
        return _Members([meta if type(meta) is dict else {} for meta in self.column(("meta",))])


def _whole(column: list[Any]) -> bool:
    """Say that nothing is None; asking for the types is three times faster than `None in column`."""
    return type(None) not in set(map(type, column))


def _identities(values: list[Any], hits: Hits) -> list[str | None]:
    if set(map(type, values)) == {str} and "" not in values:
        return values
    ids = [identity(value) for value in values]
    hits.fault("malformed_ids", ids.count(None) - values.count(None) - values.count(""))
    return ids


def _scores(values: list[Any], hits: Hits) -> list[float]:
    scores = values if set(map(type, values)) == {float} else [_score(value) for value in values]
    hits.fault("missing_scores", sum(map(math.isnan, scores)))
    return scores


def _score(value: Any) -> float:
    try:
        return float(value) if type(value) is float or type(value) is int else math.nan
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _text_hashes(members: _Members, sought: list[tuple[str, ...]], hits: Hits) -> list[int]:
    digests = members.column(("text_hash",))
    if _whole(digests):
        column = [_digest(one) for one in digests]
    else:
        column = [
            (sought_hash(text, openings) if text else NO_HASH) if type(text) is str else _digest(digest)
            for digest, text, openings in zip(digests, members.column(TEXT), sought, strict=True)
        ]
    hits.fault("without_text", column.count(NO_HASH))
    return column


def _digest(digest: Any) -> int:
    if type(digest) is not str or len(digest) != 16 or digest.strip(hexdigits):
        return NO_HASH
    return reserved(int(digest, 16))


def _known(codes: list[int], hits: Hits, label: str) -> list[int]:
    malformed = codes.count(MALFORMED)
    if malformed:
        hits.fault(f"malformed_{label}", malformed)
        return [MISSING if code == MALFORMED else code for code in codes]
    return codes
