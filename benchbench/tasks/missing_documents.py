"""Judged documents that the collection of a data set does not have."""

from collections.abc import Collection
from itertools import islice
from typing import NamedTuple

from benchbench.errors import InputError, visible
from benchbench.formats.collection import document_ids, documents_with_ids, refuse_mostly_empty
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.digests import part_files
from benchbench.formats.records import Part
from benchbench.tables.queries import Queries

_SHOWN = 3  # examples in a sentence
_MOST = 1 << 28  # bytes of a collection that is looked through before a run
_MOST_DOCUMENTS = 200_000  # of a collection that comes from no file


class CollectionDocuments(NamedTuple):
    """How many documents a collection has, how many records are none, and sentences on what is missing."""

    number: int
    skipped: int
    notes: tuple[str, ...]


def missing_documents(
    data: DataSet, queries: Queries, encoding: str | None = None, skip_bad_lines: bool = False
) -> tuple[str, ...]:
    """Return a sentence on judged documents that the collection does not have; none where it has all.

    A collection of more than 256 MB, or of a package with more than 200,000 documents, is not looked through, and the
    sentence says so.

    Raises
    ------
    InputError
        The collection cannot be read; it has none of the documents that were judged.
    """
    part, judged = data.collection, dict.fromkeys(queries.positives.ids)
    if part is None or not judged:
        return ()
    too_large = (
        f"whether {part.path.name} has every judged document was not checked because the "
        "collection is large; `benchbench datasets` checks it",
    )
    files = part_files(part)
    if sum(path.stat().st_size for path in files) > _MOST:
        return too_large
    looked, first, judged_in_all = 0, "", len(judged)
    for document in islice(document_ids(part, encoding, skip_bad_lines), None if files else _MOST_DOCUMENTS):
        first, looked = first or document or "", looked + 1
        judged.pop(document, None)  # type: ignore[arg-type]
        if not judged:
            return ()
    return too_large if looked == _MOST_DOCUMENTS and not files else _notes(part, judged, judged_in_all, first)


def documents_of(
    data: DataSet, queries: Queries, encoding: str | None = None, skip_bad_lines: bool = False
) -> CollectionDocuments | None:
    """Return the same of a collection of any size, and how many documents it has; None where there is none.

    Raises
    ------
    InputError
        As `missing_documents`; over half of the documents have no text.
    """
    part, judged = data.collection, dict.fromkeys(queries.positives.ids)
    if part is None:
        return None
    judged_in_all, count, skipped, empty, first = len(judged), 0, 0, 0, ""
    for document in documents_with_ids(part, encoding, skip_bad_lines):
        if document.id is None:
            skipped += 1
            continue
        first, count = first or document.id, count + 1
        empty += document.is_empty
        judged.pop(document.id, None)
    refuse_mostly_empty(part, empty, count)
    return CollectionDocuments(count, skipped, _notes(part, judged, judged_in_all, first))


def _notes(part: Part, missing: Collection[str], judged: int, example: str) -> tuple[str, ...]:
    if not example:
        raise InputError(f"{part.path} has no document")
    if not missing:
        return ()
    some = ", ".join(visible(one, 40) for one in islice(missing, _SHOWN))
    if len(missing) == judged:
        raise InputError(
            f"{part.path} has none of the {judged:,} documents that were judged: judgments name "
            f"{some}, and documents are called {visible(example, 40)}; are the ids in the right "
            "column or member?"
        )
    are = "document is" if len(missing) == 1 else "documents are"
    out = f"{len(missing):,} judged {are} not in {part.path.name}, such as {some}"
    return (f"{out}: no service can return them, so the best possible recall may be below 1",)
