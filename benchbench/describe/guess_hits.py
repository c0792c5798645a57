"""Where the hits are in an answer that nobody has described, guessed by looking."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchbench.describe.usual_names import IN_HITS, plain
from benchbench.tables.fields import identity

_LISTS, _IDS, _SCORES, _TEXTS, _METAS, _WHOLES, _PARTS = (
    IN_HITS[kind] for kind in ("lists", "ids", "scores", "texts", "metas", "wholes", "parts")
)
_DEEP = 8  # names into an answer
_INSIDE = 3  # names into a hit
_LOOKED_AT = 20  # hits
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(slots=True)
class GuessedResults:
    """Where hits and their members stand, as JMESPath, and what was seen.

    Attributes
    ----------
    results
        The table `results` of a description; empty where no list of hits was found.
    keys
        The members of hits.
    missing
        Members that were looked for and not found.
    """

    results: dict[str, Any] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Hits:
    path: str
    hits: list[Any]
    members: dict[str, Any]


def guess(answer: Any, queries: int | None = None) -> GuessedResults:
    """Return where the hits are.

    Parameters
    ----------
    answer
        The parsed body.
    queries
        How many queries a batch had; None where a request carries one.
    """
    if queries is None:
        best = _best(answer)
        return GuessedResults(keys=_keys_of(answer)) if best is None else _layout(best, {"hits": best.path or "@"})
    for path, elements in _lists(answer):
        if len(elements) != queries:
            continue
        candidates = [_best(element) for element in elements]
        if candidates and candidates[0] is not None and None not in candidates:
            hits = {"hits": candidates[0].path} if candidates[0].path else {}
            return _layout(candidates[0], {"lists": path or "@", **hits})
    return GuessedResults(keys=_keys_of(answer))


def _layout(candidate: _Hits, table: dict[str, Any]) -> GuessedResults:
    objects = [hit for hit in candidate.hits if isinstance(hit, dict)]
    keys = list(dict.fromkeys(path for hit in objects[:_LOOKED_AT] for path, _ in _inner(hit)))
    missing = [name for name in ("id", "score", "text") if name not in candidate.members]
    return GuessedResults({**table, **candidate.members}, keys, missing)


def _keys_of(answer: Any) -> list[str]:
    return [path for path, _ in _inner(answer)] if isinstance(answer, dict) else []


def _best(answer: Any) -> _Hits | None:
    """Return the list that looks most like hits: with ids and scores, of a usual name, and long."""
    candidates = []
    for path, several in _lists(answer):
        hits = several[:_LOOKED_AT]
        if hits and all(isinstance(hit, dict) for hit in hits):
            groups = next(iter(_groups(hits)), None)
            if groups is not None:
                candidates.append((groups[0], _Hits(f"{path}[].{groups[0]}[]", groups[1], _members(groups[1]))))
            candidates.append((path, _Hits(path, several, _members(hits))))
        elif hits and (members := _bare(hits)):
            candidates.append((path, _Hits(path, several, members)))
    candidates += [(path, candidate) for path, candidate in _others(answer)]
    return max(candidates, key=lambda candidate: _likeness(*candidate))[1] if candidates else None


def _likeness(name: str, candidate: _Hits) -> tuple[float, ...]:
    known = [name for name in ("id", "score", "text") if name in candidate.members]
    last = plain(name.rpartition(".")[2])
    usual = -_LISTS.index(last) if last in _LISTS else -len(_LISTS)
    firm = "id" in candidate.members and candidate.members["id"] not in ("url", "link", "name", "title", "path")
    objects = bool(candidate.hits) and isinstance(candidate.hits[0], dict)
    return len(known) >= 2, objects, firm, len(known), usual > -len(_LISTS), len(candidate.hits), usual


def _lists(value: Any, path: str = "", deep: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """Yield every list that is reached by names alone, and those inside the one element of a list."""
    if isinstance(value, list):
        yield path, value
        if len(value) == 1 and isinstance(value[0], dict | list) and deep < _DEEP:
            yield from _lists(value[0], f"{path}[0]", deep + 1)
    elif isinstance(value, dict) and deep < _DEEP:
        for name, member in value.items():
            yield from _lists(member, _joined(path, name), deep + 1)


def _groups(hits: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield lists of objects that stand in every element of a list, in names that begin with the usual."""
    for path, inside in sorted(_lists(hits[0]), key=lambda pair: plain(pair[0]) not in _LISTS):
        if path and inside and all(isinstance(element, dict) for element in inside) and "[" not in path:
            several = [dict(_lists(hit)).get(path) for hit in hits]
            if all(isinstance(list_, list) for list_ in several) and plain(path.rpartition(".")[2]) in _LISTS:
                yield path, [hit for many in several for hit in many or []]


