"""An evaluation in three pillars: the overall score first, pillars with their sub-scores, what was left out."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.evaluation.evaluation_details import OVERALL, EvaluationDetails, SubScoreDetails, headline
from benchbench.judging.judge_details import plain
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
    details, record = result.details_as(EvaluationDetails), result.record
    return standard(
        result,
        f"{record.name}: {details.questions:,} questions",
        headline(details),
        [
            *score_tables("Score", list(rows_of(details)), ("Questions", "Weight"), (2, 3)),
            *group_tables(
                details.group_means(), "Questions", {OVERALL: "Overall"} | {name: name for name in known(details)}
            ),
        ],
        facts=facts(details),
        rows=lambda: _csv(details),
        drawn=page_of("evaluate_page", result),
    )


def known(details: EvaluationDetails) -> list[str]:
    """Return the names of the pillars that have a value."""
    return [pillar.name for pillar in details.pillars if pillar.mean.value is not None]


def rows_of(details: EvaluationDetails) -> Iterator[ScoreRow]:
    """Yield the overall score, each pillar with its sub-scores below it, and what is reported beside."""
    yield _row(Cell(OVERALL, strong=True), details.overall)
    for pillar in details.pillars:
        weight = f"{pillar.share:.3g}" if None not in (pillar.mean.value, details.overall.value) else "–"
        yield _row(Cell(pillar.name, strong=True), pillar.mean, weight)
        for score in details.of(pillar.name):
            yield _row(f"  {score.name}", score.mean, "", score)
    for score in details.of(""):
        yield _row(f"{score.name} (not in overall)", score.mean, "", score)


def _row(name: AnyCell, mean: ScoreMean, weight: str = "", score: SubScoreDetails | None = None) -> ScoreRow:
    band, failed = UNTESTED if mean.value is None else mean.band, ""
    share, unit, aside = mean.value, "", ["", ""]
    if score is not None:
        failed = f" ({score.failed:,} failed)" if score.failed else ""
        share, aside = score.scaled, [f"{score.failed:,}", f"{score.untested:,}"]
        unit = "" if mean.value is None else unit_of(score)
    return ScoreRow(name, mean, share, [f"{mean.n:,}{failed}", weight], aside, unit, band)


def _csv(details: EvaluationDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per score, of all questions and of each group."""
    scores = {score.name: score for score in details.scores}
    for column, group, means in details.groups():
        for name, mean in means.means().items():
            score = scores.get(name)
            row = {"column": column, "group": group, "score": name, "pillar": "" if score is None else score.pillar}
            counts = {"failed": score.failed, "untested": score.untested} if score is not None and not group else {}
            yield {**row, **asdict(mean), "failed": None, "untested": None, **counts}


def unit_of(score: SubScoreDetails) -> str:
    """Return what stands behind a mean: the end of its scale where that is not 1, or a unit."""
    if score.high == 1.0 and score.low == 0.0:
        return ""
    return f" of {score.high:g}" if score.high is not None else f" {score.unit}"


def notes(details: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what the numbers leave out or assume, with labels."""
    return [("Note", text) for text in details.notes] + _cluster(details)


def facts(details: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what questions are grouped by, and what the judge did."""
    return _cluster(details) + judge_facts(details)


def _cluster(details: EvaluationDetails) -> list[tuple[str, str]]:
    if not details.cluster:
        return []
    return [("Cluster", f"intervals are of {details.clusters:,} groups of {details.cluster}")]


def judge_facts(details: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what the judge did, what that cost, how repeatable it is, and how far to trust it."""
    judge = details.judge
    if judge is None:
        return []
    failed = f", {judge.failed:,} failed" if judge.failed else ""
    facts = [("Verdicts", f"{judge.verdicts:,}{failed}"), *asked(judge.model, judge.cost)]
    known = {label: again for label, again in judge.repeated.items() if again.flip_rate is not None}
    changed = {label: again for label, again in known.items() if again.flipped}
    for label, again in changed.items():
        words = f"{again.flipped:,} of {again.items:,} scores changed, by {again.spread or 0.0:.3g} on average"
        facts.append(("Repeated", f"{plain(label)}: {words}"))
    if known and not changed:
        facts.append(("Repeated", f"0 of {sum(again.items for again in known.values()):,} scores changed"))
    calibrations = {score.rubric: score.calibration for score in details.scores if score.rubric and score.calibration}
    facts += [("Calibration", f"{plain(label)}: {agreement}") for label, agreement in calibrations.items()]
    return facts
