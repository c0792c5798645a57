"""One small judged data set, written in each make that benchbench reads: the same queries, documents and judgments."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import orjson
import polars as pl

_WORDS = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper", "larch", "maple")
_DRAW = Random(7)
DOCUMENTS = {f"d{n}": " ".join(_DRAW.choices(_WORDS, k=9)) for n in range(40)}
QUERIES = {f"q{n}": " ".join(_DRAW.choices(_WORDS, k=3)) for n in range(12)}
GRADES = {query: {one: _DRAW.choice((0, 1, 2)) for one in _DRAW.sample(sorted(DOCUMENTS), 6)} for query in QUERIES}
KINDS = {query: "ab"[number % 2] for number, query in enumerate(QUERIES)}
ROWS = [(query, document, grade) for query, grades in GRADES.items() for document, grade in grades.items()]


def _lines(path: Path, records: list[dict[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in records))
    return path


def _text(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def _trec_qrels(path: Path) -> Path:
    return _text(path, "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in ROWS))


def beir(folder: Path) -> list[str]:
    """BEIR's folder."""
    _lines(folder / "corpus.jsonl", [{"_id": one, "title": "", "text": text} for one, text in DOCUMENTS.items()])
    queries = [{"_id": one, "text": text, "metadata": {"kind": KINDS[one]}} for one, text in QUERIES.items()]
    _lines(folder / "queries.jsonl", queries)
    rows = "".join(f"{query}\t{document}\t{grade}\n" for query, document, grade in ROWS)
    _text(folder / "qrels" / "test.tsv", f"query-id\tcorpus-id\tscore\n{rows}")
    return ["--dataset", str(folder)]


def trec(folder: Path) -> list[str]:
    """TREC's files, named by options: topics and documents in SGML."""
    topics = "".join(
        f"<top>\n<num> Number: {one}\n<title> {text}\n\n<desc> Description:\nno\n</top>\n"
        for one, text in QUERIES.items()
    )
    documents = "".join(
        f"<DOC>\n<DOCNO> {one} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n" for one, text in DOCUMENTS.items()
    )
    return [
        *("--queries", str(_text(folder / "topics.sgml", topics))),
        *("--qrels", str(_trec_qrels(folder / "judged.txt"))),
        *("--collection", str(_text(folder / "documents.trec", documents))),
    ]


def tables(folder: Path) -> list[str]:
    """TREC's parts as TSV, found in a folder by their names."""
    _text(folder / "queries.tsv", "".join(f"{one}\t{text}\n" for one, text in QUERIES.items()))
    _text(folder / "collection.tsv", "".join(f"{one}\t{text}\n" for one, text in DOCUMENTS.items()))
    _trec_qrels(folder / "qrels.txt")
    return ["--dataset", str(folder)]


def parquet(folder: Path) -> list[str]:
    """Folders of Parquet, as MTEB lays them out."""
    for name in ("corpus", "queries", "qrels"):
        (folder / name).mkdir(parents=True)
    frame = pl.DataFrame({"_id": list(DOCUMENTS), "title": [""] * len(DOCUMENTS), "text": list(DOCUMENTS.values())})
    for shard in range(2):
        frame[shard * 20 : shard * 20 + 20].write_parquet(folder / "corpus" / f"corpus-0000{shard}-of-00002.parquet")
    queries = pl.DataFrame({"_id": list(QUERIES), "text": list(QUERIES.values())})
    queries.write_parquet(folder / "queries" / "queries-00000-of-00001.parquet")
    judged = pl.DataFrame(ROWS, schema=["query-id", "corpus-id", "score"], orient="row")
    judged.write_parquet(folder / "qrels" / "test-00000-of-00001.parquet")
    return ["--dataset", str(folder)]


def described(folder: Path) -> list[str]:
    """Files of one's own with names of their own, and a description."""
    _text(folder / "asked.csv", "".join(["no,words\n", *(f"{one},{text}\n" for one, text in QUERIES.items())]))
    _lines(folder / "things.jsonl", [{"sku": one, "about": text} for one, text in DOCUMENTS.items()])
    clicks = pl.DataFrame(ROWS, schema=["who", "what", "how"], orient="row")
    clicks.write_parquet(folder / "clicks.parquet")
    _text(
        folder / "dataset.toml",
        "[queries]\nfile = 'asked.csv'\nid = 'no'\ntext = 'words'\n"
        "[collection]\nfile = 'things.jsonl'\nid = 'sku'\ntext = 'about'\n"
        "[qrels]\nfile = 'clicks.parquet'\nquery = 'who'\ndocument = 'what'\ngrade = 'how'\n",
    )
    return ["--dataset", str(folder)]


MAKES: dict[str, Callable[[Path], list[str]]] = {one.__name__: one for one in (beir, trec, tables, parquet, described)}


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
