"""Scoring run files: this engine beside pytrec_eval-terrier, ir_measures and ranx, where they are installed.

usage: python benchmarks/score.py [--queries 50000] [--depth 100] [--judged 10] [--rounds 3]

Twelve measures: P, R, Success at 3, 5, 10, nDCG@10, RR, AP. "whole process" is from the start of Python to the
numbers, of TREC files in the page cache; "second" is the median of three more evaluations in the same process,
of what the tool keeps in memory. Each measurement is a process of its own, in turn, medians; kernels were
compiled before.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

NAMES = [f"{name}@{k}" for name in ("P", "R", "Success") for k in (3, 5, 10)] + ["nDCG@10", "RR", "AP"]
PACKAGES = {
    "benchbench": "benchbench",
    "pytrec_eval": "pytrec-eval-terrier",
    "ir_measures": "ir-measures",
    "ranx": "ranx",
}


def workload(queries: int, depth: int, judged: int, prefix: str) -> None:
    import numpy as np

    rng = np.random.default_rng(7)
    with Path(prefix + ".qrels").open("w") as qrels, Path(prefix + ".run").open("w") as run:
        for q in range(queries):
            documents = rng.choice(1_000_000, depth, replace=False)
            among = rng.choice(documents, judged // 2, replace=False)
            chosen = dict.fromkeys([*among.tolist(), *rng.integers(0, 1_000_000, judged - judged // 2).tolist()])
            qrels.writelines(f"q{q} 0 doc{document} {rng.integers(0, 4)}\n" for document in chosen)
            scores = np.sort(rng.random(depth) * 30)[::-1].tolist()
            rows = enumerate(zip(documents.tolist(), scores, strict=True), 1)
            run.writelines(f"q{q} Q0 doc{document} {i} {score:.6f} tag\n" for i, (document, score) in rows)


def benchbench(prefix: str) -> Callable[[], object]:
    from benchbench.formats.trec_text import read_qrels, read_run
    from benchbench.measures.evaluate import evaluate

    qrels, run = read_qrels(Path(prefix + ".qrels")), read_run(Path(prefix + ".run"))
    return lambda: evaluate(qrels, run, NAMES).mean()


def pytrec_eval(prefix: str) -> Callable[[], object]:
    import pytrec_eval

    with Path(prefix + ".qrels").open() as qrels, Path(prefix + ".run").open() as run:
        judged, hits = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    families = {"P.3,5,10", "recall.3,5,10", "success.3,5,10", "ndcg_cut.10", "recip_rank", "map"}
    evaluator = pytrec_eval.RelevanceEvaluator(judged, families)

    def score() -> object:
        rows = evaluator.evaluate(hits)
        return {name: sum(row[name] for row in rows.values()) / len(rows) for name in next(iter(rows.values()))}

    return score


def ir_measures(prefix: str) -> Callable[[], object]:
    import ir_measures

    qrels = list(ir_measures.read_trec_qrels(prefix + ".qrels"))
    run = list(ir_measures.read_trec_run(prefix + ".run"))
    measures = [ir_measures.parse_measure(name) for name in NAMES]
    return lambda: ir_measures.calc_aggregate(measures, qrels, run)


def ranx(prefix: str) -> Callable[[], object]:
    from ranx import Qrels, Run, evaluate

    qrels = Qrels.from_file(prefix + ".qrels", kind="trec")
    run = Run.from_file(prefix + ".run", kind="trec")
    names = [f"{name}@{k}" for name in ("precision", "recall", "hit_rate") for k in (3, 5, 10)]
    return lambda: evaluate(qrels, run, [*names, "ndcg@10", "mrr", "map"], make_comparable=True)


def child(tool: str, prefix: str, started: float) -> None:
    """Print what one process measured of itself."""
    score = globals()[tool](prefix)
    score()
    whole = time.time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    again = []
    for _ in range(3):
        begun = time.perf_counter()
        score()
        again.append(time.perf_counter() - begun)
    print(json.dumps({"whole": whole, "second": statistics.median(again), "peak": peak}))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    for name, default in (("queries", 50_000), ("depth", 100), ("judged", 10), ("rounds", 3)):
        arguments.add_argument(f"--{name}", type=int, default=default)
    arguments.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.child:
        return child(*options.child, started=float(sys.stdin.read()))

    from machine import describe, installed

    tools = [tool for tool, package in PACKAGES.items() if installed(package)]
    print(describe("numba", *(PACKAGES[tool] for tool in tools[1:])))
    print(f"{options.queries:,} queries x {options.depth} hits, {options.judged} judged, median of {options.rounds}\n")
    results: dict[str, list[dict[str, float]]] = {tool: [] for tool in tools}
    with tempfile.TemporaryDirectory() as folder:
        prefix = f"{folder}/w"
        workload(options.queries, options.depth, options.judged, prefix)
        for measured in range(options.rounds + 1):
            for tool in tools if measured else tools[:1]:  # the first round only compiles
                done = subprocess.run(
                    [sys.executable, __file__, "--child", tool, prefix],
                    input=str(time.time()),
                    capture_output=True,
                    text=True,
                    check=True,
                )
                if measured:
                    results[tool].append(json.loads(done.stdout.splitlines()[-1]))
    print("| tool | whole process, s | times ours | second evaluation, s | times ours | peak, MB |")
    print("|---|---:|---:|---:|---:|---:|")
    medians = {
        tool: {key: statistics.median(row[key] for row in rows) for key in rows[0]} for tool, rows in results.items()
    }
    ours = medians["benchbench"]
    for tool, row in medians.items():
        print(
            f"| {tool} | {row['whole']:.2f} | {row['whole'] / ours['whole']:.1f} | {row['second']:.4f} "
            f"| {row['second'] / ours['second']:.0f} | {row['peak']:,.0f} |"
        )
    return None


if __name__ == "__main__":
    main()
