"""Sentences on what was not counted of a data set and of the answers to it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.measures.notation import resolve
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    from benchbench.client.pages import Pages
    from benchbench.kernels.arrays import I64

_BEYOND = "beyond_top_k"  # a fault of hits
_CAPPED, _CAPPED_SHARE = 3, 0.25  # queries that got the most hits of all, from which that is taken for a limit
_REMOVED = ("self_hits", "copies", "duplicates")  # counts of hits
_NAMED = 3  # measures that a sentence names
_PAGES = "[pages] of a protocol description asks for more (docs/protocol.md)"


def reading(counts: Mapping[str, int], most: int) -> list[str]:
    """Return sentences for the counts of `Queries.read` and for `queries`, none for those that are 0.

    `most` is how many positives of a query count.
    """
    cut, queries = counts["left_out_positives"], counts["queries_with_left_out_positives"]
    left_out = (
        f"{{were}} left out, in {queries:,} of {counts['queries']:,} queries: numbers from all would differ; "
        "--max-positives 0 takes all"
    )
    return _said(
        (cut, "positive", f"beyond the first {most} per query {left_out}"),
        (counts["skipped_lines"], "bad line", "of the data set {were} skipped"),
        (counts["assumed_tiers"], "positive", "{have} no tier, and count{s} as tier 1"),
    )


def beyond(faults: Mapping[str, int], top_k: int) -> list[str]:
    """Return a sentence where a service sent more hits than it was asked for."""
    return _said((faults.get(_BEYOND, 0), "hit", f"{{were}} cut: the service sent more than --top-k {top_k} per query"))


def limit_of_hits(each: "I64", asked: int, card: Mapping[str, Any], pages: "Pages | None") -> dict[str, int]:
    """Return counts that say which limit of its own a service has, below the hits asked for; none without one.

    Lists that end because nothing more matches end at many lengths, and those of a service that caps at one.

    Parameters
    ----------
    each
        The hits of each query; negative without an answer.
    asked
        Hits asked for, per query.
    card
        Of the data set.
    pages
        How a description of the service asks for more of a query.
    """
    each = each[each >= 0]
    most = int(each.max(initial=0))
    documents = card.get("collection", {}).get("documents")
    all_there_are = isinstance(documents, int) and documents <= most
    if not 0 < most < asked or all_there_are or int((each == most).sum()) < max(_CAPPED, _CAPPED_SHARE * len(each)):
        return {}
    return {"most_hits": most, "hits_asked": asked, **({"max_pages": pages.most} if pages else {})}


def bounded(counts: Mapping[str, int], names: Sequence[str]) -> list[str]:
    """Return the names of measures whose cut-off is beyond the most hits that a service returns."""
    most = counts.get("most_hits")
    if not most:
        return []
    return [str(measure) for measure in resolve(names) if isinstance(measure.cutoff, int) and measure.cutoff > most]


def capped(counts: Mapping[str, int], bounded: Sequence[str], mark: str = "*") -> list[str]:
    """Return a sentence where a service has a limit of its own for hits; `bounded` are measures that look deeper."""
    if "most_hits" not in counts:
        return []
    most, asked = counts["most_hits"], counts["hits_asked"]
    few = [*bounded[:_NAMED], f"{len(bounded) - _NAMED} more"] if len(bounded) > _NAMED + 1 else bounded
    bound = f", which bounds {and_joined(few)} ({mark})" if bounded else ""
    more = f"max_pages of the protocol description is {counts['max_pages']:,}" if "max_pages" in counts else _PAGES
    return [f"your API returned at most {most:,} {'hit' if most == 1 else 'hits'} of {asked:,} asked{bound}; {more}"]


def counted(
    counts: Mapping[str, int],
    deepest: int,
    unlabelled: Mapping[str, int],
    without_label: Mapping[str, int],
    faults: Mapping[str, int],
    *,
    asked: str = "query",
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
    asked
        What is counted of queries: a load test asks a query several times and counts answers.
    """
    short = f"had fewer than {deepest} hits"
    if any(counts.get(name) for name in _REMOVED):
        short += " that are no copy of the query and no repeated id"
    named = {
        "short_lists": (asked, f"{short}; ranks without a hit count as not relevant"),
        "dropped_positives": ("positive", "{were} dropped: the query itself, or a text listed twice"),
        "hits_named_like_positives": (
            "hit",
            "{have} the id of a relevant document but another text, and count{s} as not judged",
        ),
        "asked_again": ("query", "had failed and {were} asked again (--resume); latencies are of the last time"),
    }
    return _said(
        *((counts.get(name, 0), *words) for name, words in named.items()),
        *((n, "hit", f"without a label for task {task}") for task, n in unlabelled.items()),
        *((n, "query", f"that no hit can be relevant for in task {task}") for task, n in without_label.items()),
        *(
            (n, "hit", f"with fault: {fault.replace('_', ' ')}".replace("{", "{{").replace("}", "}}"))
            for fault, n in faults.items()
            if fault != _BEYOND
        ),
    )


def _said(*counted: tuple[int, str, str]) -> list[str]:
    """Return a sentence for each number, noun and rest where the number is not 0, in the singular or the plural."""
    sentences = []
    for number, noun, rest in counted:
        if number == 1:
            sentences.append(f"1 {noun} {rest.format(were='was', have='has', s='s', their='its')}")
        elif number:
            nouns = "queries" if noun == "query" else f"{noun}s"
            sentences.append(f"{number:,} {nouns} {rest.format(were='were', have='have', s='', their='their')}")
    return sentences
