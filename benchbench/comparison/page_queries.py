"""What the page of a comparison knows of single queries: ids and values of all, texts and hits of as many as fit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchbench.comparison.compare_result import CompareDetails
from benchbench.comparison.evidence import Document, Evidence
from benchbench.comparison.tables import evidence_of, slices_of_queries
from benchbench.kernels.arrays import I64
from benchbench.measures.notation import least_grade, task_and_measures
from benchbench.results.result import Result
from benchbench.tables.matched_terms import marked, rarity, terms
from benchbench.tables.paired import Paired

_MOST_VALUES = 1_500_000  # of all queries, measures and systems
_MOST_OPENED = 500  # queries with texts and hits
_MOST_HITS = 10  # of a query and system
_MOST_RELEVANT = 20  # of a query
_LARGEST = 4_200_000  # characters of what is compressed
_TEXTS = 6_000_000  # characters of texts of queries
_SAMPLE = 1_024  # documents by which common terms are known
_SEARCHED = 1_200  # characters of a document in which shared terms are looked for
_BEGINNING = 96
_EXACT = 100_000  # values are whole numbers of this part of 1


class Queries(NamedTuple):
    """What is compressed, what is said of it, and how hits are marked."""

    packed: str
    said: list[str]
    marks: list[str]  # what the marks of hits stand for
    mark_of: list[int | None]  # of each measure: its mark, None where it is not known
    grades: list[float]  # of each mark: the lowest that is relevant
    texts: bool


def queries(result: Result, details: CompareDetails, paired: Paired, packed: Callable[[Any], str]) -> Queries:
    """Return the queries of a page of less than 5 MB, as `packed` compresses them."""
    evidence = {one.number: one for one in evidence_of(result)[0]}
    marks, mark_of = _marks(details, list(evidence.values()))
    order = _most_moved(details, paired)
    cells = len(paired.measures) * len(paired.systems)
    kept = np.sort(order[: max(_MOST_OPENED, _MOST_VALUES // cells)])
    slices = slices_of_queries(result)
    opened = [int(number) for number in order if int(number) in evidence][:_MOST_OPENED]
    texts = _TEXTS
    while True:
        shown = _with_texts(opened, evidence, texts)
        data = _data(paired, kept, slices, [evidence[number] for number in shown], marks, details)
        made = packed(data)
        if len(made) <= _LARGEST or (len(opened) < 20 and len(kept) <= _MOST_OPENED):
            break
        if len(opened) >= 20:
            opened, texts = opened[: len(opened) // 2], texts // 2
        else:
            kept = np.sort(order[: len(kept) // 2])
    has_texts = any(evidence[number].text for number in shown)
    has_hits = any(evidence[number].hits for number in shown)
    said = list(_said(len(paired.queries), len(kept), len(shown), has_texts, has_hits))
    return Queries(made, said, [name for name, _ in marks], mark_of, [grade for _, grade in marks], has_texts)


def _said(total: int, kept: int, opened: int, texts: bool, hits: bool) -> Iterator[str]:
    if kept < total:
        yield f"Of {total:,} queries, the {kept:,} that moved most in any measure are here; per_query.parquet has all."
    what = " and ".join((*(("texts",) if texts else ()), *(("hits",) if hits else ())))
    if what and opened < kept:
        yield f"The page has {what} of the {opened:,} queries that moved most in any measure, and values of all others."
    if not texts:
        yield "There are no texts at hand: --queries FILE adds those of queries, --collection FILE those of documents."
    if not hits:
        yield "Hits are not shown: runs that are no files, and those compared without evidence, keep none."


def _marks(details: CompareDetails, evidence: Sequence[Evidence]) -> tuple[list[tuple[str, float]], list[int | None]]:
    """Return the tasks or lowest grades by which hits are marked, and that of each measure."""
    known = {task for one in evidence for task in one.tasks}
    found: dict[tuple[str, float], int] = {}
    of: list[int | None] = []
    for measure in details.measures:
        task, measures = task_and_measures(measure)
        if task and task not in known and task != task_and_measures(details.moved_by)[0]:
            of.append(None)
            continue
        grade = 0.0 if task or not measures else least_grade(measures[0])
        of.append(found.setdefault((task, grade), len(found)))
    several = len({grade for _, grade in found}) > 1
    return [(task, grade) if task or not several else (f"grade {grade:g}", grade) for task, grade in found], of


def _most_moved(details: CompareDetails, paired: Paired) -> I64:
    """Return all queries, those first that moved most in any measure, as a share of the most that any did in it."""
    most = np.zeros(len(paired.queries))
    places = {name: place for place, name in enumerate(paired.systems)}
    for one in details.differences:
        measure = paired.measures.index(one.measure)
        moves = np.abs(paired.difference(measure, places[one.baseline], places[one.system]))
        if (largest := float(moves.max(initial=0.0))) > 0.0:
            np.maximum(most, moves / largest, out=most)
    order: I64 = np.argsort(-most, kind="stable")
    return order


def _with_texts(numbers: Sequence[int], evidence: Mapping[int, Evidence], room: int) -> list[int]:
    """Return those whose texts fit, one after the other."""
    kept: list[int] = []
    for number in numbers:
        room -= len(evidence[number].text or "")
        if room < 0 and kept:
            break
        kept.append(number)
    return kept


def _data(
    paired: Paired,
    kept: I64,
    slices: Mapping[str, Mapping[str, Sequence[int]]],
    evidence: Sequence[Evidence],
    marks: Sequence[tuple[str, float]],
    details: CompareDetails,
) -> dict[str, Any]:
    place = {int(number): at for at, number in enumerate(kept)}
    ids: dict[str, int] = {}
    sample = _sample(evidence)
    rare = rarity(set().union(*(terms(one.text or "") for one in evidence)), sample) if sample else {}
    opened = {
        str(place[one.number]): _opened(one, paired.systems, marks, details, rare, ids)
        for one in evidence
        if one.number in place
    }
    whole = np.round(paired.values[:, :, kept] * _EXACT).astype(np.int64)
    return {
        "ids": [paired.queries[int(number)] for number in kept],
        "values": whole.tolist(),
        "slices": {
            column: {
                value: [place[number] for number in numbers if number in place] for value, numbers in values.items()
            }
            for column, values in slices.items()
        },
        "documents": list(ids),
        "opened": opened,
    }


def _sample(evidence: Sequence[Evidence]) -> list[str]:
    """Return texts of documents, each once, evenly of all queries."""
    found: dict[str, str] = {}
    for one in evidence:
        for hits in one.hits.values():
            found.update({hit.id: hit.text for hit in hits if hit.text})
    texts = list(found.values())
    return texts[:: -(-len(texts) // _SAMPLE)] if texts else []


def _opened(
    one: Evidence,
    systems: Sequence[str],
    marks: Sequence[tuple[str, float]],
    details: CompareDetails,
    rare: Mapping[str, float],
    ids: dict[str, int],
) -> dict[str, Any]:
    """Return a query: text, labels, hits of each system with their marks, what is judged relevant, and windows."""
    weights = {term: rare[term] for term in terms(one.text or "") if term in rare}
    windows: dict[int, Any] = {}
    hits: list[Any] = []
    for system in systems:
        if system not in one.hits:
            hits.append(None)
            continue
        found = one.hits[system]
        top = found[:_MOST_HITS]
        for hit in top:
            at = ids.setdefault(hit.id, len(ids))
            if hit.text and at not in windows:
                pieces = marked(hit.text[:_SEARCHED], weights, _BEGINNING)
                windows[at] = pieces[0] if len(pieces) == 1 else pieces
        hits.append(
            [
                [ids[hit.id] for hit in top],
                [_bits(one, system, at, hit, marks, details) for at, hit in enumerate(top)],
                [None if hit.score is None else float(f"{hit.score:.5g}") for hit in top],
                [hit.rank for hit in top],
                [hit.grade for hit in top],
                len(found),
            ]
        )
    relevant = []
    for each in one.relevant[:_MOST_RELEVANT]:
        at = ids.setdefault(each.id, len(ids))
        ranks = [next((hit.rank for hit in one.hits.get(system, ()) if hit.id == each.id), None) for system in systems]
        relevant.append([at, each.grade, *ranks])
    return {
        "t": one.text or "",
        "l": one.labels or "",
        "h": hits if one.hits else [],
        "r": relevant,
        "n": len(one.relevant),
        "w": {str(at): window for at, window in windows.items()},
        "j": [place for place, (task, _) in enumerate(marks) if task not in one.by_labels],  # marks with judgments
    }


def _bits(
    one: Evidence, system: str, at: int, hit: Document, marks: Sequence[tuple[str, float]], details: CompareDetails
) -> int:
    """Return for which marks a hit is relevant, a bit each."""
    found = 0
    for place, (name, grade) in enumerate(marks):
        if name in one.tasks:
            relevant = one.tasks[name][system][at]
        elif grade:
            relevant = hit.grade is not None and hit.grade >= grade
        else:
            relevant = hit.relevant  # a result from before there were marks of each task
        found |= relevant << place
    return found
