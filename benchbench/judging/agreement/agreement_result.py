"""The result of `judge agreement`: what JSON has of it and what a layout draws, its record, and its table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import benchbench
from benchbench.errors import visible
from benchbench.judging.agreement.calibration import Calibration
from benchbench.judging.agreement.numbers import Agreed, Constant, Cut, finite
from benchbench.judging.agreement.systems import Powered, Ranked
from benchbench.results.estimates import Estimate
from benchbench.results.headline import WORSE, Headline
from benchbench.results.record import Data, Number, Record, Scope, Subject, counts_of
from benchbench.results.signature import Signature
from benchbench.scores.result import ScoresResult
from benchbench.significance.judge_bias import Probe
from benchbench.significance.prediction_powered import METHOD
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    import polars as pl

_ALONE = ("n", "unparsed", "only_human", "only_judge", "confusion", "prevalence", "constant", "intervals", "undefined")


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

    @property
    def counts(self) -> dict[str, int]:
        """Return how many pairs there are of each kind, as a record has them."""
        own = {name: getattr(self, name) for name in ("unparsed", "only_human", "only_judge")}
        return {"pairs": self.n, **own, "repeated_labels": self.duplicates}


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
    signature: str = ""
    data_digest: str = ""  # of people's labels


def members(found: AgreementDetails) -> dict[str, Any]:
    """Return the members of JSON: each value of a judge by its own name, and those of the only judge at the top too."""
    whole = asdict(found)
    for one, judge in zip(whole["judges"], found.judges, strict=True):
        one |= {name: value.value for name, value in judge.intervals.items()}
    if len(found.judges) == 1:
        (only,) = whole["judges"]
        whole |= {name: only[name] for name in (*found.judges[0].intervals, *_ALONE)}
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


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgeAgreement(ScoresResult):
    """How far judges agree with people."""

    kind = "judge_agreement"
    libraries = ("numpy", "orjson")

    found: AgreementDetails
    agreed: Sequence[Agreed]  # of each judge
    calibrations: Sequence[Calibration]
    per_query: "Callable[[], pl.DataFrame]"

    def details(self) -> dict[str, Any]:
        """Return the members of its JSON."""
        return members(self.found)

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return what makes `per_query`: pairs, share of equal grades, and bias, by judge and query."""
        return {"per_query": self.per_query}

    def to_record(self) -> Record:
        """Return the record; a number has the judge in its scope."""
        found, human, digest = self.found, self.found.human, self.found.data_digest
        return self._record(
            found.notes,
            name=and_joined([one.name for one in found.judges]),
            subject=[Subject(name=one.name, source=one.source, signature=self._signature(one)) for one in found.judges],
            data=Data(name=human.name, make="qrels", source=human.source, digest=digest, queries=human.queries),
            numbers=list(numbers(found, self.agreed)),
            counts=[
                *counts_of({"labels": human.pairs, "repeated_labels": human.duplicates}),
                *(count for one in found.judges for count in counts_of(one.counts, {"judge": one.name})),
            ],
        )

    def _signature(self, one: JudgeAgreementDetails) -> str:
        known = {"model": one.model, "rubric": one.rubric, "digest": one.rubric_digest}
        return signature_of(self.found.data_digest, **{name: value for name, value in known.items() if value})


def signature_of(labels: str, **judge: str) -> str:
    """Return what numbers of people's labels, and of a judge, depend on."""
    return str(Signature({"labels": labels, **judge, "version": benchbench.__version__}))


def numbers(found: AgreementDetails, agreed: Sequence[Agreed]) -> Iterator[Number]:
    """Yield the numbers of the record: of each judge, and of several raters."""
    for one, its in zip(found.judges, agreed, strict=True):
        yield from _of(one, its)
    yield from _of_all(found)


def _of(one: JudgeAgreementDetails, found: Agreed) -> Iterator[Number]:
    """Yield the numbers of a judge."""
    scope = {"judge": one.name}
    yield from found.numbers(scope)
    for probe in one.probes:
        name = f"{probe.name}_bias"
        yield Number(
            name=name, value=probe.effect, low=probe.low, high=probe.high, n=probe.n, scope=scope,
            interval=None if probe.low is None else f"jackknife over {probe.queries:,} queries",
        )  # fmt: skip
        yield Number(name=f"p {name}", value=probe.p, n=probe.n, scope=scope)
    if one.mean_grade is not None:
        yield from _powered("mean_grade", one.mean_grade, scope)
    for systems in one.systems:
        yield from _of_systems(systems, scope)


def _of_systems(found: Ranked, judge: Scope) -> Iterator[Number]:
    scope = {**judge, "measure": found.measure}
    number = partial(Number, n=len(found.systems), scope=scope)
    yield number(name="tau", value=found.tau, better="higher")
    yield number(name="spearman", value=found.spearman, better="higher")
    yield number(name="largest_rank_change", value=float(found.largest_rank_change), better="lower")
    yield number(name="swapped_pairs", value=float(found.swapped_pairs), better="lower")
    yield number(name="decided_differently", value=float(len(found.decided_differently)), better="lower")
    for system in found.systems:
        of = {**judge, "system": system.name}
        if system.powered is None:
            yield Number(name=found.measure, value=system.people, n=found.queries, scope={**of, "labels": "people"})
        else:
            yield from _powered(found.measure, system.powered, of)
        yield Number(name=found.measure, value=system.judge, n=found.queries, scope={**of, "labels": "judge"})


def _powered(name: str, one: Powered, scope: Scope) -> Iterator[Number]:
    """Yield the mean by people, the one with the judge's help, and what that is worth."""
    interval = "normal"
    yield Number(
        name=name, value=one.people, low=one.people_low, high=one.people_high, n=one.labelled,
        interval=None if one.people_low is None else interval, scope={**scope, "labels": "people"},
    )  # fmt: skip
    yield Number(
        name=name, value=one.mean, low=one.low, high=one.high, n=one.labelled + one.unlabelled,
        interval=None if one.low is None else METHOD, scope={**scope, "labels": "people and judge"},
    )  # fmt: skip
    yield Number(name=f"worth_{name}", value=one.worth, n=one.labelled, unit="labels", better="higher", scope=scope)


def _of_all(found: AgreementDetails) -> Iterator[Number]:
    """Yield what is of several raters."""
    if found.together is not None:
        pairs = found.together.pairs
        yield Number(name="alpha_all", value=found.together.alpha, n=pairs, better="higher")
        yield Number(name="alpha_judges", value=found.together.judges_alpha, n=pairs, better="higher")
    for one in found.between:
        scope = {"judge": one.one, "other": one.other}
        for name in ("kappa", "weighted_kappa", "alpha"):
            yield Number(name=f"{name}_between", value=getattr(one, name), n=one.n, better="higher", scope=scope)
