"""Memory of one run over many queries: largest resident size, start to end, results folder included.

usage: python benchmarks/memory.py [--queries 1000000] [--hits 5]

Invented queries of some 60 characters with one positive and an accusation each; a canned service in a process of
its own answers batches of 500.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import orjson
from machine import describe

from benchbench.experiment import Settings, run
from benchbench.formats.datasets.locate import locate
from benchbench.profile.canned import serving
from benchbench.report.draw import pages
from benchbench.runs.run_folder import ResultsFolder

BATCH = 500


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(path: Path, queries: int) -> None:
    with path.open("wb") as file:
        for q in range(queries):
            fact = f"query {q}: what the parties had agreed upon, and who broke it"
            positives = [{"fact_id": f"d{q}", "fact": f"case {q % 1000}", "tier": 1 + q % 5}]
            line = {"query_id": f"q{q}", "query": {"fact": fact, "meta": {"accusation": [f"a{q % 50}"]}}}
            file.write(orjson.dumps(line | {"positives": positives}) + b"\n")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--queries", type=int, default=1_000_000)
    arguments.add_argument("--hits", type=int, default=5)
    options = arguments.parse_args()
    hits = [
        [
            {"id": f"d{n}", "score": 1.0, "text": f"case {n + i}", "meta": {"accusation": [f"a{(n + i) % 50}"]}}
            for i in range(options.hits)
        ]
        for n in range(BATCH)
    ]
    print(describe("numpy", "polars"))
    with serving(orjson.dumps({"results": hits})) as url, tempfile.TemporaryDirectory() as folder:
        queries = options.queries // BATCH * BATCH
        write(Path(folder) / "tiered.jsonl", queries)
        print(f"{peak():,.0f} MB before")
        settings = Settings(locate(folder), url=url, batch_size=BATCH, concurrency=2)
        started = time.perf_counter()
        with ResultsFolder(Path(folder) / "out") as results:
            outcome = run(settings, results.append, journal=results.journal)
            print(f"{peak():,.0f} MB and {time.perf_counter() - started:,.0f} s until scored")
            results.finish(outcome, pages)
        print(f"{peak():,.0f} MB and {time.perf_counter() - started:,.0f} s until written")
        print(f"{queries:,} queries, {outcome.counts['hits']:,} hits, tasks {', '.join(outcome.tasks)}")


if __name__ == "__main__":
    main()
