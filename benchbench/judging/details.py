"""The members of the JSON of a run of a judge, what it comes to, and how far to trust that."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchbench.answers.metrics import band
from benchbench.answers.summary import ALL
from benchbench.judging.score_counts import Bin, OfRubric, ScoreLine
from benchbench.judging.spending import Spent
from benchbench.judging.verdict import Repeatability
from benchbench.results.figures import estimate
from benchbench.results.headline import Headline
from benchbench.scores.names import COLUMNS, MARKS
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean, reached
from benchbench.tables.shared_messages import and_joined, counted

_OF_RUBRIC = ("name", "label", "digest", "scale", "good", "acceptable")
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
        **{name: getattr(rubric, name) for name in _OF_RUBRIC},
        **{name: getattr(found, name) for name in ("verdicts", "failed")},
        judged=line.n,
        unscored=found.verdicts - found.failed - line.n,
        failures=dict(found.failures.most_common()),
        score=line,
        scaled=None if line.mean is None else rubric.scaled(line.mean),
        parts={name: one.line(None, cluster) for name, one in found.parts.items()},
        histogram=found.scores[ALL].bins(rubric.scale) if line.n else [],
        repeats=repeats,
        calibration=calibration,
        source_type=of["source_type"],
        category=of["category"],
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


def headline(found: JudgeDetails) -> Headline:
    """Return the scores, and below them what a reader must know before going by them."""
    said = [(MARKS[one.score.band], _scored(one)) for one in found.rubrics]
    return Headline(said, trust(found))


def trust(found: JudgeDetails) -> list[str]:
    """Return how far to trust the scores; what weighs most comes first."""
    said = []
    if found.own:
        said.append(of_own(found.own))
    for one in found.rubrics:
        if not one.calibration.refusal:
            said.append(f"{one.label} agrees with people: {one.calibration.said}.")
    refused = [one for one in found.rubrics if one.calibration.refusal]
    reasons = dict.fromkeys(one.calibration.refusal for one in refused)
    for reason in reasons:
        of = [one for one in refused if one.calibration.refusal == reason]
        known = "".join(f" ({one})" for one in dict.fromkeys(one.calibration.said for one in of) if one)
        said.append(f"How far to trust {and_joined([one.label for one in of])} is not known: {reason}{known}.")
    if found.is_trusted and refused:
        said.append("Gates go by these scores all the same: --trust-judge.")
    said += repeated(found)
    if left := left_out(found):
        said.append(left)
    said += found.cost.endpoint
    if found.attacked:
        said.append(of_attacks(found.attacked, "answer", found.attacks))
    return said


def of_own(models: Sequence[str]) -> str:
    """Return that a judge grades what it wrote itself."""
    return (
        f"The judge is the model that answers ({and_joined(models)}): models rate their own texts higher. Take another "
        "judge, or people's labels."
    )


def of_attacks(number: int, noun: str, kinds: Mapping[str, int]) -> str:
    """Return how many answers, or other things that were judged, look like an attack, and of which kinds."""
    have, listed = "has" if number == 1 else "have", ", ".join(f"{kind} {times:,}" for kind, times in kinds.items())
    return f"{counted(number, noun)} {have} what looks like an instruction to the judge; it was data ({listed})."


def left_out(found: JudgeDetails) -> str:
    """Return what is in no mean; empty where nothing is left out."""
    unscored = sum(one.unscored for one in found.rubrics)
    parts = [f"{counted(found.nulls, 'null answer')}, which nobody judged"] if found.nulls else []
    parts += [f"{counted(found.failed, 'failed verdict')} of {found.verdicts:,}"] if found.failed else []
    parts += [f"{counted(unscored, 'verdict')} that found nothing to score"] if unscored else []
    return f"In no mean: {and_joined(parts)}." if parts else ""


def _scored(one: RubricDetails) -> str:
    line = one.score
    if line.mean is None:
        return f"{one.name}: no score, of {counted(one.verdicts, 'verdict')}."
    low, high = one.scale
    scale = "" if (low, high) == (0.0, 1.0) else f" on a scale of {low:g} to {high:g}"
    band = f", {line.band}" if line.band else ""
    return f"{one.name}: {estimate(line.mean, line.low, line.high, 3)}{scale}{band}, over {counted(line.n, 'item')}."


def repeated(found: JudgeDetails) -> list[str]:
    """Return what judging a sample again has shown."""
    several = [one for one in found.rubrics if one.repeats.items]
    same = [one for one in several if not one.repeats.flipped]
    said = []
    for one in several:
        again = one.repeats
        if again.flipped:
            share, of = 100 * (again.flip_rate or 0.0), counted(again.items, "item")
            said.append(
                f"{one.label} changed the score of {again.flipped:,} of {of} that it judged {again.attempts} times "
                f"({share:.0f} %), by up to {again.most:.3g}."
            )
    if same:
        items, times = max(one.repeats.items for one in same), max(one.repeats.attempts for one in same)
        which = "" if len(same) == len(found.rubrics) else f" by {and_joined([one.label for one in same])}"
        said.append(f"Judged {times} times, {counted(items, 'item')} got the same scores{which}.")
    return said
