"""What an evaluation comes to: the overall score with its band, the pillars, and what a reader must not overlook."""

from benchbench.evaluation.details import EvaluationDetails, MeanDetails
from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE, Headline
from benchbench.tables.shared_messages import and_joined

MARKS = {"good": GOOD, "acceptable": PARTLY, "poor": WORSE, "": OPEN}  # by band


def headline(found: EvaluationDetails) -> Headline:
    """Return what a report begins with."""
    questions = f"{found.questions:,} question{'s' * (found.questions != 1)}"
    if found.overall.value is None:
        return Headline([(OPEN, f"{found.name}: {questions}, and no pillar has a score.")], advice(found))
    said = f"{found.name}: overall {shown(found.overall)}, {found.overall.band}"
    pillars = [
        f"{one.name} {one.mean.value:.3f} {one.mean.band}" for one in found.pillars if one.mean.value is not None
    ]
    sentence = f"{said}, of {questions}: {and_joined(pillars)}."
    return Headline([(MARKS[found.overall.band], sentence)], advice(found))


def advice(found: EvaluationDetails) -> list[str]:
    """Return what a reader must know before the scores are gone by."""
    said = []
    missing = [one for one in found.pillars if one.missing]
    if missing and found.overall.value is not None:
        said.append(f"Without {and_joined([one.name for one in missing])}: the other weights are taken for the whole.")
    if found.answered < found.questions:
        many = found.questions - found.answered
        said.append(f"{many:,} of {found.questions:,} questions have no answer, and are in no mean of answers.")
    judge = found.judge
    if judge is not None and judge.failed:
        said.append(f"{judge.failed:,} of {judge.verdicts:,} verdicts failed, and are in no mean.")
    if judge is not None and uncalibrated(found):
        said.append(f"Nothing says how far to trust {judge.model} as a judge: {reason(found)}.")
    return said


def uncalibrated(found: EvaluationDetails) -> list[str]:
    """Return the judged sub-scores that nothing vouches for."""
    return [one.name for one in found.scores if one.refusal]


def reason(found: EvaluationDetails) -> str:
    """Return why, each reason once."""
    return "; ".join(dict.fromkeys(one.refusal for one in found.scores if one.refusal))


def shown(mean: MeanDetails) -> str:
    """Return a mean with its interval."""
    ends = "" if mean.low is None or mean.high is None else f" [{mean.low:.3f}, {mean.high:.3f}]"
    return "–" if mean.value is None else f"{mean.value:.3f}{ends}"
