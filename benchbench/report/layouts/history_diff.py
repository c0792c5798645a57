"""Two stored runs side by side: each measure of both, and the queries that moved."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.comparison.headline import speed_sentence
from benchbench.history.changed import MOST, changes_said
from benchbench.history.diff.diff_details import DiffDetails, MeasureChange, QueryChange, Side, SliceChange
from benchbench.report.blocks import EVERYWHERE, PAGE, PEOPLE, Block, Cell, Facts, Table, Text
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.history_list import when
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, ends, p_value, signed, value
from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined

_MARKS = {"better": BETTER, "worse": WORSE, "": OPEN}
_TONES = {"better": "good", "worse": "bad", "": "muted"}
_LEGEND = f"{BETTER} better {WORSE} worse {OPEN} no measurable difference. Changed: queries whose value differs."
_SLICES = "Differences by slices of the queries, p corrected over the slices of a measure"


def layout(result: Result) -> Layout:
    """Return the verdict, the measures of both runs, slices, and the queries that moved."""
    diff = result.details_as(DiffDetails)
    verdict, tested = headline(diff), any(change.tested for change in diff.changes)
    untested = "" if all(change.tested for change in diff.changes) else " Without p: not tested."
    tables: list[Block] = [
        Facts([_said(diff.first), _said(diff.second)], where=EVERYWHERE - PAGE),
        _measures(diff),
        *([Text([_LEGEND + untested], where=PEOPLE)] if tested else []),
        *_slices(diff),
        *_queries(diff),
    ]
    report = standard(
        result,
        f"{diff.second.label} against {diff.first.label}",
        verdict,
        tables,
        rows=lambda: list(_rows(diff)),
        notes=diff.notes,
        command="benchbench history diff",
    )
    of_page = [block for block in tables if block.where & PAGE]
    return report._replace(drawn=page_of("history_diff_page", result, verdict, of_page))


def headline(diff: DiffDetails) -> Headline:
    """Return what `_verdict` says; what is known of speed comes last."""
    verdict = _verdict(diff)
    of_speed = [] if diff.speed is None else [speed_sentence(diff.speed, diff.alpha)]
    return verdict._replace(advice=[*verdict.advice, *of_speed])


def _verdict(diff: DiffDetails) -> Headline:
    """Return in what the second run is better, and worse, and what changed; then what to do."""
    tested = [change for change in diff.changes if change.tested]
    second, first = diff.second.label, diff.first.label
    changed = f"Changed: {changes_said(diff.differs[:MOST], max(0, len(diff.differs) - MOST))}."
    cause = changed if diff.differs else "Nothing that is recorded changed but the time."
    if not tested:
        text = f"The difference of {second} from {first} was not tested: values per query are not stored for both."
        of_loads = diff.first.kind == diff.second.kind == "load"
        advice = ["To test rates against one another: benchbench compare, with the folders of both load tests."]
        return Headline([(OPEN, text)], [cause, *(advice if of_loads else [])])
    better, worse = ([change for change in tested if change.verdict == word] for word in ("better", "worse"))
    queries = f"{diff.queries:,} queries"
    if not better + worse:
        measures = tested[0].measure if len(tested) == 1 else f"any of {len(tested)} measures"
        text = f"{second} and {first} do not differ measurably in {measures}, over {queries}."
        return Headline([(OPEN, text)], [cause])
    sides = [(word, its) for word, its in (("worse", worse), ("better", better)) if its]
    mark = PARTLY if len(sides) > 1 else BETTER if better else WORSE
    ways = [f"{word}{'' if at else f' than {first}'} in {len(its)}" for at, (word, its) in enumerate(sides)]
    than = f"{second} is {and_joined(ways)} of {len(tested)} measures"
    than = than if len(tested) > 1 else f"{second} is {sides[0][0]} than {first}"
    parts = [
        f"{its[0].measure} {'rose' if (its[0].difference or 0) > 0 else 'fell'} from {value(its[0].first)} to "
        f"{value(its[0].second)}"
        for _, its in sides
    ]
    same = [change.measure for change in tested if not change.verdict]
    rest = f"No measurable difference in {same[0] if len(same) == 1 else f'{len(same)} of them'}, over {queries}."
    sentences = [(mark, f"{than}: {and_joined(parts)}."), *([(OPEN, rest)] if same else [])]
    number = second.removeprefix("#")
    meant = f"If it was meant: benchbench history accept {number} --reason …"
    return Headline(sentences, [cause, *([meant] if worse and number != second else [])])


def _said(side: Side) -> tuple[str, str]:
    commit = f"commit {side.commit[:10]}" if side.commit else ""
    branch = f"of {side.branch}" if side.commit and side.branch else ""
    others = [f"{name} {value}" for name, value in side.tags.items() if name not in ("commit", "branch")]
    parts = [side.name, side.kind, when(side.started), f"{commit} {branch}".strip(), *others]
    return side.label, ", ".join(part for part in parts if part)


def _measures(diff: DiffDetails) -> Table:
    tests = [
        Column(f"{100 * (1 - diff.alpha):g} % interval", lambda change: ends(change, shown=signed), "r", 2),
        Column("p", lambda change: p_value(change.p), "r"),
        Column("Changed", _changed, "r", 1),
    ]
    columns = [
        Column("Measure", lambda change: f"{change.measure}, {change.unit}" if change.unit else change.measure),
        *_sides(diff),
        Column("Difference", _difference, "r"),
        *(tests if any(change.tested for change in diff.changes) else []),
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
