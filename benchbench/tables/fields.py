"""The names under which texts and ids are found, the best first; tolerant in reading."""

from typing import Any

ID = ("id", "fact_id", "doc_id", "_id")
NAME = ("sourcepage", "title")  # of a document, as it is cited
TEXT = ("text", "fact", "content", "sentence", "passage")
QUERY_IDS = ("_id", "query_id", "id", "qid")
QUERY_TEXTS = ("query", *TEXT, "question", "title")
COLUMN_IDS = ("docid", "docno", "document_id", "pid", "passage_id", "corpus_id", "corpus-id", "query_id", "qid")
COLUMN_TEXTS = ("contents", "body", "query")  # of tables and Parquet, as `COLUMN_IDS`, behind the usual names
META = "meta"  # of a hit: its labels, where a service has them apart


def first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first member of `record` that has one of the names and is not null."""
    for name in names:
        value = record.get(name)
        if value is not None:
            return value
    return None


def called(value: object) -> str:
    """Return what a value is called where it is a label: `yes` or `no`, a number in full, or a text as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        short = f"{value:.15g}"
        return short if float(short) == value else repr(value)
    return str(value)


def identity(value: Any) -> str | None:
    """Return an id, number or string, as a string; None where it is neither."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
