"""Sentences on what was not counted of a data set and of the answers to it."""

from collections.abc import Mapping

_BEYOND = "beyond_top_k"  # a fault of hits


def reading(counts: Mapping[str, int], most: int) -> list[str]:
    """Return sentences for the counts of `Queries.read` and for `queries`, none for those that are 0.

    `most` is how many positives of a query count.
    """
    cut, queries = counts["left_out_positives"], counts["queries_with_left_out_positives"]
    left_out = (
        f"{cut:,} positives beyond the first {most} per query were left out, in {queries:,} of "
        f"{counts['queries']:,} queries: numbers from all would differ; --max-positives 0 takes all"
    )
    counted = [
        (counts["skipped_lines"], "bad lines of the data set were skipped"),
        (counts["assumed_tiers"], "positives have no tier, and count as tier 1"),
    ]
    return [*([left_out] if cut else []), *(f"{n:,} {words}" for n, words in counted if n)]


def beyond(faults: Mapping[str, int], top_k: int) -> list[str]:
    """Return a sentence where a service sent more hits than it was asked for."""
    cut = faults.get(_BEYOND, 0)
    return [f"{cut:,} hits were cut: the service sent more than --top-k {top_k} per query"] if cut else []


def counted(
    counts: Mapping[str, int],
    deepest: int,
    unlabelled: Mapping[str, int],
    without_label: Mapping[str, int],
    faults: Mapping[str, int],
) -> list[str]:
    """Return a sentence for each other count that a reader must know of, and none for those that are 0 or not there.

    Parameters
    ----------
    counts
        Of hits, positives and queries.
    deepest
        The largest cut-off.
    unlabelled, without_label
        Hits without a label, and queries that no hit can be relevant for, by task.
    faults
        What was wrong with single hits; those that `beyond` says are not said here.
    """
    named = {
        "short_lists": f"queries had fewer than {deepest} hits left after the removals",
        "dropped_positives": "positives were dropped: the query's own text, or a text listed twice",
        "hits_named_like_positives": "hits have the id of a positive of their query, and another text",
        "asked_again": "queries had failed and were asked again (--resume); latencies are of the last time",
    }
    found = [
        *((counts.get(name, 0), words) for name, words in named.items()),
        *((n, f"hits without a label for task {task}") for task, n in unlabelled.items()),
        *((n, f"queries that no hit can be relevant for in task {task}") for task, n in without_label.items()),
        *((n, f"hits with fault: {fault.replace('_', ' ')}") for fault, n in faults.items() if fault != _BEYOND),
    ]
    return [f"{n:,} {words}" for n, words in found if n]
