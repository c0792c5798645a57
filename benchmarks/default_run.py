"""Wall time of `benchbench run --batch-size 32`: the first run (nothing compiled) and the second.

usage: python benchmarks/default_run.py [--rounds 3]

"First" starts with an empty cache of compiled kernels, as on a machine where benchbench was just installed.
The time is that of the whole process, its service included; the wall time of `--help` stands beside it.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from machine import describe


def seconds(arguments: list[str], folder: str) -> float:
    environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/numba"}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "benchbench", *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - started


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    rounds = arguments.parse_args().rounds
    first, second, starting = [], [], []
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            run = ["run", "--batch-size", "32", "--out"]
            first.append(seconds([*run, f"first{number}"], folder))
            second.append(seconds([*run, f"second{number}"], folder))
            starting.append(seconds(["--help"], folder))
    print(describe("numba", "numpy", "polars", "bm25s"))
    print(f"median of {rounds}\n\n| command | seconds |\n|---|---:|")
    print(f"| `benchbench run --batch-size 32`, first run | {statistics.median(first):.1f} |")
    print(f"| the same, second run | {statistics.median(second):.1f} |")
    print(f"| `benchbench --help` | {statistics.median(starting):.2f} |")


if __name__ == "__main__":
    main()
