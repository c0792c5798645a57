"""What an evaluation comes to: the overall score with its band, the pillars, and what a reader must not overlook."""

from benchbench.evaluation.details import EvaluationDetails
from benchbench.results.figures import estimate, value
from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE, Headline
from benchbench.tables.shared_messages import and_joined, counted

MARKS = {"good": GOOD, "acceptable": PARTLY, "poor": WORSE, "": OPEN}  # by band


def headline(found: EvaluationDetails) -> Headline:
    """Return what a report begins with."""
    questions = counted(found.questions, "question")
    pillars = [
        f"{one.name} {value(one.mean.value, 3)} {one.mean.band}" for one in found.pillars if one.mean.value is not None
    ]
    if not pillars:
        return Headline([(OPEN, f"{found.name}: {questions}, and no pillar has a score.")], advice(found))
    if found.overall.value is None:
        sentence = f"{found.name}: {no_overall(found)} Of {questions}: {and_joined(pillars)}."
        return Headline([(OPEN, sentence)], advice(found))
    one = found.overall
    said = f"{found.name}: overall {estimate(one.value, one.low, one.high, 3)}, {one.band}"
    sentence = f"{said}, of {questions}: {and_joined(pillars)}."
    return Headline([(MARKS[found.overall.band], sentence)], advice(found))


def advice(found: EvaluationDetails) -> list[str]:
    """Return what a reader must know before the scores are gone by."""
    said = []
    if found.answered < found.questions:
        many = found.questions - found.answered
        has, is_ = ("has", "is") if many == 1 else ("have", "are")
        said.append(f"{many:,} of {found.questions:,} questions {has} no answer, and {is_} in no mean of answers.")
    judge = found.judge
    if judge is not None and judge.failed:
        is_ = "is" if judge.failed == 1 else "are"
        said.append(f"{judge.failed:,} of {judge.verdicts:,} verdicts failed, and {is_} in no mean.")
    reasons = dict.fromkeys(one.refusal for one in found.scores if one.refusal)
    if reasons:
        said.append(f"Nothing says how far to trust the judged scores: {'; '.join(reasons)}.")
    return said


def no_overall(found: EvaluationDetails) -> str:
    """Return why there is no overall score though some pillars have one."""
    missing = [one for one in found.pillars if one.missing and one.weight > 0.0]
    if not missing:
        return "No overall score, for no pillar with a value has a weight."
    has = "has" if len(missing) == 1 else "have"
    reasons = dict.fromkeys(one.missing for one in missing)
    return f"No overall score, for {and_joined([one.name for one in missing])} {has} no value ({'; '.join(reasons)})."
