"""Labels: the existing ones unchanged, followed by those of a judge.

A file of labels is TREC text: query, who judged, document, grade. Labels that were TREC text stay byte by byte; others
are written as TREC text once.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.formats.datasets.judgments import Judgments
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.parts import kind_of
from benchbench.formats.qrels_runs import scan_qrels
from benchbench.formats.records import Part
from benchbench.formats.source import Source
from benchbench.formats.trec_writing import gold_qrels, token
from benchbench.judging.relevance.pair_texts import Spool
from benchbench.judging.relevance.pool import document_texts, keys_of, query_texts
from benchbench.kernels.arrays import F64, I64
from benchbench.results.folder import merge, write_parquet
from benchbench.tables.fields import called
from benchbench.tables.judges import is_judge, second_fields
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order

_ROWS = 100_000  # of a part
_COLUMNS = ("query", "document", "grade", "judge", "rationale", "is_new")

_BLOCK = 1 << 20
_KINDS = {
    "query": pl.String,
    "judge": pl.String,  # null where the second column names none
    "document": pl.String,
    "grade": pl.Float64,
    "key": pl.UInt64,
}
NO_LABELS = pl.DataFrame(schema=_KINDS)


def judge_name(model: str, label: str) -> str:
    """Return what the second column calls a judge; `label` is that of its rubric."""
    return token(f"{model}/{label}")


def write_labels(data: DataSet, path: Path, encoding: str | None = None) -> pl.DataFrame:
    """Write the labels of a data set as TREC text, and return them as `read_labels` does.

    Parameters
    ----------
    data
        Its files of judgments, or the positives of tiered queries, have the labels; there may be none.
    path
        Of the new file.
    encoding
        Of what is no TREC text; None detects the UTF encodings.

    Raises
    ------
    InputError
        For what cannot be read, with file and place.
    """
    frames, is_all_trec = [NO_LABELS], data.make != TIERED
    with path.open("wb") as file:
        if data.make == TIERED:
            file.writelines(line.encode() for line in gold_qrels(read_queries(data, encoding), full=True))
        for part in data.qrels:
            if _is_trec(part):
                frames.append(read_labels(part.path))  # errors name this file
                _copy(part.path, file)
            else:
                is_all_trec = False
                _write(Judgments([part], encoding), file)
    return pl.concat(frames) if is_all_trec else read_labels(path)


def read_labels(path: Path) -> pl.DataFrame:
    """Return the labels of TREC text: `query`, `judge` (null where people judged), `document`, `grade`, `key`.

    Ids are fields, and keys those of `judging.relevance.pool`. A pair that is labelled several times stands there as
    often.

    Raises
    ------
    InputError
        With file, line and reason.
    """
    if not path.stat().st_size:
        return NO_LABELS
    return pl.concat([NO_LABELS, *in_order(partial(part.use, _frame) for part in scan_qrels(path)())])


def human(labels: pl.DataFrame) -> pl.DataFrame:
    """Return the labels that no judge has made, each pair once, with its highest grade."""
    by_people = labels.filter(pl.col("judge").is_null())
    return by_people.sort("grade", descending=True, maintain_order=True).unique(
        "key", keep="first", maintain_order=True
    )


def spread_sample(labels: pl.DataFrame, size: int, seed: int) -> pl.DataFrame:
    """Return a sample of labels in which rare grades are not missing: as many of each grade as there can be.

    Parameters
    ----------
    labels
        Each pair once.
    size
        Labels of the sample; all where there are not more.
    seed
        Which of each grade are taken.
    """
    if labels.height <= size:
        return labels
    order = labels["key"].rank("ordinal").to_numpy()  # whatever the order in which they came
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(labels.height)[order - 1]
    ranked = labels.with_columns(pl.Series("drawn", drawn), pl.Series("place", range(labels.height)))
    ranked = ranked.with_columns(pl.col("drawn").rank("ordinal").over("grade").alias("turn"))
    drawn_first: pl.DataFrame = ranked.sort("turn", "grade")[:size]
    return drawn_first.sort("place").select(labels.columns)


def _is_trec(part: Part) -> bool:
    plain = part.generated is None and not part.members and not part.path.is_dir()
    return plain and kind_of(Source(part.path), False) == "trec"


def _copy(path: Path, file: BinaryIO) -> None:
    source = Source(path)
    source.narrow()
    with source.opened() as read:
        last = b"\n"
        while block := read.read(_BLOCK):
            file.write(block)
            last = block[-1:]
    if last != b"\n":
        file.write(b"\n")


def _write(judgments: Judgments, file: BinaryIO) -> None:
    queries = list(judgments.numbers)
    judged = judgments.of(np.arange(len(queries))).kept
    for q, query in enumerate(queries):
        span = judged.of(q)
        rows: Iterable[tuple[str, float]] = zip(judged.ids[span], judged.grade[span].tolist(), strict=True)
        file.writelines(f"{token(query)} 0 {token(document)} {called(grade)}\n".encode() for document, grade in rows)


def _frame(rows: Rows) -> pl.DataFrame:
    if not rows.value.size:
        return NO_LABELS
    names = {number: field if is_judge(field) else None for number, field in second_fields(rows).items()}
    sizes = np.diff(rows.groups)
    documents = document_texts(rows)
    owner = np.repeat(np.arange(sizes.size), sizes)
    if np.isinf(rows.value).any():
        raise InputError(f"a label has an infinite grade, of document {documents[int(np.isinf(rows.value).argmax())]}")
    return pl.DataFrame(
        {
            "query": pl.Series(query_texts(rows), dtype=pl.String)[owner],
            "judge": pl.Series([names[number] for number in rows.subtopic.tolist()], dtype=pl.String),
            "document": documents,
            "grade": rows.value.copy(),
            "key": keys_of(rows.query[owner], rows.document),
        },
        schema=_KINDS,
    )


def add_labels(path: Path, frames: Iterable[pl.DataFrame], folder: Path | None) -> pl.DataFrame | None:
    """Write new labels behind those of a file of TREC text, and the table of all.

    Parameters
    ----------
    path
        Of the file.
    frames
        As `label_frames` yields them; one of them is in memory at a time.
    folder
        That gets `labels.parquet`; without one the table is returned.
    """
    kept = []
    if folder is not None:
        (folder / "labels").mkdir()
    with path.open("ab") as file:
        for number, frame in enumerate(frames):
            rows = frame.filter("is_new").select("query", "judge", "document", "grade").iter_rows()
            file.write("".join(f"{q} {judge} {d} {called(grade)}\n" for q, judge, d, grade in rows).encode())
            if folder is None:
                kept.append(frame)
            else:
                write_parquet(frame, folder / "labels" / f"{number:06}.parquet")
    if folder is None:
        return pl.concat(kept)
    merge(folder / "labels")
    return None


def label_frames(
    labels: pl.DataFrame, pool: pl.DataFrame, grades: F64, reasons: I64, spool: Spool, judge: str
) -> Iterator[pl.DataFrame]:
    """Yield the labels, some at a time: those that there were, then those of the judge in the order of the pool.

    Parameters
    ----------
    labels
        As `labels.read_labels` returns them.
    pool, grades
        The pairs, and the grade of each; NaN where there is none.
    reasons, spool
        The number of each pair's rationale among the texts of the spool; -1 for none.
    judge
        Its name.
    """
    none = pl.lit(None, pl.String).alias("rationale")
    existing = labels if labels.height or pool.height else NO_LABELS
    for part in existing.iter_slices(_ROWS) if existing.height else (NO_LABELS,):
        yield part.with_columns(none, pl.lit(False).alias("is_new")).select(_COLUMNS)
    for first in range(0, pool.height, _ROWS):
        part, slice_grades = pool[first : first + _ROWS], grades[first : first + _ROWS]
        has_grade = ~np.isnan(slice_grades)
        rationales = [
            spool[reason] if reason >= 0 else None for reason in reasons[first : first + _ROWS][has_grade].tolist()
        ]
        yield (
            part.filter(pl.Series(has_grade))
            .select("query", "document")
            .with_columns(
                pl.Series("grade", slice_grades[has_grade]),
                pl.lit(judge, pl.String).alias("judge"),
                pl.Series("rationale", rationales, pl.String),
                pl.lit(True).alias("is_new"),
            )
        )
