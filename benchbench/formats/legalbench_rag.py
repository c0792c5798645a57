"""Retrieved and gold passages from JSON, in the layout of LegalBench-RAG.

Predictions are `[{"query": …, "retrieved_passages": [passage, …]}, …]`, best passage first. A passage is a string or
`{"text": …, "file_path": …, "span": [start, end]}`, with no place or a whole one. Gold is `{"tests": [{"query": …,
"snippets": [snippet, …]}, …]}`, and a snippet is the same with `answer` for `text`. Other members are ignored.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.retrieved import read_results
from benchbench.formats.source import Source
from benchbench.tables.hashing import content_digest
from benchbench.tables.passages import Passage, Passages, Place
from benchbench.tables.questions import ALONE
from benchbench.tables.questions import cluster as named
from benchbench.tables.text_files import json_value, read_whole

_SHOWN = 60  # characters of a query in a sentence
_DOCUMENT = "document"  # the cluster that the snippets name themselves


def read_predictions(path: Path | str) -> Passages:
    """Read what a system retrieved; of several entries of one query the first counts.

    The results folder of `benchbench run` is read too (`formats.retrieved`).

    Raises
    ------
    InputError
        With the file, the number of the entry and the reason; for some passages with a place and others without; for
        a file without entries.
    """
    if Path(path).is_dir():
        return read_results(Path(path))
    name, value, digest = _json(path)
    if isinstance(value, dict) and "tests" in value:
        raise InputError(f"{name} is a gold file (it has tests); PREDICTIONS comes first, then GOLD")
    if not isinstance(value, list):
        raise InputError(f'{name} is not a JSON list of entries, as [{{"query": "…", "retrieved_passages": ["…"]}}]')
    if not value:
        raise InputError(f"{name} has no prediction, so every score would be 0")
    by_query: dict[str, list[Passage]] = {}
    repeated = 0
    for number, entry in enumerate(value, 1):
        where = f"{name}, entry {number}"
        query = _query(entry, where)
        passages = _passages(entry, "retrieved_passages", "text", where)
        repeated += query in by_query
        by_query.setdefault(query, passages)
    _check_places(name, by_query)
    return Passages(name, by_query, repeated=repeated, digest=digest)


def read_gold(path: Path | str, cluster: str = "") -> Passages:
    """Read the snippets that answer each query; several entries of one query are one, with the snippets of all.

    Parameters
    ----------
    path
        JSON, as above.
    cluster
        What says which queries belong together: `document`, the files of a query's snippets, or a member of the tests.

    Raises
    ------
    InputError
        With the file, the number of the test and the reason; for a file without tests, or without such a member.
    """
    name, value, digest = _json(path)
    if isinstance(value, list):
        raise InputError(f'{name} is a list, as predictions are, and gold is {{"tests": […]}}; PREDICTIONS comes first')
    tests = value.get("tests") if isinstance(value, dict) else None
    if not isinstance(tests, list):
        raise InputError(f'{name} is not a JSON object with a list "tests"')
    if not tests:
        raise InputError(f"{name} has no test, so there is nothing to score by")
    by_query: dict[str, list[Passage]] = {}
    members: dict[str, Any] = {}
    repeated = 0
    for number, test in enumerate(tests, 1):
        where = f"{name}, test {number}"
        query = _query(test, where)
        snippets = _passages(test, "snippets", "answer", where)
        repeated += query in by_query
        known = by_query.setdefault(query, [])
        known += [snippet for snippet in snippets if snippet not in known] if known else snippets
        if members.get(query) in (None, ""):
            members[query] = test.get(cluster)
    return Passages(
        name,
        by_query,
        repeated=repeated,
        digest=digest,
        clusters=_clusters(name, by_query, members, cluster),
    )


def predictions_of(by_query: Mapping[str, Sequence[Any]]) -> Passages:
    """Return retrieved passages in memory: texts, or mappings as a file has them, by query."""
    return _in_memory(by_query, "predictions", "text")


def gold_of(by_query: Mapping[str, Sequence[Any]], cluster: str = "") -> Passages:
    """Return gold passages in memory, each query's once; a passage may be a mapping with `answer` or `text`.

    The only `cluster` is `document`, as `read_gold` has it.
    """
    found = _in_memory(by_query, "gold", "answer")
    once = {query: list(dict.fromkeys(passages)) for query, passages in found.by_query.items()}
    return Passages(found.name, once, digest=found.digest, clusters=_clusters(found.name, once, {}, cluster))


def _clusters(
    name: str, by_query: Mapping[str, Sequence[Passage]], members: Mapping[str, Any], cluster: str
) -> dict[str, str]:
    """Return the group of each query; a query without a value is a group of its own."""
    if not cluster:
        return {}
    clusters: dict[str, str] = {}
    for query, passages in by_query.items():
        value = members.get(query)
        if value in (None, "") and cluster == _DOCUMENT:
            value = ", ".join(dict.fromkeys(passage.place.file for passage in passages if passage.place))
        if not isinstance(value, str | int | float | None):
            raise InputError(f"{name}: `{cluster}` of {query[:_SHOWN]!r} is neither a text nor a number to group by")
        clusters[query] = named(value, query)
    if all(group.startswith(ALONE) for group in clusters.values()):
        raise InputError(f"{name} has no {cluster} to group queries by; {_DOCUMENT} is the file of the snippets")
    return clusters


def _in_memory(given: Mapping[str, Sequence[Any]], name: str, text: str) -> Passages:
    if not isinstance(given, Mapping):
        raise InputError(f"{name} are passages by query, as {{'Who pays?': ['The tenant.']}}, a file or a folder")
    if not given:
        raise InputError(f"{name} has no query in it")
    by_query: dict[str, list[Passage]] = {}
    for number, (query, values) in enumerate(given.items(), 1):
        where = f"{name}, query {number}"
        if isinstance(values, str) or not isinstance(values, Iterable):
            kind = "one text" if isinstance(values, str) else f"of type {type(values).__name__}"
            raise InputError(f"{where}: its passages are {kind}; give a list of passages")
        listed = [_entry(value, text) for value in values]
        by_query[_query({"query": query}, where)] = _passages({"passages": listed}, "passages", text, where)
    _check_places(name, by_query)
    digest = content_digest(repr(by_query).encode(errors="backslashreplace"))
    return Passages(name, by_query, digest=digest.hexdigest())


def _entry(value: Any, text: str) -> Any:
    """Return a passage as a file has it."""
    if not isinstance(value, Mapping):
        return value
    entry = dict(value)
    if "span" in entry and isinstance(entry["span"], tuple):
        entry["span"] = list(entry["span"])
    if text not in entry and "text" in entry:
        entry[text] = entry["text"]
    return entry


def _json(path: Path | str) -> tuple[str, Any, str]:
    source = Source(path)
    with source.opened() as file:
        content = read_whole(file, source.name)
    return source.name, json_value(content, source.name), content_digest(content).hexdigest()


def _query(entry: Any, where: str) -> str:
    if not isinstance(entry, dict):
        raise InputError(f"{where} is not a JSON object")
    query = entry.get("query")
    if not isinstance(query, str) or not query.strip():
        raise InputError(f'{where} has no query (a member "query" with a text)')
    return query


def _passages(entry: dict[str, Any], member: str, text: str, where: str) -> list[Passage]:
    values = entry.get(member)
    if not isinstance(values, list):
        raise InputError(f'{where} has no list "{member}"')
    return [
        Passage(value) if type(value) is str else _passage(value, text, f"{where}, {member} {place}")
        for place, value in enumerate(values, 1)
    ]


def _passage(value: Any, member: str, where: str) -> Passage:
    if not isinstance(value, dict):
        raise InputError(f"{where} is neither a text nor a JSON object")
    text = value.get(member)
    if not isinstance(text, str):
        raise InputError(f'{where} has no text (a member "{member}")')
    return Passage(text, _place(value, where))


def _place(value: dict[str, Any], where: str) -> Place | None:
    file, span = value.get("file_path"), value.get("span")
    if file is None and span is None:
        return None
    if not isinstance(file, str) or not file:
        raise InputError(f"{where} has a span and no file_path")
    if not isinstance(span, list) or len(span) != 2 or not all(type(end) is int for end in span):
        raise InputError(f"{where}: the span is not two whole numbers, [start, end]")
    start, end = span
    if not 0 <= start <= end:
        raise InputError(f"{where}: the span [{start}, {end}] is not 0 <= start <= end")
    return Place(file, start, end)


def _check_places(name: str, by_query: dict[str, list[Passage]]) -> None:
    """Refuse a file in which some passages name their place: the others' characters would be lost in silence."""
    kinds = {passage.place is not None for passages in by_query.values() for passage in passages}
    if len(kinds) > 1:
        for query, passages in by_query.items():
            if any(passage.place is None for passage in passages):
                raise InputError(
                    f"{name}: some passages name file_path and span and others do not, such as one of the query "
                    f"{query[:_SHOWN]!r}; name them for all or for none"
                )