def _others(answer: Any) -> Iterator[tuple[str, _Hits]]:
    """Yield hits that are in no list of objects: parallel lists, and objects of scores by id."""
    for path, value in _objects(answer):
        lists = {name: member for name, member in value.items() if isinstance(member, list) and member}
        ids = next((name for name in lists if plain(name).removesuffix("s") in _IDS and _are_ids(lists[name])), None)
        if ids is not None:
            same = {name: values for name, values in lists.items() if len(values) == len(lists[ids]) and name != ids}
            score = next(
                (n for n in same if plain(n).removesuffix("s") in _SCORES and all(map(_is_score, same[n]))), None
            )
            text = next((n for n in same if plain(n).removesuffix("s") in _TEXTS and _are_texts(same[n])), None)
            names = [name for name in (ids, score, text) if name is not None]
            if len(names) > 1:
                places = ", ".join(_joined(path, name) for name in names)
                members = {
                    what: f"[{names.index(n)}]" for what, n in (("id", ids), ("score", score), ("text", text)) if n
                }
                yield ids, _Hits(f"zip({places})", lists[ids], members)
        if len(value) > 1 and all(type(score) is float for score in value.values()):
            by_score = f"reverse(sort_by(items({path or '@'}), &[1]))"
            yield path, _Hits(by_score, list(value), {"id": "[0]", "score": "[1]"})


def _objects(value: Any, path: str = "", deep: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict) and deep < _DEEP:
        yield path, value
        for name, member in value.items():
            yield from _objects(member, _joined(path, name), deep + 1)
    elif isinstance(value, list) and len(value) == 1 and deep < _DEEP:
        yield from _objects(value[0], f"{path}[0]", deep + 1)


def _bare(hits: list[Any]) -> dict[str, str]:
    """Return what the members of hits are that are ids, or pairs of an id and a score."""
    if _are_ids(hits) and all(isinstance(hit, str) for hit in hits):
        return {"id": "@"}
    if all(isinstance(hit, list) and len(hit) == 2 for hit in hits):
        ids, scores = zip(*hits, strict=True)
        if _are_ids(ids) and all(map(_is_score, scores)):
            return {"id": "[0]", "score": "[1]"}
    return {}


def _members(hits: list[dict[str, Any]]) -> dict[str, Any]:
    """Return where id, score, text and labels stand in hits."""
    columns: dict[str, list[Any]] = {}
    for hit in hits:
        for path, value in _inner(hit):
            columns.setdefault(path, []).append(value)
    whole = {path: values for path, values in columns.items() if len(values) == len(hits)}
    members: dict[str, Any] = {}
    name = _first(whole, _IDS, lambda values: _are_ids(values))
    both = _pair(whole)
    place = len(_IDS) if name is None else _IDS.index(plain(_last(name)))
    part_of_it = both is not None and name in both
    if both is not None and (place >= _IDS.index("name") or (place >= _IDS.index("url") and part_of_it)):
        members["id"] = both
    elif name is not None:
        members["id"] = name
    score = _first(whole, _SCORES, lambda values: all(map(_is_score, values)))
    if score is not None:
        members["score"] = score
    text = _first(columns, _TEXTS, _are_texts) or _longest(columns, members)
    if text is not None and text != members.get("id"):
        members["text"] = text
    metas = (
        name for name in _METAS for key, value in hits[0].items() if plain(key) == name and isinstance(value, dict)
    )
    meta = next(metas, None)
    if meta is not None:
        key = next(key for key, value in hits[0].items() if plain(key) == meta and isinstance(value, dict))
        members["meta"] = _joined("", key)
    return members


def _first(columns: dict[str, list[Any]], names: Sequence[str], fits: Any) -> str | None:
    ranked = [
        (names.index(name), path.count("."), n, path)
        for n, (path, values) in enumerate(columns.items())
        if (name := plain(_last(path))) in names and fits(values)
    ]
    return min(ranked)[3] if ranked else None


def _pair(columns: dict[str, list[Any]]) -> list[str] | None:
    """Return two fields that are an id together, such as a file and the number of its part."""
    wholes = [path for name in _WHOLES for path in columns if plain(_last(path)) == name]
    parts = [path for name in _PARTS for path in columns if plain(_last(path)) == name and not _is_rank(columns[path])]
    for first in wholes:
        for second in parts:
            texts = [list(map(identity, columns[path])) for path in (first, second)]
            pairs = list(zip(*texts, strict=True))
            if first != second and None not in [*texts[0], *texts[1]] and len(set(pairs)) == len(pairs) > 1:
                return [first, second]
    return None


def _is_rank(values: Sequence[Any]) -> bool:
    """Say whether numbers count hits from the best one on, as ranks do."""
    return len(values) > 1 and values == list(range(1, len(values) + 1))


def _longest(columns: dict[str, list[Any]], members: dict[str, Any]) -> str | None:
    """Return the member with the longest texts, where they are sentences."""
    texts = {
        path: sum(map(len, values)) / len(values)
        for path, values in columns.items()
        if path not in members.values()
        and _are_texts(values)
        and any(" " in text or not text.isascii() for text in values)
    }
    return max(texts, key=lambda path: texts[path]) if texts else None


def _inner(hit: dict[str, Any], path: str = "", deep: int = 1) -> Iterator[tuple[str, Any]]:
    for name, value in hit.items():
        if isinstance(value, dict) and value and deep < _INSIDE:
            yield from _inner(value, _joined(path, name), deep + 1)
        elif value is not None:
            yield _joined(path, name), value


def _are_ids(values: Sequence[Any]) -> bool:
    texts = [identity(value) for value in values]
    return None not in texts and len(set(texts)) == len(texts)


def _is_score(value: Any) -> bool:
    return type(value) is float or type(value) is int


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) and value for value in values)


def _joined(path: str, name: str) -> str:
    quoted = name if _NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return f"{path}.{quoted}" if path else quoted


def _last(path: str) -> str:
    return path.rpartition('."')[2] if path.endswith('"') else path.rpartition(".")[2]
