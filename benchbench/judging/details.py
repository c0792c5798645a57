"""The members of the JSON of a run of a judge."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchbench.answers.metrics import band
from benchbench.answers.summary import ALL
from benchbench.judging.repeats import Repeatability
from benchbench.judging.score_counts import Bin, OfRubric, ScoreLine
from benchbench.judging.spending import Spent
from benchbench.scores.names import COLUMNS
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean, reached

_SPENT = (  # members of the cost that a run keeps up to date
    "calls", "cached", "repaired", "uncounted", "possibly_billed", "tokens_in", "tokens_out", "cost", "worst_cost",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The scores of a source type or a category."""

    items: int
    score: ScoreLine


@dataclass(frozen=True, slots=True)
class CalibrationDetails:
    """How far the judge agrees with people, and why a gate may not go by its scores; empty where it may."""

    said: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class RubricDetails:
    """The JSON members of one rubric."""

    name: str
    label: str
    digest: str
    scale: tuple[float, float]
    good: float | None
    acceptable: float | None
    verdicts: int
    judged: int
    unscored: int  # verdicts with nothing to score
    failed: int
    failures: dict[str, int]
    score: ScoreLine
    scaled: float | None  # the mean on a scale from 0 to 1
    parts: dict[str, ScoreLine]
    histogram: list[Bin]
    repeats: Repeatability
    calibration: CalibrationDetails
    source_type: dict[str, GroupScores]
    category: dict[str, GroupScores]

    @property
    def mean(self) -> ScoreMean:
        """Return the mean of all scores, and which bands its interval reaches."""
        line = self.score

        def band_of(score: float) -> str:
            return band(score, self.good, self.acceptable, self.scale[1])

        return line.as_mean(reached(line.low, line.high, line.band, band_of))

    def groups(self) -> Iterator[tuple[str, str, GroupScores]]:
        """Yield the source types and categories, with column and name."""
        for column in COLUMNS:
            for name, group in getattr(self, column).items():
                yield column, name, group


@dataclass(frozen=True, slots=True)
class CostDetails:
    """What the run has sent and paid."""

    calls: int = 0
    cached: int = 0
    repaired: int = 0
    uncounted: int = 0  # calls whose tokens the endpoint did not say
    possibly_billed: int = 0  # requests that were sent and never answered
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None  # USD; None without a price
    worst_cost: float | None = None  # with the most that calls without known tokens may have cost
    price: dict[str, Any] | None = None
    latency_mean: float | None = None  # seconds per verdict that was asked for
    latency_p50: float | None = None
    latency_p99: float | None = None
    endpoint: list[str] = field(default_factory=list)  # notes on it and on what is stored, as sentences

    def counts(self) -> dict[str, int]:
        """Return the counts as a record has them, by name."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "repaired": self.repaired,
            "calls_without_token_counts": self.uncounted,
            "possibly_billed": self.possibly_billed,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
        }


@dataclass(frozen=True, slots=True)
class JudgeDetails:
    """The JSON members of a run of a judge."""

    model: str
    signature: str = ""
    data_digest: str = ""
    items: int = 0
    nulls: int = 0  # answers that are null: they are not judged, and in no mean
    rubrics: list[RubricDetails] = field(default_factory=list)
    failures: dict[str, int] = field(default_factory=dict)
    repeats: int = 0  # further attempts
    repeats_failed: int = 0
    cost: CostDetails = field(default_factory=CostDetails)
    attacked: int = 0  # items in which something looks like an attack
    attacks: dict[str, int] = field(default_factory=dict)  # by kind
    own: list[str] = field(default_factory=list)  # models that answer and are the judge
    cluster: str = ""
    clusters: int = 0
    cache: str | None = None
    problem: str | None = None  # with the cache
    is_trusted: bool = False  # gates go by scores that nothing vouches for: --trust-judge
    gates: list[dict[str, Any]] = field(default_factory=list)

    @property
    def verdicts(self) -> int:
        """Return the number of verdicts that were asked for, with the failed ones."""
        return sum(one.verdicts for one in self.rubrics)

    @property
    def failed(self) -> int:
        """Return how many of them failed."""
        return sum(one.failed for one in self.rubrics)

    def group_means(self) -> Groups:
        """Return the means of each source type and category, by the labels of the rubrics."""
        of: dict[str, dict[str, GroupMeans]] = {column: {} for column in COLUMNS}
        for one in self.rubrics:
            for column, name, group in one.groups():
                before = of[column].get(name, GroupMeans(name, 0, {}))
                means = {**before.means, one.label: group.score.as_mean()}
                of[column][name] = GroupMeans(name, max(before.size, group.items), means)
        return {column: list(groups.values()) for column, groups in of.items()}


def rubric_details(
    found: OfRubric, repeats: Repeatability, calibration: CalibrationDetails, cluster: str = ""
) -> RubricDetails:
    """Return the JSON members of what came of a rubric."""
    rubric, line = found.rubric, found.line(ALL, cluster)
    of: dict[str, dict[str, GroupScores]] = {column: {} for column in COLUMNS}
    for group in found.groups():
        column, name = group
        of[column][name] = GroupScores(found.scores[group].counts.total(), found.line(group, cluster))
    return RubricDetails(
        rubric.name,
        rubric.label,
        rubric.digest,
        rubric.scale,
        rubric.good,
        rubric.acceptable,
        found.verdicts,
        line.n,
        found.verdicts - found.failed - line.n,
        found.failed,
        dict(found.failures.most_common()),
        line,
        None if line.mean is None else rubric.scaled(line.mean),
        {name: one.line(None, cluster) for name, one in found.parts.items()},
        found.scores[ALL].bins(rubric.scale) if line.n else [],
        repeats,
        calibration,
        **of,
    )


def cost_details(spent: Spent, price: Mapping[str, Any] | None) -> CostDetails:
    """Return the JSON members of what was spent."""
    seconds = sorted(spent.seconds)
    return CostDetails(
        **{name: getattr(spent, name) for name in _SPENT},
        price=None if price is None else dict(price),
        latency_mean=statistics.fmean(seconds) if seconds else None,
        latency_p50=_quantile(seconds, 0.5),
        latency_p99=_quantile(seconds, 0.99),
        endpoint=list(spent.notes),
    )


def _quantile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that so large a share of the sorted values does not exceed."""
    return values[min(int(share * len(values)), len(values) - 1)] if values else None
