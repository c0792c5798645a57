"""The JSON members of a judge's run, its headline, and how far to trust its scores."""

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchbench.answers.metrics import band
from benchbench.answers.summary import ALL
from benchbench.judging.score_counts import Bin, RubricTally, ScoreLine
from benchbench.judging.spending import Spent
from benchbench.judging.verdict import Repeatability
from benchbench.results.figures import estimate
from benchbench.results.headline import Headline
from benchbench.scores.names import COLUMNS, MARKS
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean, reached
from benchbench.tables.shared_messages import and_joined, counted

_OF_RUBRIC = ("name", "label", "digest", "scale", "good", "acceptable")
_COUNTED = ("calls", "cached", "repaired", "uncounted", "possibly_billed", "tokens_in", "tokens_out")
_SPENT = (*_COUNTED, "cost", "worst_cost")  # members of the cost that a run keeps up to date


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
        return {"calls_without_token_counts" if name == "uncounted" else name: getattr(self, name) for name in _COUNTED}


@dataclass(frozen=True, slots=True, kw_only=True)
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
    is_trusted: bool = False  # gates use scores without a calibration: --trust-judge
    gates: list[dict[str, Any]] = field(default_factory=list)

    @property
    def verdicts(self) -> int:
        """Return the number of verdicts that were asked for, with the failed ones."""
        return sum(rubric.verdicts for rubric in self.rubrics)

    @property
    def failed(self) -> int:
        """Return how many of them failed."""
        return sum(rubric.failed for rubric in self.rubrics)

    def group_means(self) -> Groups:
        """Return the means of each source type and category, by the labels of the rubrics."""
        by_column: dict[str, dict[str, GroupMeans]] = {column: {} for column in COLUMNS}
        for rubric in self.rubrics:
            for column, name, group in rubric.groups():
                before = by_column[column].get(name, GroupMeans(name, 0, {}))
                means = {**before.means, rubric.label: group.score.as_mean()}
                by_column[column][name] = GroupMeans(name, max(before.size, group.items), means)
        return {column: list(groups.values()) for column, groups in by_column.items()}


