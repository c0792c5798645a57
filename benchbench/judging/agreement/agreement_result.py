"""The result of `judge agreement`: its JSON members, which a layout draws, its record, and its table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import benchbench
from benchbench.errors import visible
from benchbench.judging.agreement.calibration import Calibration
from benchbench.judging.agreement.numbers import Agreed, Constant, GradeCut, finite
from benchbench.judging.agreement.systems import Powered, SystemRanking
from benchbench.results.estimates import Estimate
from benchbench.results.figures import estimate, signed
from benchbench.results.headline import OPEN, PARTLY, WORSE, Headline
from benchbench.results.record import Data, Number, Record, Scope, Subject, counts_of
from benchbench.results.signature import Signature
from benchbench.scores.result import ScoresResult
from benchbench.significance.judge_bias import Probe
from benchbench.significance.prediction_powered import METHOD
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    import polars as pl

_ALONE = ("n", "unparsed", "only_human", "only_judge", "confusion", "prevalence", "constant", "intervals", "undefined")


@dataclass(frozen=True, slots=True)
class Confusion:
    """Pairs by grade: a row per grade by people, a column per grade by the judge."""

    grades: Sequence[float]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeComparison:
    """One judge compared with people. `intervals` has each value with its interval; JSON has them by the same names."""

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
    cuts: Sequence[GradeCut]
    probes: Sequence[ProbeDetails]
    systems: Sequence[SystemRanking]
    mean_grade: Powered | None
    own: Sequence[str]
    mark: str
    verdict: str
    further: Sequence[str]
    advice: Sequence[str]

    @property
    def counts(self) -> dict[str, int]:
        """Return how many pairs there are of each kind, as a record has them."""
        one_sided = {name: getattr(self, name) for name in ("unparsed", "only_human", "only_judge")}
        return {"pairs": self.n, **one_sided, "repeated_labels": self.duplicates}


@dataclass(frozen=True, slots=True)
class Human:
    """People's labels."""

    name: str
    source: str
    pairs: int
    queries: int
    duplicates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """Two judges, over the pairs that both graded."""

    one: str
    other: str
    n: int
    kappa: float | None
    weighted_kappa: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class AlphaOfAll:
    """Krippendorff's alpha of more than two: of people and all judges, and of the judges alone."""

    alpha: float | None
    judges_alpha: float | None
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreementDetails:
    """All judges."""

    human: Human
    judges: Sequence[JudgeComparison]
    together: AlphaOfAll | None
    between: Sequence[Between]
    level: float
    notes: Sequence[str]
    signature: str = ""
    data_digest: str = ""  # of people's labels


def members(details: JudgeAgreementDetails) -> dict[str, Any]:
    """Return the JSON members: each value of a judge by its name; those of an only judge also at the top."""
    whole = asdict(details)
    for stored, judge in zip(whole["judges"], details.judges, strict=True):
        stored |= {name: value.value for name, value in judge.intervals.items()}
    if len(details.judges) == 1:
        (only,) = whole["judges"]
        whole |= {name: only[name] for name in (*details.judges[0].intervals, *_ALONE)}
    return whole


def probe_details(probe: Probe) -> ProbeDetails:
    """Return a probe as JSON has it."""
    return ProbeDetails(
        **{name: getattr(probe, name) for name in ("name", "n", "queries", "skipped")},
        effect=finite(probe.effect),
        low=finite(probe.low),
        high=finite(probe.high),
        p=finite(probe.adjusted),
        p_uncorrected=finite(probe.p),
        null="" if probe.skipped else probe.null,
    )


def headline(details: JudgeAgreementDetails) -> Headline:
    """Return the sentence on each judge, and what to do about them."""
    advice = dict.fromkeys(step for judge in details.judges for step in judge.advice)
    sentences = [(judge.mark, " ".join([judge.verdict, *judge.further])) for judge in details.judges]
    own = [said_of_own(judge, details.level) for judge in details.judges if judge.own]
    return Headline([*sentences, *own], list(advice))


