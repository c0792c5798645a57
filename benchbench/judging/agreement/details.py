"""What JSON has of how far judges agree with people, and what a layout draws."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchbench.errors import visible
from benchbench.judging.agreement.numbers import Constant, Cut, finite
from benchbench.judging.agreement.systems import Powered, Ranked
from benchbench.results.estimates import Estimate
from benchbench.results.headline import WORSE, Headline
from benchbench.significance.judge_bias import Probe


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
    constant: Constant | None
    cuts: Sequence[Cut]
    probes: Sequence[ProbeDetails]
    systems: Sequence[Ranked]
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


def probe_details(one: Probe) -> ProbeDetails:
    """Return a probe as JSON has it."""
    effect, low, high, p, uncorrected = map(finite, (one.effect, one.low, one.high, one.adjusted, one.p))
    null = "" if one.skipped else one.null
    return ProbeDetails(one.name, effect, low, high, p, uncorrected, one.n, one.queries, null, one.skipped)


def headline(found: AgreementDetails) -> Headline:
    """Return the sentence on each judge, and what to do about them."""
    advice = dict.fromkeys(said for one in found.judges for said in one.advice)
    said = [(one.mark, " ".join([one.verdict, *one.further])) for one in found.judges]
    return Headline([*said, *((WORSE, said_of_own(one)) for one in found.judges if one.own)], list(advice))


def said_of_own(one: JudgeAgreementDetails) -> str:
    """Return what a reader must not overlook of a judge that grades texts of its own model."""
    own = ", ".join(visible(each, 60) for each in one.own)
    return f"{visible(one.name, 60)} grades texts of its own model ({own}): models rate their own texts higher."
