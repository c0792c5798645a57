"""What JSON has of how far judges agree with people, and what a layout draws."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchbench.errors import visible
from benchbench.judging.agreement.numbers import Agreed, grade_name
from benchbench.judging.agreement.systems import Ranked
from benchbench.results.estimates import Estimate
from benchbench.results.headline import WORSE, Headline
from benchbench.significance.judge_bias import Probe
from benchbench.significance.prediction_powered import PredictionPowered


@dataclass(frozen=True, slots=True)
class ConstantDetails:
    """What it reaches to give all pairs people's most frequent grade."""

    grade: float
    agreement: float | None
    kappa: float | None
    weighted_kappa: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class CutDetails:
    """Grades from one on taken as relevant; `name` is how the names of its numbers end."""

    name: str
    grade: float
    prevalence: float
    judge_prevalence: float
    constant_agreement: float
    missed: int
    added: int
    p: float


@dataclass(frozen=True, slots=True)
class Confusion:
    """Pairs by grade: a row per grade by people, a column per grade by the judge."""

    grades: Sequence[float]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class ProbeDetails:
    """A test of one suspicion; `p` is corrected over all probes of the judge (Holm)."""

    name: str
    effect: float | None
    low: float | None
    high: float | None
    p: float | None
    p_uncorrected: float | None
    n: int
    queries: int
    null: str
    skipped: str


@dataclass(frozen=True, slots=True)
class Powered:
    """A mean by people alone, and the one with the judge's help."""

    people: float
    people_low: float | None
    people_high: float | None
    mean: float
    low: float | None
    high: float | None
    tuning: float
    labelled: int
    unlabelled: int
    worth: float


@dataclass(frozen=True, slots=True)
class SystemDetails:
    """A run under people and judge."""

    name: str
    people: float
    judge: float
    people_rank: int
    judge_rank: int
    powered: Powered | None


@dataclass(frozen=True, slots=True)
class DecidedDetails:
    """A pair of runs that is decided differently; a decision is better, worse or open, of the second run."""

    one: str
    other: str
    people: float
    judge: float
    people_decision: str
    judge_decision: str


@dataclass(frozen=True, slots=True)
class SystemsDetails:
    """All runs by one measure."""

    measure: str
    queries: int
    systems: Sequence[SystemDetails]
    tau: float | None
    spearman: float | None
    largest_rank_change: int
    swapped_pairs: int
    pairs: int
    decided_differently: Sequence[DecidedDetails]


@dataclass(frozen=True, slots=True)
class JudgeAgreementDetails:
    """One judge. `intervals` has each value with its interval, by the names that the JSON members have too."""

    name: str
    source: str
    model: str
    rubric: str
    rubric_digest: str
    n: int
    queries: int
    unparsed: int
    only_human: int
    only_judge: int
    duplicates: int
    intervals: Mapping[str, Estimate]
    method: str
    undefined: Mapping[str, str]
    confusion: Confusion
    prevalence: Mapping[str, Mapping[str, float]]
    constant: ConstantDetails | None
    cuts: Sequence[CutDetails]
    probes: Sequence[ProbeDetails]
    systems: Sequence[SystemsDetails]
    mean_grade: Powered | None
    own: Sequence[str]
    mark: str
    verdict: str
    further: Sequence[str]
    advice: Sequence[str]


@dataclass(frozen=True, slots=True)
class Human:
    """People's labels."""

    name: str
    source: str
    pairs: int
    queries: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class Between:
    """Two judges, over the pairs that both graded."""

    one: str
    other: str
    n: int
    kappa: float | None
    weighted_kappa: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Together:
    """Krippendorff's alpha of more than two: of people and all judges, and of the judges alone."""

    alpha: float | None
    judges_alpha: float | None
    pairs: int


@dataclass(frozen=True, slots=True)
class AgreementDetails:
    """All judges."""

    human: Human
    judges: Sequence[JudgeAgreementDetails]
    together: Together | None
    between: Sequence[Between]
    level: float
    notes: Sequence[str]