def said_of_own(judge: JudgeComparison, level: float) -> tuple[str, str]:
    """Return a mark and what is known of whether a judge favours texts of its own model."""
    name, models = visible(judge.name, 60), and_joined([visible(model, 60) for model in judge.own])
    texts = f"texts of {models}, its own model{'s' * (len(judge.own) > 1)}"
    probe = next((probe for probe in judge.probes if probe.name == "self_preference" and probe.p is not None), None)
    if probe is None:
        return PARTLY, f"{name} grades {texts}; models tend to rate these higher, which was not tested here."
    effect = f"{estimate(probe.effect, probe.low, probe.high, shown=signed)} grades, {counted(probe.n, 'pair')}"
    if probe.p is not None and probe.p <= level:
        return WORSE, f"{name} rates {texts}, differently from others: {effect}."
    return OPEN, f"Cannot tell whether {name} favours {texts}: {effect} of {counted(probe.queries, 'query')}."


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgeAgreement(ScoresResult):
    """How far judges agree with people."""

    kind = "judge_agreement"
    libraries = ("numpy", "orjson")

    found: JudgeAgreementDetails
    agreed: Sequence[Agreed]  # of each judge
    calibrations: Sequence[Calibration]
    per_query: "Callable[[], pl.DataFrame]"

    def details(self) -> dict[str, Any]:
        """Return the members of its JSON."""
        return members(self.found)

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the maker of the table `per_query`: pairs, share of equal grades, and bias, by judge and query."""
        return {"per_query": self.per_query}

    def to_record(self) -> Record:
        """Return the record; a number has the judge in its scope."""
        details, human, digest = self.found, self.found.human, self.found.data_digest
        return self._record(
            details.notes,
            name=and_joined([judge.name for judge in details.judges]),
            subject=list(map(self._subject, details.judges)),
            data=Data(name=human.name, make="qrels", source=human.source, digest=digest, queries=human.queries),
            numbers=list(numbers(details, self.agreed)),
            counts=[
                *counts_of({"labels": human.pairs, "repeated_labels": human.duplicates}),
                *(count for judge in details.judges for count in counts_of(judge.counts, {"judge": judge.name})),
            ],
        )

    def _subject(self, judge: JudgeComparison) -> Subject:
        known = {"model": judge.model, "rubric": judge.rubric, "digest": judge.rubric_digest}
        signature = signature_of(self.found.data_digest, **{name: value for name, value in known.items() if value})
        return Subject(name=judge.name, source=judge.source, signature=signature)


def signature_of(labels: str, **judge: str) -> str:
    """Return what numbers of people's labels, and of a judge, depend on."""
    return str(Signature({"labels": labels, **judge, "version": benchbench.__version__}))


def numbers(details: JudgeAgreementDetails, agreed: Sequence[Agreed]) -> Iterator[Number]:
    """Yield the numbers of the record: of each judge, and of several raters."""
    for judge, agreement in zip(details.judges, agreed, strict=True):
        yield from _of(judge, agreement)
    yield from _of_all(details)


def _of(judge: JudgeComparison, agreed: Agreed) -> Iterator[Number]:
    """Yield the numbers of a judge."""
    scope = {"judge": judge.name}
    yield from agreed.numbers(scope)
    for probe in judge.probes:
        name = f"{probe.name}_bias"
        yield Number(
            name=name, value=probe.effect, low=probe.low, high=probe.high, n=probe.n, scope=scope,
            interval=None if probe.low is None else f"jackknife over {probe.queries:,} queries",
        )  # fmt: skip
        yield Number(name=f"p {name}", value=probe.p, n=probe.n, scope=scope)
    if judge.mean_grade is not None:
        yield from _powered("mean_grade", judge.mean_grade, scope)
    for systems in judge.systems:
        yield from _of_systems(systems, scope)


def _of_systems(ranked: SystemRanking, judge: Scope) -> Iterator[Number]:
    scope = {**judge, "measure": ranked.measure}
    number = partial(Number, n=len(ranked.systems), scope=scope)
    yield number(name="tau", value=ranked.tau, better="higher")
    yield number(name="spearman", value=ranked.spearman, better="higher")
    yield number(name="largest_rank_change", value=float(ranked.largest_rank_change), better="lower")
    yield number(name="swapped_pairs", value=float(ranked.swapped_pairs), better="lower")
    yield number(name="decided_differently", value=float(len(ranked.decided_differently)), better="lower")
    mean = partial(Number, name=ranked.measure, n=ranked.queries)
    for system in ranked.systems:
        of_system = {**judge, "system": system.name}
        if system.powered is None:
            yield mean(value=system.people, scope={**of_system, "labels": "people"})
        else:
            yield from _powered(ranked.measure, system.powered, of_system)
        yield mean(value=system.judge, scope={**of_system, "labels": "judge"})


def _powered(name: str, mean: Powered, scope: Scope) -> Iterator[Number]:
    """Yield the mean by people alone, the mean with the judge's help, and how many labels that help is worth."""
    interval = "normal"
    yield Number(
        name=name, value=mean.people, low=mean.people_low, high=mean.people_high, n=mean.labelled,
        interval=None if mean.people_low is None else interval, scope={**scope, "labels": "people"},
    )  # fmt: skip
    yield Number(
        name=name, value=mean.mean, low=mean.low, high=mean.high, n=mean.labelled + mean.unlabelled,
        interval=None if mean.low is None else METHOD, scope={**scope, "labels": "people and judge"},
    )  # fmt: skip
    yield Number(name=f"worth_{name}", value=mean.worth, n=mean.labelled, unit="labels", better="higher", scope=scope)


def _of_all(details: JudgeAgreementDetails) -> Iterator[Number]:
    """Yield the numbers that are of several raters together."""
    if details.together is not None:
        pairs = details.together.pairs
        yield Number(name="alpha_all", value=details.together.alpha, n=pairs, better="higher")
        yield Number(name="alpha_judges", value=details.together.judges_alpha, n=pairs, better="higher")
    for pair in details.between:
        scope = {"judge": pair.one, "other": pair.other}
        for name in ("kappa", "weighted_kappa", "alpha"):
            yield Number(name=f"{name}_between", value=getattr(pair, name), n=pair.n, better="higher", scope=scope)
