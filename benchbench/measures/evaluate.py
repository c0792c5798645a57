"""Scores of runs against judgments: a plan of all measures, one pass a query, threads over queries."""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import benchbench
from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.bootstrap import column_means
from benchbench.kernels.formulas import ALL, CAPPED, FIXED, FORMULAS, NO_CUTOFF, Judgments, Plan, measure, scratch
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure, parse
from benchbench.measures.signature import Signature
from benchbench.tables.judged import Qrels, Run
from benchbench.tables.scores import Scores

_DEEP = {FORMULAS.index(name) for name in ("rprec", "bpref", "infap", "iprec", "setp", "setr", "setf", "numrelret")}
_MANY = 2000  # queries from which threads pay


def evaluate(
    qrels: Qrels, run: Run, measures: Iterable[str | Measure], over: str = "judged", no_positives: str = "zero"
) -> Scores:
    """Score a run.

    Parameters
    ----------
    qrels, run
        Neither is changed.
    measures
        As `measures.notation.parse` reads them, e.g. `["nDCG@10", "P(rel=2)@5"]`.
    over
        `judged` or `returned`: the queries that the mean is over.
    no_positives
        `zero` or `skip`: what happens to a query judged without a relevant document.

    Raises
    ------
    InputError
        An unknown measure, or none; no query in common.
    """
    if over not in ("judged", "returned") or no_positives not in ("zero", "skip"):
        raise InputError(f"over={over!r} is judged or returned, no_positives={no_positives!r} is zero or skip")
    wanted = resolve(measures)
    if not wanted:
        raise InputError("no measure was named, e.g. nDCG@10")
    query = _judged_queries(qrels, run)
    if (query < 0).all():
        raise InputError(f"{run.name} has no query that is judged, so every score would be 0 by definition")
    plan, columns, gains = _plan(wanted)
    returned = np.zeros(len(qrels), np.bool_)
    returned[query[query >= 0]] = True
    values = _measured(qrels, run, query, np.flatnonzero(~returned), plan, gains)
    positives = np.diff(qrels.offsets) > 0
    positives[positives] = qrels.grade[qrels.offsets[:-1][positives]] >= 1  # the best grade of a query stands first
    counted = np.ones(len(qrels), np.bool_)
    if over == "returned":
        counted &= returned
    if no_positives == "skip":
        counted &= positives
    if not counted.any():
        raise InputError(f"no query is left to take the mean over (over={over}, no_positives={no_positives})")
    means = column_means(values if counted.all() else values[counted])
    counts = {
        "judged": len(qrels),
        "returned": int(returned.sum()),
        "missing": int((~returned).sum()),
        "unjudged": int((query < 0).sum()),
        "without_positives": int((~positives).sum()),
    }
    return Scores(
        run.name,
        qrels.ids,
        counted,
        {str(one): values[:, columns[one][0]] for one in wanted if CATALOG[one.name].aggregate != "micro"},
        {str(one): _aggregate(one, means[columns[one]], int(counted.sum())) for one in wanted},
        counts,
        {"duplicate_hits": run.duplicates, "duplicate_judgments": qrels.duplicates},
        _signature(wanted, run, qrels, over, no_positives, counts),
    )


def resolve(measures: Iterable[str | Measure]) -> list[Measure]:
    """Return the measures of some texts, each once, in their order."""
    parsed = (one for text in measures for one in ([text] if isinstance(text, Measure) else parse(text)))
    return list(dict.fromkeys(parsed))


def _plan(measures: list[Measure]) -> tuple[Plan, dict[Measure, list[int]], list[object]]:
    """Return the plan, the columns of each measure, and the kinds of gains."""
    rows: list[tuple[int, int, float, float, int]] = []
    gains: list[object] = []
    columns: dict[Measure, list[int]] = {}
    for one in measures:
        definition, params = CATALOG[one.name], dict(one.params)
        given = {param.name: params.get(param.name, param.default) for param in definition.params}
        recall = definition.cutoff_type == "recall"
        cutoff = int(NO_CUTOFF) if one.cutoff is None or recall else int(one.cutoff)
        rel = float(given.get("rel") or 1.0)  # type: ignore[arg-type]
        a, kind = 0.0, ALL
        if one.name == "nDCG":
            if given["gains"] not in gains:
                gains.append(given["gains"])
            kind = gains.index(given["gains"])
        elif given.get("cap") is not None:
            a, kind = float(given["cap"]), CAPPED  # type: ignore[arg-type]
        elif given.get("denominator") is not None:
            a, kind = float(given["denominator"]), FIXED  # type: ignore[arg-type]
        elif recall:
            a = float(one.cutoff or 0.0)
        else:
            a = float(given.get("p") or given.get("beta") or 0.0)  # type: ignore[arg-type]
        formulas = ("hits", "divisor") if definition.aggregate == "micro" else (definition.formula,)
        columns[one] = list(range(len(rows), len(rows) + len(formulas)))
        rows += [(FORMULAS.index(formula), cutoff, rel, a, kind) for formula in formulas]
    formula, cutoffs, rels, parameters, kinds = zip(*rows, strict=True)
    plan = Plan(
        np.array(formula, np.int64),
        np.array(cutoffs, np.int64),
        np.array(rels, np.float64),
        np.array(parameters, np.float64),
        np.array(kinds, np.int64),
    )
    return plan, columns, gains


