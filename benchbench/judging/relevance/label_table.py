"""The table of labels: those that there were, and those of a judge with the reason of each."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchbench.judging.relevance.labels import NO_LABELS
from benchbench.judging.relevance.pair_texts import Spool
from benchbench.kernels.arrays import F64, I64
from benchbench.results.folder import merge, write_parquet

_ROWS = 100_000  # of a part
_COLUMNS = ("query", "document", "grade", "judge", "rationale", "is_new")


def write_label_table(
    folder: Path, labels: pl.DataFrame, pool: pl.DataFrame, grades: F64, reasons: I64, spool: Spool, judge: str
) -> None:
    """Write `labels.parquet`, a part of it in memory at a time; parameters are those of `label_frames`."""
    parts = folder / "labels"
    parts.mkdir()
    for number, frame in enumerate(label_frames(labels, pool, grades, reasons, spool, judge)):
        write_parquet(frame, parts / f"{number:06}.parquet")
    merge(parts)


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
    there = labels if labels.height or pool.height else NO_LABELS
    for part in there.iter_slices(_ROWS) if there.height else (NO_LABELS,):
        yield part.with_columns(none, pl.lit(False).alias("is_new")).select(_COLUMNS)
    for first in range(0, pool.height, _ROWS):
        part, given = pool[first : first + _ROWS], grades[first : first + _ROWS]
        has_grade = ~np.isnan(given)
        said = [spool[one] if one >= 0 else None for one in reasons[first : first + _ROWS][has_grade].tolist()]
        yield (
            part.filter(pl.Series(has_grade))
            .select("query", "document")
            .with_columns(
                pl.Series("grade", given[has_grade]),
                pl.lit(judge, pl.String).alias("judge"),
                pl.Series("rationale", said, pl.String),
                pl.lit(True).alias("is_new"),
            )
        )
