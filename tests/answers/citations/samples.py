"""Precision and recall of an extractor against citations that were written down by hand."""

from collections import Counter
from collections.abc import Iterable

from benchbench.answers.citations.citation import Citation

Named = tuple[str, tuple[str, ...]]  # law and path


def agreement(pairs: Iterable[tuple[list[Citation], list[Named]]]) -> tuple[float, float, list[str]]:
    """Return precision and recall over all texts, each citation counted as often as it is made, and what differs."""
    both = found = expected = 0
    differences = []
    for number, (citations, named) in enumerate(pairs):
        got, want = Counter((one.source, one.path) for one in citations), Counter(named)
        both, found, expected = both + (got & want).total(), found + got.total(), expected + want.total()
        differences += [f"{number}: missing {one}" for one in (want - got).elements()]
        differences += [f"{number}: extra {one}" for one in (got - want).elements()]
    return both / found, both / expected, differences
