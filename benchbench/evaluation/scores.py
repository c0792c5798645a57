"""From the values of every question to the members of the JSON: means, pillars, the overall score, groups.

A pillar is the mean of its sub-scores' means, each over the questions that have it. The overall score is the mean of
the pillars by their weights; there is none where a pillar that was asked for has no value. A question has its own
pillars and overall score by the same rule.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbench.answers.metrics import band
from benchbench.evaluation.evaluation_details import (
    NO_MEAN,
    EvaluationDetails,
    GroupScores,
    JudgedDetails,
    PillarDetails,
    SubScoreDetails,
)
from benchbench.evaluation.intervals import combined, of_numbers
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.subscores import ScorePlan, SubScore
from benchbench.formats.evaluation_config import PILLARS, EvaluationConfig
from benchbench.judging.judge_details import CalibrationDetails, JudgeDetails
from benchbench.kernels.arrays import F64, Bools
from benchbench.scores.numbers import ScoreMean, reached
from benchbench.significance.shares import MeanInterval
from benchbench.tables.groups import Groups, grouped
from benchbench.tables.shared_messages import and_joined, counted

_FULL = 1.0 - 1e-9
_SHOWN = ("name", "title", "said", "pillar", "good", "acceptable", "unit")  # members of a sub-score in its details
Calibrations = Mapping[str, CalibrationDetails]  # by the label of a rubric


def scaled(plan: ScorePlan, values: F64) -> F64:
    """Return values on the scale from 0 to 1; those of numbers without ends stay."""
    shares = values.copy()
    for number, score in enumerate(plan.scores):
        if score.scale is not None:
            low, high = score.scale
            shares[number] = (values[number] - low) / (high - low)
    return shares


def summed(cells: Cells, clusters: Groups | None, config: EvaluationConfig, chosen: Bools | None = None) -> GroupScores:
    """Return the means over all questions, or over chosen ones.

    Parameters
    ----------
    cells
        Values of every question.
    clusters
        Of questions that belong together; None where each stands alone.
    config
        Where the bands of pillars and of the overall score begin.
    chosen
        (questions,): which ones; None for all.
    """
    plan, values = cells.plan, cells.values
    if chosen is not None:
        values = values[:, chosen]
        clusters = clusters and clusters.part(np.flatnonzero(chosen))
    shares = scaled(plan, values)
    there: Bools = np.asarray(~np.isnan(values).all(axis=1))
    scores = {
        score.name: _of_score(score, values[number], shares[number], clusters)
        for number, score in enumerate(plan.scores)
        if there[number]
    }
    pillars: dict[str, ScoreMean] = {}
    weights = np.zeros(len(plan.scores))
    present = {pillar: _places(plan, pillar, there) for pillar in PILLARS}
    stands = all(present[pillar] for pillar in plan.asked)
    for pillar, places in present.items():
        if places:
            equal = np.full(len(places), 1.0 / len(places))
            pillars[pillar] = _mean(shares[places], equal, clusters, config)
            weights[places] = plan.share(pillar) / len(places) if stands else 0.0
    used = np.flatnonzero(weights)
    overall = _mean(shares[used], weights[used], clusters, config) if used.size else NO_MEAN
    return GroupScores(values.shape[1], overall, pillars, scores)


def _places(plan: ScorePlan, pillar: str, there: Bools) -> list[int]:
    return [number for number, score in enumerate(plan.scores) if score.pillar == pillar and there[number]]


def _mean(values: F64, weights: F64, clusters: Groups | None, config: EvaluationConfig) -> ScoreMean:
    mean, ends = combined(values, weights, clusters)
    n = int((~np.isnan(values)).any(axis=0).sum())
    return _banded(mean, ends, n, lambda value: band(value, config.bands.good, config.bands.acceptable))


def _of_score(score: SubScore, values: F64, shares: F64, clusters: Groups | None) -> ScoreMean:
    n = int((~np.isnan(values)).sum())
    if score.scale is None:
        mean, ends = of_numbers(values, clusters)
        return ScoreMean(mean, ends.low, ends.high, ends.method or "", n)
    low, high = score.scale
    share, ends = combined(shares[None], np.ones(1), clusters)
    width = high - low
    mean = low + width * share
    lower, upper = (None if end is None else low + width * end for end in (ends.low, ends.high))
    return _banded(mean, MeanInterval(lower, upper, ends.method, ends.design_effect), n, score.band)


def _banded(mean: float, ends: MeanInterval, n: int, band_of: Callable[[float], str]) -> ScoreMean:
    """Return a mean with its band, and the other bands that its interval reaches."""
    own = band_of(mean)
    others = reached(ends.low, ends.high, own, band_of)
    return ScoreMean(mean, ends.low, ends.high, ends.method or "", n, own, ends.design_effect, others)


@dataclass(frozen=True, slots=True)
class PerQuestion:
    """Values of each question, (questions,) each, NaN where there is none.

    Attributes
    ----------
    pillars
        By name.
    overall
        The overall score, of a question that has every pillar that was asked for.
    of_some
        The same over the pillars that a question has, which puts questions in order.
    """

    pillars: dict[str, F64]
    overall: F64
    of_some: F64


def per_question(cells: Cells) -> PerQuestion:
    """Return the pillars and the overall score of each question."""
    plan, shares = cells.plan, scaled(cells.plan, cells.values)
    pillars = {pillar: _row_mean(shares[_places(plan, pillar, np.ones(len(plan.scores), bool))]) for pillar in PILLARS}
    stacked = np.array([pillars[pillar] for pillar in PILLARS])
    weights = np.array([plan.weights[pillar] for pillar in PILLARS])[:, None]
    there = ~np.isnan(stacked)
    total = (there * weights).sum(axis=0)
    whole = (np.where(there, stacked, 0.0) * weights).sum(axis=0)
    of_some = np.divide(whole, total, out=np.full(len(total), np.nan), where=total > 0.0)
    has_all = np.all([~np.isnan(pillars[pillar]) for pillar in plan.asked], axis=0)
    return PerQuestion(pillars, np.where(has_all, of_some, np.nan), of_some)


def _row_mean(values: F64) -> F64:
    there = ~np.isnan(values)
    counts = there.sum(axis=0)
    sums = np.where(there, values, 0.0).sum(axis=0)
    means: F64 = np.divide(sums, counts, out=np.full(values.shape[1], np.nan), where=counts > 0)
    return means


def worst_first(values: F64, answered: Sequence[bool]) -> list[int]:
    """Return the numbers of the questions: unanswered ones, then by their values, last those without one."""
    keys = [
        (bool(is_answered), 2.0 if value != value else float(value))
        for is_answered, value in zip(answered, values, strict=True)
    ]
    return sorted(range(len(keys)), key=lambda number: (*keys[number], number))


def details(
    cells: Cells,
    config: EvaluationConfig,
    judge: JudgeDetails | None,
    notes: Sequence[str],
    named: Mapping[str, Any],
) -> EvaluationDetails:
    """Return the members of an evaluation.

    Parameters
    ----------
    cells
        The values of every question.
    config
        Where bands of pillars begin, and what questions are grouped by.
    judge
        What the judge did, and what is known of it; None where none was asked.
    notes
        Sentences on what was asked for and is not measured.
    named
        Name, signature and digest.
    """
    clusters = grouped(config.cluster, [row.cluster for row in cells.rows]) if config.cluster else None
    whole = summed(cells, clusters, config)
    pillars = [_pillar(pillar, cells, whole) for pillar in PILLARS]
    known = {} if judge is None else {rubric.label: rubric.calibration for rubric in judge.rubrics}
    scores = [_score(number, score, cells, whole, known) for number, score in enumerate(cells.plan.scores)]
    return EvaluationDetails(
        **named,
        questions=len(cells.rows),
        answered=cells.answered,
        overall=whole.overall,
        pillars=pillars,
        scores=scores,
        source_type=_groups(cells, clusters, config, "source_type"),
        category=_groups(cells, clusters, config, "category"),
        judge=None if judge is None else _judged(judge),
        failures=dict(cells.reasons.most_common()),
        cluster=config.cluster,
        clusters=clusters.number if clusters else 0,
        good=config.bands.good,
        acceptable=config.bands.acceptable,
        notes=[*notes, *cells.notes, *_notes(pillars, scores)],
    )


def _judged(judge: JudgeDetails) -> JudgedDetails:
    """Return what the judge did over all rubrics."""
    failures = Counter[str]()
    for rubric in judge.rubrics:
        failures.update(rubric.failures)
    return JudgedDetails(
        model=judge.model,
        rubrics={rubric.label: rubric.digest for rubric in judge.rubrics},
        verdicts=judge.verdicts,
        failed=judge.failed,
        failures=dict(failures.most_common()),
        unscored=sum(rubric.unscored for rubric in judge.rubrics),
        repeats=judge.repeats,
        repeated={rubric.label: rubric.repeats for rubric in judge.rubrics if rubric.repeats.items},
        cost=judge.cost,
        is_trusted=judge.is_trusted,
    )


def _pillar(pillar: str, cells: Cells, whole: GroupScores) -> PillarDetails:
    mean, plan = whole.pillars.get(pillar, NO_MEAN), cells.plan
    missing = "" if mean.value is not None else _why_missing(pillar, cells)
    weight = plan.weights[pillar] if pillar in plan.asked else 0.0
    share = 0.0 if whole.overall.value is None else plan.share(pillar)
    return PillarDetails(pillar, mean, weight, share, missing)


def _why_missing(pillar: str, cells: Cells) -> str:
    if not cells.plan.of(pillar):
        return "none of it is measured"
    if pillar == "retrieval":
        if all(row.relevant is None for row in cells.rows):
            return "the data set does not say which documents are relevant"
        if all(row.contexts is None or row.is_given for row in cells.rows):
            return "what was retrieved is unknown"
        return "no question has relevant documents and contexts with ids"
    if not cells.answered:
        return "no question has an answer"
    return "no question has a value"


def _score(
    number: int, score: SubScore, cells: Cells, whole: GroupScores, calibrations: Calibrations
) -> SubScoreDetails:
    mean = whole.scores.get(score.name, NO_MEAN)
    failed = len(cells.failures[number])
    label = "" if score.rubric is None else score.rubric.label
    calibration = calibrations.get(label, CalibrationDetails())
    values = cells.values[number]
    most = cells.most.get(score.name, np.nan)
    low, high = score.scale or (None, None)
    return SubScoreDetails(
        **{name: getattr(score, name) for name in _SHOWN},
        mean=mean,
        scaled=None if mean.value is None or score.scale is None else score.scaled(mean.value),
        failed=failed,
        untested=len(cells.rows) - mean.n - failed,
        states=_states(values, score.scale),
        low=low,
        high=high,
        rubric=label,
        calibration=calibration.said,
        refusal=calibration.refusal,
        most=None if np.isnan(most) else most,
        why_untested="" if mean.n else f"{failed:,} failed" if failed else score.untested,
    )


def _states(values: F64, scale: tuple[float, float] | None) -> tuple[int, int, int]:
    if scale is None:
        return 0, 0, 0
    known = values[~np.isnan(values)]
    low, high = int((known <= scale[0]).sum()), int((known >= scale[1]).sum())
    return low, len(known) - low - high, high


def _groups(cells: Cells, clusters: Groups | None, config: EvaluationConfig, column: str) -> dict[str, GroupScores]:
    """Return the means of each value of a column; none where all questions have one value."""
    values = [getattr(row, column) for row in cells.rows]
    names = dict.fromkeys(name for name in values if name)
    if len(names) + ("" in values) < 2:
        return {}
    groups = {}
    for name in names:
        chosen = np.array([value == name for value in values])
        groups[name] = summed(cells, clusters, config, chosen)
    return groups


def _notes(pillars: Sequence[PillarDetails], scores: Sequence[SubScoreDetails]) -> list[str]:
    """Return what the means leave out, and why there is no overall score."""
    sentences: list[str] = []
    missing = [pillar for pillar in pillars if pillar.missing]
    needed = [pillar for pillar in missing if pillar.weight > 0.0]
    sentences += [f"No {pillar.name}: {pillar.missing}" for pillar in missing]
    if needed and len(missing) < len(pillars):
        sentences.append(
            "An overall score needs every pillar with a weight; `weights` of the configuration says which have one"
        )
    full = [score for score in scores if score.most is not None and score.most < _FULL and score.mean.value is not None]
    if full:
        limits = ", ".join(f"{score.title} {score.most:.3f}" for score in full)
        sentences.append(
            "Some questions have more or fewer relevant documents than the cut-off, so a perfect ranking reaches "
            + limits
        )
    return sentences + _of_fewer(scores)


def _of_fewer(scores: Sequence[SubScoreDetails]) -> list[str]:
    """Return which sub-scores are not over all questions, and why; those alike in one sentence."""
    sentences, alike = [], defaultdict[tuple[int, int, int], list[str]](list)
    for score in scores:
        if not score.mean.n:
            sentences.append(f"{score.title} was not tested: {score.why_untested}")
        elif score.failed or score.untested:
            alike[score.mean.n, score.failed, score.untested].append(score.title)
    for (n, failed, untested), titles in alike.items():
        reasons = [f"{failed:,} without a value"] if failed else []
        reasons += [f"{untested:,} had nothing to test"] if untested else []
        of_all = f"{n:,} of {counted(n + failed + untested, 'question')}"
        sentences.append(f"{and_joined(titles)}: {of_all}; {', '.join(reasons)}")
    return sentences
