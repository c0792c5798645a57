"""One small data set in every make, and what its queries are: plain dictionaries, written from the specification."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import orjson
import polars as pl

from benchbench.tables.queries import Queries


@dataclass(frozen=True)
class Invented:
    """Texts by id, and judgments in their order, each document of a query once."""

    queries: dict[str, str]
    judgments: list[tuple[str, str, int]]
    documents: dict[str, str]


SMALL = Invented(
    {"q1": "who may appeal", "2": "duties of a carrier", "q3": "limits & <periods> of 案件", "q4": "never judged"},
    [("2", "d1", 2), ("q1", "d2", 1), ("q1", "d1", 0), ("q3", "d3", -1), ("q3", "d2", 3), ("2", "17", 1)],
    {"d1": "carriers and their duties", "d2": "an appeal is made within a month", "d3": "nothing", "17": "a number"},
)


def read(data: Invented, by_id: bool = False) -> dict[str, tuple[str, dict[str, float]]]:
    """Return text and grades of each query that is judged, in the order of the queries."""
    found: dict[str, tuple[str, dict[str, float]]] = {}
    for query, text in data.queries.items():
        its = [one for one in data.judgments if one[0] == query]
        if its:
            found[query] = (text, {document: grade for _, document, grade in its if not (by_id and document == query)})
    return found


def columns(queries: Queries) -> dict[str, tuple[str, dict[str, float]]]:
    """Return the same of columns."""
    positives = queries.positives
    return {
        query: (text, dict(zip(positives.ids[positives.of(q)], positives.grade[positives.of(q)].tolist(), strict=True)))
        for q, (query, text) in enumerate(zip(queries.ids, queries.texts, strict=True))
    }


def json_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write objects, one a line; packed where the name ends so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def lines(path: Path, rows: list[tuple[Any, ...]], separator: str = "\t") -> Path:
    """Write rows of fields."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def parquet(path: Path, columns: dict[str, list[Any]]) -> Path:
    """Write a Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(path)
    return path


def texts(data: dict[str, str], identity: str = "_id", text: str = "text") -> list[dict[str, Any]]:
    """Return texts as records."""
    return [{identity: one, text: its} for one, its in data.items()]


def _beir(folder: Path, data: Invented, packed: str = "", header: bool = True) -> dict[str, Any]:
    json_lines(folder / f"queries.jsonl{packed}", texts(data.queries))
    json_lines(folder / f"corpus.jsonl{packed}", [{**one, "title": ""} for one in texts(data.documents)])
    first = [("query-id", "corpus-id", "score")] if header else []
    lines(folder / "qrels" / f"test.tsv{packed}", [*first, *data.judgments])
    return {"name": folder}


def _beir_of_json(folder: Path, data: Invented) -> dict[str, Any]:
    made = _beir(folder, data)
    (folder / "qrels" / "test.tsv").unlink()
    keys = ("query-id", "corpus-id", "score")
    json_lines(folder / "qrels" / "test.jsonl", [dict(zip(keys, one, strict=True)) for one in data.judgments])
    return made


def _trec(folder: Path, data: Invented, topics: Callable[[Path, dict[str, str]], Path]) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    documents = "".join(
        f"<DOC>\n<DOCNO>{i}</DOCNO>\n<TEXT>{escape(t)}</TEXT>\n</DOC>\n" for i, t in data.documents.items()
    )
    (folder / "docs.trec").write_text(documents, encoding="utf-8")
    qrels = [(query, 0, document, grade) for query, document, grade in data.judgments]
    return {
        "queries": topics(folder, data.queries),
        "qrels": lines(folder / "qrels.txt", qrels, " "),
        "collection": folder / "docs.trec",
    }


def sgml(folder: Path, queries: dict[str, str]) -> Path:
    """Write topics as TREC's first tracks have them: no tag but the outer one is closed."""
    path = folder / "topics.sgml"
    topic = (
        "<top>\n<num> Number: {}\n<title> {}\n\n<desc> Description:\nnot asked\n\n<narr> Narrative:\nnor this\n</top>\n"
    )
    path.write_text("".join(topic.format(one, escape(text)) for one, text in queries.items()), encoding="utf-8")
    return path


