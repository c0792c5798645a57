"""The scores of passages: values per query, means, and their record with signature, counts and notes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import benchbench
from benchbench.answers.passage_places import FunnelDetails, frame, funnel, shown, stages
from benchbench.answers.sums import GroupSums, Sums, interval
from benchbench.results.environment import environment
from benchbench.results.old_names import Old, Part
from benchbench.results.record import Data, GateResult, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import Signature
from benchbench.significance.mean_intervals import UNIT_SCALE, said_of_groups
from benchbench.significance.shares import MeanInterval
from benchbench.tables.passages import Passages

if TYPE_CHECKING:
    import polars as pl

_LIBRARIES = ("msgspec", "orjson")
_SHOWN = 60  # characters of a query in a note

Ideal = Literal["gold", "retrieved"]


@dataclass(frozen=True, repr=False, kw_only=True)
class PassageScores(Result):
    """One value per query and measure, in the order of `queries` (the gold file's), with means and counts."""

    kind = "passages"
    old_names = (
        "signature",
        Old("measures"),
        Old("queries", of="counts"),
        *("missing", "extra", "notes"),
        Old("intervals", members=("low", "high")),
        "funnel",
    )

    queries: list[str]
    values: dict[str, list[float]]
    means: dict[str, float]
    missing: list[str]  # gold queries without an entry in the predictions
    extra: list[str]  # predicted queries without gold
    counts: dict[str, int]
    k: int
    ideal: Ideal
    normalise: bool
    cluster: str  # what the intervals group the queries by; empty for nothing
    gold: Passages = field(compare=False)
    predicted: Passages = field(compare=False)
    began: float = field(compare=False)  # seconds since 1970
    gates: list[GateResult] = field(default_factory=list)

    @cached_property
    def intervals(self) -> dict[str, MeanInterval]:
        """The 95 % interval of each mean."""
        intervals = {}
        for name, column in self.values.items():
            clusters = None
            if self.cluster:
                clusters = GroupSums()
                clusters.add(zip(map(self.gold.clusters.__getitem__, self.queries), column, strict=True))
            intervals[name] = interval(Sums.of(column), UNIT_SCALE, clusters, self.cluster)
        return intervals

    def to_record(self) -> Record:
        """Return the record."""
        gold, predicted, depends_on = self.gold, self.predicted, signature(self)
        return record(
            "passages",
            self.began,
            name=predicted.name,
            subject=[Subject(name=predicted.name, source=predicted.name, signature=depends_on)],
            data=Data(name=gold.name, make="passages", source=gold.name, digest=gold.digest, queries=len(self.queries)),
            signature=depends_on,
            settings=settings_of(
                {
                    "cutoff": self.k,
                    "ideal": self.ideal,
                    "normalise": self.normalise,
                    "cluster": self.cluster or None,
                    "fail_if": [gate.condition for gate in self.gates],
                }
            ),
            environment=environment(_LIBRARIES),
            numbers=numbers(self),
            counts=counts_of(self.counts),
            notes=[Note(text=note) for note in notes(self)],
            gates=self.gates,
        )

    def details(self) -> "PassagesDetails":
        """Return what JSON has that the record has not."""
        return PassagesDetails(
            missing=self.missing,
            extra=self.extra,
            notes=notes(self),
            measures=ExampleCount(len(self.queries)),
            intervals={name: IntervalDetails(one.method, one.design_effect) for name, one in self.intervals.items()},
            funnel=funnel(self.gold, self.predicted, self.stages, self.is_placed),
        )

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the table of values per query."""
        return {"per_query": self.per_query, "places": self.places}

    def per_query(self) -> "pl.DataFrame":
        """Return a frame of the gold queries: `query`, and one column per measure."""
        import polars as pl

        return pl.DataFrame({"query": self.queries, **self.values})

    @property
    def is_placed(self) -> bool:
        """Whether characters are scored: each passage says where it is."""
        return f"char_recall@{self.k}" in self.values

    @property
    def recall(self) -> list[float]:
        """The share of each query's gold characters that were retrieved; without places, of its gold passages."""
        return self.values[f"char_recall@{self.k}" if self.is_placed else f"recall@{self.k}"]

    @cached_property
    def stages(self) -> list[str]:
        """How near each query comes to its gold passages (`answers.passage_places`)."""
        return stages(self.gold, self.predicted, self.recall, self.k, self.is_placed)

    def places(self) -> "pl.DataFrame":
        """Return a frame of the nearest misses, with the places of gold and retrieved passages."""
        return frame(shown(self.gold, self.predicted, self.stages, self.recall, self.k, self.is_placed))


@dataclass(frozen=True, slots=True)
class ExampleCount:
    """How many queries there are, which stands among the measures."""

    num_examples: int


@dataclass(frozen=True, slots=True)
class IntervalDetails:
    """How an interval was made."""

    method: str | None
    design_effect: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagesDetails:
    """What JSON has of scores of passages that the record has not."""

    missing: list[str]
    extra: list[str]
    notes: list[str]
    measures: ExampleCount
    intervals: dict[str, IntervalDetails] = field(default_factory=dict)
    funnel: FunnelDetails | None = None


class MeasuredPassages(Part):
    """Scores of passages: the numbers of their record, and their details."""

    def __init__(self, result: Result) -> None:
        """Take what belongs together."""
        super().__init__(result.record)
        self.details = result.details_as(PassagesDetails)
        self.funnel, self.asked = self.details.funnel, self.details.measures.num_examples
        self.cutoff = result.record.settings["cutoff"].value if "cutoff" in result.record.settings else None

    @property
    def measures(self) -> dict[str, Number]:
        """The mean of each measure, and how many queries there are."""
        return {**self.numbers, "num_examples": Number(name="num_examples", value=self.asked)}


def numbers(scores: "PassageScores") -> list[Number]:
    """Return the mean of each measure."""
    queries = len(scores.queries)
    return [
        Number(
            name=name,
            value=mean,
            low=scores.intervals[name].low,
            high=scores.intervals[name].high,
            interval=None if scores.intervals[name].low is None else f"95 %, {scores.intervals[name].method}",
            n=queries,
            better="higher",
        )
        for name, mean in scores.means.items()
    ]


def signature(scores: "PassageScores") -> str:
    """Return the signature of the scores."""
    counts = scores.counts
    parts = {
        "measures": ",".join(scores.values),
        "k": str(scores.k),
        "ideal": scores.ideal,
        "exact": "lower case, single spaces" if scores.normalise else "lower case, trimmed",
        "match": "substring, lower case, single spaces",
        "tokens": "nltk, untrained punkt",
        "missing": "0",
        "queries": f"{counts['gold']} (predicted {counts['predicted']}, missing {counts['missing']})",
        "gold": scores.gold.digest,
        "predictions": scores.predicted.digest,
        "version": benchbench.__version__,
    }
    return str(Signature(parts))


def notes(scores: "PassageScores") -> list[str]:
    """Return one sentence per count that is not 0 and changes how the scores read."""
    gold, predicted, counts = scores.gold, scores.predicted, scores.counts
    counted = [
        (counts["missing"], f"queries of {gold.name} have no prediction and count as 0{_such(scores.missing)}"),
        (counts["extra"], f"predictions are for queries without gold and are left out{_such(scores.extra)}"),
        (counts["without_passages"], "predictions have no passage and count as 0"),
        (counts["blank_passages"], "passages have no text and match nothing"),
        (counts["repeated_predictions"], "predictions repeat a query; the first of each counts"),
        (predicted.skipped_lines, "bad lines of the run's data set were skipped, and are in no mean"),
        (counts["repeated_tests"], "tests repeat a query; their snippets are scored as one query's"),
        (counts["without_gold_text"], "queries have no snippet with a text and count as 0"),
        (counts["blank_snippets"], "snippets have no text and are left out"),
    ]
    sentences = [f"{number:,} {words}" for number, words in counted if number]
    if predicted.are_placed and not gold.are_placed:
        sentences.append("the predictions name spans and not all snippets do, so characters are not scored")
    if scores.cluster:
        effects = [ends.design_effect for ends in scores.intervals.values() if ends.design_effect is not None]
        sentences.append(said_of_groups(scores.cluster, len(set(gold.clusters.values())), effects))
    return sentences


def _such(queries: list[str]) -> str:
    if not queries:
        return ""
    first = queries[0]
    return f", such as {first if len(first) <= _SHOWN else first[:_SHOWN] + '…'!r}"
