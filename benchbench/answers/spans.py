"""Characters that retrieved and gold spans share, after LegalBench-RAG.

Pipitone and Alami (LegalBench-RAG, 2024) sum the overlap of each retrieved snippet with each gold one, so text
that was retrieved twice counts twice and recall may pass 1. Here the spans of each file are merged first.
"""

from collections import defaultdict
from collections.abc import Iterable

from benchbench.tables.passages import Place


def merged(places: Iterable[Place]) -> dict[str, list[tuple[int, int]]]:
    """Return the spans of each file, in order, with those merged that overlap or touch."""
    files: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for file, start, end in sorted(places):
        spans = files[file]
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], end)
        else:
            spans.append((start, end))
    return files


def overlap(retrieved: Iterable[Place], gold: Iterable[Place]) -> tuple[float, float]:
    """Return precision and recall in characters, each from 0 to 1.

    Precision is the share of the retrieved characters that are gold, recall the share of the gold characters that were
    retrieved; 0 where there are none.
    """
    retrieved_spans, sought = merged(retrieved), merged(gold)
    shared = sum(_shared(spans, sought[file]) for file, spans in retrieved_spans.items() if file in sought)
    return _share(shared, _length(retrieved_spans)), _share(shared, _length(sought))


def _shared(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> int:
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)


def _length(files: dict[str, list[tuple[int, int]]]) -> int:
    return sum(end - start for spans in files.values() for start, end in spans)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
