"""An evaluation in three pillars: the overall score first, pillars with their sub-scores, what was left out."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchbench.evaluation.details import (
    NO_MEAN,
    EvaluationDetails,
    GroupDetails,
    MeanDetails,
    ScoreDetails,
    headline,
)
from benchbench.report.blocks import AnyCell, Cell, Table
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.evaluate_facts import facts, figure
from benchbench.report.layouts.score_parts import ScoreRow, group_table, mean_cell, score_tables
from benchbench.report.standard import standard
from benchbench.results.figures import ends
from benchbench.results.result import Result
from benchbench.scores.names import UNTESTED


def layout(result: Result) -> Layout:
    """Return a table of the overall score, the pillars and their sub-scores; groups, and what the judge did."""
    found, record = result.details_as(EvaluationDetails), result.record
    groups = (("Source type", found.source_type), ("Category", found.category))
    return standard(
        result,
        f"{record.name}: {found.questions:,} questions",
        headline(found),
        [
            *score_tables("Score", list(_rows_of(found)), ("Questions", "Weight"), (2, 3)),
            *(_grouped(label, of_column, found) for label, of_column in groups if of_column),
        ],
        facts=facts(found),
        rows=lambda: _csv(found),
        drawn=page_of("evaluate_page", result),
    )


def _rows_of(found: EvaluationDetails) -> Iterator[ScoreRow]:
    """Yield the overall score, each pillar with its sub-scores below it, and what is reported beside."""
    yield _row(Cell("overall", strong=True), found.overall, found.overall.value, "")
    for pillar in found.pillars:
        weight = f"{pillar.share:.3g}" if None not in (pillar.mean.value, found.overall.value) else "–"
        yield _row(Cell(pillar.name, strong=True), pillar.mean, pillar.mean.value, weight)
        for one in found.of(pillar.name):
            yield _row(f"  {one.name}", one.mean, one.scaled, "", one)
    for one in found.of(""):
        yield _row(f"{one.name} (beside)", one.mean, one.scaled, "", one)


def _row(
    name: AnyCell, mean: MeanDetails, share: float | None, weight: str, score: ScoreDetails | None = None
) -> ScoreRow:
    band = UNTESTED if mean.value is None else mean.band
    failed = f" ({score.failed:,} failed)" if score is not None and score.failed else ""
    return ScoreRow(name, figure(mean.value, score), ends(mean, 3), share, band, [f"{mean.n:,}{failed}", weight])


def _grouped(label: str, groups: Mapping[str, GroupDetails], found: EvaluationDetails) -> Table:
    """Return the overall score and the pillars of each group."""
    pillars = [one.name for one in found.pillars if one.mean.value is not None]
    rows = []
    for name, one in groups.items():
        means = [one.overall, *(one.pillars.get(pillar, NO_MEAN) for pillar in pillars)]
        rows.append((name, one.questions, [mean_cell(mean.value, mean.low, mean.high) for mean in means]))
    return group_table(label, "Questions", ["Overall", *pillars], rows)


def _csv(found: EvaluationDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per score, of all questions and of each group."""
    scores = {one.name: one for one in found.scores}
    for column, group, means in found.groups():
        for name, mean in means.means().items():
            of = scores.get(name)
            row = {"column": column, "group": group, "score": name, "pillar": "" if of is None else of.pillar}
            counts = {"failed": of.failed, "untested": of.untested} if of is not None and not group else {}
            yield {**row, **asdict(mean), "failed": None, "untested": None, **counts}
