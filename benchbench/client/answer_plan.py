"""What the columns path must know of an answer: where its lists of hits are, and where members of hits stand.

It is made from the protocol's and the tasks' paths once per run (`plan_of`). An answer whose places need more than
plain names, such as a filter of JMESPath, has no plan.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from msgspec import Struct

from benchbench.client.response_layout import MEMBERS, ResponseLayout, ResponseReading
from benchbench.kernels.arrays import I64, U64, Bytes, Records
from benchbench.kernels.json_columns import HIT, HITS, LISTS, NO_NODE, NODE, SKIPPED, WAY
from benchbench.tables.fields import META
from benchbench.tables.labels import LabelSchema, Path, is_passed

_RESULTS = ("results",)  # names that lead to the lists of the usual answer
_ESCAPED = frozenset('"\\')  # characters that JSON never has as they are
_OBJECT, _LIST = b"{["  # the bytes with which these begin


class AnswerPlan(Struct, frozen=True):
    """How the answers of one service to one set of tasks become columns."""

    nodes: Records  # `NODE` of `kernels.json_columns`
    names: Bytes
    rows: int  # of spans
    fields: Mapping[str, Sequence[int]]  # member of a hit -> rows that may have it, the first that has counts
    labels: I64  # (labels, alternatives): the same for each label, -1 for none
    likely: U64  # space of the kernel, in which it keeps what it has learned


class _Lists(Struct, frozen=True):
    """Where the lists of hits stand in an answer."""

    lists: Path | None  # names that lead to the list of elements, None where the answer is the only one
    hits: Path  # in each of these to the hits
    bare: bool = False  # that list may also be the whole answer


@lru_cache(maxsize=64)
def plan_of(described: ResponseReading | None, schema: LabelSchema) -> AnswerPlan | None:
    """Return how answers become columns; None where that needs more than plain names.

    Parameters
    ----------
    described
        Where a described service puts its hits; None for the usual places.
    schema
        The labels of hits.
    """
    members: dict[str, Path] = {}
    lists = _Lists(_RESULTS, (), True)
    if described is not None:
        plain = _plain(described)
        if plain is None:
            return None
        lists, members = plain
    removed = {other for name in members for other in MEMBERS.get(name, ())[1:]}
    if not removed.isdisjoint((*members, *(path[0] for label in schema.labels for path in label.hit))):
        return None  # such a member is there or not, as another one is
    fields = {name: _places(name, members) for name in MEMBERS if name != META}
    labels = [[(path, _place(path, members)) for path in label.hit] for label in schema.labels]
    wanted = {place: None for places in fields.values() for place in places}
    wanted |= {place: None for places in labels for _, place in places}
    on_the_way = (lists.lists or (), lists.hits)
    if not all(map(_is_plain, chain(*wanted, *on_the_way))):
        return None  # JSON may write such a name in another way
    passed = {place[:n] for place in wanted for n in range(len(place))}
    values = {place for places in fields.values() for place in places}  # at which an object is a value too
    for label, places in zip(schema.labels, labels, strict=True):
        values.update(place for path, place in places if not is_passed(path, label.hit))
    if not values.isdisjoint(passed):
        return None
    nodes, names, rows = _tree(wanted, lists)
    return AnswerPlan(
        nodes=nodes,
        names=names,
        rows=len(rows),
        fields={name: [rows[place] for place in places] for name, places in fields.items()},
        labels=_table([[rows[place] for _, place in places] for places in labels]),
        likely=np.zeros(2 * len(nodes), np.uint64),
    )


def _table(lists: Sequence[Sequence[int]]) -> I64:
    """Return lists as rows of one length, with -1 behind them."""
    table = np.full((len(lists), max(map(len, lists), default=0)), -1, np.int64)
    for row, values in zip(table, lists, strict=True):
        row[: len(values)] = values
    return table


def _is_plain(name: str) -> bool:
    """Say that JSON can write a name in no other way but with needless escapes."""
    return bool(name) and name.isprintable() and _ESCAPED.isdisjoint(name)


def _plain(described: ResponseReading) -> tuple[_Lists, dict[str, Path]] | None:
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
    return [_place((name,), members) for name in usual]


def _place(path: Path, members: Mapping[str, Path]) -> Path:
    """Return where a hit of the service has what has a path in a hit with the usual names."""
    return (*members.get(path[0], path[:1]), *path[1:])


def _tree(wanted: Iterable[Path], lists: _Lists) -> tuple[Records, Bytes, dict[Path, int]]:
    """Return what `kernels.json_columns.walk` knows of an answer, and the row of each wanted place."""
    tree: dict[str, Any] = {}
    for place in wanted:
        inner = tree
        for name in place:
            inner = inner.setdefault(name, {})
    nothing = dict.fromkeys(NODE.names or (), 0)
    names, rows, nodes = bytearray(), dict[Path, int](), [dict(nothing) for _ in range(WAY)]
    wanted = set(wanted)

    def call(node: int, name: str) -> None:
        encoded = name.encode()
        nodes[node].update(start=len(names), length=len(encoded), word=int.from_bytes(encoded[:8], "little"))
        names.extend(encoded)

    def add(node: int, place: Path, inner: dict[str, Any]) -> None:
        first = len(nodes)
        nodes[node].update(first=first, last=first + len(inner), below=len(rows))
        if place in wanted:
            nodes[node]["own"], rows[place] = 1, len(rows)
        for name in inner:
            nodes.append(dict(nothing))
            call(len(nodes) - 1, name)
        for number, (name, below) in enumerate(inner.items(), first):
            add(number, (*place, name), below)
        nodes[node]["behind"] = len(rows)

    def way(path: Path, node: int) -> int:
        """Return the node of the value from which names lead to another."""
        for name in reversed(path):
            call(node, name)
            nodes.append(nothing | {"opens": _OBJECT, "first": node, "last": node + 1})
            node = len(nodes) - 1
        return node

    add(HIT, (), tree)
    nodes[SKIPPED]["opens"] = nodes[HIT]["opens"] = _OBJECT
    nodes[HITS].update(opens=_LIST, first=HIT)
    top = way(lists.hits, HITS)
    if lists.lists is not None:
        nodes[LISTS].update(opens=_LIST, first=top)
        top = way(lists.lists, LISTS)
    as_object, as_list = (NO_NODE, top) if top < WAY else (top, LISTS if lists.bare else NO_NODE)
    nodes[NO_NODE].update(below=as_object, behind=as_list)
    made = np.array([tuple(node.values()) for node in nodes], NODE)
    return made, np.frombuffer(bytes(names), np.uint8), rows
