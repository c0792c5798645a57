"""Memory and time of what reads a collection of some gigabytes without keeping it.

usage: python benchmarks/large_collection.py [--gigabytes 5] [--shapes jsonl parquet tsv]

Invented documents of some 1,000 characters with labels, written to a temporary folder. Each step is a process of its
own, of which the largest resident size and the seconds are printed; `start` does nothing but import, so that its memory
is that of the interpreter and its libraries.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
from machine import describe

from benchbench.formats.collection import document_ids
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.records import records
from benchbench.formats.tiered import read_tiered
from benchbench.tasks.collection_counts import relevant_in_collection
from benchbench.tasks.compiled import compiled
from benchbench.tasks.reading import parse_tasks

WORDS = 150  # of a document, of six characters each
SHARDS = 1 << 30  # bytes of texts of a shard of Parquet
ASKED = 100  # documents whose texts are shown, and queries


def documents(size: int) -> Iterator[dict[str, object]]:
    """Yield documents of so many bytes of texts together."""
    drawn = random.Random(15)
    number = 0
    while size > 0:
        text = drawn.randbytes(3 * WORDS).hex(" ", 3)
        yield {"_id": f"d{number}", "text": f"{number} {text}", "court": f"court {number % 20}", "year": number % 60}
        number += 1
        size -= len(text)


def write(path: Path, size: int) -> None:
    """Write the documents in the shape that the suffix says."""
    shape, rows = path.suffix[1:], documents(size)
    if shape == "parquet":
        import polars as pl

        path.mkdir()
        shard = 0
        while some := [row for _, row in zip(range(SHARDS // (WORDS * 7) // 4), rows, strict=False)]:
            pl.DataFrame(some).write_parquet(path / f"{shard:04}.parquet", row_group_size=10_000)
            shard += 1
        return
    with path.open("wb") as file:
        if shape == "tsv":
            file.write(b"_id\ttext\tcourt\tyear\n")
        for row in rows:
            line = orjson.dumps(row) if shape == "jsonl" else "\t".join(map(str, row.values())).encode()
            file.write(line + b"\n")


def count_relevant(path: Path) -> None:
    """Count the relevant documents of some queries."""
    tasks = compiled(parse_tasks(["court=equal(court)", "year=within(year, absolute=2)"]))
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "tiered.jsonl"
        rows = [
            {"query_id": q, "query": {"text": f"q{q}", "court": f"court {q % 20}", "year": q}} for q in range(ASKED)
        ]
        asked.write_bytes(b"\n".join(map(orjson.dumps, rows)))
        relevant_in_collection(path, read_tiered(asked, schema=tasks.schema), tasks, "id")


def show_texts(path: Path) -> None:
    """Read the texts of some documents, one of which is not there, so that all of the collection is read."""
    texts_of(path, [f"d{n * 37}" for n in range(ASKED)] + ["unknown"])


STEPS: dict[str, Callable[[Path], object]] = {
    "start": lambda path: None,
    "whole records": lambda path: deque(records(path), 0),
    "ids": lambda path: deque(document_ids(path), 0),
    "texts of 100": show_texts,
    "relevant documents": count_relevant,
}


def measured(step: str, path: Path, *others: str) -> tuple[float, float]:
    """Return largest resident size in MB and seconds of a step in a process of its own."""
    started = time.perf_counter()
    command = [sys.executable, __file__, "--step", step, "--path", str(path), *others]
    process = os.posix_spawn(sys.executable, command, os.environ)
    _, status, used = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{step} of {path} failed")
    return used.ru_maxrss / 1024, time.perf_counter() - started


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--gigabytes", type=float, default=5.0)
    arguments.add_argument("--shapes", nargs="+", default=["jsonl", "parquet", "tsv"])
    arguments.add_argument("--step", choices=["write", *STEPS], help=argparse.SUPPRESS)
    arguments.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.step == "write":  # not in this process: a child's largest size begins with that of its parent
        write(options.path, int(options.gigabytes * 1e9))
        return
    if options.step:
        STEPS[options.step](options.path)
        return
    print(describe("polars", "orjson", "msgspec"))
    for shape in options.shapes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"collection.{shape}"
            measured("write", path, "--gigabytes", str(options.gigabytes))
            files = [path] if path.is_file() else list(path.iterdir())
            print(f"{shape}: {sum(file.stat().st_size for file in files) / 1e9:.1f} GB in {len(files)} files")
            for step in STEPS:
                memory, seconds = measured(step, path)
                print(f"  {step:20} {memory:8,.0f} MB {seconds:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
