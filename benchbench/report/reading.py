"""What of a data set's file does not count, a sentence each."""

from collections.abc import Mapping


def reading(counts: Mapping[str, int], most: int) -> list[str]:
    """Return sentences for the counts of `Queries.read` and for `queries`, none for those that are 0.

    `most` is how many positives of a query count.
    """
    cut, queries = counts["left_out_positives"], counts["queries_with_left_out_positives"]
    left_out = (
        f"{cut:,} positives beyond the first {most} of a query were left out, in {queries:,} of "
        f"{counts['queries']:,} queries: numbers from all would differ; --max-positives 0 takes all"
    )
    counted = [
        (counts["skipped_lines"], "bad lines of the data set were skipped"),
        (counts["assumed_tiers"], "positives have no tier, and count as tier 1"),
    ]
    return [*([left_out] if cut else []), *(f"{n:,} {words}" for n, words in counted if n)]