def members(found: AgreementDetails) -> dict[str, Any]:
    """Return the members of JSON: each value of a judge by its own name, and those of the only judge at the top too."""
    whole = asdict(found)
    for one, judge in zip(whole["judges"], found.judges, strict=True):
        one |= {name: value.value for name, value in judge.intervals.items()}
    if len(found.judges) == 1:
        only = whole["judges"][0]
        names = (
            *found.judges[0].intervals,
            "n",
            "unparsed",
            "only_human",
            "only_judge",
            "confusion",
            "prevalence",
            "constant",
        )
        whole |= {name: only[name] for name in (*names, "intervals", "undefined")}
    return whole


def finite(value: float) -> float | None:
    """Return a number, or None for NaN and infinity."""
    return float(value) if math.isfinite(value) else None


def intervals_of(found: Agreed) -> dict[str, Estimate]:
    """Return the values by name, with their intervals."""
    return {name: Estimate(finite(one.value), finite(one.low), finite(one.high)) for name, one in found.values.items()}


def constant_of(found: Agreed) -> ConstantDetails | None:
    """Return the constant predictor; its kappas are those of one grade where people gave no other."""
    one = found.constant
    if one is None:
        return None
    is_only = len(found.grades) == 1
    chance = None if is_only else 0.0
    return ConstantDetails(one.grade, finite(one.agreement), chance, chance, finite(one.alpha))


def cuts_of(found: Agreed) -> list[CutDetails]:
    """Return the cuts."""
    return [
        CutDetails(
            one.name,
            one.grade,
            one.prevalence,
            one.judge_prevalence,
            one.constant_agreement,
            one.missed,
            one.added,
            one.p,
        )
        for one in found.cuts
    ]


def prevalence_of(found: Agreed) -> dict[str, dict[str, float]]:
    """Return how often people and judge gave each grade, as shares of the pairs."""
    names = [grade_name(grade) for grade in found.grades]
    counts = found.confusion
    return {
        side: dict(zip(names, (counts.sum(axis=axis) / max(found.n, 1)).tolist(), strict=True)) if counts.size else {}
        for side, axis in (("human", 1), ("judge", 0))
    }


def probe_details(one: Probe) -> ProbeDetails:
    """Return a probe as JSON has it."""
    effect, low, high, p, uncorrected = map(finite, (one.effect, one.low, one.high, one.adjusted, one.p))
    null = "" if one.skipped else one.null
    return ProbeDetails(one.name, effect, low, high, p, uncorrected, one.n, one.queries, null, one.skipped)


def powered_details(one: PredictionPowered | None) -> Powered | None:
    """Return a prediction-powered mean; an interval without width is none, for all values are alike."""
    if one is None:
        return None
    ends, alone = (_ends(*both) for both in ((one.low, one.high), (one.classical_low, one.classical_high)))
    counts = one.labelled, one.unlabelled, one.worth
    return Powered(one.classical, alone[0], alone[1], one.mean, ends[0], ends[1], one.tuning, *counts)


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    return (low, high) if high > low else (None, None)


def systems_details(one: Ranked) -> SystemsDetails:
    """Return the runs by one measure."""
    decisions = {1: "better", -1: "worse", 0: "open"}
    return SystemsDetails(
        one.measure,
        one.queries,
        [
            SystemDetails(
                each.name, each.people, each.judge, each.people_rank, each.judge_rank, powered_details(each.powered)
            )
            for each in one.systems
        ],
        finite(one.tau),
        finite(one.spearman),
        one.largest_change,
        one.swapped,
        one.pairs,
        [
            DecidedDetails(
                each.one,
                each.other,
                each.people,
                each.judge,
                decisions[each.people_decision],
                decisions[each.judge_decision],
            )
            for each in one.decided
        ],
    )


def headline(found: AgreementDetails) -> Headline:
    """Return the sentence on each judge, and what to do about them."""
    advice = dict.fromkeys(said for one in found.judges for said in one.advice)
    said = [(one.mark, " ".join([one.verdict, *one.further])) for one in found.judges]
    return Headline([*said, *((WORSE, said_of_own(one)) for one in found.judges if one.own)], list(advice))


def said_of_own(one: JudgeAgreementDetails) -> str:
    """Return what a reader must not overlook of a judge that grades texts of its own model."""
    own = ", ".join(visible(each, 60) for each in one.own)
    return f"{visible(one.name, 60)} grades texts of its own model ({own}): models rate their own texts higher."
