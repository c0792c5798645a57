"""A comparison without judgments: how alike runs are, and the queries that changed most."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import zip_longest
from typing import Any

from benchbench.comparison.headline import headline_of_agreement
from benchbench.comparison.run_agreement import AgreementDetails, Changed, ChangedHit, ChangedQuery
from benchbench.report.blocks import NARROW, PAGE, WIDE, Block, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.render.lines import cut, padded
from benchbench.report.standard import standard
from benchbench.results.figures import count, interval, value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, capital

_RANKS = 5  # hits shown per run
_PAIRS = 4  # of which the queries that changed are shown
_MEANINGS = {
    "overlap": "overlap@k: documents that both have among their first k, of the longer beginning's length",
    "RBO": "RBO: rank-biased overlap, extrapolated (Webber, Moffat and Zobel 2010), p 0.9 unless it says otherwise",
    "tau": "tau: Kendall's rank correlation of the documents that both lists have, of queries with two or more",
    "top_changed": "top_changed: share of queries whose first hit is another",
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
    level = f"{100 * (1 - details.alpha):g} %"
    more = len(changed) - _PAIRS
    lead = f"{capital(details.notes[0])}."
    tables: list[Block] = [
        Table(
            ["Pair", "Measure", "Mean", f"{level} interval", "Queries"],
            [list(row) for row in _rows_of(details)],
            "llrrr",
            grouped=True,
            keeps=[0, 0, 0, 1, 2],
        ),
        *(Text(list(_changed(pair, max(width, 40))), where=WIDE) for pair in changed[:_PAIRS]),
        *([Text(["--wide adds the hits of queries that changed."], where=NARROW)] if changed else []),
        *([Text([f"… and {more:,} more pairs: --html shows them all."], where=WIDE)] if more > 0 else []),
        *map(_page, changed),
    ]
    return standard(
        result,
        f"{and_joined([run.name for run in details.runs])}: {details.queries:,} queries, no judgments",
        headline_of_agreement(details)._replace(advice=[lead]),
        tables,
        lead=lead,
        facts=[("Measure", meaning) for name, meaning in _MEANINGS.items() if _has(details, name)],
        signed={run.name: run.signature for run in details.runs},
        rows=lambda: _csv(details),
        command="benchbench compare",
    )


def _has(details: AgreementDetails, name: str) -> bool:
    return any(measure.partition("@")[0].partition("(")[0] == name for measure in details.measures)


def _rows_of(details: AgreementDetails) -> Iterator[tuple[str, ...]]:
    for pair in details.pairs:
        for mean in pair.means:
            yield (
                f"{pair.baseline}, {pair.system}",
                mean.measure,
                value(mean.mean),
                interval(mean.low, mean.high),
                count(mean.queries),
            )


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
    yield f"Queries that changed most {between} (+ is not among the first hits of the other):"
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


def _page(pair: Changed) -> Block:
    """Return the same as a table of a page."""
    names, between = (pair.baseline, pair.system), f"between {pair.baseline} and {pair.system}"
    if not pair.queries:
        return Text([f"No query changed {between}."], where=PAGE)
    rows = []
    for query in pair.queries:
        sides = [", ".join(_hit(hit) for hit in query.hits.get(name, ())[:_RANKS]) for name in names]
        rows.append([query.query, query.text or "", _values(query), *sides])
    caption = f"Queries that changed most {between} (+ is not among the first hits of the other)"
    return Table(["Query", "Text", "Values", *names], rows, caption=caption, where=PAGE)


def _values(query: ChangedQuery) -> str:
    return ", ".join(f"{name} {value(number)}" for name, number in query.values.items())


def _hit(hit: ChangedHit | None, first: bool = False) -> str:
    if hit is None:
        return "nothing" if first else ""
    return f"{'+' if hit.other is None else '·'} {hit.id}" + (f"  {hit.text}" if hit.text else "")
