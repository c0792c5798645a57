"""One tool, in a process of its own: read qrels and a run, evaluate, print the means.

usage: python -m benchbench.profile.peers TOOL QRELS RUN [--again]

With `--again` it evaluates again what it keeps in memory, and prints the seconds that each time took. Every
tool is used in the fastest way that its documentation shows.
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

_CUTOFFS = (3, 5, 10)
MEASURES = (*(f"{name}@{k}" for name in ("P", "R", "Success") for k in _CUTOFFS), "nDCG@10", "RR", "AP")
TREC_FAMILIES = ("P.3,5,10", "recall.3,5,10", "success.3,5,10", "ndcg_cut.10", "recip_rank", "map")
_TREC_CUT = tuple(f"{name}_{k}" for name in ("P", "recall", "success") for k in _CUTOFFS)
TREC_NAMES = (*_TREC_CUT, "ndcg_cut_10", "recip_rank", "map")
_TIMES, _SECONDS = 5, 1.0  # evaluate again so often, or until so long has passed

Means = dict[str, float]


def benchbench(qrels: str, run: str) -> Callable[[], Means]:
    """Keep ranked hashes."""
    bb = import_module("benchbench")
    judged, hits = bb.Qrels.from_file(qrels), bb.Run.from_file(run)
    return lambda: dict(bb.evaluate(judged, hits, MEASURES).mean())


def pytrec_eval(qrels: str, run: str) -> Callable[[], Means]:
    """Keep dictionaries and an evaluator."""
    tool: Any = import_module("pytrec_eval")
    with open(qrels) as judgments, open(run) as lines:  # noqa: PTH123 (a child imports no more than it measures)
        judged, hits = tool.parse_qrel(judgments), tool.parse_run(lines)
    evaluator = tool.RelevanceEvaluator(judged, set(TREC_FAMILIES))

    def evaluate() -> Means:
        rows = evaluator.evaluate(hits).values()
        sums = {theirs: sum(row[theirs] for row in rows) for theirs in TREC_NAMES}
        return {ours: sums[theirs] / len(rows) for ours, theirs in zip(MEASURES, TREC_NAMES, strict=True)}

    return evaluate


def ir_measures(qrels: str, run: str) -> Callable[[], Means]:
    """Keep an evaluator and a dictionary: named tuples, which its readers give, take half as long again."""
    tool: Any = import_module("ir_measures")
    evaluator = tool.evaluator([tool.parse_measure(name) for name in MEASURES], tool.read_trec_qrels(qrels))
    hits: dict[str, dict[str, float]] = {}
    for hit in tool.read_trec_run(run):
        hits.setdefault(hit.query_id, {})[hit.doc_id] = hit.score
    return lambda: {str(measure): value for measure, value in evaluator.calc_aggregate(hits).items()}


def ranx(qrels: str, run: str) -> Callable[[], Means]:
    """Keep its typed dictionaries."""
    tool: Any = import_module("ranx")
    judged, hits = tool.Qrels.from_file(qrels, kind="trec"), tool.Run.from_file(run, kind="trec")
    names = [f"{name}@{k}" for name in ("precision", "recall", "hit_rate") for k in _CUTOFFS]
    names += ["ndcg@10", "mrr", "map"]

    def evaluate() -> Means:
        means = tool.evaluate(judged, hits, names, make_comparable=True)
        return {ours: float(means[theirs]) for ours, theirs in zip(MEASURES, names, strict=True)}

    return evaluate


def main(tool: str, qrels: str, run: str, *again: str) -> None:
    """Print what one process evaluated, as one JSON value: means, and seconds of each further evaluation."""
    evaluate = {peer.__name__: peer for peer in (benchbench, pytrec_eval, ir_measures, ranx)}[tool](qrels, run)
    means, seconds = evaluate(), list[float]()
    while again and len(seconds) < _TIMES and sum(seconds) < _SECONDS:
        started = time.perf_counter()
        evaluate()
        seconds.append(time.perf_counter() - started)
    print(json.dumps({"means": means, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
