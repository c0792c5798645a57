"""The names under which texts, ids and labels of cases are found; tolerant in reading."""

from typing import Any

ID = ("id", "fact_id", "doc_id", "_id")
TEXT = ("text", "fact", "content", "sentence", "passage")
ACCUSATION = ("accusation",)
ARTICLES = ("relevant_articles", "articles")
SENTENCE = ("imprisonment", "term_of_imprisonment")


def first(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first member of `record` that has one of the names and is not null."""
    for name in names:
        value = record.get(name)
        if value is not None:
            return value
    return None


def label(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return a label from the top level of a record or from its `meta`."""
    value = first(record, names)
    meta = record.get("meta")
    return first(meta, names) if value is None and isinstance(meta, dict) else value


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
