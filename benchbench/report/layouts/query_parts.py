"""What pages of queries share, as those of runs and of scores: how values are spread, ranges, the list of queries."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchbench.report.blocks import Table
from benchbench.report.layouts.page_scales import share_axis, value_text
from benchbench.report.page_blocks import (
    Axis,
    Bar,
    Bars,
    Choice,
    Dot,
    Folded,
    Option,
    Panel,
    Panels,
    Plot,
    QueryList,
    RangeRow,
    Ranges,
)
from benchbench.results.figures import time
from benchbench.runs.page import QueryPage, View
from benchbench.runs.page_numbers import FEWEST, bins
from benchbench.tables.shared_messages import capital, counted

_FIRST = 2  # the bin of the least values above 0


def views_choice(page: QueryPage, marked: bool) -> Choice | None:
    """Return the buttons that choose a view of the queries."""
    if len(page.views) < 2:
        return None
    options = [Option(view.title, place if marked else None) for place, view in enumerate(page.views)]
    return Choice("view", "Task" if marked else "Run" if page.one_measure else "Measure", options)


def ends_said(page: QueryPage, whose: str) -> list[str]:
    """Return pieces on how many queries have the lowest and the highest value of the first view; `whose`: its name."""
    spread, have = page.spreads[0], "has" if page.total == 1 else "have"
    zeros = f"{spread.zeros:,} of {counted(page.total, 'query')}"
    return ["", zeros, f" {have} {whose} of exactly 0, ", f"{spread.full:,}", f" of exactly {spread.top:.4g}."]


def spread_chart(page: QueryPage) -> Bars | Panels:
    """Return how the queries are spread over their values; of few, each is a dot."""
    if not any(spread.dots for spread in page.spreads):
        return _bars(page)
    plots = []
    for view, spread in zip(page.views, page.spreads, strict=True):
        steps = [(n * spread.top / 5, f"{n * spread.top / 5:.3g}") for n in range(6)]
        most = max([height for _, height in spread.dots] + [4.0])
        listed = ", ".join(value_text(value, spread.top) for value, _ in spread.dots)
        description = f"{view.measure} of each of {page.total:,} queries, {view.name}: {listed}"
        dots = [Dot(value, height, hint=value_text(value, spread.top)) for value, height in spread.dots]
        plots.append(Plot(description, Axis(0.0, spread.top, steps), Axis(0.0, most + 1, []), dots, 150))
    lost = f" {counted(page.failed, 'query')} without an answer at 0." if page.failed else ""
    note = f"A dot is a query, at its {page.views[0].measure}.{lost}"
    return Panels([Panel("Each query by its value", "", plots, "view", note=note, name="queries")], 2)


def spread_table(page: QueryPage) -> Folded:
    """Return the same as a table."""
    head = ["Value", *(view.title for view in page.views)]
    rows = [
        [
            _bar(place, 0, page.spreads[0].top, "").name.strip(),
            *(f"{spread.counts[place]:,}" for spread in page.spreads),
        ]
        for place in range(len(page.spreads[0].counts))
        if place or page.failed
    ]
    return Folded("Queries by value", "the numbers of the histogram", [Table(head, rows, "l" + "r" * len(page.views))])


def _bars(page: QueryPage) -> Bars:
    """Return how the queries are spread over their values."""
    titles, subtitles, views = [], [], []
    for view, spread in zip(page.views, page.spreads, strict=True):
        titles.append(named(f"Queries by {view.measure}", page, view))
        last = f", and {spread.counts[0]:,} got no answer" if spread.counts[0] else ""
        zeros = f"{spread.zeros:,} of {counted(page.total, 'query')}"
        subtitles.append(
            [
                "",
                zeros,
                " have exactly 0, ",
                f"{spread.full:,}" if spread.full else "none",
                f" exactly {spread.top:.4g}{last}.",
            ]
        )
        row = []
        for place, count in enumerate(spread.counts):
            if place == 0 and not page.failed:
                continue
            row.append(_bar(place, count, spread.top, view.measure))
        views.append(row)
    return Bars(titles, subtitles, views, "✕: no answer." if page.failed else "")


def _bar(place: int, count: int, top: float, measure: str) -> Bar:
    if place == 0:
        return Bar(count, "✕", "no answer", place, "bad")
    if place == 1:
        return Bar(count, "= 0", f"{measure} exactly 0", place, "zero")
    low, high = (f"{(place - step) * top / 10:.3g}" for step in (2, 1))
    return Bar(count, high, f"{measure} over {low} to {high}", place, "", True, "0" if place == _FIRST else "")


def named(title: str, page: QueryPage, view: View) -> str:
    """Return a title with the name of its view, where there are several and the measure does not say it."""
    return title if len(page.views) == 1 or view.name == view.measure else f"{title}, {view.title}"


def ranges(page: QueryPage, overall: Sequence[float]) -> list[Ranges]:
    """Return the means by label of each column; `overall` are those over all queries, one per view."""
    ranges_by_column = []
    highs = [
        max([row.means[view][2] or row.means[view][0] for part in page.slices for row in part.rows] + [overall[view]])
        for view in range(len(page.views))
    ]
    tops = [
        share_axis(high).high if spread.top == 1.0 else max(high, 1e-9)
        for high, spread in zip(highs, page.spreads, strict=True)
    ]
    for place, part in enumerate(page.slices):
        rows = [
            RangeRow(
                row.label,
                row.queries,
                [
                    (100 * mean / top, 100 * (mean if low is None else low) / top, 100 * (high or mean) / top,
                     value_text(mean, spread.top))
                    for (mean, low, high), top, spread in zip(row.means, tops, page.spreads, strict=True)
                ],
            )
            for row in part.rows
        ]  # fmt: skip
        both = " A query with two of them counts in both." if part.several else ""
        few, left = "", page.total - sum(row.queries for row in part.rows)
        if part.ordered and left:
            be = "is" if left == 1 else "are"
            few = f"{counted(left, 'query')} {be} left out: no value, or a group of fewer than {FEWEST}."
        elif not part.ordered and part.labels > len(part.rows):
            few = f"The {len(rows)} most frequent of {part.labels:,} values."
        column = part.column.replace("_", " ")
        ranges_by_column.append(
            Ranges(
                [named(f"{view.measure} by {column}", page, view) for view in page.views],
                f"{few}{both}".strip(),
                place,
                rows,
                [
                    (f"┆ all {value_text(mean, spread.top)}", f"{top:.4g}")
                    for top, mean, spread in zip(tops, overall, page.spreads, strict=True)
                ],
                [100 * mean / top for mean, top in zip(overall, tops, strict=True)],
            )
        )
    return ranges_by_column


def query_list(page: QueryPage, marks: Sequence[str]) -> QueryList:
    """Return the list of queries, and what its script draws it from."""
    reasons = list(dict.fromkeys(failure for failure in page.failures if failure is not None))
    failed = np.array([failure is not None for failure in page.failures], bool)
    columns = []
    for part in page.slices:
        labels = [page.texts.labels[part.column].get(query, ()) for query in page.ids]
        at = {label: code for code, label in enumerate(dict.fromkeys(label for several in labels for label in several))}
        codes = [[at[label] for label in several] for several in labels]
        columns.append(
            {
                "name": part.column.replace("_", " "),
                "labels": list(at),
                "rows": "".join(chr(65 + sum(its or [-1])) for its in codes) if part.ordered else codes,
                "top": [at.get(row.label, -1) for row in part.rows],
                "kind": part.ordered,
            }
        )
    begins = [page.texts.beginnings.get(query, "") for query in page.ids]
    has_texts = any(begins)
    plain = 1000  # beginnings that stand outside of what is compressed
    data = {
        "total": page.total,
        "views": [
            {"name": view.title, "measure": view.measure, "top": spread.top}
            for view, spread in zip(page.views, page.spreads, strict=True)
        ],
        "ids": page.ids,
        "values": [
            [_ten_thousandths(value, spread.top) for value in values.tolist()]
            for values, spread in zip(page.values, page.spreads, strict=True)
        ],
        "bins": [
            "".join(chr(65 + place) for place in bins(values, failed, spread.top).tolist())
            for values, spread in zip(page.values, page.spreads, strict=True)
        ],
        "counts": [spread.counts for spread in page.spreads],
        "ms": [None if time is None else float(f"{time:.3g}") for time in page.latency],
        "reasons": reasons,
        "failed": [-1 if failure is None else reasons.index(failure) for failure in page.failures] if reasons else [],
        "columns": columns,
        "begin": begins[:plain] if has_texts else [],
        "marks": list(marks),
    }
    if page.depth is not None:
        data |= {"ranks": page.ranks, "edges": page.depth.edges, "rank_counts": page.depth.counts}
    packed = {
        "texts": [page.texts.whole.get(query, "") for query in page.ids],
        "begin": begins[plain:],
        "opened": {name: _opened(query) for name, query in page.opened.items()},
    }
    first = "First of best grade" if page.depth and page.depth.graded else "First relevant"
    label = first if page.depth else capital(page.slices[0].column.replace("_", " ")) if page.slices else ""
    head = [
        page.views[0].measure,
        "Query",
        "Text" if has_texts else "Other values",
        label,
        "Latency" if any(page.latency) else "",
    ]
    labelled = [part.column.replace("_", " ") for part in page.slices if not part.ordered]
    places = ["ids", *(["whole texts"] if has_texts else []), *labelled]
    search = ", ".join(places[:-1]) + f" and {places[-1]}" if len(places) > 1 else places[0]
    worst = [_first(page, place) for place in page.worst]
    return QueryList(page.said, head, worst, search, list(map(capital, marks)), data, packed, _sorts(page, marks))


def _sorts(page: QueryPage, marks: Sequence[str]) -> list[tuple[str, str]]:
    """Return the orders of the list: only of several runs by their difference, only of requests by latency."""
    apart = [("apart", "Runs differ most first")] if page.one_measure and not marks else []
    slow = [("slow", "Slowest first")] if any(page.latency) else []
    return [*apart, ("worst", "Worst first"), ("best", "Best first"), *slow, ("data", "As in the data")]


def _ten_thousandths(value: float, top: float) -> int:
    """Return a value in ten-thousandths, and never 0 where the value is not 0."""
    whole = round(value / top * 10_000)
    return max(whole, 1) if value > 0 else whole


def _first(page: QueryPage, place: int) -> list[str]:
    query, failure, latency = page.ids[place], page.failures[place], page.latency[place]
    value = value_text(float(page.values[0, place]), page.spreads[0].top) if failure is None else "✕ no answer"
    labels = ", ".join(page.texts.labels[page.slices[0].column].get(query, ())) if page.slices else ""
    if page.depth is not None:
        labels = f"rank {page.ranks[place]:,}" if page.ranks[place] else "not found"
    begins = " ".join(filter(None, (failure, page.texts.beginnings.get(query, ""))))
    return [value, query, begins, labels, "" if latency is None else time(latency)]


def _opened(query: Any) -> dict[str, Any]:
    return {
        "l": query.labels,
        "p": [[hit.id, hit.grade, hit.rank or 0, hit.text] for hit in query.positives],
        "j": query.judged,
        "n": query.received,
        "h": [
            [
                hit.rank or 0,
                hit.id,
                None if hit.score is None else float(f"{hit.score:.4g}"),
                sum(1 << place for place, is_so in enumerate(hit.relevant) if is_so),
                hit.removed,
                hit.pieces,
                *([hit.title] if hit.title else []),
            ]
            for hit in query.hits
        ],
    }
