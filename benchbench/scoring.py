"""One run against judgments, from Python."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from benchbench.formats.qrels_runs import as_qrels, as_run
from benchbench.measures.evaluate import Evaluator
from benchbench.measures.notation import Measure, measure_named
from benchbench.measures.scores import Scores
from benchbench.results.checks import check
from benchbench.results.gates import Gate, as_gates, parse_gate
from benchbench.tables.qrels_runs import QrelsTable, RunTable

Numbers = Mapping[str, Mapping[str, float]]  # {query id: {document id: grade or score}}
Frame = Any  # of polars, pandas or Arrow


def evaluate(
    qrels: QrelsTable | Numbers | Frame,
    run: RunTable | Numbers | Frame,
    measures: str | Measure | Iterable[str | Measure],
    over: str = "judged",
    no_positives: str = "zero",
    fail_if: str | Gate | Iterable[str | Gate] = (),
) -> Scores:
    """Score a run against judgments.

    Parameters
    ----------
    qrels
        Judgments: of `Qrels`, or what `Qrels.from_dict` or `Qrels.from_frame` takes.
    run
        A run: of `Run` or `scan_run`, or what `Run.from_dict` or `Run.from_frame` takes. Neither is changed.
    measures
        As `measures.notation.parse` reads them, e.g. `["nDCG@10", "P(rel=2)@5"]`; one may stand alone.
    over
        `judged` or `returned`: the queries that the mean is over.
    no_positives
        `zero` or `skip`: what happens to a query judged without a relevant document.
    fail_if
        Gates, one or several, such as `"nDCG@10<0.4"`; what became of them is in `record.gates`.

    Returns
    -------
    Scores
        Means, and a value of each measure for each query.

    Raises
    ------
    InputError
        An unknown measure, or none; judgments of which none is relevant; a gate on what is not measured; no query in
        common; judgments and run in each other's place, or other types; a fault of a run that is read while it is
        scored.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1, "d3": 2}}
    >>> run = {"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d1": 0.8, "d3": 0.7}}
    >>> benchbench.evaluate(qrels, run, ["nDCG@10", "RR"]).mean()
    """
    evaluator = Evaluator(as_qrels(qrels), measures, over, no_positives)
    gates = as_gates(fail_if, partial(parse_gate, named=measure_named))
    for gate in gates:
        gate.measured(evaluator.names)
    scores = evaluator.score(as_run(run))
    if gates:
        scores.describe(options={"fail_if": [gate.text for gate in gates]}, gates=check(gates, scores.record.numbers))
    return scores
