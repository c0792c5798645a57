"""How fast the history is: its commands on many runs, adding, and reading numbers; on SQLite and PostgreSQL.

    python benchmarks/history.py [--runs 10000] [--numbers 35] [--store postgresql://…]

Runs of one name with 35 numbers, 25 settings and 4 tags each are written in bulk. `list`, `summary` and `trend` are
timed as commands, each in a process of its own with its start: the least of three, and the largest resident size, which
is at least that of the process that starts them. Then some runs are added one by one as `history add` does, each in a
transaction of its own with a file of values for 200 queries; times of that and of what is read are medians of rounds in
this process: those of the clock, and of the process alone, which do not depend on what else the machine does. Without
`--store` a file of SQLite in a temporary folder is measured.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from machine import describe

from benchbench.history.adding import insert, rows_of
from benchbench.history.listing import listing
from benchbench.history.store import Store, open_history
from benchbench.history.wanted import Wanted
from benchbench.results.record import Data, Number, Record, record, settings_of
from benchbench.results.result import Result

QUERIES, AT_ONCE, ROUNDS = 200, 500, 9
COMMANDS, TIMES = ("list", "summary", "trend"), 3


class Invented(Result):
    """A run with values per query."""

    kind = "run"

    def __init__(self, began: float, numbers: int) -> None:
        """Draw its values."""
        self.began = began
        self.values = np.random.default_rng(int(began)).random((QUERIES, max(numbers // 3, 1)))
        self.count = numbers

    def to_record(self) -> Record:
        """Return the record."""
        numbers = [
            Number(
                name=f"nDCG@{place}",
                value=float(self.values[:, place % self.values.shape[1]].mean()),
                low=0.4,
                high=0.6,
                stderr=0.02,
                n=QUERIES,
                better="higher",
                scope={"task": "gold"},
            )
            for place in range(self.count)
        ]
        tags = {"commit": f"{int(self.began):040x}", "branch": "main", "host": "ci-1", "model": "small"}
        ended = self.began + 1
        settings = settings_of({f"setting_{place}": f"value {place}" for place in range(25)})
        members = {"data": Data(name="cases"), "numbers": numbers, "tags": tags, "settings": settings}
        return record("run", self.began, ended, name="bm25", **members)

    def tables(self) -> Mapping[str, Callable[[], pl.DataFrame]]:
        """Return the table of values."""
        names = [f"gold.nDCG@{place}" for place in range(self.values.shape[1])]
        ids = pl.Series("query_id", [f"q{one}" for one in range(QUERIES)])
        return {"per_query": lambda: pl.DataFrame(self.values, schema=names).insert_column(0, ids)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--numbers", type=int, default=35)
    parser.add_argument("--store")
    given = parser.parse_args(arguments)
    print(describe("polars"))
    with tempfile.TemporaryDirectory() as folder:
        address = given.store or Path(folder) / "history.db"
        with open_history(address, create=True, tables=Path(folder) / "tables") as history:
            fill(history, given.runs, given.numbers)
            measure_commands(str(address), given.runs)
            measure(history, given.runs, given.numbers)
        began = time.perf_counter()
        with open_history(address, write=False, tables=Path(folder) / "tables"):
            print(f"open again: {(time.perf_counter() - began) * 1e3:.0f} ms")


def fill(history: Store, runs: int, numbers: int) -> None:
    """Write runs in bulk."""
    for first in range(0, runs, AT_ONCE):
        with history.transaction() as connection:
            for one in range(first, min(first + AT_ONCE, runs)):
                insert(connection, rows_of(Invented(1e9 + one, numbers), {}, "results/some-folder"))


def measure_commands(address: str, runs: int) -> None:
    """Print the seconds and the memory of each command, its start included."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for name in COMMANDS:
        seconds, memory = [], 0.0
        for _ in range(TIMES):
            began = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-m", "benchbench", "history", name, "--store", address],
                env=environment,
                stdout=subprocess.DEVNULL,
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise SystemExit(f"history {name} failed")
            seconds.append(time.perf_counter() - began)
            memory = max(memory, used.ru_maxrss / 1024)
        print(f"history {name} of {runs:,} runs: {min(seconds):.2f} s, {memory:.0f} MB")


def measure(history: Store, runs: int, numbers: int) -> None:
    """Print the time of each thing that is done."""
    more = [Invented(2e9 + one, numbers) for one in range(ROUNDS + 1)]
    added, left = history.add(more[0])[0], iter(more[1:])
    thousand = history.entries(Wanted(limit=1_000))
    names = {f"gold.nDCG@{place}" for place in range(3)}
    work: dict[str, Callable[[], object]] = {
        "add a run": lambda: history.add(next(left)),
        f"find {runs:,} runs": history.entries,
        f"list {runs:,} runs with their first measures": lambda: listing(history),
        "list the latest 20": lambda: history.entries(Wanted(limit=20)),
        "list those of one tag": lambda: history.entries(Wanted(tags={"host": "ci-1"}, limit=20)),
        f"all {numbers} numbers of 1,000 runs": lambda: history.numbers(thousand),
        "3 numbers of 1,000 runs": lambda: history.numbers(thousand, names),
        "values per query of one run": lambda: history.values(added),
    }
    for name, (seconds, of_process) in timed(work).items():
        print(f"{name}: {seconds * 1e3:.0f} ms, {of_process * 1e3:.0f} ms of this process")


def timed(work: Mapping[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Run A B A B …; return the median seconds of each, by the clock and of the process."""
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, function in work.items():
            began = time.perf_counter(), time.process_time()
            function()
            took[name].append((time.perf_counter() - began[0], time.process_time() - began[1]))
    return {name: tuple(map(statistics.median, zip(*times, strict=True))) for name, times in took.items()}


if __name__ == "__main__":
    main()
