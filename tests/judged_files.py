"""Judgments and hits in every format that is read, written by other means than the package's own."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats import frames, trec_reading
from benchbench.formats import json_rows as json_rows_format

Row = tuple[str, str, float]  # query, document, value
Rows = Sequence[Row]

HITS = {
    "q1": {"d1": 2.5, "d10": 2.5, "文書": -1e-3, "é": 2.5000000000000004, "7": 0.1},
    "查询": {"d1": 1e300, "7": -1e300, "12": 0.0},
    "12": {"7": 3.0, "30": 2.0},
    "13": {"7": 3.0},
}
GRADES = {"q1": {"é": 1, "7": 0, "d10": 3, "d5": -1}, "查询": {"7": 0.5, "12": 2}, "12": {"30": 1}, "14": {"7": 1}}


def flat(records: Mapping[str, Mapping[str, float]]) -> list[Row]:
    return [(query, document, value) for query, found in records.items() for document, value in found.items()]


def nested(rows: Rows) -> dict[str, dict[str, float]]:
    """Return the rows as an object of objects; of a repeated document the first value."""
    records: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        records.setdefault(query, {}).setdefault(document, value)
    return records


def frame(rows: Rows, run: bool) -> pl.DataFrame:
    kinds = {"query_id": pl.String, "doc_id": pl.String, "score" if run else "relevance": pl.Float64}
    return pl.DataFrame(list(rows), kinds, orient="row")


def trec(rows: Rows, run: bool) -> bytes:
    line = "{} Q0 {} 1 {!r} tag\n" if run else "{} 0 {} {!r}\n"
    return "".join(line.format(*row) for row in rows).encode()


def json_object(rows: Rows, run: bool) -> bytes:
    return json.dumps(nested(rows), ensure_ascii=False, indent=1).encode()


def json_rows(rows: Rows, run: bool) -> bytes:
    keys = ("query_id", "doc_id", "score" if run else "relevance")
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows).encode()


def json_objects(rows: Rows, run: bool) -> bytes:
    return "".join(json.dumps({query: found}) + "\n" for query, found in nested(rows).items()).encode()


def beir(rows: Rows, run: bool) -> bytes:
    return ("query-id\tcorpus-id\tscore\n" + "".join("{}\t{}\t{!r}\n".format(*row) for row in rows)).encode()


def comma_separated(rows: Rows, run: bool) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)  # its lines end with CR LF
    writer.writerow(["", "Query ID", "docno", "text", "score" if run else "rel"])
    writer.writerows(
        (i, query, document, 'a "text", of any kind', value) for i, (query, document, value) in enumerate(rows)
    )
    return file.getvalue().encode()


def parquet(rows: Rows, run: bool) -> bytes:
    return _written(frame(rows, run).with_columns(extra=pl.lit(None)).write_parquet, row_group_size=3)


def parquet_of_categories(rows: Rows, run: bool) -> bytes:
    given = frame(rows, run).with_columns(pl.col("query_id", "doc_id").cast(pl.Categorical))
    return _written(given.write_parquet, row_group_size=3)


def arrow_of_categories(rows: Rows, run: bool) -> bytes:
    given = frame(rows, run).with_columns(pl.col("query_id", "doc_id").cast(pl.Categorical))
    return _written(given.write_ipc, record_batch_size=2)


def arrow(rows: Rows, run: bool) -> bytes:
    return _written(frame(rows, run).write_ipc, compression="lz4", record_batch_size=2)


def arrow_stream(rows: Rows, run: bool) -> bytes:
    return _written(frame(rows, run).write_ipc_stream)


def packed(pack: Callable[[bytes], bytes], write: Callable[[Rows, bool], bytes]) -> Callable[[Rows, bool], bytes]:
    return lambda rows, run: pack(write(rows, run))


def zstandard(data: bytes) -> bytes:
    """Pack in two frames, or skip the test where the extra is absent."""
    zstd = pytest.importorskip("backports.zstd")
    half = len(data) // 2
    return bytes(zstd.compress(data[:half]) + zstd.compress(data[half:]))


def gzipped(data: bytes) -> bytes:
    half = len(data) // 2
    return gzip.compress(data[:half]) + gzip.compress(data[half:])


FILES: dict[str, Callable[[Rows, bool], bytes]] = {  # name of the file -> what it holds
    "lines.trec": trec,
    "lines.trec.gz": packed(gzipped, trec),
    "LINES.GZ": packed(gzipped, trec),
    "lines.trec.zst": packed(zstandard, trec),
    "object.json": json_object,
    "object.json.gz": packed(gzipped, json_object),
    "rows.jsonl": json_rows,
    "rows.ndjson.zst": packed(zstandard, json_rows),
    "objects.jsonl": json_objects,
    "beir.tsv": beir,
    "beir.tsv.gz": packed(gzipped, beir),
    "commas.csv": comma_separated,
    "commas.csv.zst": packed(zstandard, comma_separated),
    "columns.parquet": parquet,
    "columns.pq.gz": packed(gzipped, parquet),
    "categories.parquet": parquet_of_categories,
    "columns.arrow": arrow,
    "categories.arrow": arrow_of_categories,
    "columns.feather": arrow,
    "columns.ipc": arrow_stream,
    **{
        f"{write.__name__} that its content tells": write
        for write in (trec, json_object, json_rows, json_objects, beir, comma_separated, parquet, arrow, arrow_stream)
    },
    "packed as its content tells": packed(gzipped, json_rows),
    "packed too": packed(zstandard, parquet),
}


def same(one: Any, other: Any) -> bool:
    """Say whether two qrels, or two runs, have the same columns and digest."""
    mine, theirs = getattr(one, "rankings", one), getattr(other, "rankings", other)
    return (
        one.digest == other.digest
        and getattr(one, "ids", None) == getattr(other, "ids", None)
        and mine.duplicates == theirs.duplicates
        and all(
            np.array_equal(getattr(mine, name), getattr(theirs, name))
            for name in ("query", "offsets", "document", "grade", "tied", "fingerprint")
            if hasattr(mine, name)
        )
    )


def equal(one: bb.Scores, other: bb.Scores) -> bool:
    """Say whether two scores are equal in all bits, their names aside."""
    return (
        (one.ids, one.aggregates, one.queries, one.dropped, str(one.signature))
        == (other.ids, other.aggregates, other.queries, other.dropped, str(other.signature))
        and one.counted.tolist() == other.counted.tolist()
        and {name: column.tobytes() for name, column in one.values.items()}
        == {name: column.tobytes() for name, column in other.values.items()}
    )


def refusal(path: Path, run: bool = True) -> str:
    """Return the one sentence in which a file is refused, behind its name; a scan of a run finds the same fault."""
    with pytest.raises(InputError) as caught:
        bb.Run.from_file(path) if run else bb.Qrels.from_file(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert len(sentence.removeprefix(str(path))) < 350  # the path is as long as whoever runs this has it
    if run:
        with pytest.raises(InputError) as caught:
            bb.evaluate(bb.Qrels.from_dict({"a": {"x": 1}}), bb.scan_run(path), ["RR"])
        assert str(caught.value).removeprefix(str(path.parent) + "/") == sentence.removeprefix(str(path.parent) + "/")
    return sentence.removeprefix(str(path))


def _written(write: Callable[..., Any], **options: Any) -> bytes:
    file = io.BytesIO()
    write(file, **options)
    return file.getvalue()


def written(folder: Path, name: str, rows: Rows, run: bool) -> Path:
    path = folder / name
    path.write_bytes(FILES[name](rows, run))
    return path


# One result, whatever the format


def in_pieces(patch: pytest.MonkeyPatch, size: int) -> None:
    """Let parts and chunks be so small that queries are cut in the middle."""
    patch.setattr(trec_reading, "PART", size * 8)
    patch.setattr(frames, "CHUNK", size)
    patch.setattr(json_rows_format, "CHUNK", size)
