"""The retrieval of each question, by the one scorer: every measure of the catalog, over all judged documents."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from benchbench.formats.evaluation_rows import Row
from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.kernels.arrays import F64
from benchbench.measures.notation import Measure
from benchbench.scoring import evaluate

_NO_ID = "\0"  # before the rank of a document without an id, which is relevant for nothing


class RetrievalValues(NamedTuple):
    """The values of measures, and what they leave out.

    Attributes
    ----------
    values
        (measures, questions); NaN of a question that says nothing of retrieval.
    most
        (measures,): the means of the best possible rankings.
    notes
        Sentences.
    """

    values: F64
    most: F64
    notes: list[str]


def retrieved(rows: Sequence[Row], measures: Sequence[Measure]) -> RetrievalValues:
    """Score the contexts of each question as its ranking.

    A question counts where its relevant documents are known and one at least is relevant, and where its contexts are
    known; contexts that are known to be none count 0. A document that is repeated counts once, at its first rank.
    """
    values = np.full((len(measures), len(rows)), np.nan)
    given = [number for number, row in enumerate(rows) if row.is_given]
    known = [number for number, row in enumerate(rows) if _is_known(row)]
    positive = [number for number in known if any(grade > 0.0 for grade in (rows[number].relevant or {}).values())]
    named = [number for number in positive if _has_ids(rows[number])]
    notes = []
    if given:
        notes.append(
            f"{_counted(len(given))} contexts that came with the data and were not retrieved: no retrieval score"
        )
    if len(positive) < len(known):
        notes.append(f"{_counted(len(known) - len(positive))} no relevant document, and no score of retrieval")
    if len(named) < len(positive):
        notes.append(f"{_counted(len(positive) - len(named))} contexts without ids, and no score of retrieval")
    if not named or not measures:
        return RetrievalValues(values, np.full(len(measures), np.nan), notes)
    qrels = {str(number): rows[number].relevant or {} for number in named}
    repeated, hits = 0, {}
    for number in named:
        hits[str(number)], more = _ranking(rows[number])
        repeated += more
    if repeated:
        notes.append(f"{repeated:,} contexts are documents that the question has already, and do not count again")
    values[:, named] = _scores(qrels, hits, measures)
    best = {key: _best(grades) for key, grades in qrels.items()}
    return RetrievalValues(values, _scores(qrels, best, measures).mean(axis=1), notes)


def _best(grades: Mapping[str, float]) -> dict[str, float]:
    """Return the best possible ranking: the relevant documents, the most relevant first."""
    ranked = sorted((one for one in grades.items() if one[1] > 0.0), key=lambda one: -one[1])
    return dict(ranked)


def _counted(number: int) -> str:
    return f"{number:,} question{' has' if number == 1 else 's have'}"


def _is_known(row: Row) -> bool:
    """Say that it is known what was relevant and what was retrieved."""
    return row.relevant is not None and row.contexts is not None and not row.is_given


def _has_ids(row: Row) -> bool:
    return not row.contexts or any(map(row.key, row.contexts))


def _ranking(row: Row) -> tuple[dict[str, float], int]:
    """Return scores by document that fall from rank to rank, and how many documents stood there already."""
    scores: dict[str, float] = {}
    for rank, context in enumerate(row.contexts or ()):
        scores.setdefault(row.key(context) or f"{_NO_ID}{rank}", -float(rank))
    return scores, len(row.contexts or ()) - len(scores)


def _scores(
    qrels: Mapping[str, Mapping[str, float]], hits: Mapping[str, Mapping[str, float]], measures: Sequence[Measure]
) -> F64:
    """Return the value of each measure for each query, in the order of the judgments; hits rank as they stand."""
    if not any(hits.values()):
        return np.zeros((len(measures), len(qrels)))
    per_query = evaluate(Qrels.from_dict(qrels), Run.from_dict(hits, ties="input"), list(measures)).per_query()
    places = {key: number for number, key in enumerate(per_query["query_id"].to_list())}
    order = [places[key] for key in qrels]
    scores: F64 = np.array([per_query[str(measure)].to_numpy()[order] for measure in measures], np.float64)
    return scores
