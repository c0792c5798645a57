"""What comparisons are tested with: ten queries with runs that differ, and results folders of real runs."""

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any
from zlib import decompress

import data_sets
import services

from benchbench.experiment import run
from benchbench.formats.collection import read_collection
from benchbench.runs.run_folder import ResultsFolder
from benchbench.tables.collection import Collection

QUERIES = tuple(f"q{n}" for n in range(10))


def qrels() -> dict[str, dict[str, float]]:
    """Return two relevant documents a query, one of them better, and one that is not."""
    return {query: {f"{query}-best": 2, f"{query}-good": 1, f"{query}-bad": 0} for query in QUERIES}


def run_of(*order: str) -> dict[str, dict[str, float]]:
    """Return a run that ranks the same kinds of documents for every query."""
    return {query: {f"{query}-{kind}": len(order) - n for n, kind in enumerate(order)} for query in QUERIES}


GOOD = run_of("best", "good", "other", "bad")
POOR = {**run_of("bad", "other", "good", "best"), "q3": GOOD["q3"]}

FEW_HITS = (
    "half: your API returned at most 16 hits of 20 asked; [pages] of a protocol description asks for more "
    "(docs/protocol.md)"
)
"""What is said of the service of `write_results` that holds 16 of the 28 documents."""


def write_run(path: Path, hits: dict[str, dict[str, float]]) -> Path:
    """Write a run as TREC text."""
    lines = [
        f"{query} Q0 {document} {rank} {score} test\n"
        for query, found in hits.items()
        for rank, (document, score) in enumerate(found.items(), 1)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def write_files(folder: Path) -> tuple[Path, Path, Path]:
    """Write `qrels.trec`, `good.run` and `poor.run`."""
    judged = folder / "qrels.trec"
    judged.write_text("".join(f"{q} 0 {d} {g}\n" for q, grades in qrels().items() for d, g in grades.items()))
    return judged, write_run(folder / "good.run", GOOD), write_run(folder / "poor.run", POOR)


def results(folder: Path, data: Path, url: str, **options: Any) -> Path:
    """Measure a service and write its results folder."""
    settings = data_sets.settings(data, url, **options)
    with ResultsFolder(folder) as out:
        out.finish(run(settings, out.append, journal=out.journal))
    return folder


def write_results(folder: Path) -> tuple[Path, Path, Path]:
    """Write a data set, and the results of a BM25 over it and of one that answers with the wrong half."""
    data = data_sets.write(folder / "data")
    collection = read_collection(data / "collection.jsonl")
    half = Collection(collection.ids[12:], collection.texts[12:], collection.meta[12:])
    paths = []
    for name, documents in (("whole", collection), ("half", half)):
        with services.running(services.searching(documents)) as service:
            paths.append(results(folder / name, data, service.url, name=name))
    return data, paths[0], paths[1]


def queries_of(page: str) -> dict[str, Any]:
    """Return what the page of a comparison has of its queries."""
    found = re.search('id="packed">([^<]*)<', page)
    assert found
    return json.loads(decompress(b64decode(found[1])))
