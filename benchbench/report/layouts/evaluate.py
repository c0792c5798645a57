"""An evaluation in three pillars: the overall score first, pillars with their sub-scores, what was left out."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchbench.evaluation.details import EvaluationDetails, GroupDetails, MeanDetails, ScoreDetails, headline
from benchbench.report.blocks import (
    JUNIT,
    PAGE,
    PAPER,
    PEOPLE,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Notes,
    Table,
    Verdict,
)
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts import signatures
from benchbench.report.layouts.evaluate_facts import figure, judge_facts, notes
from benchbench.report.render.lines import bar
from benchbench.results.figures import ends
from benchbench.results.measured import json_members
from benchbench.results.result import Result
from benchbench.scores.names import MARKS

_BAR = 10  # columns of a share
_HEAD = ("Score", "Mean", "95 % interval", "0 … 1", "Band", "Questions", "Weight")


def layout(result: Result) -> Layout:
    """Return a table of the overall score, the pillars and their sub-scores; notes, groups, and what the judge did."""
    found, record = result.details_as(EvaluationDetails), result.record
    title = f"{record.name}: {found.questions:,} questions"
    groups = (("Source type", found.source_type), ("Category", found.category))
    facts = judge_facts(found)
    blocks: list[Block] = [
        Verdict(*headline(found)),
        Heading(title, where=PAGE),
        Table(_HEAD, list(_rows_of(found, bars=True)), "lrrllrr", where=TERMINAL, keeps=[0, 0, 0, 4, 1, 2, 3]),
        Table(_paper_head(), list(_rows_of(found, bars=False)), "lrrlrr", where=PAGE | PAPER | SUMMARY),
        *(_grouped(label, of_column, found) for label, of_column in groups if of_column),
        Facts([(label, said) for label, said in notes(found)], where=TERMINAL | SUMMARY),
        Facts(facts, where=PEOPLE | SUMMARY),
        Gates(where=TERMINAL),
        Facts([signatures.row(found.signature)], where=TERMINAL),
        Facts([("Signature", found.signature)], where=PAGE),
        Gates(where=PAGE),
        Notes(found.notes, where=PAPER | JUNIT),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _csv(found),
        command="benchbench evaluate",
        page="cards.html",
        drawn=page_of("evaluate_page", result),
    )


def _paper_head() -> tuple[str, ...]:
    return tuple(one for one in _HEAD if one != "0 … 1")


def _rows_of(found: EvaluationDetails, bars: bool) -> Iterator[list[AnyCell]]:
    """Yield the overall score, each pillar with its sub-scores below it, and what is reported beside."""
    yield _row(Cell("overall", strong=True), found.overall, found.overall.value, "", bars)
    for pillar in found.pillars:
        weight = f"{pillar.share:.3g}" if None not in (pillar.mean.value, found.overall.value) else "–"
        yield _row(Cell(pillar.name, strong=True), pillar.mean, pillar.mean.value, weight, bars)
        for one in found.of(pillar.name):
            yield _row(f"  {one.name}", one.mean, one.scaled, "", bars, one)
    for one in found.of(""):
        yield _row(f"{one.name} (beside)", one.mean, one.scaled, "", bars, one)


def _row(
    name: AnyCell, mean: MeanDetails, share: float | None, weight: str, bars: bool, score: ScoreDetails | None = None
) -> list[AnyCell]:
    band: AnyCell = Cell(f"{MARKS[mean.band]} {mean.band}") if mean.band else "not tested" if mean.value is None else ""
    drawn = [bar(share, _BAR, "░") if share is not None else ""] if bars else []
    n = f"{mean.n:,}" if mean.n else "0"
    if score is not None and score.failed:
        n += f" ({score.failed:,} failed)"
    return [name, figure(mean.value, score), ends(mean, 3), *drawn, band, n, weight]


def _grouped(label: str, groups: Mapping[str, GroupDetails], found: EvaluationDetails) -> Table:
    """Return the overall score and the pillars of each group."""
    pillars = [one.name for one in found.pillars if one.mean.value is not None]
    rows: list[list[AnyCell]] = []
    for name, one in groups.items():
        means = [one.pillars.get(pillar) for pillar in pillars]
        cells = [figure(None if mean is None else mean.value) for mean in means]
        rows.append([name, f"{one.questions:,}", figure(one.overall.value), ends(one.overall, 3), *cells])
    head = (label, "Questions", "Overall", "95 % interval", *pillars)
    keeps = [0, 2, 0, 0, *(1 for _ in pillars)]
    return Table(head, rows, "lrrr" + "r" * len(pillars), keeps=keeps)


def _csv(found: EvaluationDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per score, of all questions and of each group."""
    scores = {one.name: one for one in found.scores}
    kinds = (("source_type", found.source_type), ("category", found.category))
    whole = {"overall": found.overall, **{one.name: one.mean for one in found.pillars}}
    whole |= {one.name: one.mean for one in found.scores}
    every: list[tuple[str, str, Mapping[str, MeanDetails]]] = [("", "", whole)]
    for column, groups in kinds:
        every += [(column, name, {"overall": one.overall, **one.pillars, **one.scores}) for name, one in groups.items()]
    for column, group, means in every:
        for name, mean in means.items():
            of = scores.get(name)
            row = {"column": column, "group": group, "score": name, "pillar": "" if of is None else of.pillar}
            counts = {"failed": of.failed, "untested": of.untested} if of is not None and not group else {}
            yield {**row, **asdict(mean), "failed": None, "untested": None, **counts}
