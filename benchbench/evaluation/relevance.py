"""Which documents are relevant: as a file of judgments says, such as `judge relevance` writes, or as truths name them.

Ground truths of English law have no ids of relevant documents; they name the source in brackets behind the truth, as in
`… the general rules about costs. [General Rules about Costs]`. Where contexts have names (titles), these are the
relevant documents.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

import polars as pl

from benchbench.errors import InputError
from benchbench.formats.evaluation_rows import Row, plain_name
from benchbench.judging.relevance.labels import read_labels
from benchbench.judging.relevance.pool import as_fields
from benchbench.results.reading import explained_reading

_AT_THE_END = re.compile(r"(?:\[[^\[\]\n]{1,200}\]\s*)+\.?\s*\Z")
_NAME = re.compile(r"\[([^\[\]]+)\]")


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
        raise InputError(f"{path} has no label of any question; its query ids must be the ids of the questions")
    labelled = [_labelled(row, grades.get(field)) for row, field in zip(rows, fields, strict=True)]
    total = sum(map(len, grades.values()))
    notes = [
        f"{number:,} of {total:,} labels of relevance are by {name}, not by people" for name, number in judges.items()
    ]
    return labelled, notes


def _labelled(row: Row, grades: dict[str, float] | None) -> Row:
    """Return a row with its grades, by the ids of its contexts where these have the same field."""
    if grades is None:
        return replace(row, relevant=None)
    ids = [context.id for context in row.contexts or ()]
    known = dict(zip(_fields(ids), ids, strict=True))
    return replace(row, relevant={known.get(document, document): grade for document, grade in grades.items()})


def _fields(ids: Sequence[str]) -> list[str]:
    fields: list[str] = as_fields(pl.Series(ids, dtype=pl.String)).to_list()
    return fields


def with_named_documents(rows: Sequence[Row], known: Set[str]) -> tuple[list[Row], list[str]]:
    """Return rows whose relevant documents are those that their truths name, and sentences on that.

    `known` are the names of all documents that can be retrieved, as `plain_name` has them; empty where nobody knows.
    Rows that say which documents are relevant stay as they are, and so do all rows where no context has a name that a
    truth has. A name that is not known is left out, and a row that has no other stays as it is.
    """
    wanted = {number: names_in(row.truth) for number, row in enumerate(rows) if row.relevant is None}
    asked = {number: names for number, names in wanted.items() if names}
    contexts = (context for number in asked for context in rows[number].contexts or ())
    there = {plain_name(context.name or context.id) for context in contexts} - {""}
    if not any(set(names) & there for names in asked.values()):
        return list(rows), []
    given, unknown = list(rows), 0
    for number, names in asked.items():
        kept = [name for name in names if not known or name in known]
        unknown += not kept
        if kept:
            given[number] = replace(rows[number], relevant=dict.fromkeys(kept, 1.0), is_named=True)
    sentences = [
        f"Relevant documents are those that the truths name in brackets, of {_questions(len(asked) - unknown)}"
    ]
    if unknown:
        has = "names" if unknown == 1 else "name"
        sentences.append(
            f"{_questions(unknown)} {has} a document that the collection does not have: no score of retrieval"
        )
    return given, sentences


def names_in(truth: str) -> list[str]:
    """Return the names in brackets at the end of a truth, as `plain_name` writes them."""
    end = _AT_THE_END.search(truth)
    return [] if end is None else list(dict.fromkeys(map(plain_name, _NAME.findall(end[0]))))


def _questions(number: int) -> str:
    return f"{number:,} question{'s' * (number != 1)}"
