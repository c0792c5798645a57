"""The judgments of a data set, from one file or several, of any format in which qrels come."""

import math
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.qrels_runs import scan_qrels
from benchbench.formats.records import Part, record_id, records
from benchbench.kernels.arrays import I64
from benchbench.tables.fields import first
from benchbench.tables.hashing import content_digest
from benchbench.tables.rows import Rows
from benchbench.tables.strings import Strings
from benchbench.tables.threads import in_order

_NAMES = {"query": ("query_id",), "document": ("doc_id",), "grade": ("relevance",)}  # of the package ir_datasets
_Row = tuple[str, str, float, int]  # query, document, grade, and a number of the subtopic


class Judgments:
    """Judgments in the order of their files; `of` has those of one query, a document once."""

    def __init__(self, parts: Sequence[Part]) -> None:
        """Read them; InputError with file, line and reason, and for files without any."""
        self.name = ", ".join(str(part.path) for part in parts)
        self.numbers: dict[str, int] = {}  # of the queries, in order of first appearance
        self._documents = Strings()
        self._query, self._grades, self._subtopics = array("q"), array("d"), array("Q")
        digest = content_digest()
        for part in parts:
            for query, document, grade, subtopic in _rows(part):
                if math.isinf(grade):
                    raise InputError(f"{part.path} has an infinite grade, of document {visible(document)}")
                digest.update(f"{query}\t{document}\t{grade!r}\n".encode(errors="surrogatepass"))
                self._query.append(self.numbers.setdefault(query, len(self.numbers)))
                self._documents.append(document)
                self._grades.append(grade)
                self._subtopics.append(subtopic)
        if not self._query:
            raise InputError(f"{self.name} has no judgment")
        self.digest = digest.hexdigest()  # of the judgments in their order, whatever their format
        owner = np.array(self._query, np.int64)
        self._order: I64 = np.argsort(owner, kind="stable")
        self._starts: I64 = np.append(0, np.cumsum(np.bincount(owner)))

    def __len__(self) -> int:
        """Return the number of judgments."""
        return len(self._query)

    def of(self, query: str) -> dict[str, float]:
        """Return the grades of a query's documents; of several subtopics, the highest.

        Raises
        ------
        InputError
            A document judged twice with different grades.
        """
        number = self.numbers[query]
        grades: dict[str, float] = {}
        subtopics: dict[str, int] = {}
        for row in self._order[self._starts[number] : self._starts[number + 1]].tolist():
            document, grade, subtopic = self._documents[row], self._grades[row], self._subtopics[row]
            known = grades.setdefault(document, grade)
            if known != grade and subtopics[document] == subtopic:
                raise InputError(
                    f"{self.name} judges document {visible(document)} of query {visible(query)} twice, with different "
                    "grades; keep one"
                )
            subtopics.setdefault(document, subtopic)
            grades[document] = max(known, grade)
        return grades

    def documents(self) -> Iterator[str]:
        """Yield the documents, as often as they are judged."""
        return iter(self._documents)


def _rows(part: Part) -> Iterator[_Row]:
    if part.generated is None and not part.members and not part.path.is_dir():
        yield from _of_file(part)
        return
    names = {key: part.members.get(key, usual) for key, usual in _NAMES.items()}
    rows = records(part)
    for number, row in rows:
        where = rows.where(number)
        query, document = (record_id(first(row, names[key])) for key in ("query", "document"))
        if query is None or document is None:
            key = "query" if query is None else "document"
            there = ", ".join(visible(str(name), 40) for name in list(row)[:20])
            raise InputError(f"{where}: no {key} id in {' or '.join(names[key])}; there are {there}")
        yield query, document, _grade(first(row, names["grade"]), where), hash(row.get("subtopic_id"))


def _grade(value: Any, where: str) -> float:
    try:
        grade = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: the grade {visible(repr(value), 40)} is not a number") from None
    if math.isnan(grade):
        raise InputError(f"{where}: the grade is not a number")
    return grade


def _of_file(part: Part) -> Iterator[_Row]:
    for rows in in_order(partial(piece.use, _copied) for piece in scan_qrels(part.path)()):
        yield from rows


def _copied(rows: Rows) -> list[_Row]:
    """Return rows that have left the memory they were parsed in."""
    text, ends = rows.text, rows.groups.tolist()
    subtopics = rows.subtopic.tolist() or [0] * rows.value.size
    starts, stops, values = rows.start.tolist(), rows.stop.tolist(), rows.value.tolist()
    found: list[_Row] = []
    for group, (start, stop) in enumerate(zip(rows.query_start.tolist(), rows.query_stop.tolist(), strict=True)):
        query = bytes(text[start:stop]).decode(errors="replace")
        for row in range(ends[group], ends[group + 1]):
            document = bytes(text[starts[row] : stops[row]]).decode(errors="replace")
            found.append((query, document, values[row], subtopics[row]))
    return found
