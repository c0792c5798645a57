"""Retrieved passages scored against gold ones, from files or in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchbench.answers.passage_metrics import measures, refuse_nothing, score
from benchbench.answers.passage_scores import Ideal, PassageScores, numbers
from benchbench.formats.legalbench_rag import gold_of, predictions_of, read_gold, read_predictions
from benchbench.results.checks import check
from benchbench.results.gates import as_gates
from benchbench.results.ranges import COUNT
from benchbench.tables.passages import Passages

PerQuery = Mapping[str, Sequence[Any]]


def score_passages(
    predictions: Passages | Path | str | PerQuery,
    gold: Passages | Path | str | PerQuery,
    k: int = 10,
    ideal: Ideal = "gold",
    fail_if: str | Sequence[str] = (),
    normalise: bool = False,
    cluster: str = "",
) -> PassageScores:
    """Score the passages that a system retrieved against those that answer each query.

    Parameters
    ----------
    predictions
        The passages of each query, best first: `{query: [passage, …]}`, or a file or results folder of them. A passage
        is a text, or a mapping with `text`, `file_path` and `span` (two places in characters).
    gold
        The passages that answer each query, in the same form, or LegalBench-RAG's file of them.
    k
        Cut-off of recall, nDCG and the shares of characters, from 1.
    ideal
        Ideal list of nDCG: `gold` puts all gold passages in front, `retrieved` sorts the retrieved ones.
    fail_if
        Gates, one or several, such as `"recall@10<0.8"`.
    normalise
        Whether `exact_match` takes any white space within a text as one space, as the other measures do.
    cluster
        What says which queries belong together: `document`, the files of a query's gold passages, or a member of the
        tests of a file. Intervals are then of groups.

    Raises
    ------
    InputError
        For an entry that cannot be read; when predictions and gold share no query; for a gate on a number that there is
        not.

    Examples
    --------
    >>> score_passages({"Who pays?": ["The tenant pays."]}, {"Who pays?": ["tenant pays"]}, k=5).means["recall@5"]
    1.0
    """
    answers, retrieved = as_gold(gold, cluster), as_predictions(predictions)
    refuse_nothing(answers, "snippet")
    refuse_nothing(retrieved, "passage")
    cutoff, gates = COUNT.take(k, "-k"), as_gates(fail_if)
    for gate in gates:
        gate.measured(measures(answers, retrieved, cutoff))
    scores = score(answers, retrieved, cutoff, ideal, normalise, cluster)
    return replace(scores, gates=check(gates, numbers(scores)))


def as_predictions(given: Passages | Path | str | PerQuery) -> Passages:
    """Return retrieved passages, read from a file or given in memory."""
    if isinstance(given, Passages):
        return given
    return read_predictions(given) if isinstance(given, Path | str) else predictions_of(given)


def as_gold(given: Passages | Path | str | PerQuery, cluster: str = "") -> Passages:
    """Return gold passages, read from a file or given in memory; `Passages` have their clusters."""
    if isinstance(given, Passages):
        return given
    return read_gold(given, cluster) if isinstance(given, Path | str) else gold_of(given, cluster)