def rubric_details(
    tally: RubricTally, repeats: Repeatability, calibration: CalibrationDetails, cluster: str = ""
) -> RubricDetails:
    """Return the JSON members of what came of a rubric."""
    rubric, line = tally.rubric, tally.line(ALL, cluster)
    groups: dict[str, dict[str, GroupScores]] = {column: {} for column in COLUMNS}
    for group in tally.groups():
        column, name = group
        groups[column][name] = GroupScores(tally.scores[group].counts.total(), tally.line(group, cluster))
    return RubricDetails(
        **{name: getattr(rubric, name) for name in _OF_RUBRIC},
        **{name: getattr(tally, name) for name in ("verdicts", "failed")},
        judged=line.n,
        unscored=tally.verdicts - tally.failed - line.n,
        failures=dict(tally.failures.most_common()),
        score=line,
        scaled=None if line.mean is None else rubric.scaled(line.mean),
        parts={name: part.line(None, cluster) for name, part in tally.parts.items()},
        histogram=tally.scores[ALL].bins(rubric.scale) if line.n else [],
        repeats=repeats,
        calibration=calibration,
        source_type=groups["source_type"],
        category=groups["category"],
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
    """Return the smallest value that at least this share of the sorted values does not exceed."""
    return values[min(int(share * len(values)), len(values) - 1)] if values else None


def headline(details: JudgeDetails) -> Headline:
    """Return the scores, and below them what a reader must know before relying on them."""
    scores = [(MARKS[rubric.score.band], _scored(rubric)) for rubric in details.rubrics]
    return Headline(scores, trust(details))


def trust(details: JudgeDetails, has_calibrations: bool = True) -> list[str]:
    """Return how far to trust the scores, with what calibrations say of that; what weighs most comes first."""
    sentences = []
    if details.own:
        sentences.append(of_own(details.own))
    rubrics = details.rubrics if has_calibrations else []
    for rubric in rubrics:
        if not rubric.calibration.refusal:
            sentences.append(f"{called(details, rubric)} agrees with people: {rubric.calibration.said}.")
    refused = [rubric for rubric in rubrics if rubric.calibration.refusal]
    reasons = dict.fromkeys(rubric.calibration.refusal for rubric in refused)
    for reason in reasons:
        alike = [rubric for rubric in refused if rubric.calibration.refusal == reason]
        names = and_joined([called(details, rubric) for rubric in alike])
        texts = filter(None, dict.fromkeys(rubric.calibration.said for rubric in alike))
        agreement = "".join(f" ({text})" for text in texts)
        sentences.append(f"It is unknown how far to trust {names}: {reason}{agreement}.")
    if details.is_trusted and refused:
        sentences.append("Gates use these scores anyway: --trust-judge.")
    sentences += repeated(details)
    if left := left_out(details):
        sentences.append(left)
    sentences += details.cost.endpoint
    if details.attacked:
        sentences.append(of_attacks(details.attacked, "answer", details.attacks))
    return sentences


def called(details: JudgeDetails, rubric: RubricDetails) -> str:
    """Return what people call a rubric: its name, or its label where several of the judge's have that name."""
    alike = sum(other.name == rubric.name for other in details.rubrics)
    return plain(rubric.name) if alike == 1 else rubric.label


def plain(name: str) -> str:
    """Return the name or the label of a rubric as people say it, without language and version."""
    without = re.sub(r"\.[a-z]+@.*", "", name)
    return re.sub(r"_(?=[a-z])", " ", re.sub(r"_(\d)_(\d)$", r" \1–\2", without))


def of_own(models: Sequence[str]) -> str:
    """Return the warning that the judge is the model that answers."""
    return (
        f"The judge is the model that answers ({and_joined(models)}): models rate their own texts "
        "higher. Use another judge, or people's labels."
    )


def of_attacks(number: int, noun: str, kinds: Mapping[str, int]) -> str:
    """Return how many answers, or other things that were judged, look like an attack, and of which kinds."""
    have, listed = "has" if number == 1 else "have", ", ".join(f"{kind} {times:,}" for kind, times in kinds.items())
    return f"{counted(number, noun)} {have} what looks like an instruction to the judge; it was data ({listed})."


def left_out(details: JudgeDetails) -> str:
    """Return a sentence on what no mean includes; empty where nothing is left out."""
    unscored = sum(rubric.unscored for rubric in details.rubrics)
    parts = [counted(details.nulls, "unanswered question")] if details.nulls else []
    parts += [f"{counted(details.failed, 'failed verdict')} of {details.verdicts:,}"] if details.failed else []
    parts += [f"{counted(unscored, 'verdict')} that found nothing to score"] if unscored else []
    return f"Left out of the means: {and_joined(parts)}." if parts else ""


def _scored(rubric: RubricDetails) -> str:
    line = rubric.score
    if line.mean is None:
        return f"{plain(rubric.name)}: no score, of {counted(rubric.verdicts, 'verdict')}."
    return f"{plain(rubric.name)}: {score_in_words(rubric)}, over {counted(line.n, 'item')}."


def score_in_words(rubric: RubricDetails) -> str:
    """Return the mean with its interval, its band, and its scale where that is not from 0 to 1."""
    line, (low, high) = rubric.score, rubric.scale
    scale = "" if (low, high) == (0.0, 1.0) else f" on a scale of {low:g} to {high:g}"
    return f"{estimate(line.mean, line.low, line.high, 3)}{scale}{f', {line.band}' if line.band else ''}"


def repeated(details: JudgeDetails) -> list[str]:
    """Return what judging a sample again has shown."""
    several = [rubric for rubric in details.rubrics if rubric.repeats.items]
    same = [rubric for rubric in several if not rubric.repeats.flipped]
    sentences = []
    for rubric in several:
        again = rubric.repeats
        if again.flipped:
            share, sampled = 100 * (again.flip_rate or 0.0), counted(again.items, "item")
            sentences.append(
                f"{called(details, rubric)} changed the score of {again.flipped:,} of {sampled} that it judged "
                f"{again.attempts} times ({share:.0f} %), by up to {again.most:.3g}."
            )
    if same:
        items, times = max(rubric.repeats.items for rubric in same), max(rubric.repeats.attempts for rubric in same)
        which = (
            ""
            if len(same) == len(details.rubrics)
            else f" by {and_joined([called(details, rubric) for rubric in same])}"
        )
        often = "twice" if times == 2 else f"{times} times"
        were = "was" if items == 1 else "were"
        sentences.append(f"{counted(items, 'item')} {were} judged {often}{which}; no score changed.")
    return sentences
