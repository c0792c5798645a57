"""Scores of runs: one run by its measures; several sorted by the first measure, with its interval."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.measures.default_list import leading
from benchbench.measures.headline import headline
from benchbench.measures.notation import better
from benchbench.measures.scores import UNJUDGED, RunScores, run_scores
from benchbench.report.blocks import NARROW, PAGE, PAPER, SUMMARY, TERMINAL, WIDE, AnyCell, Block, Cell, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, drawn_column, table_of
from benchbench.report.render.lines import shortened
from benchbench.report.standard import standard
from benchbench.results.figures import ends, value
from benchbench.results.headline import best
from benchbench.results.record import Note
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    import polars as pl

_NAME = 32  # columns of a run's name in a table
_FEW = 3  # runs whose notes and signatures stand one by one


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the table of aggregates and what was counted; with `per_query`, the values per query too."""
    named = run_scores(result)
    runs = list(named.values())
    values = result.table("per_query") if per_query else None
    table = Table(["Measure", *(run.name for run in runs)], _best(runs), "l" + "r" * len(runs))
    tables: list[Block] = [*_tables(runs, per_query), table._replace(where=PAGE | PAPER | SUMMARY)]
    return standard(
        result,
        f"{', '.join(run.name for run in runs)}: {runs[0].queries['judged']:,} judged queries",
        headline(runs),
        [*tables, *([] if values is None else [_each(named, values)])],
        facts=list(_counted(runs)),
        signed={run.name: run.signature for run in runs} if len(runs) <= _FEW else None,
        noted=result.record.notes if len(runs) <= _FEW else _notes(result, runs),
        members=lambda: _members(result, named, values),
        rows=lambda: _rows(named, values),
        notes=[f"{run.name}: {note}" for run in runs for note in run.notes],
        page="score_page",
    )


def _tables(runs: Sequence[RunScores], per_query: bool) -> Iterator[Block]:
    """Yield what a terminal has: the measures of a run, or the runs, the best first; each with its interval."""
    if len(runs) == 1:
        yield _measures(runs[0])
        return
    lead = leading(list(runs[0].measures))
    yield _ordered(runs, lead)
    others = "Every measure with its interval: --wide."
    yield Text([others if per_query else f"{others} Values of each query: --per-query."], where=NARROW)
    rows = [(name, run) for name in runs[0].measures for run in (runs[place] for place in order(runs, name))]
    columns = [
        Column("Measure", lambda row: row[0]),
        Column("Run", lambda row: shortened(row[1].name, _NAME)),
        Column("Value", lambda row: value(row[1].measures[row[0]].value), "r"),
        Column("95 % interval", lambda row: ends(row[1].measures[row[0]]), "r"),
    ]
    yield table_of(columns, rows, where=WIDE, grouped=True)


def _measures(run: RunScores) -> Table:
    """Return a row per measure."""
    columns = [
        Column("Measure", lambda name: name),
        Column(
            "Value", lambda name: Cell(value(run.measures[name].value), strong=name == leading([*run.measures])), "r"
        ),
        Column("95 % interval", lambda name: ends(run.measures[name]), "r"),
    ]
    return table_of(columns, run.measures, where=TERMINAL)


def _ordered(runs: Sequence[RunScores], lead: str) -> Table:
    """Return a row per run: the first measure with its interval, then the others."""

    def column(name: str, keep: int) -> Column:
        numbers = [run.measures[name].value for run in runs]
        strong = best(numbers, better(name))
        return Column(name, lambda place: Cell(value(numbers[place]), strong=place in strong), "r", keep)

    first = [run.measures[lead] for run in runs]
    drawn = drawn_column({place: (number.low, number.value, number.high) for place, number in enumerate(first)}, 2)
    columns = [
        Column("Run", lambda place: shortened(runs[place].name, _NAME)),
        column(lead, 0),
        Column("95 % interval", lambda place: ends(first[place]), "r", 1) if drawn else None,
        drawn,
        *(column(name, keep) for keep, name in enumerate(runs[0].measures, 3) if name != lead),
    ]
    return table_of(columns, order(runs, lead), where=TERMINAL)


