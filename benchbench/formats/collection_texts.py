"""Texts of a few documents out of a collection of any size."""

from collections.abc import Collection
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.records import Part, records

SHOWN = 2000  # characters of a text that are kept for reports


def texts_of(given: Part | Path, documents: Collection[str], encoding: str | None = None) -> dict[str, str]:
    """Return the beginnings of the texts of the named documents, of those that are there.

    Parameters
    ----------
    given
        A collection as `benchbench serve` takes it; it is read line by line, and no further than needed. Lines that
        are no objects are passed over: texts are shown, and nothing is counted by them.
    documents
        Ids; a document without one is named by its line number.
    encoding
        A Python codec name; None detects the UTF encodings.

    Raises
    ------
    InputError
        It cannot be read, or no line of it is an object.
    """
    found: dict[str, str] = {}
    wanted = set(documents)
    if not wanted:
        return found
    any_object = False
    rows = records(given, encoding, skip_bad_lines=True)
    for number, record in rows:
        if record is None:
            continue
        any_object = True
        document, text = rows.id_of(number, record), rows.text_of(record)
        if document in wanted and isinstance(text, str):
            title = record.get("title")
            whole = f"{title} {text}" if isinstance(title, str) and title else text
            found[document] = whole if len(whole) <= SHOWN else f"{whole[:SHOWN]}…"
            if len(found) == len(wanted):
                break
    if not any_object:
        raise InputError(f"{Part.of(given).path} is no collection: none of its lines is a JSON object")
    return found
