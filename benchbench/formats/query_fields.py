"""The id and the text of a query in a record of any file."""

from collections.abc import Mapping
from typing import Any

from benchbench.errors import visible
from benchbench.formats.query_labels import BadLineError
from benchbench.formats.records import joined_text, record_id, value_of
from benchbench.tables.fields import TEXT

QUERY_IDS = ("_id", "query_id", "id", "qid")
QUERY_TEXTS = ("query", *TEXT, "question", "title")
_SHOWN = 20  # names that a message has

Members = Mapping[str, tuple[str, ...]]


def query_id(record: Mapping[str, Any], members: Members) -> str:
    """Return the id of a query; BadLineError where there is none."""
    names = members.get("id", QUERY_IDS)
    given = next((value for name in names if (value := value_of(record, name)) is not None), None)
    found = record_id(given)
    if found is None:
        why = "no query id" if given is None else "the query id is neither a number nor a text"
        raise BadLineError(f"{why} ({' or '.join(names)}); there are {_there(record)}")
    return found


def query_text(record: Mapping[str, Any], members: Members) -> str:
    """Return the text of a query; BadLineError where there is none. Of several named members all texts are joined."""
    names = members.get("text")
    if names is None:
        found = next((record[name] for name in QUERY_TEXTS if isinstance(record.get(name), str)), "")
    else:
        found = joined_text(record, names) or ""
    if not found.strip():
        raise BadLineError(f"the query has no text ({' or '.join(names or QUERY_TEXTS)}); there are {_there(record)}")
    return found


def _there(record: Mapping[str, Any]) -> str:
    return ", ".join(visible(str(name), 40) for name in list(record)[:_SHOWN]) or "none"