def order(runs: Sequence[RunScores], measure: str) -> list[int]:
    """Return the places of the runs, that with the best value of a measure first, those without one last."""
    sign = 1.0 if better(measure) == "lower" else -1.0
    numbers = [run.measures[measure].value for run in runs]
    known = [sign * number if number is not None else math.inf for number in numbers]
    return sorted(range(len(runs)), key=known.__getitem__)


def _members(result: Result, runs: Mapping[str, RunScores], values: "pl.DataFrame | None") -> dict[str, Any]:
    members = result.json_members()
    if values is not None:
        for label, shown in zip(runs, members["runs"], strict=True):
            shown["per_query"] = dict(_values(values, label))
    return members


def _best(runs: list[RunScores]) -> list[list[AnyCell]]:
    """Return the rows of a terminal, the best value of each strong."""
    rows: list[list[AnyCell]] = []
    for name in runs[0].measures:
        values = [run.measures[name].value for run in runs]
        lead = best(values, better(name))
        rows.append([name, *(Cell(value(number), strong=n in lead) for n, number in enumerate(values))])
    return rows


def _each(runs: Mapping[str, RunScores], values: "pl.DataFrame") -> Table:
    """Return the values of each query; the name of its run stands beside them where there are several."""
    others, names = len(runs) > 1, list(next(iter(runs.values())).measures)
    rows = [
        [query, *([label] if others else []), *(value(row[name]) for name in names)]
        for label in (runs if others else values["run"].unique(maintain_order=True))
        for query, row in _values(values, label)
    ]
    head = ["Query", *(["Run"] if others else []), *names]
    texts = 1 + others
    return Table(
        head, rows, "l" * texts + "r" * len(names), where=TERMINAL, keeps=[0] * (texts + 1) + list(range(1, len(names)))
    )


def _counted(runs: Sequence[RunScores]) -> Iterator[tuple[str, str]]:
    """Yield what was counted of each run; runs of which the same was counted have one row."""
    by_text: dict[str, list[str]] = {}
    for run in runs:
        by_text.setdefault(_counts(run), []).append(run.name)
    for text, names in by_text.items():
        yield "Queries", text if len(by_text) == 1 else f"{and_joined(names)}: {text}"


def _counts(run: RunScores) -> str:
    """Return what was counted, without what there is none of."""
    counts = run.queries
    is_whole = counts["returned"] == counts["judged"]
    rest = {
        "returned": 0 if is_whole else counts["returned"],
        "missing": counts["missing"],
        "without a relevant document": counts["without_positives"],
        "returned and not judged": counts["unjudged"],
    }
    parts = [f"{counts['judged']:,} judged", *(["all returned"] if is_whole else [])]
    parts += [f"{number:,} {name}" for name, number in rest.items() if number]
    dropped = [(number, name.removesuffix("s").replace("_", " ")) for name, number in run.dropped.items() if number]
    return ", ".join([*parts, *(f"{counted(number, name)} dropped" for number, name in dropped)])


def _notes(result: Result, runs: Sequence[RunScores]) -> list[Note]:
    """Return the notes of many runs: what each says of unjudged hits as one sentence."""
    others = [note for note in result.record.notes if not note.text.endswith(UNJUDGED)]
    shares = [number for number in result.record.numbers if number.name.startswith("Judged@")]
    parts = []
    for name in dict.fromkeys(number.name for number in shares if number.name not in runs[0].measures):
        known = sorted(number.value for number in shares if number.name == name and number.value is not None)
        if known and known[0] < 1.0:
            parts.append(f"{name} {' to '.join(dict.fromkeys((value(known[0]), value(known[-1]))))}")
    return [*others, Note(text=f"{', '.join(parts)}: {UNJUDGED}")] if parts else others


def _rows(runs: Mapping[str, RunScores], values: "pl.DataFrame | None") -> Iterator[dict[str, Any]]:
    for label, run in runs.items():
        if values is not None:
            for query, numbers in _values(values, label):
                for measure, number in numbers.items():
                    yield {"run": run.name, "query": query, "measure": measure, "value": number}
        for measure, mean in run.measures.items():
            yield {"run": run.name, "query": None, "measure": measure, "value": mean.value}


def _values(values: "pl.DataFrame", run: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the id of each query of a run with its values."""
    for row in values.filter(values["run"] == run).drop("run").iter_rows(named=True):
        yield row.pop("query_id"), row
