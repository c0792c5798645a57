"""An answer decoded to columns and by objects: what differs, and in how little of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from client.answer_grammar import Case

from benchbench.client.answer_columns import read
from benchbench.client.answer_plan import AnswerPlan, plan_of
from benchbench.client.decode import decode_objects
from benchbench.client.known_labels import KnownLabels
from benchbench.client.response_layout import ProtocolError, ResponseReading
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Kind, LabelSchema, Vocabulary
from benchbench.tables.text_prefixes import PrefixColumn, TextPrefixes

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"?|[{}\[\],]|[^"{}\[\],]+', re.DOTALL)
_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?', re.DOTALL)
_LEFT_OUT = {"dropped_hits", "beyond_top_k"}  # faults of hits that are not there, whose labels may have codes
_DIGITS = 300  # from which a number may be out of range without an exponent
_ATTEMPTS = 4000  # at a smaller body

Told = dict[str, Any]
Path = Callable[..., Hits | None]  # with the parameters of `decode`


def told(hits: Hits, labels: Vocabulary, schema: LabelSchema) -> Told:
    """Return hits as plain values that can be compared; NaN equals itself, and -0.0 is not 0.0."""
    sets = labels.sets()
    found: Told = {
        "counts": np.asarray(hits.counts).tolist(),
        "ids": list(hits.ids),
        "id": np.asarray(hits.id, np.uint64).tolist(),
        "text": np.asarray(hits.text, np.uint64).tolist(),
        "score": repr(np.asarray(hits.score, np.float64).tolist()),
        "faults": dict(hits.faults),
        "types": [np.asarray(column).dtype.char for column in (hits.id, hits.text, hits.score, *hits.labels)],
    }
    for label, column in zip(schema.labels, hits.labels if len(hits.labels) else (), strict=False):
        if label.kind is Kind.NUMBER:
            found[label.name] = repr(np.asarray(column, np.float64).tolist())
        else:
            codes = np.asarray(column).tolist()
            found[label.name] = [code if code < 0 else sets[code] for code in codes]
            found[f"codes of {label.name}"] = codes
    return found


def outcome(path: Path, case: Case, labels: Vocabulary) -> Told | None:
    """Return what a path gives: hits, the sentence of its error, or None where it is not taken."""
    try:
        hits = path(case.body, case.text_prefixes, labels, case.schema, case.described, case.top_k)
    except ProtocolError as error:
        return {"error": str(error)}
    except Exception as error:  # a difference like others, to be told with its body
        return {"raised": repr(error)}
    return None if hits is None else told(hits, labels, case.schema)


def by_columns(
    body: bytes,
    text_prefixes: Sequence[tuple[str, ...]],
    labels: Vocabulary,
    schema: LabelSchema,
    described: ResponseReading | None,
    top_k: int | None,
) -> Hits | None:
    """Return the hits that the columns path finds; None where it leaves an answer to the other."""
    plan, prefixes = _prepared(text_prefixes, described, schema)
    return None if plan is None else read(body, plan, prefixes, known(labels, schema), top_k)


@lru_cache(maxsize=3)
def known(labels: Vocabulary, schema: LabelSchema) -> KnownLabels:
    """Return what is known of labels, so that it is met again where a vocabulary is."""
    return KnownLabels(labels, schema)


_before: list[Any] = [(None, None, None), (None, None)]  # what the last call was prepared for, and with what


def _prepared(*asked: Any) -> tuple[AnswerPlan | None, TextPrefixes]:
    """Return a plan and prefixes; those that were there before where these are the same surroundings."""
    if any(one is not other for one, other in zip(asked, _before[0], strict=True)):
        lists, described, schema = asked
        _before[:] = asked, (plan_of(described, schema), _as_of_a_run(lists))
    plan, prefixes = _before[1]
    return plan, prefixes


def _as_of_a_run(lists: Sequence[tuple[str, ...]]) -> TextPrefixes:
    """Return prefixes as a run has them: of some of its queries, and of two kinds where each query has one."""
    several = TextPrefixes.of([("before",), *lists, ("behind", "x")])
    if not all(lists):
        return TextPrefixes(several.sources, range(1, len(lists) + 1))
    (others,) = TextPrefixes.of([("before",), *(one[1:] for one in lists), ()]).sources
    return TextPrefixes([PrefixColumn(["before", *(one[0] for one in lists), "x"]), others], range(1, len(lists) + 1))


def difference(case: Case, path: Path, columns: Vocabulary, objects: Vocabulary) -> tuple[bool, str | None]:
    """Return whether a path was taken, and in what its hits differ from those of objects, None where they do not.

    Vocabularies are those of either path. Codes themselves are compared where these are new and all hits that came are
    there. A number out of range in a part that is skipped is no difference: the columns are those of the same body with
    another in its place.
    """
    is_new = not len(columns) and not len(objects)
    one = outcome(path, case, columns)
    if one is None:
        return False, None
    other = outcome(decode_objects, case, objects) or {}
    if not (names := _differing(one, other, is_new)):
        return True, None
    tame = replace(case, body=_NUMBER.sub(_in_range, case.body))
    if tame.body != case.body:
        again = outcome(decode_objects, tame, Vocabulary()) or {}
        if "error" not in again and not _differing(one, again, is_new):
            return True, None
    said = (f"{name}: columns {one.get(name)!r:.300}, objects {other.get(name)!r:.300}" for name in names)
    return True, "\n".join(said)


def differing(case: Case, path: Path = by_columns) -> str | None:
    """Return in what the two paths differ over new vocabularies."""
    return difference(case, path, Vocabulary(), Vocabulary())[1]


def _differing(one: Told, other: Told, with_codes: bool) -> list[str]:
    if one == other:
        return []
    with_codes = with_codes and _LEFT_OUT.isdisjoint(one.get("faults", ()))
    return [
        name
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name) and (with_codes or not name.startswith("codes of "))
    ]


def _in_range(found: re.Match[bytes]) -> bytes:
    token = found[0]
    return b"1" if token[:1] != b'"' and (len(token) > _DIGITS or abs(float(token)) == float("inf")) else token


def minimised(case: Case, differs: Callable[[Case], object]) -> Case:
    """Return a case with a smaller body that differs too: members, elements and bytes are dropped while it does."""
    attempts, is_smaller = 0, True
    while is_smaller:
        is_smaller = False
        for body in _smaller(case.body):
            attempts += 1
            if attempts > _ATTEMPTS:
                return case
            less = replace(case, body=body)
            if differs(less):
                case, is_smaller = less, True
                break
    return case


def _smaller(body: bytes) -> Iterator[bytes]:
    for start, stop in sorted(_parts(body), key=lambda part: part[0] - part[1]):
        yield body[:start] + body[stop:]
    size = len(body) // 2
    while size:
        for start in range(0, len(body), size):
            yield body[:start] + body[start + size :]
        size //= 2


def _parts(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield where members and elements begin and end, each with one comma beside it."""
    begins: list[list[int]] = []
    for token in _TOKEN.finditer(body):
        mark = token[0]
        if mark in (b"{", b"["):
            begins.append([token.end()])
        elif mark == b"," and begins:
            yield begins[-1][-1], token.end()
            begins[-1].append(token.end())
        elif mark in (b"}", b"]") and begins:
            starts = begins.pop()
            if starts[-1] < token.start():
                yield starts[-1] - (len(starts) > 1), token.start()
