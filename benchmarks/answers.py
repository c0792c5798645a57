"""Stored answers scored in a stream: rate and memory, over more and more answers.

usage: python benchmarks/answers.py [--answers 10000 100000 1000000]

The answers are invented, some 700 characters each: prose on the UK rules with citations, four in five of which are
the truth's. Each size is scored by `benchbench answers score`, which starts worker processes: CPU is what all of them
used together, and the peak is that of the largest.
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
from machine import describe

_SENTENCES = (
    "Under CPR Part {a} the claimant may apply to the court within {b} days of service.",
    "Rule {a}.{b}({c}) gives the court a discretion, and Practice Direction {a}A, paragraph {c}.1, supplements it.",
    "Section {a} of the Limitation Act 1980 extends time where it is equitable to do so [Part {a}#page=Time limits].",
    "The Court of Appeal said so in [20{b}] EWCA Civ {a}{c}, and the judgment was followed [Default Judgment].",
    "Disclosure is standard disclosure unless the court orders otherwise, and solicitors must explain it [1][2].",
)


def write(path: Path, answers: int) -> None:
    draw = random.Random(7)
    with path.open("wb") as file:
        for n in range(answers):
            numbers = {"a": draw.randrange(1, 80), "b": draw.randrange(10, 25), "c": draw.randrange(1, 9)}
            truth = [one.format_map(numbers) for one in draw.sample(_SENTENCES, 3)]
            answer = [one for one in truth if draw.random() < 0.8] + draw.sample(_SENTENCES, 4)
            text = " ".join(one.format_map(numbers) for one in answer)
            file.write(orjson.dumps({"question": f"Question {n}?", "truth": " ".join(truth), "answer": text}) + b"\n")


def cpu() -> float:
    """Return the seconds that all processes started here have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--answers", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options = arguments.parse_args()
    print(describe("orjson"))
    print("| answers | MB | seconds | answers/s | CPU us/answer | peak MB |\n|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for answers in sorted(options.answers):  # the largest last: the peak is that of all children so far
            path = Path(folder) / "answers.jsonl"
            write(path, answers)
            used, started = cpu(), time.perf_counter()
            command = [sys.executable, "-m", "benchbench", "answers", "score", str(path), "--format", "json"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds = time.perf_counter() - started
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            size = path.stat().st_size / 1e6
            each = (cpu() - used) / answers * 1e6
            row = (
                f"| {answers:,} | {size:,.0f} | {seconds:,.1f} | {answers / seconds:,.0f} | {each:,.0f} | {peak:,.0f} |"
            )
            print(row, flush=True)


if __name__ == "__main__":
    main()
