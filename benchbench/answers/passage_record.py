"""The record of scores of passages: signature, counts and notes."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import benchbench
from benchbench.answers.passage_places import funnel
from benchbench.results.environment import environment
from benchbench.results.record import Data, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.signature import Signature
from benchbench.significance.shares import MeanInterval

if TYPE_CHECKING:
    from benchbench.answers.passage_metrics import PassageScores

_LIBRARIES = ("msgspec", "orjson")
_SHOWN = 60  # characters of a query in a note


@dataclass(frozen=True, slots=True)
class FunnelDetails:
    """How many queries come how far, and how long passages are (`answers.passage_places`)."""

    asked: int
    right_text: int | None  # None without places
    right_place: int
    all: int
    texts: int
    gold_length: float | None
    retrieved_length: float | None


@dataclass(frozen=True, slots=True)
class PassagesDetails:
    """The JSON members of scores of passages."""

    signature: str
    measures: dict[str, float | int]
    queries: dict[str, int]
    missing: list[str]
    extra: list[str]
    notes: list[str]
    intervals: dict[str, MeanInterval] = field(default_factory=dict)
    funnel: FunnelDetails | None = None


def details(scores: "PassageScores") -> PassagesDetails:
    """Return the JSON members: measures, counts, queries without a partner, notes."""
    return PassagesDetails(
        signature(scores),
        {**scores.means, "num_examples": len(scores.queries)},
        scores.counts,
        scores.missing,
        scores.extra,
        notes(scores),
        scores.intervals,
        FunnelDetails(*funnel(scores.gold, scores.predicted, scores.stages, scores.is_placed)),
    )


def passages_record(scores: "PassageScores") -> Record:
    """Return the record of scores of passages."""
    gold, predicted, depends_on = scores.gold, scores.predicted, signature(scores)
    return record(
        "passages",
        scores.began,
        name=predicted.name,
        subject=[Subject(name=predicted.name, source=predicted.name, signature=depends_on)],
        data=Data(name=gold.name, make="passages", source=gold.name, digest=gold.digest, queries=len(scores.queries)),
        signature=depends_on,
        settings=settings_of(
            {
                "cutoff": scores.k,
                "ideal": scores.ideal,
                "normalise": scores.normalise,
                "cluster": scores.cluster or None,
                "fail_if": [gate.condition for gate in scores.gates],
            }
        ),
        environment=environment(_LIBRARIES),
        numbers=numbers(scores),
        counts=counts_of(scores.counts),
        notes=[Note(text=note) for note in notes(scores)],
        gates=scores.gates,
    )


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
        from benchbench.significance.mean_intervals import said_of_groups

        effects = [one.design_effect for one in scores.intervals.values() if one.design_effect is not None]
        sentences.append(said_of_groups(scores.cluster, len(set(gold.clusters.values())), effects))
    return sentences


def _such(queries: list[str]) -> str:
    if not queries:
        return ""
    first = queries[0]
    return f", such as {first if len(first) <= _SHOWN else first[:_SHOWN] + '…'!r}"
