"""Scores of runs: measures down, runs across."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from benchbench.measures.headline import headline
from benchbench.measures.notation import better
from benchbench.measures.scores import RunScores, run_scores
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
    named = run_scores(result)
    runs = list(named.values())
    values = result.table("per_query") if per_query else None
    table = Table(["Measure", *(run.name for run in runs)], _best(runs), "l" + "r" * len(runs))
    return standard(
        result,
        f"{', '.join(run.name for run in runs)}: {runs[0].queries['judged']:,} judged queries",
        headline(runs),
        [table, *([] if values is None else [_each(named, values)])],
        facts=[(run.name, _counts(run)) for run in runs],
        signed={run.name: run.signature for run in runs},
        members=lambda: _members(result, named, values),
        rows=lambda: _rows(named, values),
        notes=[f"{run.name}: {note}" for run in runs for note in run.notes],
        page="score_page",
    )


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


def _counts(run: RunScores) -> str:
    counts = run.queries
    words = (
        f"{counts['judged']:,} queries judged, {counts['returned']:,} of them returned, {counts['missing']:,} missing, "
        f"{counts['without_positives']:,} without a relevant document; {counts['unjudged']:,} returned and never judged"
    )
    dropped = [f"{number:,} {name.replace('_', ' ')}" for name, number in run.dropped.items() if number]
    return words + (f"; dropped: {', '.join(dropped)}" if dropped else "")


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
