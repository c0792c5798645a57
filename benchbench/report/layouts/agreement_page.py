"""The page of runs that were compared without judgments: how alike they are, and the queries that changed most."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from benchbench.comparison.headline import headline_of_agreement
from benchbench.comparison.run_agreement import AgreementDetails, Changed, ChangedHit
from benchbench.report.blocks import Notes, Table, Text
from benchbench.report.layouts.agreement import means_table
from benchbench.report.layouts.page_parts import band, head, passed_gates, reproduce, settings
from benchbench.report.page_blocks import Folded, Panel, Panels, Section
from benchbench.report.render.lines import cut
from benchbench.report.row_drawings import ColourMap, MapCell
from benchbench.results.figures import value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital, counted

if TYPE_CHECKING:
    from benchbench.report.layout import AnyBlock

_SETTINGS = ("baseline", "alpha", "ties", "queries", "collection")  # others of the command are of tests
_NAMES = {"top_changed": "First hit differs", "RBO": "Rank-biased overlap", "tau": "Kendall's tau of shared documents"}
_HIT = 55  # columns of a hit in a table


def blocks(result: Result, shown: Sequence["AnyBlock"]) -> "list[AnyBlock]":
    """Return the page; of the blocks that are shown it needs none."""
    details, record = result.details_as(AgreementDetails), result.record
    (_, title), *others = headline_of_agreement(details).sentences
    lead, *notes = details.notes
    about = [counted(len(details.runs), "run"), counted(details.queries, "query")]
    rows = settings(record, {name: name for name in _SETTINGS})
    return [
        head("compare", record, about, title, [sentence for _, sentence in others], [f"{capital(lead)}."]),
        *band(record),
        Section("likeness", "Likeness", "How alike the runs are"),
        *_map(details),
        means_table(details, _named, f"Means over queries, in brackets {100 * (1 - details.alpha):g} % intervals."),
        *([Notes([capital(note) for note in notes])] if notes else []),
        *([Section("queries", "Queries", "Queries that changed most")] if details.changed else []),
        *(_queries(pair) for pair in details.changed),
        *passed_gates(record),
        *reproduce(record, [("Settings", rows)]),
    ]


def _named(measure: str) -> str:
    """Return a measure in words."""
    name, _, cutoff = measure.partition("@")
    if name == "overlap":
        return f"Shared top {cutoff}" if cutoff else "Shared hits"
    return _NAMES.get(measure, measure)


def _map(details: AgreementDetails) -> Iterator[Panels]:
    """Yield the first measure of all pairs as a map, where there are five runs or more and all were compared.

    The table says as much of fewer.
    """
    names = [run.name for run in details.runs]
    means = {frozenset((pair.baseline, pair.system)): pair.means[0].mean for pair in details.pairs}
    known = [mean for mean in means.values() if mean is not None]
    if len(names) < 5 or len(known) < len(names) * (len(names) - 1) // 2:
        return
    low, reach = min(known), (max(known) - min(known)) or 1.0

    def cell(first: str, second: str) -> MapCell:
        mean = means.get(frozenset((first, second)))
        if mean is None:
            return MapCell("")
        return MapCell(value(mean), (mean - low) / reach, hint=f"{first}, {second}: {value(mean)}")

    rows = [(name, [cell(name, other) for other in names]) for name in names]
    measure = details.measures[0]
    words = "; ".join(f"{name}: {', '.join(each.text or 'itself' for each in row)}" for name, row in rows)
    drawing = ColourMap(f"{measure} of each pair of runs. {words}.", [(measure, [(name, "") for name in names])], rows)
    yield Panels([Panel("", "The stronger the colour, the more alike.", [drawing], name="likeness")], 1)


def _queries(pair: Changed) -> Folded:
    """Return the queries of a pair with their values, and the hits of both runs side by side."""
    both = f"{pair.baseline} and {pair.system}"
    if not pair.queries:
        return Folded(both, "no query changed", [])
    measures = list(pair.queries[0].values)
    parts: list[Table | Text] = [
        Table(
            ["Query", *measures, "Text"],
            [[each.query, *map(value, each.values.values()), each.text or ""] for each in pair.queries],
            "l" + "r" * len(measures) + "l",
        )
    ]
    for query in pair.queries:
        sides = [query.hits.get(name, ()) for name in (pair.baseline, pair.system)]
        rows = [[f"{rank}", *map(_hit, hits)] for rank, hits in enumerate(zip_longest(*sides), 1)]
        if rows:
            caption = f"Query {query.query}; + marks hits that the other run does not have in its top {len(rows)}"
            parts.append(Table(["Rank", pair.baseline, pair.system], rows, "rll", caption))
    return Folded(both, f"{counted(len(pair.queries), 'query')}, lowest RBO first", parts)


def _hit(hit: ChangedHit | None) -> str:
    if hit is None:
        return ""
    return f"{'+ ' if hit.other is None else ''}{cut(' '.join(filter(None, [hit.id, hit.text])), _HIT)}"
