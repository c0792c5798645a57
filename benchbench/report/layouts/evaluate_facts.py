"""What an evaluation in three pillars says in sentences."""

from benchbench.evaluation.details import EvaluationDetails, ScoreDetails
from benchbench.report.layouts.judge_facts import asked


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
