"""Runs larger than one would keep in memory: cost grows with the hits, memory with the queries alone.

usage: streaming.py [QUERIES …]    (50,000, 200,000 and 1,000,000 x 100 hits; the last writes 5 GB below TMPDIR)

Each run is scored as TREC text and as Parquet, by `benchbench score` in a process of its own.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchbench.profile.child import run
from benchbench.profile.machine import describe
from benchbench.profile.peers import MEASURES

DEPTH, JUDGED, SEED = 100, 10, 7
PARQUET = (  # in a process of its own: what starts children must stay small
    "import sys, polars as pl; pl.scan_csv(sys.argv[1], separator=' ', has_header=False, "
    "new_columns=['query_id', 'q0', 'doc_id', 'rank', 'score', 'tag'])"
    ".select('query_id', 'doc_id', 'score').sink_parquet(sys.argv[2])"
)


def main() -> None:
    print(describe("numba", "numpy", "polars"), end="\n\n")
    print("| queries x hits | file | GB | seconds | million hits/s | peak, MB |")
    print("|---|---|---:|---:|---:|---:|")
    named = [word for measure in MEASURES for word in ("-m", measure)]
    for queries in map(int, sys.argv[1:] or (50_000, 200_000, 1_000_000)):
        with tempfile.TemporaryDirectory() as folder:
            qrels, text, parquet = (Path(folder, name) for name in ("w.qrels", "w.run", "w.parquet"))
            size = list(map(str, (queries, DEPTH, JUDGED, SEED, qrels, text)))
            subprocess.run([sys.executable, "-m", "benchbench.profile.workload", *size], check=True)
            subprocess.run([sys.executable, "-c", PARQUET, str(text), str(parquet)], check=True)
            for file in (text, parquet):
                command = [sys.executable, "-m", "benchbench", "score", str(qrels), str(file), *named]
                run(command, 3600)  # kernels are compiled, the file is in memory
                ended = run(command, 3600)
                assert ended.failure is None, ended.failure
                rate = queries * DEPTH / ended.seconds / 1e6
                print(
                    f"| {queries:,} x {DEPTH} | {file.suffix[1:]} | {file.stat().st_size / 1e9:.2f} "
                    f"| {ended.seconds:.1f} | {rate:.1f} | {ended.peak_mb:,.0f} |"
                )


if __name__ == "__main__":
    main()
