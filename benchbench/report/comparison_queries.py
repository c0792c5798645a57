"""The queries of a comparison for the table in the page: columns, each document once, texts cut to a budget."""

from itertools import chain, zip_longest
from typing import Any

from benchbench.significance.outcome import Document, Evidence, Outcome

_MOST_HITS = 10  # of a query and system
_MOST_RELEVANT = 20  # of a query
_MOST_CELLS = 150_000  # values and hits of all queries
_BUDGET = 1_200_000  # bytes of all texts together
_LENGTHS = (400, 240, 160, 120, 80, 50, 30, 0)  # characters that a text may be cut to


def queries(outcome: Outcome) -> dict[str, Any] | None:
    """Return the columns of the query table, or None where there is no evidence."""
    evidence = _kept(outcome)
    if not evidence:
        return None
    paired = outcome.comparison.paired
    numbers = [one.number for one in evidence]
    documents = _documents(evidence)
    length = _length([one.text for one in evidence], list(documents.values()))
    place = {identity: i for i, identity in enumerate(documents)}
    texted = [_cut(text, length) for text in documents.values()]
    named = [name for name in outcome.comparison.settings.slices if name in paired.columns.columns]
    columns = {name: [_named(value) for value in paired.columns[name][numbers]] for name in named}
    return {
        "total": len(paired.queries),
        "ids": [paired.queries[number] for number in numbers],
        "texts": [_cut(one.text, max(length, 80)) for one in evidence] if any(one.text for one in evidence) else None,
        "columns": columns,
        "values": [[[round(v, 5) for v in row[numbers].tolist()] for row in system] for system in paired.values],
        "documents": {"ids": list(documents), "texts": texted if any(texted) else None},
        "evidence": [_entry(one, paired.systems, place) for one in evidence] if documents else None,
    }


def _kept(outcome: Outcome) -> tuple[Evidence, ...]:
    """Return the evidence that a page can hold: of the queries that moved most, each pair in turn."""
    paired = outcome.comparison.paired
    most = max(20, _MOST_CELLS // (len(paired.systems) * (len(paired.measures) + 2 * _MOST_HITS)))
    if len(outcome.evidence) <= most:
        return outcome.evidence
    moved = (place for place in chain.from_iterable(zip_longest(*outcome.moved.values())) if place is not None)
    ordered = list(dict.fromkeys((*moved, *range(len(outcome.evidence)))))
    return tuple(outcome.evidence[place] for place in sorted(ordered[:most]))


def _shown(one: Evidence) -> list[Document]:
    """Return the documents of a query that the page shows, each once."""
    hits = [document for found in one.hits.values() for document in found[:_MOST_HITS]]
    return list({document.id: document for document in (*one.relevant[:_MOST_RELEVANT], *hits)}.values())


def _documents(evidence: tuple[Evidence, ...]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for one in evidence:
        for document in _shown(one):
            if found.get(document.id) is None:
                found[document.id] = document.text
    return found


def _entry(one: Evidence, systems: tuple[str, ...], place: dict[str, int]) -> dict[str, Any]:
    """Return one query: its documents, their grades, and where in them the hits of each system are."""
    documents = _shown(one)
    at = {document.id: i for i, document in enumerate(documents)}
    hits, ranks = [], []
    for system in systems:
        found = one.hits.get(system, ())
        top = found[:_MOST_HITS]
        hits.append([len(found), [at[hit.id] for hit in top], [hit.rank for hit in top], [_score(hit) for hit in top]])
        rank = {hit.id: hit.rank for hit in found}
        ranks.append([rank.get(document.id) for document in one.relevant[:_MOST_RELEVANT]])
    return {
        "d": [place[document.id] for document in documents],
        "g": [document.grade for document in documents],
        "r": [int(document.relevant) for document in documents],
        "h": hits,
        "n": [len(one.relevant), ranks],  # the relevant ones come first in d
    }


def _named(value: object) -> str | None:
    return None if value is None else _cut(str(value), 80)


def _score(hit: Document) -> float | None:
    return None if hit.score is None else float(f"{hit.score:.5g}")


def _length(*columns: list[str | None]) -> int:
    """Return how long a text may be for all of them to stay within the budget."""
    return next(
        length
        for length in _LENGTHS
        if length == 0 or sum(len((t or "")[:length].encode()) for texts in columns for t in texts) <= _BUDGET
    )


def _cut(text: str | None, length: int) -> str | None:
    if text is None or len(text) <= length:
        return text
    return f"{text[:length]}…" if length else None