def xml(folder: Path, queries: dict[str, str]) -> Path:
    """Write topics as its later tracks have them."""
    path = folder / "topics.xml"
    inner = "".join(
        f'<topic number="{one}"><title>{escape(text)}</title><description>not asked</description></topic>\n'
        for one, text in queries.items()
    )
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<topics>\n{inner}</topics>\n', encoding="utf-8")
    return path


def _tsv(folder: Path, queries: dict[str, str]) -> Path:
    return lines(folder / "topics.tsv", list(queries.items()))


def _json(folder: Path, queries: dict[str, str]) -> Path:
    return json_lines(folder / "topics.jsonl", [{"qid": one, "query": text} for one, text in queries.items()])


def _trec_folder(folder: Path, data: Invented) -> dict[str, Any]:
    _trec(folder, data, _tsv)
    return {"name": folder}


def judged(data: Invented, *names: str) -> dict[str, list[Any]]:
    """Return the judgments as columns of some names."""
    return {name: [one[place] for one in data.judgments] for place, name in enumerate(names)}


def _mteb(folder: Path, data: Invented) -> dict[str, Any]:
    for part, its in (("corpus", data.documents), ("queries", data.queries)):
        parquet(folder / part / f"{part}-00000-of-00001.parquet", {"_id": list(its), "text": list(its.values())})
    parquet(folder / "qrels" / "test-00000-of-00001.parquet", judged(data, "query-id", "corpus-id", "score"))
    parquet(folder / "qrels" / "train-00000-of-00001.parquet", judged(data, "query-id", "score", "corpus-id"))
    return {"name": folder}


def _converted_branch(folder: Path, data: Invented) -> dict[str, Any]:
    for part, its in (("corpus", data.documents), ("queries", data.queries)):
        parquet(folder / part / part / "0000.parquet", {"_id": list(its), "text": list(its.values())})
    half = len(data.judgments) // 2
    for shard, some in enumerate((data.judgments[:half], data.judgments[half:])):
        part = Invented({}, some, {})
        parquet(folder / "default" / "test" / f"000{shard}.parquet", judged(part, "query-id", "corpus-id", "score"))
    return {"name": folder}


_TABLES = """
[queries]
file = "asked.{0}"
id = "uid"
text = ["words"]

[qrels]
file = "clicks.{0}"
query = "uid"
document = "item"
grade = "clicks"

[collection]
file = "shop.{0}"
id = "sku"
text = "label"
"""


def _described(folder: Path, data: Invented, suffix: str) -> dict[str, Any]:
    tables = {
        "asked": {"uid": list(data.queries), "words": list(data.queries.values())},
        "clicks": {**judged(data, "uid", "item", "clicks"), "day": ["Monday"] * len(data.judgments)},
        "shop": {"sku": list(data.documents), "label": list(data.documents.values())},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, its in tables.items():
        path, rows = folder / f"{name}.{suffix}", list(zip(*its.values(), strict=True))
        if suffix == "parquet":
            parquet(path, its)
        elif suffix == "tsv":
            lines(path, [tuple(its), *rows])
        else:
            json_lines(path, [dict(zip(its, row, strict=True)) for row in rows])
    (folder / "dataset.toml").write_text(_TABLES.format(suffix), encoding="utf-8")
    return {"name": folder}


MAKES: dict[str, Callable[[Path, Invented], dict[str, Any]]] = {
    "beir": _beir,
    "beir, packed": lambda folder, data: _beir(folder, data, ".gz"),
    "beir, without a header": lambda folder, data: _beir(folder, data, header=False),
    "beir, judgments as JSON lines": _beir_of_json,
    "trec, TSV": lambda folder, data: _trec(folder, data, _tsv),
    "trec, JSON lines": lambda folder, data: _trec(folder, data, _json),
    "trec, SGML": lambda folder, data: _trec(folder, data, sgml),
    "trec, XML": lambda folder, data: _trec(folder, data, xml),
    "trec, a folder": _trec_folder,
    "parquet, as MTEB": _mteb,
    "parquet, a converted branch": _converted_branch,
    "described, TSV": lambda folder, data: _described(folder, data, "tsv"),
    "described, JSON lines": lambda folder, data: _described(folder, data, "jsonl"),
    "described, Parquet": lambda folder, data: _described(folder, data, "parquet"),
}
