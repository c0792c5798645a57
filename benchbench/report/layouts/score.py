"""Scores of runs: measures down, runs across."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchbench.measures.headline import headline
from benchbench.measures.notation import better
from benchbench.measures.scores import RunScores, ScoreDetails, labels
from benchbench.report.blocks import (
    PAGE,
    PAPER,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Notes,
    Table,
    Text,
    Verdict,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts import signatures
from benchbench.results.figures import value
from benchbench.results.headline import best
from benchbench.results.result import Result

if TYPE_CHECKING:
    import polars as pl

    from benchbench.report.page_blocks import PageBlock


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the table of aggregates and what was counted; with `per_query`, the values per query too."""
    scores = result.details_as(ScoreDetails)
    values = result.table("per_query") if per_query else None
    runs = scores.runs
    rows = [[name, *(value(one.measures[name]) for one in runs)] for name in runs[0].measures]
    notes = [f"{one.name}: {note}" for one in runs for note in one.notes]
    title = f"{', '.join(one.name for one in runs)}: {scores.queries['judged']:,} judged queries"
    blocks: list[Block] = [
        Verdict(*headline(scores)),
        Table(["Measure", *(one.name for one in runs)], _best(runs), "l" + "r" * len(runs), where=TERMINAL),
        Gates(where=TERMINAL),
        Facts([row for one in runs for row in _facts(one)], where=TERMINAL),
        Facts([signatures.row_of({one.name: one.signature for one in runs})], where=TERMINAL),
        Table(["Measure", *(one.name for one in runs)], rows, "l" + "r" * len(runs), where=PAGE | PAPER | SUMMARY),
        Text([line for one in runs for line in _counted(one)], where=PAGE | SUMMARY),
        Notes([*notes, *(f"{one.name}: {said}" for one in runs if (said := _judged(one)))]),
    ]
    if values is not None:
        blocks.append(_each(scores, values))
    return Layout(
        title,
        blocks,
        lambda: _members(scores, values),
        lambda: _rows(runs, values),
        notes=notes,
        command="benchbench score",
        page="report.html",
        drawn=lambda: _page(result, blocks),
    )


def _page(result: Result, blocks: Sequence[Block]) -> "Sequence[Block | PageBlock]":
    """Return the blocks of the page; it takes the time of reading the values per query."""
    from benchbench.report.layouts import score_page

    table = next(one for one in blocks if isinstance(one, Table) and "html" in one.where)
    text = next(one for one in blocks if isinstance(one, Text) and "html" in one.where)
    return score_page.blocks(result, table, text)


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
        values = [one.measures[name] for one in runs]
        lead = best(values, better(name))
        rows.append([name, *(Cell(value(one), strong=n in lead) for n, one in enumerate(values))])
    return rows


def _each(scores: ScoreDetails, values: "pl.DataFrame") -> Table:
    """Return the values of each query; the name of its run stands beside them where there are several."""
    names = list(scores.runs[0].measures)
    named = dict(zip(labels([run.name for run in scores.runs]), scores.runs, strict=True)) if scores.runs[1:] else {}
    rows = [
        [query, *([label] if named else []), *(value(found[name]) for name in names)]
        for label in (named or values["run"].unique(maintain_order=True))
        for query, found in _values(values, label)
    ]
    head = ["Query", *(["Run"] if named else []), *names]
    texts = 1 + bool(named)
    return Table(
        head, rows, "l" * texts + "r" * len(names), where=TERMINAL, keeps=[0] * (texts + 1) + list(range(1, len(names)))
    )


def _facts(one: RunScores) -> list[tuple[str, str]]:
    said = [_counts(one), *([judged] if (judged := _judged(one)) else []), *one.notes]
    return [("" if number else one.name, sentence) for number, sentence in enumerate(said)]


def _counted(one: RunScores) -> list[str]:
    judged = _judged(one)
    said = [f"  {judged}"] if judged else []
    notes = (f"  note: {note}" for note in one.notes)
    return [f"{one.name}: {_counts(one)}", *said, *notes, f"  signature {one.signature}"]


def _counts(one: RunScores) -> str:
    counts = one.queries
    words = (
        f"{counts['judged']:,} queries judged, {counts['returned']:,} of them returned, {counts['missing']:,} missing, "
        f"{counts['without_positives']:,} without a relevant document; {counts['unjudged']:,} returned and never judged"
    )
    dropped = [f"{number:,} {name.replace('_', ' ')}" for name, number in one.dropped.items() if number]
    return words + (f"; dropped: {', '.join(dropped)}" if dropped else "")


def _judged(one: RunScores) -> str:
    """Return how many of the first hits were judged; empty where all were."""
    shares = ", ".join(f"{name} {value(of)}" for name, of in one.judged.items() if of is not None and of < 1)
    return f"{shares}: hits that nobody judged count as not relevant" if shares else ""


def _rows(runs: list[RunScores], values: "pl.DataFrame | None") -> Iterator[dict[str, Any]]:
    for label, one in zip(labels([run.name for run in runs]), runs, strict=True):
        if values is not None:
            for query, found in _values(values, label):
                for measure, number in found.items():
                    yield {"run": one.name, "query": query, "measure": measure, "value": number}
        for measure, mean in one.measures.items():
            yield {"run": one.name, "query": None, "measure": measure, "value": mean}


def _values(values: "pl.DataFrame", run: str) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield the id of each query of a run with its values."""
    for row in values.filter(values["run"] == run).drop("run").iter_rows(named=True):
        yield row.pop("query_id"), row
