"""A comparison without judgments: how alike runs are, and the queries that changed most."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

from benchbench.comparison.headline import headline_of_agreement
from benchbench.comparison.run_agreement import AgreementDetails, Changed, ChangedHit, ChangedQuery
from benchbench.report.blocks import NARROW, WIDE, AnyCell, Block, Cell, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.render.lines import cut, padded
from benchbench.report.standard import standard
from benchbench.results.figures import behind, span_of, value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, capital

_RANKS = 5  # hits shown per run
_PAIRS = 4  # of which the queries that changed are shown
_MEANINGS = {
    "overlap": "overlap@k: share of the top k that both runs return",
    "RBO": "RBO: rank-biased overlap, extrapolated (Webber, Moffat and Zobel 2010), p = 0.9 unless stated",
    "tau": "tau: Kendall's rank correlation of the documents that both runs return, for queries with at least two",
    "top_changed": "top_changed: share of queries with a different first hit",
}


def layout(result: Result, moved: int | None = None, width: int = 120) -> Layout:
    """Return how alike each pair of runs is.

    Parameters
    ----------
    result
        A comparison without judgments.
    moved
        How many of the queries that changed most are shown of each pair; all that the details have by default.
    width
        Columns that texts of queries and documents may take on a terminal.
    """
    details = result.details_as(AgreementDetails)
    changed = details.changed
    if moved is not None:
        changed = tuple(replace(pair, queries=pair.queries[:moved]) for pair in changed) if moved else ()
    more = len(changed) - _PAIRS
    lead = f"{capital(details.notes[0])}."
    tables: list[Block] = [
        means_table(details),
        *(Text(list(_changed(pair, max(width, 40))), where=WIDE) for pair in changed[:_PAIRS]),
        *([Text(["--wide adds the hits of queries that changed."], where=NARROW)] if changed else []),
        *([Text([f"… and {more:,} more pairs: --html shows them all."], where=WIDE)] if more > 0 else []),
    ]
    return standard(
        result,
        f"{and_joined([run.name for run in details.runs])}: {details.queries:,} queries, no judgments",
        headline_of_agreement(details)._replace(advice=[lead]),
        tables,
        page="agreement_page",
        facts=[("Measure", meaning) for name, meaning in _MEANINGS.items() if _has(details, name)],
        signed={run.name: run.signature for run in details.runs},
        rows=lambda: _csv(details),
        command="benchbench compare",
    )


def _has(details: AgreementDetails, name: str) -> bool:
    return any(measure.partition("@")[0].partition("(")[0] == name for measure in details.measures)


def means_table(details: AgreementDetails, named: Callable[[str], str] = str, caption: str = "") -> Table:
    """Return the means of each pair with their intervals, and the queries that they are over where these differ.

    Heads are measures as `named` calls them.
    """
    queries = {mean.queries for pair in details.pairs for mean in pair.means}
    rows: list[list[AnyCell]] = [
        [
            f"{pair.baseline}, {pair.system}",
            *(Cell(value(mean.mean), behind(mean.low, mean.high)) for mean in pair.means),
            *([span_of([mean.queries for mean in pair.means], 0, value)] if len(queries) > 1 else []),
        ]
        for pair in details.pairs
    ]
    head = ["Pair", *map(named, details.measures), *["Queries"] * (len(queries) > 1)]
    return Table(head, rows, "l" + "r" * (len(head) - 1), caption)


def _csv(details: AgreementDetails) -> Iterator[dict[str, Any]]:
    for pair in details.pairs:
        for mean in pair.means:
            yield {"baseline": pair.baseline, "system": pair.system, **asdict(mean)}


def _changed(pair: Changed, width: int) -> Iterator[str]:
    """Yield the queries that changed most, the hits of both runs side by side."""
    between = f"between {pair.baseline} and {pair.system}"
    if not pair.queries:
        yield f"No query changed {between}."
        return
    yield f"Queries that changed most {between} by RBO (+ marks hits that the other run does not have in its top 10):"
    for query in pair.queries:
        yield f"  {query.query}: {_values(query)}"
        if query.text:
            yield f"    asked     {cut(query.text, width - 14)}"
        left, right = (query.hits.get(name) for name in (pair.baseline, pair.system))
        if left is None or right is None:
            continue
        column = (width - 10) // 2
        yield f"        {padded(cut(pair.baseline, column), column)}  {cut(pair.system, column)}"
        for rank, both in enumerate(zip_longest(left[:_RANKS] or (None,), right[:_RANKS] or (None,)), 1):
            shown = [_hit(hit, rank == 1) for hit in both]
            yield f"    {rank:>2}  {padded(cut(shown[0], column), column)}  {cut(shown[1], column)}".rstrip()


def _values(query: ChangedQuery) -> str:
    return ", ".join(f"{name} {value(number)}" for name, number in query.values.items())


def _hit(hit: ChangedHit | None, first: bool = False) -> str:
    if hit is None:
        return "nothing" if first else ""
    return f"{'+' if hit.other is None else '·'} {hit.id}" + (f"  {hit.text}" if hit.text else "")
