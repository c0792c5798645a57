"""Memory and time of what reads a collection of some gigabytes, and of the commands over it.

usage: python benchmarks/large_collection.py [--gigabytes 5] [--shapes jsonl parquet tsv] [--steps NAME …]

Invented documents of some 1,000 characters with labels, written to a temporary folder beside queries and judgments.
Each step is a process of its own, of which the largest resident size and the seconds are printed; `start` does nothing
but import, so that its memory is that of the interpreter and its libraries. `run` and `audit` ask a service over the
documents that are judged; `serve` alone keeps texts, and stops once it listens.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

WORDS = 200  # of a document, of four characters each: 65,536 of them
SHARDS = 1 << 30  # bytes of texts of a shard of Parquet
ASKED = 100  # documents whose texts are shown, and queries


def documents(size: int) -> Iterator[dict[str, object]]:
    """Yield documents of so many bytes of texts together."""
    drawn = random.Random(15)
    number = 0
    while size > 0:
        text = drawn.randbytes(2 * WORDS).hex(" ", 2)
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
        while some := [row for _, row in zip(range(SHARDS // (WORDS * 5) // 4), rows, strict=False)]:
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

DESCRIPTION = """
[queries]
file = "queries.jsonl"
[collection]
file = "{collection}"
[qrels]
file = "qrels.txt"
[tasks.gold]
rule = "judgments"
by = "id"
[tasks.court]
rule = "equal"
label = "court"
"""
SERVED = "served.jsonl"
COMMANDS = {  # a {folder} with the data set, the {url} of a service
    "datasets": "datasets {folder}",
    "run": "run --dataset {folder} --url {url} --out {folder}/one",
    "run again": "run --dataset {folder} --url {url} --out {folder}/two --resume",
    "compare": "compare {folder}/one {folder}/two --moved 20",
    "index validate": "index validate {folder}/truth.jsonl --collection {collection}",
    "prepare beir": "prepare beir {folder} --out {folder}/beir",
    "prepare trec": "prepare trec {folder} --out {folder}/trec",
    "audit": "audit {folder} --url {url}",
    "serve": "serve --dataset {folder}",
}


def write_data_set(collection: Path) -> None:
    """Write queries, judgments and a ground truth that go with a collection, and the documents of the service."""
    folder = collection.parent
    few = [row for _, row in zip(range(10 * ASKED), records(collection), strict=False)]
    rows = [row for _, row in few]
    asked = [
        {"_id": f"q{n}", "text": " ".join(rows[n * 7]["text"].split()[1:12]), "court": f"court {n % 20}"}
        for n in range(ASKED)
    ]
    (folder / "dataset.toml").write_text(DESCRIPTION.format(collection=collection.name))
    (folder / "queries.jsonl").write_bytes(b"\n".join(map(orjson.dumps, asked)))
    (folder / "qrels.txt").write_text(
        "".join(f"q{n} 0 {rows[n * 7 + more]['_id']} 1\n" for n in range(ASKED) for more in (0, 1))
    )
    truth = [{"question": f"q{n}", "truth": f"[{rows[n]['_id']}]"} for n in range(ASKED)]
    (folder / "truth.jsonl").write_bytes(b"\n".join(map(orjson.dumps, truth)))
    (folder / SERVED).write_bytes(b"\n".join(map(orjson.dumps, rows)))


@contextmanager
def service(collection: Path) -> Iterator[str]:
    """Serve a collection; yield the URL."""
    command = [sys.executable, "-m", "benchbench", "serve", str(collection), "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def measured(command: list[str], until_listening: bool = False) -> tuple[float, float]:
    """Return largest resident size in MB and seconds of a process; one that serves is stopped once it listens."""
    started = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said) as process,
    ):
        assert process.stdout is not None
        if until_listening and process.stdout.readline():
            process.send_signal(signal.SIGTERM)
        process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        if process.returncode not in (0, 1, -signal.SIGTERM, 128 + signal.SIGTERM):
            said.seek(0)
            print(f"  {' '.join(command[1:5])} … ended with {process.returncode}: {said.read()[-500:]}")
    return used.ru_maxrss / 1024, seconds


def own(step: str, path: Path, *others: str) -> list[str]:
    """Return the command of a step of this script."""
    return [sys.executable, __file__, "--step", step, "--path", str(path), *others]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--gigabytes", type=float, default=5.0)
    arguments.add_argument("--shapes", nargs="+", default=["jsonl", "parquet", "tsv"])
    arguments.add_argument("--steps", nargs="+", default=[*STEPS, *COMMANDS])
    arguments.add_argument("--step", choices=["write", *STEPS], help=argparse.SUPPRESS)
    arguments.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.step == "write":  # not in this process: a child's largest size begins with that of its parent
        write(options.path, int(options.gigabytes * 1e9))
        write_data_set(options.path)
        return
    if options.step:
        STEPS[options.step](options.path)
        return
    print(describe("polars", "orjson", "msgspec"))
    for shape in options.shapes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / f"collection.{shape}"
            measured(own("write", path, "--gigabytes", str(options.gigabytes)))
            files = [path] if path.is_file() else list(path.iterdir())
            print(f"{shape}: {sum(file.stat().st_size for file in files) / 1e9:.1f} GB in {len(files)} files")
            with service(folder / SERVED) as url:
                for step in options.steps:
                    if step in STEPS:
                        command = own(step, path)
                    else:
                        words = COMMANDS[step].split()
                        filled = (word.format(folder=folder, url=url, collection=path) for word in words)
                        command = [sys.executable, "-m", "benchbench", *filled]
                    memory, seconds = measured(command, step == "serve")
                    print(f"  {step:20} {memory:8,.0f} MB {seconds:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
