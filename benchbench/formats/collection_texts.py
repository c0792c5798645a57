"""Texts of a few documents out of a collection of any size."""

from collections.abc import Callable, Collection
from pathlib import Path

from benchbench.errors import InputError
from benchbench.formats.collection import each_document
from benchbench.formats.records import Part

SHOWN = 2000  # characters of a text that are kept for reports


def texts_of(
    part: Part | Path,
    documents: Collection[str],
    encoding: str | None = None,
    most: int | None = SHOWN,
    seen: Callable[[str], None] | None = None,
    titles: dict[str, str] | None = None,
) -> dict[str, str]:
    """Return the beginnings of the texts of the named documents, of those that are there.

    Parameters
    ----------
    part
        A collection as `benchbench serve` takes it; it is read one by one, and no further than needed. Lines that
        are no objects are passed over: texts are shown, and nothing is counted by them.
    documents
        Ids; a document without one is named by its line number.
    encoding
        A Python codec name; None detects the UTF encodings.
    most
        Characters that are kept of a text; None keeps all.
    seen
        Called with each text of the collection, which then is read to its end.
    titles
        Takes the titles of these documents, with which their texts begin.

    Raises
    ------
    InputError
        It cannot be read, or no line of it is an object.
    """
    texts: dict[str, str] = {}
    wanted = set(documents)
    if not wanted:
        return texts
    any_object = False
    for document in each_document(part, encoding, skip_bad_lines=True, only=("id", "title", "text")):
        if document.record is None:
            continue
        any_object = True
        if document.text is None:
            continue
        if seen is not None:
            seen(document.titled(most))
        if document.id in wanted:
            texts[document.id] = document.titled(most)
            if titles is not None:
                titles[document.id] = document.title
            if seen is None and len(texts) == len(wanted):
                break
    if not any_object:
        raise InputError(f"{Part.of(part).path} is not a collection: none of its lines is a JSON object")
    return texts
