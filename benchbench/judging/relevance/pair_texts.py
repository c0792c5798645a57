"""Texts of the queries and documents that a judge is asked about: kept in a file when there are many."""

from array import array
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, Self

from benchbench.errors import InputError
from benchbench.formats.collection import each_document
from benchbench.formats.query_records import each_query
from benchbench.formats.records import Part
from benchbench.formats.trec_writing import UNSAFE, token

_IN_MEMORY = 1 << 26  # bytes of texts, beyond which they are in a file


class Spool:
    """Texts one behind the other, by their numbers; used as a context. Beyond 64 MB they are in a file."""

    def __init__(self, folder: Path | None = None) -> None:
        """Start with none; `folder` is where the file is when there are many."""
        place = None if folder is None else str(folder)
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY, dir=place)  # noqa: SIM115  # closed by __exit__
        self._ends = array("q", [0])

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, which is gone then."""
        self._file.close()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ends) - 1

    def append(self, text: str) -> int:
        """Add a text, and return its number."""
        self._file.seek(self._ends[-1])
        self._ends.append(self._ends[-1] + self._file.write(text.encode(errors="surrogatepass")))
        return len(self) - 1

    def __getitem__(self, number: int) -> str:
        """Return a text."""
        self._file.seek(self._ends[number])
        return self._file.read(self._ends[number + 1] - self._ends[number]).decode(errors="surrogatepass")


class PairTexts:
    """Texts by the ids of their queries or documents, as fields of TREC text."""

    def __init__(self, spool: Spool) -> None:
        """Start with none; the texts are kept in `spool`."""
        self._spool = spool
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._numbers)

    def __contains__(self, field: str) -> bool:
        """Say whether there is a text of an id."""
        return field in self._numbers

    def add(self, field: str, text: str) -> None:
        """Add a text; of two with one id the first counts."""
        if field not in self._numbers:
            self._numbers[field] = self._spool.append(text)

    def get(self, field: str) -> str | None:
        """Return the text of an id; None where there is none."""
        number = self._numbers.get(field)
        return None if number is None else self._spool[number]


def add_queries(
    texts: PairTexts, part: Part, wanted: Collection[str], encoding: str | None = None, digest: Any = None
) -> None:
    """Add the whole texts of the queries that are wanted; the file is read once, to its end.

    `digest` is fed its bytes.

    Raises
    ------
    InputError
        For what cannot be read, with file and place.
    """
    missing = set(wanted)
    for name, query in each_query(part, encoding, digest=digest):
        _take(texts, missing, name, query.shown)


def add_documents(texts: PairTexts, part: Part, wanted: Collection[str], encoding: str | None = None) -> None:
    """Add the whole texts, behind their titles, of the documents that are wanted.

    The collection is read once, one document in memory at a time and no further than needed. Lines that cannot be read
    are passed over: a document that is not found has no text.

    Raises
    ------
    InputError
        The collection cannot be read, or none of its lines is an object.
    """
    missing, any_object = set(wanted), not wanted
    for identity, text, is_object in _documents(part, encoding) if wanted else ():
        any_object = any_object or is_object
        _take(texts, missing, identity, text)
        if not missing:
            break
    if not any_object:
        raise InputError(f"{part.path} is not a collection: none of its lines is a JSON object")


def _documents(part: Part, encoding: str | None) -> Iterator[tuple[str | None, str | None, bool]]:
    documents: Iterable[Any] = each_document(part, encoding, skip_bad_lines=True, only=("id", "title", "text"))
    for document in documents:
        yield document.id, None if document.text is None else document.titled(), document.record is not None


def _take(texts: PairTexts, missing: set[str], identity: str | None, text: str | None) -> None:
    """Add a text that is wanted: by its id, or by what the id is as a field."""
    if identity is None or text is None or not text.strip():
        return
    field = identity if identity in missing or not UNSAFE.search(identity) else token(identity)
    if field in missing:
        texts.add(field, text)
        missing.remove(field)
