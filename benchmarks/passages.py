"""Scoring retrieved passages: whole process, from files to numbers; cost and memory grow with the passages.

usage: passages.py [PASSAGES …]    (20,000, 100,000 and 500,000, ten a query, some 600 characters each)

Two of three queries have an answer among their passages, cut out of one of them.
"""

import random
import sys
import tempfile
from pathlib import Path

import orjson
from machine import describe

from benchbench.profile.child import run

DEPTH, SEED = 10, 7
WORDS = ("the", "party", "shall", "not", "disclose", "Confidential", "Information,", "to", "any", "third", "person.")


def main() -> None:
    print(describe("orjson"), end="\n\n")
    print("| passages | predictions, MB | seconds | passages/s | peak, MB |")
    print("|---:|---:|---:|---:|---:|")
    for passages in map(int, sys.argv[1:] or (20_000, 100_000, 500_000)):
        with tempfile.TemporaryDirectory() as folder:
            predictions, gold = Path(folder, "predictions.json"), Path(folder, "gold.json")
            write(passages // DEPTH, predictions, gold)
            command = [sys.executable, "-m", "benchbench", "passages", str(predictions), str(gold)]
            run(command, 3600)  # the files are in memory
            ended = run(command, 3600)
            assert ended.failure is None, ended.failure
            size = predictions.stat().st_size / 1e6
            rate = passages / ended.seconds
            print(
                f"| {passages:,} | {size:,.0f} | {ended.seconds:.1f} | {rate:,.0f} | {ended.peak_mb:,.0f} |", flush=True
            )


def write(queries: int, predictions: Path, gold: Path) -> None:
    draw = random.Random(SEED)
    words = [*WORDS, *(f"term{n}" for n in range(5_000))]
    found, tests = [], []
    for q in range(queries):
        texts = [" ".join(draw.choices(words, k=75)) for _ in range(DEPTH)]
        answer = draw.choice(texts)[100:300] if q % 3 else f"nothing of this was retrieved for {q}"
        found.append({"query": f"What holds in case {q}?", "retrieved_passages": texts})
        tests.append({"query": f"What holds in case {q}?", "snippets": [{"answer": answer}]})
    predictions.write_bytes(orjson.dumps(found))
    gold.write_bytes(orjson.dumps({"tests": tests}))


if __name__ == "__main__":
    main()
