"""The queries that the page of a comparison lists: ids and values of all, texts and hits of as many as fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, CompareOutcome
from benchbench.comparison.evidence import Evidence, ShownDocument
from benchbench.comparison.tables import evidence_of, paired_of, slices_of_queries
from benchbench.kernels.arrays import I64
from benchbench.measures.notation import least_grade, task_and_measures
from benchbench.report.comparison_blocks import MovedList
from benchbench.report.layouts.compare_words import bare_names
from benchbench.report.render.html import packed
from benchbench.results.figures import p_value
from benchbench.results.result import Result
from benchbench.retrieval.matched_terms import marked, rarity, terms, whole_words
from benchbench.significance.result import SliceDifference
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
MOST_SLICES = 2_000  # of a table


def moved_list(
    result: Result,
    details: CompareDetails,
    paired: Paired,
    start: int,
    baselines: Sequence[str],
    system: str,
    read: Mapping[str, tuple[str, str, str]],
    columns: Sequence[str],
) -> MovedList:
    """Return the list of queries, which has what the script of the page draws from; the page stays below 5 MB.

    Parameters
    ----------
    result, details, paired
        The comparison, as much of it as the page has, and the values of its queries.
    start
        The place of the measure that is shown first.
    baselines, system
        Those of the matrices, and the system that is shown first.
    read
        What each difference comes to.
    columns
        Those of the slices.
    """
    evidence = {query.number: query for query in evidence_of(result)}
    marks, mark_of = _marks(details, list(evidence.values()))
    order = _most_moved(details, paired)
    cells = len(paired.measures) * len(paired.systems)
    kept = np.sort(order[: max(_MOST_OPENED, _MOST_VALUES // cells)])
    slices = slices_of_queries(result)
    opened = [int(number) for number in order if int(number) in evidence][:_MOST_OPENED]
    texts = _TEXTS
    while True:
        shown = _with_texts(opened, evidence, texts)
        compressed = packed(_data(paired, kept, slices, [evidence[number] for number in shown], marks, details))
        if len(compressed) <= _LARGEST or (len(opened) < 20 and len(kept) <= _MOST_OPENED):
            break
        if len(opened) >= 20:
            opened, texts = opened[: len(opened) // 2], texts // 2
        else:
            kept = np.sort(order[: len(kept) // 2])
    has_texts = any(evidence[number].text for number in shown)
    has_hits = any(evidence[number].hits for number in shown)
    names = {name: place for place, name in enumerate(details.names)}
    of_slices: dict[str, list[dict[str, Any]]] = {}
    for part in details.slices[: 4 * MOST_SLICES]:
        of_slices.setdefault(details.key(part), []).append(_slice(part))
    data = {
        "systems": details.names,
        "measures": bare_names(details.measures),
        "pairs": [[names[name] for name in pair] for pair in details.pairs],
        "bases": [names[baseline] for baseline in baselines],
        "start": {"m": start, "b": 0, "s": names[system]},
        "columns": columns,
        "readings": read,
        "means": {details.key(difference): difference.mean for difference in details.differences} if columns else {},
        "slices": of_slices,
        "ties": [details.settings.tie + rounding for rounding in paired.rounding],
        "marks": [name for name, _ in marks],
        "mark_of": mark_of,
        "grades": [grade for _, grade in marks],
    }
    notes = list(_said(len(paired.queries), len(kept), len(shown), has_texts, has_hits))
    return MovedList(notes, "ids, whole texts and labels" if has_texts else "ids and labels", data, compressed)


def paired_values(result: Result, whole: CompareDetails, details: CompareDetails) -> Paired:
    """Return the values per query that a page has; in memory they are at hand, and a million ids stay no column."""
    if isinstance(result, CompareOutcome):
        paired = result.comparison.paired
    else:
        paired = paired_of(result, whole.names, details.measures)
    names = tuple(details.names)
    values = paired.values[: len(details.measures)]
    if names != paired.systems:
        values = values[:, [paired.systems.index(name) for name in names]]
    return replace(paired, systems=names, measures=details.measures, values=values)


def _slice(part: SliceDifference) -> dict[str, Any]:
    """Return a slice as the script of the page draws it."""
    low, high = drawing.ends(part)
    numbers = {name: float(f"{end:.5g}") for name, end in (("mean", part.mean), ("low", low), ("high", high))}
    named = {"column": part.column, "value": part.value, "queries": part.queries}
    return {**named, **numbers, "p": p_value(part.corrected), "significant": part.significant}


def _said(total: int, kept: int, opened: int, texts: bool, hits: bool) -> Iterator[str]:
    if kept < total:
        yield f"Of {total:,} queries, the {kept:,} that moved most in any measure are here; per_query.parquet has all."
    what = " and ".join((*(("texts",) if texts else ()), *(("hits",) if hits else ())))
    if what and opened < kept:
        yield f"The page has {what} of the {opened:,} queries that moved most in any measure, and values of all others."
    if not texts:
        yield "Texts are missing. To add them: `--queries FILE --collection FILE`."
    if not hits:
        yield "No hits are stored of these runs. To see ranked lists, compare their run files or results folders."


def _marks(details: CompareDetails, evidence: Sequence[Evidence]) -> tuple[list[tuple[str, float]], list[int | None]]:
    """Return the tasks or lowest grades by which hits are marked, and that of each measure."""
    known = {task for query in evidence for task in query.tasks}
    places: dict[tuple[str, float], int] = {}
    mark_of: list[int | None] = []
    for measure in details.measures:
        task, measures = task_and_measures(measure)
        if task and task not in known and task != task_and_measures(details.moved_by)[0]:
            mark_of.append(None)
            continue
        grade = 0.0 if task or not measures else least_grade(measures[0])
        mark_of.append(places.setdefault((task, grade), len(places)))
    several = len({grade for _, grade in places}) > 1
    return [(task, grade) if task or not several else (f"grade {grade:g}", grade) for task, grade in places], mark_of


def _most_moved(details: CompareDetails, paired: Paired) -> I64:
    """Return all queries, those first that moved most in any measure, as a share of the most that any did in it."""
    most = np.zeros(len(paired.queries))
    places = {name: place for place, name in enumerate(paired.systems)}
    for difference in details.differences:
        measure = paired.measures.index(difference.measure)
        moves = np.abs(paired.difference(measure, places[difference.baseline], places[difference.system]))
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
    rare = rarity(set().union(*(terms(query.text or "") for query in evidence)), sample) if sample else {}
    opened = {
        str(place[query.number]): _opened(query, paired.systems, marks, details, rare, ids)
        for query in evidence
        if query.number in place
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
    text_of: dict[str, str] = {}
    for query in evidence:
        for hits in query.hits.values():
            text_of.update({hit.id: hit.text for hit in hits if hit.text})
    texts = list(text_of.values())
    return texts[:: -(-len(texts) // _SAMPLE)] if texts else []


def _opened(
    query: Evidence,
    systems: Sequence[str],
    marks: Sequence[tuple[str, float]],
    details: CompareDetails,
    rare: Mapping[str, float],
    ids: dict[str, int],
) -> dict[str, Any]:
    """Return a query: text, labels, hits of each system with their marks, what is judged relevant, and windows."""
    weights = {term: rare[term] for term in terms(query.text or "") if term in rare}
    windows: dict[int, Any] = {}
    hits: list[Any] = []
    for system in systems:
        if system not in query.hits:
            hits.append(None)
            continue
        every_hit = query.hits[system]
        top = every_hit[:_MOST_HITS]
        for hit in top:
            at = ids.setdefault(hit.id, len(ids))
            if hit.text and at not in windows:
                pieces = whole_words(marked(hit.text[:_SEARCHED], weights, _BEGINNING))
                windows[at] = pieces[0] if len(pieces) == 1 else pieces
        hits.append(
            [
                [ids[hit.id] for hit in top],
                [_bits(query, system, at, hit, marks) for at, hit in enumerate(top)],
                [None if hit.score is None else float(f"{hit.score:.5g}") for hit in top],
                [hit.rank for hit in top],
                [hit.grade for hit in top],
                len(every_hit),
            ]
        )
    relevant = []
    for document in query.relevant[:_MOST_RELEVANT]:
        at = ids.setdefault(document.id, len(ids))
        ranks = [
            next((hit.rank for hit in query.hits.get(system, ()) if hit.id == document.id), None) for system in systems
        ]
        relevant.append([at, document.grade, *ranks])
    return {
        "t": query.text or "",
        "l": query.labels or "",
        "h": hits if query.hits else [],
        "r": relevant,
        "n": len(query.relevant),
        "w": {str(at): window for at, window in windows.items()},
        "j": [place for place, (task, _) in enumerate(marks) if task not in query.by_labels],  # marks with judgments
    }


def _bits(query: Evidence, system: str, at: int, hit: ShownDocument, marks: Sequence[tuple[str, float]]) -> int:
    """Return for which marks a hit is relevant, a bit each."""
    bits = 0
    for place, (name, grade) in enumerate(marks):
        if name in query.tasks:
            relevant = query.tasks[name][system][at]
        elif grade:
            relevant = hit.grade is not None and hit.grade >= grade
        else:
            relevant = hit.relevant  # a result from before there were marks of each task
        bits |= relevant << place
    return bits
