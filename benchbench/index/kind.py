"""A kind of search index: how a page of documents is asked for, and how the answer is read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from benchbench.client.document_pages import Page, PageRequest
from benchbench.client.jmespath_fields import FieldPath
from benchbench.client.response_layout import ProtocolError
from benchbench.errors import InputError
from benchbench.tables.documents import Document

MEMBERS = ("id", "name", "file", "category", "text")  # of a document, each a field of the index

_FIELD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class IndexFields:
    """Where a record has the members of a document; an empty expression: nowhere."""

    paths: Mapping[str, FieldPath]

    @classmethod
    def of(cls, defaults: Mapping[str, str], given: Mapping[str, str]) -> "IndexFields":
        """Return the defaults with what `--field` says; InputError for what is no member or no expression."""
        for member in given:
            if member not in MEMBERS:
                raise InputError(f"--field {member}: a document has no such member; it has {', '.join(MEMBERS)}")
        paths = {}
        for member, expression in {**defaults, **given}.items():
            try:
                if expression:
                    paths[member] = FieldPath(expression)
            except ValueError:
                raise InputError(f"--field {member}: {expression!r} is not a JMESPath expression") from None
        if "id" not in paths:
            raise InputError("--field id: documents need an id; name its field")
        return cls(paths)

    def document(self, record: Any, score: Any = None) -> Document:
        """Return a record as a document; a member of another type than a text is none."""
        values = {member: path.find(record) for member, path in self.paths.items()}
        number = values["id"]
        if isinstance(number, bool) or not isinstance(number, str | int) or number == "":
            raise ProtocolError(f"a document has no id at {self.paths['id'].expression} (--field id names its field)")
        texts = {member: value for member, value in values.items() if member != "id" and isinstance(value, str)}
        real = isinstance(score, int | float) and not isinstance(score, bool)
        return Document(str(number), **texts, score=float(score) if real else None)

    def column(self, member: str) -> str | None:
        """Return a member's field as OData names it; None where there is no field or not one alone."""
        path = self.paths.get(member)
        plain = path is not None and _FIELD.fullmatch(path.expression)
        return path.expression.replace(".", "/") if path is not None and plain else None


class IndexKind(Protocol):
    """How an index is asked and understood by one protocol."""

    name: ClassVar[str]  # of the protocol
    members: ClassVar[Mapping[str, str]]  # where an index has those of a document, unless `--field` says otherwise
    options: ClassVar[tuple[str, ...]]  # that `--protocol-option` may give
    furthest: ClassVar[int | None]  # documents that may be skipped
    absent: ClassVar[str]  # what to do where the URL has nothing

    @property
    def path(self) -> str:
        """Return the end of the URL."""

    def body(self, request: PageRequest) -> dict[str, Any]:
        """Return the request."""

    def page(self, answer: Any, request: PageRequest) -> Page:
        """Return the page of an answer; ProtocolError where it is none."""


def list_at(answer: Any, member: str) -> list[Any]:
    """Return a member of an answer; ProtocolError where it is no list."""
    values = answer.get(member) if isinstance(answer, dict) else None
    if not isinstance(values, list):
        raise ProtocolError(f'there is no list "{member}"')
    return values


def total_at(answer: dict[str, Any], member: str) -> int:
    """Return a member of an answer; ProtocolError where it is no number of documents."""
    total = answer.get(member)
    if not isinstance(total, int) or isinstance(total, bool) or total < 0:
        raise ProtocolError(f'there is no number of documents in "{member}"')
    return total


def are_counts(value: Any) -> bool:
    """Say whether a value has a whole number by each name."""
    return isinstance(value, dict) and all(isinstance(n, int) and not isinstance(n, bool) for n in value.values())
