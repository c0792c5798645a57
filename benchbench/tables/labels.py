"""Labels of queries and hits as columns: sets of texts as integer codes, numbers as floats."""

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct

from benchbench.kernels.arrays import F64, I32, I64
from benchbench.kernels.rules import Members

MISSING = -1
MALFORMED = -2
MALFORMED_NUMBER = -math.inf

Path = tuple[str, ...]  # the names of members that lead from the top of a record to a value

_TEXTS = frozenset((str, int, bool))  # types of members that always have a text
_Column = TypeVar("_Column", I32, I64)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Kind(Enum):
    """How values of a label are compared."""

    SET = "set"
    FLAG = "flag"
    NUMBER = "number"

    @property
    def missing(self) -> float:
        """What a column of the kind has where there is no value."""
        return math.nan if self is Kind.NUMBER else MISSING

    @property
    def type(self) -> Any:
        """The type of a column of the kind."""
        return np.float64 if self is Kind.NUMBER else np.int32

    @property
    def malformed(self) -> float:
        """What `Vocabulary.column` returns for a value of a wrong type."""
        return MALFORMED_NUMBER if self is Kind.NUMBER else MALFORMED


class Label(Struct, frozen=True):
    """A label: its name, and where a query and a hit have it.

    Paths are alternatives: the first one that leads to a value counts. An object is no value; where another
    alternative goes through it, it is passed over, else the label is malformed.
    """

    name: str
    kind: Kind
    query: tuple[Path, ...]  # from the query object; none where only hits have it
    hit: tuple[Path, ...]
    ignore: str = ""  # characters that are left out of texts before these are compared


class Spans(Struct, frozen=True):
    """Character spans that are the gold of a query: objects with a file, a start and an end."""

    name: str
    query: tuple[Path, ...]
    file: str  # the label that says which file a hit is from


@dataclass(frozen=True)
class LabelSchema:
    """All labels that tasks compare."""

    labels: tuple[Label, ...] = ()
    spans: tuple[Spans, ...] = ()

    @cached_property
    def coded(self) -> tuple[Label, ...]:
        """The labels whose columns are codes, in the order of the rows of `codes`."""
        return tuple(label for label in self.labels if label.kind is not Kind.NUMBER)

    @cached_property
    def numeric(self) -> tuple[Label, ...]:
        """The labels whose columns are numbers, in the order of the rows of `numbers`."""
        return tuple(label for label in self.labels if label.kind is Kind.NUMBER)

    def row(self, name: str) -> int:
        """Return the row of a label or of spans among those of its kind."""
        return self._rows[name]

    @cached_property
    def _rows(self) -> dict[str, int]:
        kinds: tuple[Sequence[Label | Spans], ...] = (self.coded, self.numeric, self.spans)
        return {label.name: row for kind in kinds for row, label in enumerate(kind)}


NO_LABELS = LabelSchema()


def found_at(record: Any, paths: tuple[Path, ...]) -> tuple[Path, Any]:
    """Return the first of alternative paths that leads to a value, and the value; `((), None)` where none does."""
    if not isinstance(record, dict):
        return (), None
    for path in paths:
        value = record.get(path[0])
        if value is None:
            continue
        for name in path[1:]:
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None and not (isinstance(value, dict) and is_passed(path, paths)):
            return path, value
    return (), None


def value_at(record: Any, paths: tuple[Path, ...]) -> Any:
    """Return the value that the first of alternative paths leads to; None where none does."""
    return found_at(record, paths)[1]


def is_passed(path: Path, paths: tuple[Path, ...]) -> bool:
    """Say whether another path goes through the place of this one."""
    length = len(path)
    return path in [other[:length] for other in paths if len(other) > length]


