"""LegalBench-RAG: questions with character spans in `benchmarks/*.json`, and the texts in `corpus`.

The texts are cut into chunks for the embedded retriever. A service may cut them as it likes: a hit that says its file
and span is relevant where that overlaps a gold span.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, said_by
from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import said_of_itself
from benchbench.formats.datasets.splits import chosen_split
from benchbench.formats.legalbench_rag import read_gold
from benchbench.formats.records import Part
from benchbench.results.ranges import COUNT, COUNT_OR_0, check
from benchbench.tables.passages import Passages, Place
from benchbench.tables.text_files import toml_beside

TASKS = Path(__file__).with_name("legalbench-rag.toml")  # what `prepare chunks` writes beside its chunks
_NOT_ON_DISK = re.compile(r'[<>:"|?*]')  # stand in paths of the benchmarks, and as `_` in the names of the files


@dataclass(frozen=True, slots=True)
class Cut:
    """How texts are cut, in characters."""

    chunk: int = 500
    overlap: int = 0

    def __post_init__(self) -> None:
        """Check every value; an overlap as long as a chunk would never end."""
        check(self, chunk=COUNT, overlap=COUNT_OR_0)
        if not 0 <= self.overlap < self.chunk:
            raise InputError(f"--overlap {self.overlap} is not from 0 to below --chunk-size {self.chunk}")

    def places(self, file: str, length: int) -> Iterator[Place]:
        """Yield the chunks of a text, in order; none lies within another."""
        for start in range(0, max(length - self.overlap, 1), self.chunk - self.overlap):
            yield Place(file, start, min(start + self.chunk, length))


def text_files(corpus: Path, benchmark: Path, gold: Passages) -> dict[str, Path]:
    """Return where the texts are that the snippets point into, by the path that the benchmark gives them, in its order.

    Raises
    ------
    InputError
        Naming one of the files that are not there.
    """
    snippets = [passage for passages in gold.by_query.values() for passage in passages]
    paths: dict[str, Path] = {}
    dangling: list[str] = []
    for file in dict.fromkeys(snippet.place.file for snippet in snippets if snippet.place):
        path = next((place for place in (corpus / file, corpus / _NOT_ON_DISK.sub("_", file)) if place.is_file()), None)
        if path is None:
            dangling.append(file)
        else:
            paths[file] = path
    if dangling:
        raise InputError(
            f"{len(dangling):,} files that {benchmark} names are not below {corpus}, such as {dangling[0]!r}"
        )
    return paths


def read_text(path: Path) -> str:
    """Return the text of a file; InputError when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {said_by(error)}") from None


def placed_gold(benchmark: Path) -> Passages:
    """Return the questions of a benchmark with their snippets; InputError when these do not say where they stand."""
    gold = read_gold(benchmark)
    if not gold.are_placed:
        raise InputError(f"{benchmark} has no snippet with file_path and span, so no chunk can be relevant")
    return gold


def query_labels(gold: Passages, query: str) -> dict[str, Any]:
    """Return what tasks compare of a question: its contracts and spans."""
    places = [snippet.place for snippet in gold.by_query[query] if snippet.place]
    contracts = list(dict.fromkeys(place.file for place in places))
    return {
        "document": ", ".join(contracts),
        "contracts": contracts,
        "spans": [place._asdict() for place in places],
    }


def _is_this(path: Path) -> bool:
    return path.is_dir() and (path / "corpus").is_dir() and any((path / "benchmarks").glob("*.json"))


def _open(options: DataSetOptions) -> DataSet:
    options.refuse("LegalBench-RAG", "whose benchmarks have questions and spans", "queries", "qrels", "topic_field")
    folder = options.folder("legalbench-rag")
    benchmarks = {path.stem: path for path in sorted((folder / "benchmarks").glob("*.json"))}
    if not benchmarks:
        raise InputError(f"--dataset {folder}: there is no benchmarks/*.json in it, as LegalBench-RAG has")
    split = chosen_split(str(folder), list(benchmarks), options.split)
    carried = toml_beside(__file__, TASKS.name)
    del carried["tasks"]["gold"]  # which takes judgments of chunks, and here are spans alone
    chunks = Part(folder / "corpus", generated=partial(_chunks, folder / "corpus", benchmarks[split]))
    return DataSet(
        "legalbench-rag",
        options,
        Part(benchmarks[split], generated=partial(_questions, benchmarks[split])),
        collection=chunks if options.collection is None else Part(options.collection),
        **said_of_itself(folder, "text", carried),
        split=split,
        splits=tuple(benchmarks),
    )


def _questions(benchmark: Path) -> Iterator[dict[str, Any]]:
    gold = placed_gold(benchmark)
    for number, query in enumerate(gold.by_query, 1):
        yield {"id": str(number), "text": query, "meta": query_labels(gold, query)}


def _chunks(corpus: Path, benchmark: Path) -> Iterator[dict[str, Any]]:
    cut = Cut()
    for file, path in text_files(corpus, benchmark, placed_gold(benchmark)).items():
        text = read_text(path)
        for place in cut.places(file, len(text)):
            chunk = text[place.start : place.end]
            if chunk.strip():
                yield {"id": str(place), "text": chunk, "meta": place._asdict()}


MAKE = Make("legalbench-rag", "benchmarks/*.json and the texts in corpus", _is_this, _open)
