"""An evaluation in three pillars: the overall score first, pillars with their sub-scores, what was left out."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.evaluation.details import OVERALL, EvaluationDetails, ScoreDetails, headline
from benchbench.report.blocks import AnyCell, Cell
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.judge_facts import asked
from benchbench.report.layouts.score_parts import ScoreRow, group_tables, score_tables
from benchbench.report.standard import standard
from benchbench.results.result import Result
from benchbench.scores.names import UNTESTED
from benchbench.scores.numbers import ScoreMean


def layout(result: Result) -> Layout:
    """Return a table of the overall score, the pillars and their sub-scores; groups, and what the judge did."""
    found, record = result.details_as(EvaluationDetails), result.record
    return standard(
        result,
        f"{record.name}: {found.questions:,} questions",
        headline(found),
        [
            *score_tables("Score", list(rows_of(found)), ("Questions", "Weight"), (2, 3)),
            *group_tables(
                found.group_means(), "Questions", {OVERALL: "Overall"} | {name: name for name in known(found)}
            ),
        ],
        facts=facts(found),
        rows=lambda: _csv(found),
        drawn=page_of("evaluate_page", result),
    )


def known(found: EvaluationDetails) -> list[str]:
    """Return the names of the pillars that have a value."""
    return [one.name for one in found.pillars if one.mean.value is not None]


def rows_of(found: EvaluationDetails) -> Iterator[ScoreRow]:
    """Yield the overall score, each pillar with its sub-scores below it, and what is reported beside."""
    yield _row(Cell(OVERALL, strong=True), found.overall)
    for pillar in found.pillars:
        weight = f"{pillar.share:.3g}" if None not in (pillar.mean.value, found.overall.value) else "–"
        yield _row(Cell(pillar.name, strong=True), pillar.mean, weight)
        for one in found.of(pillar.name):
            yield _row(f"  {one.name}", one.mean, "", one)
    for one in found.of(""):
        yield _row(f"{one.name} (beside)", one.mean, "", one)


def _row(name: AnyCell, mean: ScoreMean, weight: str = "", score: ScoreDetails | None = None) -> ScoreRow:
    band, failed = UNTESTED if mean.value is None else mean.band, ""
    share, unit, aside = mean.value, "", ["", ""]
    if score is not None:
        failed = f" ({score.failed:,} failed)" if score.failed else ""
        share, aside = score.scaled, [f"{score.failed:,}", f"{score.untested:,}"]
        unit = "" if mean.value is None else unit_of(score)
    return ScoreRow(name, mean, share, [f"{mean.n:,}{failed}", weight], aside, unit, band)


def _csv(found: EvaluationDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per score, of all questions and of each group."""
    scores = {one.name: one for one in found.scores}
    for column, group, means in found.groups():
        for name, mean in means.means().items():
            of = scores.get(name)
            row = {"column": column, "group": group, "score": name, "pillar": "" if of is None else of.pillar}
            counts = {"failed": of.failed, "untested": of.untested} if of is not None and not group else {}
            yield {**row, **asdict(mean), "failed": None, "untested": None, **counts}


def unit_of(score: ScoreDetails) -> str:
    """Return what stands behind a mean: the end of its scale where that is not 1, or a unit."""
    if score.high == 1.0 and score.low == 0.0:
        return ""
    return f" of {score.high:g}" if score.high is not None else f" {score.unit}"


def notes(found: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what the numbers leave out or assume, with labels."""
    return [("Note", text) for text in found.notes] + _cluster(found)


def facts(found: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what questions are grouped by, and what the judge did."""
    return _cluster(found) + judge_facts(found)


def _cluster(found: EvaluationDetails) -> list[tuple[str, str]]:
    if not found.cluster:
        return []
    return [("Cluster", f"intervals are of {found.clusters:,} groups of {found.cluster}")]


def judge_facts(found: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what the judge did, what that cost, how repeatable it is, and how far to trust it."""
    judge = found.judge
    if judge is None:
        return []
    failed = f", {judge.failed:,} failed" if judge.failed else ""
    facts = [("Verdicts", f"{judge.verdicts:,}{failed}"), *asked(judge.model, judge.cost)]
    for label, one in judge.repeated.items():
        if one.flip_rate is not None and one.spread is not None:
            said = f"{one.flipped:,} of {one.items:,} scores changed when asked again, by {one.spread:.3g} on average"
            facts.append(("Repeated", f"{label}: {said}"))
    known = {one.rubric: one.calibration for one in found.scores if one.rubric and one.calibration}
    facts += [("Calibration", f"{label}: {said}") for label, said in known.items()]
    return facts