class Vocabulary:
    """The codes of the label sets of queries and hits, for all labels: equal sets have equal codes.

    Codes count from 0 in order of first appearance. A scalar is a set of one; its text counts, without spaces around
    it: 341, 341.0 and "341" are one, true is "true". A set without a text is `MISSING`; one with a member that is null,
    a list, an object, or a number that is not finite is `MALFORMED`.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._codes: dict[frozenset[str], int] = {}
        self._sets: list[frozenset[str]] = []  # apart, for a thread may read them while another adds codes
        self._seen: dict[str, dict[Any, int]] = {}  # by what is ignored: codes by what stands in JSON
        self._members: dict[str, int] = {}
        self._offsets: I64 = np.zeros(1, np.int64)
        self._member: I32 = np.empty(0, np.int32)
        self._table = Members(self._offsets, self._member)

    def __len__(self) -> int:
        """Return the number of codes."""
        return len(self._sets)

    def code(self, value: Any, ignore: str = "") -> int:
        """Return the code of a value as JSON has it, `MISSING` or `MALFORMED`."""
        return self._code(value, ignore, self._seen_without(ignore))

    def codes(self, column: Sequence[Any], ignore: str = "") -> list[int]:
        """Return the codes of many values; a value seen before costs one look-up."""
        seen = self._seen_without(ignore)
        types = set(map(type, column))
        with suppress(KeyError, TypeError):
            if types == {list}:
                return list(map(seen.__getitem__, map(tuple, column)))
            if types.isdisjoint((list, bool)):
                return list(map(seen.__getitem__, column))
        return [self._code(value, ignore, seen) for value in column]

    def flag(self, value: Any) -> int:
        """Return the code of a flag: as `code`, but `MISSING` for false and 0 too; 1 is true."""
        if type(value) in (bool, int, float) and value in (0, 1):
            return self.code(True) if value else MISSING
        return self.code(value)

    def flags(self, column: Sequence[Any]) -> list[int]:
        """Return the codes of many flags."""
        if column.count(False) + column.count(None) == len(column):
            return [MISSING] * len(column)
        if set(map(type, column)) <= {bool, type(None)}:
            code = self.code(True)
            return [code if value else MISSING for value in column]
        return [self.flag(value) for value in column]

    def column(self, label: Label, values: Sequence[Any]) -> list[int] | list[float]:
        """Return many values of a label as its kind has them."""
        if label.kind is Kind.NUMBER:
            return numbers(values)
        return self.flags(values) if label.kind is Kind.FLAG else self.codes(values, label.ignore)

    def sets(self) -> list[frozenset[str]]:
        """Return the label sets in the order of their codes."""
        return list(self._sets)

    def members(self) -> Members:
        """Return the members of each set as numbers; what was returned before stays valid."""
        first = len(self._table.offsets) - 1
        added = self._sets[first:]
        if added:
            count = self._members.setdefault
            new = [sorted(count(text, len(self._members)) for text in texts) for texts in added]
            begin = len(self._table.member)
            ends = begin + np.cumsum(list(map(len, new)))
            self._offsets = _roomy(self._offsets, first + 1 + len(new))
            self._member = _roomy(self._member, int(ends[-1]))
            self._offsets[first + 1 : first + 1 + len(new)] = ends
            self._member[begin : ends[-1]] = list(chain.from_iterable(new))
            self._table = Members(self._offsets[: first + 1 + len(new)], self._member[: ends[-1]])
        return self._table

    def packed(self, codes: Sequence[int]) -> tuple[list[int], list[list[str]]]:
        """Return codes that count from 0 among these alone, and their sets; negative ones stay as they are."""
        local: dict[int, int] = {}
        places = [code if code < 0 else local.setdefault(code, len(local)) for code in codes]
        return places, [sorted(self._sets[code]) for code in local]

    def unpacked(self, places: Sequence[int], sets: Sequence[Sequence[str]]) -> list[int]:
        """Return the codes here of what another vocabulary has packed."""
        codes = [self._add(frozenset(texts)) for texts in sets]
        return [place if place < 0 else codes[place] for place in places]

    def _seen_without(self, ignore: str) -> dict[Any, int]:
        if ignore not in self._seen:
            self._seen[ignore] = {None: MISSING}
        return self._seen[ignore]

    def _code(self, value: Any, ignore: str, seen: dict[Any, int]) -> int:
        kind = type(value)
        key = tuple(value) if kind is list else (_text(value),) if kind is bool else value
        try:
            return seen[key]
        except TypeError:  # an object, or a member that is a list or an object
            return MALFORMED
        except KeyError:
            pass
        members = key if type(key) is tuple else (value,)
        texts = [_text(member, ignore) for member in members]
        if None in texts:
            return MALFORMED
        names = frozenset(text for text in texts if text)
        code = self._add(names) if names else MISSING
        if kind is not list or not any(type(member) is not str and member in (0, 1) for member in members):
            seen[key] = code  # [true] equals [1], and is another set
        return code

    def _add(self, names: frozenset[str]) -> int:
        code = self._codes.setdefault(names, len(self._sets))
        if code == len(self._sets):
            self._sets.append(names)
        return code


def is_malformed(value: Any) -> bool:
    """Say whether the code of a value is `MALFORMED`."""
    if value is None or type(value) in _TEXTS:
        return False
    members = value if isinstance(value, list) else [value]
    return not _TEXTS.issuperset(map(type, members)) and any(_text(member) is None for member in members)


def without_malformed(kind: Kind, values: Sequence[float]) -> tuple[I32 | F64, int]:
    """Return values as a column in which what is malformed is missing, and how many were."""
    column: I32 | F64 = np.array(values, kind.type)
    is_malformed = column == kind.malformed
    column[is_malformed] = kind.missing
    return column, int(is_malformed.sum())


def _roomy(array: _Column, size: int) -> _Column:
    """Return the array, or one twice as long that begins with it, so that appending costs the same for each."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


def _text(value: Any, ignore: str = "") -> str | None:
    """Return the text of one member of a set, None where it has none."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, float):
        if not math.isfinite(value):
            return None
        text = str(int(value)) if value.is_integer() else repr(value)
    elif isinstance(value, str | int):
        text = str(value)
    else:
        return None
    return text.translate(dict.fromkeys(map(ord, ignore))).strip()


def number(value: Any) -> float:
    """Return a number as JSON has it, or as the text of one; NaN where there is none, or `MALFORMED_NUMBER`."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return MALFORMED_NUMBER
    if isinstance(value, str) and not _NUMBER.fullmatch(value := value.strip()):
        return MALFORMED_NUMBER
    try:
        found = float(value)
    except OverflowError:
        return MALFORMED_NUMBER
    return found if math.isfinite(found) else MALFORMED_NUMBER


def numbers(column: Sequence[Any]) -> list[float]:
    """Return the numbers of many values."""
    types = set(map(type, column))
    if types == {type(None)}:
        return [math.nan] * len(column)
    if types == {float} and all(map(math.isfinite, column)):
        return list(column)
    if types == {int}:
        with suppress(OverflowError):
            return list(map(float, column))
    return [number(value) for value in column]