def _measured(qrels: Qrels, run: Run, query: I64, absent: I64, plan: Plan, kinds: list[object]) -> F64:
    """Return the values of all judged queries; the `absent` ones have judgments to count, and no hits."""
    gain = np.array([_gains(qrels.grade, kind) for kind in kinds]).reshape(len(kinds), qrels.grade.size)
    ideal = gain  # grades descend within a query, and so do gains that rise with the grade
    if any(isinstance(kind, tuple) for kind in kinds):
        owner = np.repeat(np.arange(len(qrels)), np.diff(qrels.offsets))
        ideal = np.array([row[np.lexsort((-row, owner))] for row in gain])
    judgments = Judgments(qrels.offsets, qrels.document, qrels.grade, gain, ideal)
    most = int(np.diff(qrels.offsets).max())
    longest = max(int(np.diff(run.offsets).max()), most)
    log2 = np.log2(np.arange(longest) + 2.0)
    deep = bool(_DEEP & set(plan.formula.tolist()))
    depth = longest if deep else int(min(plan.cutoff.max(), longest))
    values = np.zeros((len(qrels), plan.formula.size))
    query = np.concatenate([query, absent])
    offsets = np.concatenate([run.offsets, np.full(absent.size, run.offsets[-1])])
    threads = min(os.cpu_count() or 1, query.size // _MANY + 1)
    cuts = np.linspace(0, query.size, threads + 1).astype(int).tolist()

    def stretch(first: int, last: int) -> None:
        measure(plan, judgments, offsets, run.document, query, first, last, depth, log2, scratch(most), values)

    if threads == 1:
        stretch(0, query.size)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(stretch, cuts[:-1], cuts[1:]))
    return values


def _gains(grade: F64, kind: object) -> F64:
    """Return what each judgment gains; a grade or gain below 0 gains nothing, which the kernel sees to."""
    if kind == "exp":
        return np.where(grade > 0, np.exp2(grade) - 1.0, 0.0)
    if not isinstance(kind, tuple):
        return grade
    gain = grade.copy()
    for given, value in kind:
        gain[grade == given] = value
    return gain


def _judged_queries(qrels: Qrels, run: Run) -> I64:
    """Return of each query of the run which judged query it is, or -1."""
    if np.array_equal(qrels.query, run.query):
        return np.arange(len(qrels))
    order = np.argsort(qrels.query)
    at = np.searchsorted(qrels.query, run.query, sorter=order)
    candidate = order[np.minimum(at, order.size - 1)]
    return np.where(qrels.query[candidate] == run.query, candidate, -1)


def _aggregate(one: Measure, means: F64, queries: int) -> float:
    how = CATALOG[one.name].aggregate
    if how == "mean":
        return float(means[0])
    if how == "sum":
        return float(means[0] * queries)
    precision = float(means[0]) / float(one.cutoff or 1)
    recall = min(float(means[0]) / float(means[1]), 1.0) if means[1] > 0 else 0.0
    both = precision + recall
    return {"microP": precision, "microR": recall, "microF1": 2 * precision * recall / both if both else 0.0}[one.name]


def _signature(
    measures: list[Measure], run: Run, qrels: Qrels, over: str, no_positives: str, counts: dict[str, int]
) -> Signature:
    return Signature(
        {
            "measures": ",".join(map(str, measures)),
            "ties": run.ties,
            "missing": "0" if over == "judged" else "left out",
            "no positives": no_positives,
            "queries": ", ".join(f"{name} {number}" for name, number in counts.items()),
            "qrels": qrels.digest,
            "run": run.digest,
            "version": benchbench.__version__,
        }
    )
