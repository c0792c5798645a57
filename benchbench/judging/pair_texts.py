"""Texts of the queries and documents that a judge is asked about: kept in a file when there are many."""

from array import array
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Self

from benchbench.errors import InputError
from benchbench.formats.collection import each_document
from benchbench.formats.query_table import each_query
from benchbench.formats.records import Part
from benchbench.formats.trec import UNSAFE, token

_IN_MEMORY = 1 << 26  # bytes of texts, beyond which they are in a file


class Texts:
    """Texts by the ids of their queries or documents, as fields of TREC text; used as a context."""

    def __init__(self, folder: Path | None = None) -> None:
        """Start with none; `folder` is where the file is when there are many."""
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY, dir=None if folder is None else str(folder))  # noqa: SIM115
        self._numbers: dict[str, int] = {}
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
        return len(self._numbers)

    def __contains__(self, field: str) -> bool:
        """Say whether there is a text of an id."""
        return field in self._numbers

    def add(self, field: str, text: str) -> None:
        """Add a text; of two with one id the first counts."""
        if field in self._numbers:
            return
        self._numbers[field] = len(self._numbers)
        self._file.seek(self._ends[-1])
        self._ends.append(self._ends[-1] + self._file.write(text.encode(errors="surrogatepass")))

    def get(self, field: str) -> str | None:
        """Return the text of an id; None where there is none."""
        number = self._numbers.get(field)
        if number is None:
            return None
        self._file.seek(self._ends[number])
        return self._file.read(self._ends[number + 1] - self._ends[number]).decode(errors="surrogatepass")


def add_queries(texts: Texts, part: Part, wanted: Collection[str], encoding: str | None = None) -> None:
    """Add the whole texts of the queries that are wanted; the file is read once.

    Raises
    ------
    InputError
        For what cannot be read, with file and place.
    """
    _add(texts, wanted, ((one.id, one.text) for one in each_query(part, encoding)))


def add_documents(texts: Texts, part: Part, wanted: Collection[str], encoding: str | None = None) -> None:
    """Add the whole texts, behind their titles, of the documents that are wanted.

    The collection is read once, one document in memory at a time and no further than needed. Lines that cannot be read
    are passed over: a document that is not found has no text.

    Raises
    ------
    InputError
        The collection cannot be read, or none of its lines is an object.
    """
    any_object = False

    def read() -> Iterator[tuple[str | None, str | None]]:
        nonlocal any_object
        for one in each_document(part, encoding, skip_bad_lines=True, only=("id", "title", "text")):
            any_object = any_object or one.record is not None
            yield one.id, None if one.text is None else one.titled()

    if wanted:
        _add(texts, wanted, read())
        if not any_object:
            raise InputError(f"{part.path} is no collection: none of its lines is a JSON object")


def _add(texts: Texts, wanted: Collection[str], read: Iterable[tuple[str | None, str | None]]) -> None:
    missing = set(wanted)
    for identity, text in read:
        if identity is None or text is None or not text.strip():
            continue
        if identity not in missing and not UNSAFE.search(identity):
            continue
        field = identity if identity in missing else token(identity)
        if field in missing:
            texts.add(field, text)
            missing.remove(field)
            if not missing:
                return
