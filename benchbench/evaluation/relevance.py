"""Relevant documents from a file of judgments, such as `judge relevance` writes where nobody has judged."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from benchbench.errors import InputError
from benchbench.formats.evaluation_rows import Row
from benchbench.judging.relevance.labels import read_labels
from benchbench.judging.relevance.pool import as_fields
from benchbench.results.reading import explained_reading


def with_labels(rows: Sequence[Row], path: Path) -> tuple[list[Row], list[str]]:
    """Return rows with the grades of a file of judgments, and what a reader must know of these.

    Labels by people go before those by a judge. Ids are matched as fields of TREC text, as `judge relevance` writes
    them; a question without any label has no known relevant document.

    Raises
    ------
    InputError
        For a file that cannot be read, or has no label of any question.
    """
    with explained_reading(path):
        labels = read_labels(path)
    labels = labels.sort(pl.col("judge").is_not_null(), maintain_order=True)
    labels = labels.unique(["query", "document"], keep="first", maintain_order=True)
    grades: dict[str, dict[str, float]] = {}
    judges: Counter[str] = Counter()
    fields = _fields([row.id for row in rows])
    asked = set(fields)
    for query, document, grade, judge in labels.select("query", "document", "grade", "judge").iter_rows():
        if query in asked:
            grades.setdefault(query, {})[document] = grade
            judges.update([judge] if judge is not None else [])
    if not grades:
        raise InputError(f"{path} has no label of any question; its query ids are to be the ids of the questions")
    found = [_labelled(row, grades.get(field)) for row, field in zip(rows, fields, strict=True)]
    total = sum(map(len, grades.values()))
    notes = [
        f"{number:,} of {total:,} labels of relevance are by {name}, not by people" for name, number in judges.items()
    ]
    return found, notes


def _labelled(row: Row, grades: dict[str, float] | None) -> Row:
    """Return a row with its grades, by the ids of its contexts where these have the same field."""
    if grades is None:
        return replace(row, relevant=None)
    ids = [one.id for one in row.contexts or ()]
    known = dict(zip(_fields(ids), ids, strict=True))
    return replace(row, relevant={known.get(document, document): grade for document, grade in grades.items()})


def _fields(ids: Sequence[str]) -> list[str]:
    fields: list[str] = as_fields(pl.Series(ids, dtype=pl.String)).to_list()
    return fields
