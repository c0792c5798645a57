"""What the columns path must know of an answer: where its lists of hits are, and where members of hits stand.

It is made from the protocol's and the tasks' paths once per run (`plan_of`). An answer whose places need more than
plain names, such as a filter of JMESPath, has no plan.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from benchbench.client.response_layout import MEMBERS, Reading, ResponseLayout
from benchbench.kernels.arrays import U64, Bytes
from benchbench.kernels.json_columns import (
    BEHIND,
    BELOW,
    FIELDS,
    FIRST,
    HIT,
    LAST,
    LENGTH,
    OWN,
    PARENT,
    START,
    WORD,
)
from benchbench.tables.fields import META
from benchbench.tables.labels import LabelSchema, Path, is_passed

_RESULTS = ("results",)  # names that lead to the lists of the usual answer
_WHOLE: Any = msgspec.json.Decoder(msgspec.Raw)
_ESCAPED = frozenset('"\\')  # characters that JSON never has as they are
_START = 64  # bytes of a body in which the first that is not blank is looked for


@dataclass(frozen=True, slots=True)
class Plan:
    """How the answers of one service to one set of tasks become columns."""

    lists: "_Lists"
    nodes: U64  # as `kernels.json_columns` has them
    names: Bytes
    rows: int  # of spans
    fields: Mapping[str, Sequence[int]]  # member of a hit -> rows that may have it, the first that has counts
    labels: Sequence[Sequence[int]]  # the same for each label
    likely: U64  # space of the kernel, in which it keeps what it has learned


class _Lists:
    """Checks an answer, and finds where its lists of hits begin."""

    def __init__(self, lists: Path | None, hits: Path, *, bare: bool = False) -> None:
        """Take the names that lead to the list of elements, None where the answer is the only one, and in each to hits.

        With `bare` that list may also be the whole answer.
        """
        self._lists, self._hits, self._bare = lists, hits, bare
        self.together = lists is not None and not hits  # the elements are the lists of hits
        element: Any = _nested(hits, msgspec.Raw)
        if lists is not None:
            element = _nested(lists, element if self.together else list[element])
        self._decoder: Any = msgspec.json.Decoder(element)

    def find(self, body: bytes, queries: int) -> U64 | None:
        """Return where each query's list begins in a body, or where they do `together`; None for another shape.

        A body that is no JSON is of another shape. Whether lists stand there is for the walk to see.
        """
        is_bare = self._bare and body[:_START].lstrip().startswith(b"[")
        try:
            found = _WHOLE.decode(body) if is_bare else _inside(self._decoder.decode(body), self._lists or ())
        except (msgspec.DecodeError, RecursionError):
            return None
        elements = found if type(found) is list else [found]
        if not self.together and len(elements) != queries:
            return None
        begin = _address(body)
        begins = [_address(one if is_bare else _inside(one, self._hits)) - begin for one in elements]
        return np.array(begins, np.uint64) if all(0 <= one < len(body) for one in begins) else None


def _address(memory: Any) -> int:
    """Return where something stands in memory: what msgspec leaves as it is, is a view of what it was given."""
    address: int = np.frombuffer(memory, np.uint8).__array_interface__["data"][0]
    return address


def _nested(names: Path, inner: Any) -> Any:
    """Return the type of an object that has something of type `inner` at the end of some names."""
    for name in reversed(names):
        inner = msgspec.defstruct("Inner", [("value", inner)], rename={"value": name}, gc=False)
    return inner


def _inside(value: Any, names: Path) -> Any:
    for _ in names:
        value = value.value
    return value


@lru_cache(maxsize=64)
def plan_of(described: Reading | None, schema: LabelSchema) -> Plan | None:
    """Return how answers become columns; None where that needs more than plain names.

    Parameters
    ----------
    described
        Where a described service puts its hits; None for the usual places.
    schema
        The labels of hits.
    """
    members: dict[str, Path] = {}
    lists = _Lists(_RESULTS, (), bare=True)
    if described is not None:
        found = _plain(described)
        if found is None:
            return None
        lists, members = found
    removed = {other for name in members for other in MEMBERS.get(name, ())[1:]}
    if not removed.isdisjoint((*members, *(path[0] for label in schema.labels for path in label.hit))):
        return None  # such a member is there or not, as another one is
    fields = {name: _places(name, members) for name in MEMBERS if name != META}
    labels = [[(path, _place(path, members)) for path in label.hit] for label in schema.labels]
    wanted = {place: None for places in fields.values() for place in places}
    wanted |= {place: None for places in labels for _, place in places}
    if not all(name and name.isprintable() and _ESCAPED.isdisjoint(name) for place in wanted for name in place):
        return None  # JSON may write such a name in another way
    passed = {place[:n] for place in wanted for n in range(len(place))}
    values = {place for places in fields.values() for place in places}  # at which an object is a value too
    for label, places in zip(schema.labels, labels, strict=True):
        values.update(place for path, place in places if not is_passed(path, label.hit))
    if not values.isdisjoint(passed):
        return None
    nodes, names, rows = _tree(wanted)
    return Plan(
        lists=lists,
        nodes=nodes,
        names=names,
        rows=len(rows),
        fields={name: [rows[place] for place in places] for name, places in fields.items()},
        labels=[[rows[place] for _, place in places] for places in labels],
        likely=np.zeros(2 * len(nodes), np.uint64),
    )


def _plain(described: Reading) -> tuple[_Lists, dict[str, Path]] | None:
    """Return the lists and the members of a description that has plain names only, None for another."""
    if not isinstance(described, ResponseLayout):
        return None
    lists = () if described.lists is None else described.lists.names
    hits, members = described.hits.names, {name: path.names for name, path in described.members.items()}
    if lists is None or hits is None or None in members.values():
        return None
    several = described.lists is not None
    return _Lists(lists if several else None, hits), {name: path for name, path in members.items() if path is not None}


def _places(name: str, members: Mapping[str, Path]) -> list[Path]:
    """Return where a member of `MEMBERS` may stand in a hit."""
    usual = [name] if name in members else MEMBERS[name]
    return [_place((one,), members) for one in usual]


def _place(path: Path, members: Mapping[str, Path]) -> Path:
    """Return where a hit of the service has what has a path in a hit with the usual names."""
    return (*members.get(path[0], path[:1]), *path[1:])


def _tree(wanted: Iterable[Path]) -> tuple[U64, Bytes, dict[Path, int]]:
    """Return the nodes and names of `kernels.json_columns` for wanted places, and the row of each place."""
    tree: dict[str, Any] = {}
    for place in wanted:
        inner = tree
        for name in place:
            inner = inner.setdefault(name, {})
    names, rows, nodes = bytearray(), dict[Path, int](), [[0] * FIELDS for _ in range(HIT + 1)]
    wanted = set(wanted)

    def add(node: int, place: Path, inner: dict[str, Any]) -> None:
        row, first = nodes[node], len(nodes)
        row[BELOW] = len(rows)
        if place in wanted:
            row[OWN], rows[place] = 1, len(rows)
        row[FIRST], row[LAST] = first, first + len(inner)
        for name in inner:
            encoded = name.encode()
            child = [0] * FIELDS
            child[PARENT], child[START], child[LENGTH] = node, len(names), len(encoded)
            child[WORD] = int.from_bytes(encoded[:8], "little")
            names.extend(encoded)
            nodes.append(child)
        for number, (name, below) in enumerate(inner.items(), first):
            add(number, (*place, name), below)
        row[BEHIND] = len(rows)

    add(HIT, (), tree)
    return np.array(nodes, np.uint64), np.frombuffer(bytes(names), np.uint8), rows
