"""What version 0.1 called the numbers of a record: the members of `summary.json` and of `--format json`.

A kind has its rows once, as `old_names` of its class, in the order of the members. A row is an `Old`, which says where
numbers, counts or failures of the record stand, or the name of a member that is no number:

    old_names = (
        "signature",                                                 # of the record
        Old("counts", of="counts"),                                  # each count without a scope, by its name
        Old("latency_ms", names=("mean", "p50", "max")),             # these numbers, in this order
        Old("measures", ("task", "name"), members=("value", "low")), # of a task each, an object per number
        "warnings",                                                  # of the details
    )

`written` makes the members of a record and of details that hold no number; `restored` makes a record of members.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec

from benchbench.errors import InputError
from benchbench.results import checks
from benchbench.results.gates import kind_and_name
from benchbench.results.record import Count, Failure, Number, Record, Scope, Subject, converted, record

_OF_SUBJECT = {"signature": "signature", "name": "name", "url": "source"}


class Old(NamedTuple):
    """The place of entries of a record in JSON.

    Attributes
    ----------
    member
        The member that they stand in.
    keys
        What its objects within one another go by: keys of the scope, which entries have and no others, and `name`,
        which is also the reason of a failure.
    of
        Which entries.
    names
        Theirs, in the order of the members; without any, all that no other row names. Those of a kind, such as
        `spread nDCG@10`, stand nowhere unless a row names them.
    members
        Of the object that stands for a number; without any, its value does.
    """

    member: str
    keys: tuple[str, ...] = ("name",)
    of: Literal["numbers", "counts", "failures"] = "numbers"
    names: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


class Entries(dict[str, Any]):
    """Entries of a record by name; asking for one that the file does not have raises InputError."""

    def __init__(self, entries: Iterable[tuple[str, Any]] = (), file: str = "record.json") -> None:
        """Take what was read from a file."""
        super().__init__(entries)
        self._file = file

    def __missing__(self, name: str) -> Any:
        """Say that the file is damaged."""
        raise InputError(f"{self._file} is damaged: it has no {name!r}")


class Part:
    """The entries of a record with one scope, by name: all that was measured, or one part of it, such as a target.

    Attributes
    ----------
    record
        Of the whole.
    scope
        That everything of the part has.
    subject
        What was measured.
    file
        From which it was read.
    """

    def __init__(
        self, record: Record, scope: Scope | None = None, subject: Subject | None = None, file: str = "record.json"
    ) -> None:
        """Take a part of a record; all of it, with its only subject, by default."""
        self.record, self.scope, self.file = record, scope or {}, file
        self.subject = subject or next(iter(record.subject), Subject(name=record.name, source=""))

    @property
    def name(self) -> str:
        """The name of what was measured."""
        return self.subject.name

    @property
    def url(self) -> str:
        """Its address."""
        return self.subject.source

    @property
    def signature(self) -> str:
        """What its numbers depend on."""
        return self.subject.signature

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """The numbers of this scope and no narrower one."""
        return Entries(self.entries("numbers"), self.file)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The counts of this scope and no narrower one."""
        return Entries(((name, count.count) for name, count in self.entries("counts")), self.file)

    @cached_property
    def failures(self) -> dict[str, int]:
        """How many failed, by reason."""
        return {reason: failure.count for reason, failure in self.entries("failures")}

    def numbers_by(self, key: str) -> dict[str, dict[str, Number]]:
        """Return the numbers that have one more key in their scope, by its value and their names."""
        by_value: dict[str, dict[str, Number]] = Entries()
        for name, number in self.entries("numbers", key):
            by_value.setdefault(number.scope[key], Entries())[name] = number
        return by_value

    def counts_by(self, name: str, key: str) -> dict[str, int]:
        """Return the counts of a name that have one more key in their scope, by its value."""
        return {count.scope[key]: count.count for counted, count in self.entries("counts", key) if counted == name}

    def entries(self, kind: str, *keys: str) -> Iterator[tuple[str, Any]]:
        """Yield numbers, counts or failures that have these keys in their scope besides, each with its name."""
        wanted = {*self.scope, *keys}
        for entry in getattr(self.record, kind):
            if entry.scope.keys() == wanted and self.scope.items() <= entry.scope.items():
                yield entry.reason if kind == "failures" else entry.name, entry


def parts(record: Record, key: str) -> dict[str, Part]:
    """Return the parts of a record by the values of a key, such as targets; of one thing without it, by its name."""
    values = dict.fromkeys(number.scope[key] for number in record.numbers if key in number.scope)
    if not values:
        return {record.subject[0].name: Part(record)}
    return {value: Part(record, {key: value}, it) for value, it in zip(values, record.subject, strict=True)}


