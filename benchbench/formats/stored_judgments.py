"""The judgments that a run leaves in its folder, read back."""

from collections.abc import Collection
from pathlib import Path

import polars as pl

from benchbench.formats.trec_writing import identity_of
from benchbench.results.reading import explained_reading

_KINDS = {"query": pl.String, "iteration": pl.String, "document": pl.String, "grade": pl.Float64}
_ERRORS = (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException)


def stored_judgments(path: Path, queries: Collection[str] | None = None) -> pl.DataFrame:
    """Return the judgments of `qrels.trec`, best first: `query`, `document`, `grade`; none without the file.

    Parameters
    ----------
    path
        Of the file.
    queries
        Ids of those that are wanted; None for all.
    """
    if not path.is_file() or not path.stat().st_size:
        return pl.DataFrame(schema=_KINDS).drop("iteration")
    with explained_reading(path, _ERRORS):
        rows = pl.scan_csv(path, separator=" ", has_header=False, schema=_KINDS, quote_char=None, glob=False)
        if queries is not None:
            names = pl.col("query").is_in(list(queries))
            rows = rows.filter(names | pl.col("query").str.contains("%", literal=True))
        judgments = rows.collect(engine="streaming" if queries is not None else "auto")
    ids = ("query", "document")
    if any(judgments[name].str.contains("%", literal=True).any() for name in ids):  # as `trec.token` writes them
        judgments = judgments.with_columns(pl.col(name).map_elements(identity_of, pl.String) for name in ids)
    if queries is not None:
        judgments = judgments.filter(pl.col("query").is_in(list(queries)))
    return judgments.drop("iteration").sort("grade", descending=True, maintain_order=True)
