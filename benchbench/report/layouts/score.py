"""Scores of runs: measures down, runs across."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchbench.measures.headline import headline
from benchbench.measures.notation import better
from benchbench.measures.scores import RunScores, ScoreDetails, labels
from benchbench.report.blocks import TERMINAL, AnyCell, Cell, Table
from benchbench.report.layout import Layout
from benchbench.report.standard import standard
from benchbench.results.figures import value
from benchbench.results.headline import best
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the table of aggregates and what was counted; with `per_query`, the values per query too."""
    scores = result.details_as(ScoreDetails)
    values = result.table("per_query") if per_query else None
    runs = scores.runs
    table = Table(["Measure", *(run.name for run in runs)], _best(runs), "l" + "r" * len(runs))
    return standard(
        result,
        f"{', '.join(run.name for run in runs)}: {scores.queries['judged']:,} judged queries",
        headline(scores),
        [table, *([] if values is None else [_each(scores, values)])],
        facts=[(run.name, _counts(run)) for run in runs],
        signed={run.name: run.signature for run in runs},
        members=lambda: _members(scores, values),
        rows=lambda: _rows(runs, values),
        notes=[f"{run.name}: {note}" for run in runs for note in run.notes],
        page="score_page",
    )


def _members(scores: ScoreDetails, values: "pl.DataFrame | None") -> dict[str, Any]:
    members = asdict(scores)
    if values is not None:
        for label, shown in zip(labels([run.name for run in scores.runs]), members["runs"], strict=True):
            shown["per_query"] = dict(_values(values, label))
    return members


def _best(runs: list[RunScores]) -> list[list[AnyCell]]:
    """Return the rows of a terminal, the best value of each strong."""
    rows: list[list[AnyCell]] = []
    for name in runs[0].measures:
        values = [run.measures[name] for run in runs]
        lead = best(values, better(name))
        rows.append([name, *(Cell(value(number), strong=n in lead) for n, number in enumerate(values))])
    return rows


def _each(scores: ScoreDetails, values: "pl.DataFrame") -> Table:
    """Return the values of each query; the name of its run stands beside them where there are several."""
    names = list(scores.runs[0].measures)
    named = dict(zip(labels([run.name for run in scores.runs]), scores.runs, strict=True)) if scores.runs[1:] else {}
    rows = [
        [query, *([label] if named else []), *(value(row[name]) for name in names)]
        for label in (named or values["run"].unique(maintain_order=True))
        for query, row in _values(values, label)
    ]
    head = ["Query", *(["Run"] if named else []), *names]
    texts = 1 + bool(named)
    return Table(
        head, rows, "l" * texts + "r" * len(names), where=TERMINAL, keeps=[0] * (texts + 1) + list(range(1, len(names)))
    )


def _counts(run: RunScores) -> str:
    counts = run.queries
    words = (
        f"{counts['judged']:,} queries judged, {counts['returned']:,} of them returned, {counts['missing']:,} missing, "
        f"{counts['without_positives']:,} without a relevant document; {counts['unjudged']:,} returned and never judged"
    )
    dropped = [f"{number:,} {name.replace('_', ' ')}" for name, number in run.dropped.items() if number]
    return words + (f"; dropped: {', '.join(dropped)}" if dropped else "")


def _rows(runs: list[RunScores], values: "pl.DataFrame | None") -> Iterator[dict[str, Any]]:
    for label, run in zip(labels([run.name for run in runs]), runs, strict=True):
        if values is not None:
            for query, numbers in _values(values, label):
                for measure, number in numbers.items():
                    yield {"run": run.name, "query": query, "measure": measure, "value": number}
        for measure, mean in run.measures.items():
            yield {"run": run.name, "query": None, "measure": measure, "value": mean}


def _values(values: "pl.DataFrame", run: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the id of each query of a run with its values."""
    for row in values.filter(values["run"] == run).drop("run").iter_rows(named=True):
        yield row.pop("query_id"), row
