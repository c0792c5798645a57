"""An audit: whole process; how much of its time is the comparison of near-duplicates, and how memory grows.

usage: audit.py [DOCUMENTS …]    (20,000 and 100,000, 180 words each)
"""

import random
import sys
import tempfile
from pathlib import Path

import orjson
from machine import describe

from benchbench.profile.child import run

WORDS, SEED = 180, 7
VOCABULARY = [f"term{n}" for n in range(20_000)]


def main() -> None:
    print(describe("datasketch", "orjson"), end="\n\n")
    print("| documents | collection, MB | near-duplicates | seconds | peak, MB |")
    print("|---:|---:|---|---:|---:|")
    for documents in map(int, sys.argv[1:] or (20_000, 100_000)):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), documents)
            size = Path(folder, "collection.jsonl").stat().st_size / 1e6
            for sample, said in ((1, "not compared"), (0, "of all")):
                command = [sys.executable, "-m", "benchbench", "audit", folder, "--sample", str(sample)]
                run(command, 3600)  # the files are in memory
                ended = run(command, 3600)
                assert ended.failure is None, ended.failure
                print(
                    f"| {documents:,} | {size:,.0f} | {said} | {ended.seconds:.1f} | {ended.peak_mb:,.0f} |", flush=True
                )


def write(folder: Path, documents: int) -> None:
    draw = random.Random(SEED)
    with Path(folder, "collection.jsonl").open("wb") as file:
        for n in range(documents):
            text = " ".join(draw.choices(VOCABULARY, k=WORDS))
            file.write(orjson.dumps({"id": f"d{n}", "text": text}) + b"\n")
    with Path(folder, "tiered.jsonl").open("wb") as file:
        for q in range(100):
            query = {"text": " ".join(draw.choices(VOCABULARY, k=20))}
            file.write(orjson.dumps({"query_id": f"q{q}", "query": query, "positives": []}) + b"\n")


if __name__ == "__main__":
    main()
