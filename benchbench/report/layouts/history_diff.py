"""Two stored runs side by side: each measure of both, and the queries that moved."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.comparison.headline import speed_sentence
from benchbench.history.diff.diff_details import DiffDetails, MeasureChange, QueryChange, Side, SliceChange
from benchbench.report.blocks import EVERYWHERE, PEOPLE, Block, Cell, Facts, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.history_list import when
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, ends, p_value, signed, value
from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline
from benchbench.results.result import Result

_MARKS = {"better": BETTER, "worse": WORSE, "": OPEN}
_TONES = {"better": "good", "worse": "bad", "": "muted"}
_LEGEND = f"{BETTER} better {WORSE} worse {OPEN} not shown. Changed: queries with another value. Without p: not tested."
_SLICES = "Differences by slices of the queries, p corrected over the slices of a measure"


def layout(result: Result) -> Layout:
    """Return the verdict, the measures of both runs, slices, and the queries that moved."""
    diff = result.details_as(DiffDetails)
    verdict, tested = headline(diff), any(change.tested for change in diff.changes)
    tables: list[Block] = [
        Facts([_said(diff.first), _said(diff.second)], where=EVERYWHERE),
        _measures(diff),
        *([Text([_LEGEND], where=PEOPLE)] if tested else []),
        *_slices(diff),
        *_queries(diff),
    ]
    return standard(
        result,
        f"{diff.second.label} against {diff.first.label}",
        verdict,
        tables,
        lead=verdict.sentences[0][1],
        rows=lambda: list(_rows(diff)),
        notes=diff.notes,
        command="benchbench history diff",
    )


def headline(diff: DiffDetails) -> Headline:
    """Return in how many measures the second run is better, and worse, and whether it is faster."""
    advice = () if diff.speed is None else (speed_sentence(diff.speed, diff.alpha),)
    return Headline([_verdict(diff)], advice)


def _verdict(diff: DiffDetails) -> tuple[str, str]:
    tested = [change for change in diff.changes if change.tested]
    second, first = diff.second.label, diff.first.label
    if not tested:
        return OPEN, f"Whether {second} differs from {first} is not tested: only numbers are stored."
    better, worse = (sum(change.verdict == word for change in tested) for word in ("better", "worse"))
    measures = tested[0].measure if len(tested) == 1 else f"{len(tested)} measures"
    queries = f"{diff.queries:,} queries"
    if not better + worse:
        where = measures if len(tested) == 1 else f"any of {measures}"
        return OPEN, f"No difference is shown between {second} and {first} in {where}, over {queries}."
    if better and worse:
        text = f"{second} is better than {first} in {better} of {measures} and worse in {worse}, over {queries}."
        return PARTLY, text
    mark, word, count = (BETTER, "better", better) if better else (WORSE, "worse", worse)
    where = measures if len(tested) == 1 else f"{count} of {measures}"
    return mark, f"{second} is {word} than {first} in {where}, over {queries}."


def _said(side: Side) -> tuple[str, str]:
    commit = f"commit {side.commit[:10]}" if side.commit else ""
    branch = f"of {side.branch}" if side.commit and side.branch else ""
    others = [f"{name} {value}" for name, value in side.tags.items() if name not in ("commit", "branch")]
    parts = [side.name, side.kind, when(side.started), f"{commit} {branch}".strip(), *others]
    return side.label, ", ".join(part for part in parts if part)


def _measures(diff: DiffDetails) -> Table:
    columns = [
        Column("Measure", lambda change: f"{change.measure}, {change.unit}" if change.unit else change.measure),
        *_sides(diff),
        Column("Difference", _difference, "r"),
        Column(f"{100 * (1 - diff.alpha):g} % interval", lambda change: ends(change, shown=signed), "r", 2),
        Column("p", lambda change: p_value(change.p), "r"),
        Column("Changed", _changed, "r", 1),
    ]
    return table_of(columns, diff.changes, where=EVERYWHERE)


def _changed(change: MeasureChange) -> str:
    return f"{change.changed:,} of {change.queries:,}" if change.tested else NOTHING


def _sides(diff: DiffDetails) -> tuple[Column, Column]:
    """Return the columns of the two runs."""
    return (
        Column(diff.first.label, lambda change: value(change.first), "r"),
        Column(diff.second.label, lambda change: value(change.second), "r"),
    )


def _difference(change: MeasureChange | SliceChange) -> Cell:
    """Return the difference with its mark where it was tested, as slices always are."""
    if isinstance(change, MeasureChange) and not change.tested:
        return Cell(signed(change.difference), tone="muted")
    return Cell(f"{_MARKS[change.verdict]} {signed(change.difference)}", tone=_TONES[change.verdict])


def _slices(diff: DiffDetails) -> Iterator[Block]:
    columns = [
        Column("Measure", lambda part: part.measure),
        Column("Slice", lambda part: f"{part.column}={part.value}"),
        Column("Queries", lambda part: f"{part.queries:,}", "r", 1),
        *_sides(diff),
        Column("Difference", _difference, "r"),
        Column("Interval", lambda part: ends(part, shown=signed), "r", 2),
        Column("p", lambda part: p_value(part.p), "r"),
    ]
    if diff.slices:
        yield table_of(columns, diff.slices, caption=_SLICES, grouped=True, where=EVERYWHERE)


def _queries(diff: DiffDetails) -> Iterator[Block]:
    """Yield the queries that changed where those were asked for, else those that moved most."""
    if diff.changed:
        shown, caption = diff.changed_queries, f"Queries whose {diff.changed} changed, greatest loss first"
        if not shown:
            yield Text([f"No query has another {diff.changed}."], where=EVERYWHERE)
    else:
        shown, caption = diff.moved, f"Queries that moved most, by {diff.moved_by}"
    difference = Column("Difference", lambda query: signed(query.difference), "r")
    if shown:
        columns = [Column("Query", lambda query: query.query), *_sides(diff), difference]
        yield table_of(columns, shown, caption=caption, where=EVERYWHERE)


def _rows(diff: DiffDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per measure, per slice, and per query that changed."""
    nothing = {"slice": None, "query": None}
    for change in diff.changes:
        yield {"measure": change.measure, **nothing, **_values(change)}
    for part in diff.slices:
        yield {"measure": part.measure, **nothing, "slice": f"{part.column}={part.value}", **_values(part)}
    for query in diff.changed_queries:
        yield {"measure": diff.changed, **nothing, "query": query.query, **_values(query)}


def _values(change: MeasureChange | SliceChange | QueryChange) -> dict[str, Any]:
    left_out = ("measure", "column", "value", "query", "interval")
    return {name: value for name, value in asdict(change).items() if name not in left_out}
