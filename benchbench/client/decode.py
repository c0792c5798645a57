"""A response body to columns of hits.

What happens to a single bad hit (each case is counted in `Hits.faults`, and the run goes on): one that is
not an object, or that has neither id nor text, is dropped; an id or a label of a wrong type, a `text_hash`
that is not 16 hexadecimal digits, and a score that is missing or not a number count as missing.
"""

import json
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import orjson

from benchbench.tables.fields import ACCUSATION, ARTICLES, ID, SENTENCE, TEXT, first, identity
from benchbench.tables.hashing import NO_HASH, id_hash, reserved, sought_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MALFORMED, MISSING, Labels, sentence


class ProtocolError(Exception):
    """The body is not an answer to the request; its batch fails with this reason."""


def decode(body: bytes, lengths: Sequence[Collection[int]], labels: Labels) -> Hits:
    """Return the hits of one batch.

    Parameters
    ----------
    body
        `{"results": [[hit, …], …]}` or the bare list of lists.
    lengths
        One entry a query: the lengths of the texts that its hits are compared with.
    labels
        The vocabulary shared with the queries; grows.

    Raises
    ------
    ProtocolError
        Not JSON, another shape, or not one list a query.
    """
    answer = _parse(body)
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list) or not all(isinstance(one, list) for one in results):
        raise ProtocolError('the body is neither a list of lists nor {"results": [[…], …]}')
    if len(results) != len(lengths):
        raise ProtocolError(f"{len(results)} result lists for {len(lengths)} queries")

    hits = Hits()
    kept = [_usable(one, hits) for one in results]
    hits.counts = [len(one) for one in kept]
    flat = [hit for one in kept for hit in one]
    if not flat:
        return hits
    hits.ids = _identities(_column(flat, ID), hits)
    hits.id = [NO_HASH if one is None else id_hash(one) for one in hits.ids]
    hits.score = _scores(_column(flat, ("score",)), hits)
    sought = [wanted for one, wanted in zip(kept, lengths, strict=True) for _ in one]
    hits.text = _text_hashes(flat, sought, hits)
    hits.accusation = _codes(_label_column(flat, ACCUSATION), labels.code, hits, "accusation")
    hits.article = _codes(_label_column(flat, ARTICLES), labels.code, hits, "article")
    sentences = [sentence(value) for value in _label_column(flat, SENTENCE)]
    hits.months = _codes([months for months, _ in sentences], int, hits, "imprisonment")
    hits.penalty = [penalty for _, penalty in sentences]
    return hits


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:  # Python's own services write NaN, which JSON has not: one bad score must not fail a batch
        return json.loads(body)
    except (ValueError, RecursionError):
        start = body[:60].decode(errors="replace")
        raise ProtocolError(f"the body is not JSON: it starts with {start!r}") from None


def _usable(results: list[Any], hits: Hits) -> list[dict[str, Any]]:
    usable = [hit for hit in results if type(hit) is dict and (hit.get("id") is not None or _names_something(hit))]
    hits.fault("dropped_hits", len(results) - len(usable))
    return usable


def _names_something(hit: dict[str, Any]) -> bool:
    text = first(hit, TEXT)
    return first(hit, ID) is not None or first(hit, ("text_hash",)) is not None or bool(text)


def _column(flat: list[dict[str, Any]], names: tuple[str, ...]) -> list[Any]:
    """Return one member of every hit; fast where all hits name it as the first hit does."""
    for name in names:
        if flat[0].get(name) is not None:
            column = [hit.get(name) for hit in flat]
            if None not in column:
                return column
            break
    return [first(hit, names) for hit in flat]


def _label_column(flat: list[dict[str, Any]], names: tuple[str, ...]) -> list[Any]:
    """Return one label of every hit, from its top level or from its `meta`."""
    column = _column(flat, names)
    if None not in column:
        return column
    metas = [meta if type(meta := hit.get("meta")) is dict else {} for hit in flat]
    return [below if above is None else above for above, below in zip(column, _column(metas, names), strict=True)]


def _identities(values: list[Any], hits: Hits) -> list[str | None]:
    ids = [value if type(value) is str and value else identity(value) for value in values]
    hits.fault("malformed_ids", sum(one is None for one in ids) - values.count(None) - values.count(""))
    return ids


def _scores(values: list[Any], hits: Hits) -> list[float]:
    scores = [value if type(value) is float else float(value) if type(value) is int else math.nan for value in values]
    hits.fault("missing_scores", sum(score != score for score in scores))
    return scores


def _text_hashes(flat: list[dict[str, Any]], sought: list[Collection[int]], hits: Hits) -> list[int]:
    given = _column(flat, ("text_hash",))
    texts = [None] * len(flat) if None not in given else _column(flat, TEXT)
    column = []
    for digest, text, lengths in zip(given, texts, sought, strict=True):
        if type(text) is str:
            column.append(sought_hash(text, lengths) if text else NO_HASH)
        elif type(digest) is str and len(digest) == 16:
            try:
                column.append(reserved(int(digest, 16)))
            except ValueError:
                column.append(NO_HASH)
        else:
            column.append(NO_HASH)
    hits.fault("without_text", column.count(NO_HASH))
    return column


def _codes(values: list[Any], code: Callable[[Any], int], hits: Hits, label: str) -> list[int]:
    codes = [code(value) for value in values]
    malformed = codes.count(MALFORMED)
    if malformed:
        hits.fault(f"malformed_{label}", malformed)
        codes = [MISSING if one == MALFORMED else one for one in codes]
    return codes
