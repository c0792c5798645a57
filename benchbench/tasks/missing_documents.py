"""Judged documents that the collection of a data set does not have."""

from benchbench.errors import InputError, visible
from benchbench.formats.collection import document_ids
from benchbench.formats.datasets.data_set import DataSet
from benchbench.tables.queries import Queries

_SHOWN = 3  # examples in a sentence
_MOST = 1 << 28  # bytes of a collection that is looked through before a run


def missing_documents(data: DataSet, queries: Queries, encoding: str | None = None) -> tuple[str, ...]:
    """Return a sentence on judged documents that the collection does not have; none where it has all.

    A collection of more than 256 MB is not looked through, and the sentence says so.

    Raises
    ------
    InputError
        The collection cannot be read; it has none of the documents that were judged.
    """
    part, judged = data.collection, dict.fromkeys(queries.positives.ids)
    if part is None or not judged:
        return ()
    if part.path.is_file() and part.path.stat().st_size > _MOST:
        return (
            f"whether {part.path.name} has every judged document was not looked at, for it is large; "
            "`benchbench audit` does",
        )
    example = None
    for document in document_ids(part, encoding):
        judged.pop(document, None)
        example = example or document
        if not judged:
            return ()
    if example is None:
        raise InputError(f"{part.path} has no document")
    some = ", ".join(visible(one, 40) for one in list(judged)[:_SHOWN])
    if len(judged) == len(set(queries.positives.ids)):
        raise InputError(
            f"{part.path} has none of the {len(judged):,} documents that were judged: judgments are of {some}, and "
            f"documents are called {visible(example, 40)}; are the ids in the column or member that should have them?"
        )
    are = "document is" if len(judged) == 1 else "documents are"
    return (f"{len(judged):,} judged {are} not in {part.path.name}, such as {some}: no service can return them",)
