"""One small judged data set for whole runs: the same queries, documents and judgments in each make."""

from pathlib import Path
from random import Random

import makes
import polars as pl
from makes import MAKES, Invented

_WORDS = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper", "larch", "maple")
_DRAW = Random(7)
DOCUMENTS = {f"d{n}": " ".join(_DRAW.choices(_WORDS, k=9)) for n in range(40)}
QUERIES = {f"q{n}": " ".join(_DRAW.choices(_WORDS, k=3)) for n in range(12)}
GRADES = {query: {one: _DRAW.choice((0, 1, 2)) for one in _DRAW.sample(sorted(DOCUMENTS), 6)} for query in QUERIES}
KINDS = {query: "ab"[number % 2] for number, query in enumerate(QUERIES)}
ROWS = [(query, document, grade) for query, grades in GRADES.items() for document, grade in grades.items()]


WHOLE = Invented(QUERIES, ROWS, DOCUMENTS)
WRITTEN = ("beir", "trec, SGML", "trec, a folder", "parquet, as MTEB", "described, TSV")


def named(make: str, folder: Path) -> list[str]:
    """Write it in a make, and return the options that name it."""
    found = MAKES[make](folder, WHOLE)
    return [f"--{'dataset' if option == 'name' else option}={path}" for option, path in found.items()]


def beir(folder: Path) -> Path:
    """Write BEIR's folder, with a kind of each query."""
    MAKES["beir"](folder, WHOLE)
    queries = [{"_id": one, "text": text, "metadata": {"kind": KINDS[one]}} for one, text in QUERIES.items()]
    makes.json_lines(folder / "queries.jsonl", queries)
    return folder


def register() -> None:
    """Make it a data set of the package ir_datasets, in memory, by the id `trees`."""
    import ir_datasets
    from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericDoc, GenericQuery, TrecQrel

    class Documents(BaseDocs):
        def docs_iter(self):  # type: ignore[no-untyped-def]
            return iter([GenericDoc(*row) for row in DOCUMENTS.items()])

    class Asked(BaseQueries):
        def queries_iter(self):  # type: ignore[no-untyped-def]
            return iter([GenericQuery(*row) for row in QUERIES.items()])

    class Judged(BaseQrels):
        def qrels_iter(self):  # type: ignore[no-untyped-def]
            return iter([TrecQrel(*row, "0") for row in ROWS])

    ir_datasets.registry.register("trees", ir_datasets.Dataset(Documents(), Asked(), Judged()))


def values(folder: Path) -> pl.DataFrame:
    """Return the values per query of a results folder, without what no two runs have alike."""
    return pl.read_parquet(folder / "per_query.parquet").drop("latency_ms")
