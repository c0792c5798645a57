"""From the values of every question to the members of the JSON: means, pillars, groups, what was left out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from benchbench.evaluation.details import (
    NO_MEAN,
    EvaluationDetails,
    GroupDetails,
    JudgedDetails,
    PillarDetails,
    ScoreDetails,
)
from benchbench.evaluation.intervals import Clusters
from benchbench.evaluation.score_matrix import Cells
from benchbench.evaluation.scores import summed
from benchbench.evaluation.subscores import SubScore
from benchbench.formats.evaluation_config import PILLARS, EvaluationConfig
from benchbench.judging.details import CalibrationDetails
from benchbench.kernels.arrays import F64
from benchbench.tables.shared_messages import and_joined, counted

COLUMNS = ("source_type", "category")
_FULL = 1.0 - 1e-9
Calibrations = Mapping[str, CalibrationDetails]  # by the label of a rubric


def details(
    cells: Cells,
    config: EvaluationConfig,
    judge: JudgedDetails | None,
    calibrations: Calibrations,
    notes: Sequence[str],
    failures: Counter[str],
    **named: str,
) -> EvaluationDetails:
    """Return the members of an evaluation.

    Parameters
    ----------
    cells
        The values of every question.
    config
        Where bands of pillars begin, and what questions are grouped by.
    judge
        What the judge did; None where none was asked.
    calibrations
        What is known of it.
    notes
        Sentences on what was asked for and is not measured.
    failures
        Of answers and searches, by reason.
    named
        Name, signature and digest.
    """
    clusters = Clusters.of([row.cluster for row in cells.rows], config.cluster)
    whole = summed(cells, clusters, config)
    pillars = [_pillar(pillar, cells, whole) for pillar in PILLARS]
    scores = [_score(number, one, cells, whole, calibrations) for number, one in enumerate(cells.plan.scores)]
    return EvaluationDetails(
        **named,
        questions=len(cells.rows),
        answered=cells.answered,
        overall=whole.overall,
        pillars=pillars,
        scores=scores,
        source_type=_groups(cells, clusters, config, "source_type"),
        category=_groups(cells, clusters, config, "category"),
        judge=judge,
        failures=dict(failures.most_common()),
        cluster=config.cluster,
        clusters=clusters.number if config.cluster else 0,
        good=config.good,
        acceptable=config.acceptable,
        notes=[*notes, *cells.notes, *_notes(cells, pillars, scores)],
    )


def _pillar(pillar: str, cells: Cells, whole: GroupDetails) -> PillarDetails:
    mean, plan = whole.pillars.get(pillar, NO_MEAN), cells.plan
    missing = "" if mean.value is not None else _why_missing(pillar, cells)
    weight = plan.weights[pillar] if pillar in plan.asked else 0.0
    share = 0.0 if whole.overall.value is None else plan.share(pillar)
    return PillarDetails(pillar, mean, weight, share, missing)


def _why_missing(pillar: str, cells: Cells) -> str:
    if not cells.plan.of(pillar):
        return "nothing of it is measured"
    if pillar == "retrieval":
        if all(row.relevant is None for row in cells.rows):
            return "the data do not say which documents are relevant"
        if all(row.contexts is None or row.is_given for row in cells.rows):
            return "it is not known what was retrieved"
        return "no question has relevant documents and contexts with ids"
    if not cells.answered:
        return "no question has an answer"
    return "no question has a value"


def _score(number: int, one: SubScore, cells: Cells, whole: GroupDetails, calibrations: Calibrations) -> ScoreDetails:
    mean = whole.scores.get(one.name, NO_MEAN)
    failed = len(cells.failures[number])
    calibration = (
        CalibrationDetails() if one.rubric is None else calibrations.get(one.rubric.label, CalibrationDetails())
    )
    values = cells.values[number]
    most = cells.most.get(one.name, np.nan)
    low, high = one.scale or (None, None)
    return ScoreDetails(
        one.name,
        one.title,
        one.said,
        one.pillar,
        mean,
        None if mean.value is None or one.scale is None else one.scaled(mean.value),
        failed,
        len(cells.rows) - mean.n - failed,
        _states(values, one.scale),
        low,
        high,
        one.good,
        one.acceptable,
        one.unit,
        "" if one.rubric is None else one.rubric.label,
        calibration.said,
        calibration.refusal,
        None if np.isnan(most) else most,
        "" if mean.n else f"{failed:,} failed" if failed else one.untested,
    )


def _states(values: F64, scale: tuple[float, float] | None) -> tuple[int, int, int]:
    if scale is None:
        return 0, 0, 0
    known = values[~np.isnan(values)]
    low, high = int((known <= scale[0]).sum()), int((known >= scale[1]).sum())
    return low, len(known) - low - high, high


def _groups(cells: Cells, clusters: Clusters, config: EvaluationConfig, column: str) -> dict[str, GroupDetails]:
    """Return the means of each value of a column; none where all questions have one value."""
    values = [getattr(row, column) for row in cells.rows]
    names = dict.fromkeys(name for name in values if name)
    if len(names) + ("" in values) < 2:
        return {}
    found = {}
    for name in names:
        chosen = np.array([value == name for value in values])
        found[name] = summed(cells, clusters, config, chosen)
    return found


def _notes(cells: Cells, pillars: Sequence[PillarDetails], scores: Sequence[ScoreDetails]) -> list[str]:
    """Return what the means leave out, and why there is no overall score."""
    said: list[str] = []
    missing = [one for one in pillars if one.missing]
    needed = [one for one in missing if one.weight > 0.0]
    said += [f"No {one.name}: {one.missing}" for one in missing]
    if needed and len(missing) < len(pillars):
        said.append(
            "An overall score needs every pillar with a weight; `weights` of the configuration says which have one"
        )
    full = [one for one in scores if one.most is not None and one.most < _FULL and one.mean.value is not None]
    if full:
        limits = ", ".join(f"{one.title} at most {one.most:.3f}" for one in full)
        said.append(
            "No ranking reaches 1 here, because questions have fewer relevant documents than the cut-off, or more: "
            + limits
        )
    return said + _of_fewer(scores)


def _of_fewer(scores: Sequence[ScoreDetails]) -> list[str]:
    """Return which sub-scores are not over all questions, and why; those alike in one sentence."""
    said, alike = [], defaultdict[tuple[int, int, int], list[str]](list)
    for one in scores:
        if not one.mean.n:
            said.append(f"{one.title} was not tested: {one.why_untested}")
        elif one.failed or one.untested:
            alike[one.mean.n, one.failed, one.untested].append(one.title)
    for (n, failed, untested), titles in alike.items():
        reasons = [f"{failed:,} failed"] if failed else []
        reasons += [f"of {untested:,} nothing was to be tested"] if untested else []
        verb, those = ("is" if len(titles) == 1 else "are"), " and ".join(reasons)
        said.append(f"{and_joined(titles)} {verb} over {counted(n, 'question')}: {those}, which is in no mean")
    return said