def written(rows: Sequence[Old | str], part: Part, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a part.

    Parameters
    ----------
    rows
        Of its kind.
    part
        With the numbers.
    details
        What is no number, as JSON values; what belongs to numbers stands within objects as theirs do.
    """
    members: dict[str, Any] = {}
    for row in rows:
        if isinstance(row, str):
            members[row] = details[row] if row in details else _of_record(row, part)
            continue
        objects = members.setdefault(row.member, {})
        for name, entry in _chosen(row, rows, part):
            *within, last = ({**entry.scope, "name": name}[key] for key in row.keys)
            place = objects
            for step in within:
                place = place.setdefault(step, {})
            place[last] = _value(entry, row.members)
    return _merged(members, details)


def restored(rows: Sequence[Old | str], members: Mapping[str, Any], file: str) -> Record:
    """Return a record with the numbers of members, each with what they say of it; `file` is theirs.

    Raises
    ------
    InputError
        When a member is missing or is not of its type.
    """
    types: dict[str, Any] = {row: str for row in rows if isinstance(row, str) and row in _OF_SUBJECT}
    for row in _olds(rows):
        types[row.member] = _type([other for other in _olds(rows) if other.member == row.member])
    checked = converted(members, msgspec.defstruct("Members", list(types.items())), file)
    entries: dict[str, Any] = {"numbers": [], "counts": [], "failures": []}
    for row in _olds(rows):
        for path, value in _leaves(getattr(checked, row.member), len(row.keys)):
            scope = dict(zip(row.keys, path, strict=True))
            name = scope.pop("name", "") or row.names[0]
            if not row.names or name in row.names:
                entries[row.of].append(_entry(row, name, value, scope))
    subject = Subject(**{attribute: getattr(checked, name) for name, attribute in _OF_SUBJECT.items() if name in types})
    return record("", 0.0, name=subject.name, signature=subject.signature, subject=[subject], **entries)


def _chosen(row: Old, rows: Sequence[Old | str], part: Part) -> Iterator[tuple[str, Any]]:
    entries = list(part.entries(row.of, *(key for key in row.keys if key != "name")))
    if row.names:
        return ((name, entry) for wanted in row.names for name, entry in entries if name == wanted)
    others = {name for other in _olds(rows) if other.of == row.of for name in other.names}
    others |= {name for name, _ in entries if row.of == "numbers" and kind_and_name(name)[0]}
    return ((name, entry) for name, entry in entries if name not in others)


def _value(entry: Number | Count | Failure, members: Sequence[str]) -> Any:
    if not isinstance(entry, Number):
        return entry.count
    return {name: getattr(entry, name) for name in members} if members else entry.value


def _olds(rows: Sequence[Old | str]) -> list[Old]:
    return [row for row in rows if isinstance(row, Old)]


def _type(rows: Sequence[Old]) -> Any:
    """Return the type of a member in which entries of some rows stand."""
    (first, *_), are_numbers = rows, {row.of == "numbers" for row in rows}
    kind: Any = float | None if are_numbers == {True} else int if are_numbers == {False} else float | int | None
    if first.members:
        required, *others = first.members
        kind = msgspec.defstruct("Value", [(required, kind), *((name, kind, None) for name in others)])
    for _ in first.keys:
        kind = dict[str, kind]
    return kind


def _leaves(objects: Any, depth: int) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield what stands in objects within one another, with the names that lead there."""
    if not depth:
        yield (), objects
        return
    for name, value in objects.items():
        yield from (((name, *path), leaf) for path, leaf in _leaves(value, depth - 1))


def _entry(row: Old, name: str, value: Any, scope: Scope) -> Number | Count | Failure:
    if row.of == "failures":
        return Failure(reason=name, count=value, scope=scope)
    if row.of == "counts":
        return Count(name=name, count=value, scope=scope)
    return Number(
        name=name, scope=scope, **({member: getattr(value, member) for member in row.members} or {"value": value})
    )


def _of_record(name: str, part: Part) -> Any:
    """Return a member that is no number and that the record has."""
    if name != "gates":
        return getattr(part, name)
    gates = [gate for gate in part.record.gates if part.scope.items() <= gate.scope.items()]
    return [checks.members(gate) for gate in gates if gate.verdict != "broken"]


def _merged(members: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return members, with the details merged into the same places."""
    for name, value in more.items():
        existing = members.get(name)
        members[name] = _merged(existing, value) if isinstance(existing, dict) and isinstance(value, dict) else value
    return members
