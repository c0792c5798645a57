"""Bodies of answers drawn from a seed, whole, odd and damaged, with what they are decoded with.

Cases of one block share their surroundings (`Surroundings`): protocol, labels, the texts that are sought, and the
values that members are drawn from. JSON is made as text, because what matters is often lost in Python's values:
duplicate members, escapes, blanks, digits.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from client.answer_pieces import (
    BLANKS,
    ESCAPED_NAMES,
    LABELS,
    METAS,
    ODD_HASHES,
    ODD_IDS,
    ODD_LABELS,
    ODD_OTHERS,
    ODD_SCORES,
    OTHER_NAMES,
    OTHERS,
    SCORES,
    SHAPES,
    STRUCTURE,
    like,
    quoted,
    some_text,
)
from legal_labels import SCHEMA

from benchbench.client import descriptions
from benchbench.client.answer_plan import plan_of
from benchbench.client.jmespath_fields import FieldPath, JoinedPath
from benchbench.client.response_layout import ResponseLayout, ResponseReading
from benchbench.tables.fields import ID, TEXT
from benchbench.tables.hashing import normalise, text_hash, text_prefix
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Path

VALUES = (*SCORES, *LABELS, *METAS, *OTHERS, *SHAPES)
_SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+', re.DOTALL)

BLOCK = 500  # cases with the same surroundings

Tree = list[tuple[str, Any]]  # the members of an object in their order, of which a value is JSON or another tree


@dataclass(frozen=True, slots=True)
class Case:
    """A body, and the other parameters of `decode`."""

    kind: str
    body: bytes
    text_prefixes: tuple[tuple[str, ...], ...]
    schema: LabelSchema
    described: ResponseReading | None
    top_k: int | None


# Labels and protocols

_MEMBERS = ("a", "b", "meta", "content", "é", "imprisonment")


def some_schema(chance: random.Random) -> LabelSchema:
    """Return labels of any kind with alternative paths, some of which lead through others."""
    labels = []
    for n in range(chance.randrange(1, 5)):
        paths = {
            tuple(chance.choices(_MEMBERS, k=chance.choice((1, 1, 2, 2, 3)))) for _ in range(chance.randrange(1, 4))
        }
        if chance.random() < 0.6:
            paths = {("meta", *path[:2]) for path in paths} | set(list(paths)[:1])
        if chance.random() < 0.03:
            paths.add((chance.choice(("", "b\\n")),))  # the second one is not the JSON "b\\n"
        ordered = sorted(paths)
        chance.shuffle(ordered)
        labels.append(
            Label(f"label {n}", chance.choice(list(Kind)), (), tuple(ordered), chance.choice(("", "", "[]", "x")))
        )
    return LabelSchema(tuple(labels))


def _path(*names: str) -> FieldPath:
    return FieldPath(".".join(name if name.isidentifier() and name.isascii() else f'"{name}"' for name in names))


_STEPS = (
    "a", "b", "id", "_id", "key", "score", "@search.score", "text", "body", "meta", "payload", "日本", "doc_id",
    "fact",
)  # fmt: skip


def _some_layout(chance: random.Random, schema: LabelSchema) -> ResponseLayout:
    def some(longest: int) -> FieldPath:
        return _path(*chance.choices(_STEPS, k=chance.randrange(1, longest + 1)))

    members: dict[str, FieldPath | JoinedPath] = {}
    for name in ("id", "score", "text", "text_hash", "meta"):
        if chance.random() < 0.6:
            members[name] = FieldPath("@") if chance.random() < 0.08 else some(3)
    if schema.labels and chance.random() < 0.3:
        members[chance.choice(schema.labels).hit[0][0]] = some(2)
    hits = FieldPath("@") if chance.random() < 0.2 else some(2)
    lists = None if chance.random() < 0.2 else FieldPath("@") if chance.random() < 0.2 else some(2)
    return ResponseLayout(hits, lists, members)


_SEARCHED = (
    ResponseLayout(FieldPath("h[*].x"), FieldPath("r")),
    ResponseLayout(FieldPath("h[?id]"), FieldPath("r"), {"id": FieldPath("id || _id"), "meta": FieldPath("@")}),
    ResponseLayout(FieldPath("h"), FieldPath("r"), {"id": JoinedPath((FieldPath("id"), FieldPath("_id")), "#")}),
)
_BUILT_IN = {
    "elasticsearch": {"index": "x"},
    "qdrant": {"collection": "x", "model": "x"},
    "azure-ai-search": {"index": "x", "text_field": "content"},
}


def _steps(path: FieldPath | JoinedPath) -> Path:
    """Return the names that a plain path has, none for `@`; of another expression those that are in it."""
    expression = path.expression if isinstance(path, FieldPath) else path.parts[0].expression
    return tuple(quoted or plain for quoted, plain in re.findall(r'"([^"]+)"|([A-Za-z_]\w*)', expression))


@dataclass(frozen=True, slots=True)
class _Slot:
    """A member of a hit: where it stands, how often, and what it may be."""

    path: Path
    presence: float
    values: Sequence[Any]
    odd: Sequence[Any]


class Surroundings:
    """What the cases of a block share."""

    def __init__(self, seed: str) -> None:
        chance = self._chance = random.Random(seed)
        self._draw_protocol(chance)
        while plan_of(self.described, self.schema) is None and chance.random() < 0.9:
            self._draw_protocol(chance)
        self.queries = 1 if self._layout and self._layout.lists is None else chance.choice((1, 1, 2, 3))
        sought = [some_text(chance, 200) for _ in range(4)]
        prefixes = [text_prefix(normalise(text)) for text in sought]
        self.text_prefixes = tuple(
            tuple(dict.fromkeys(chance.choices(prefixes, k=chance.choice((0, 1, 2, 3))))) for _ in range(self.queries)
        )
        texts = [chance.choice((like(chance.choice(sought), chance), some_text(chance, 400))) for _ in range(40)]
        self._texts = [quoted(text, chance, chance.choice((0, 0, 0.1, 1))) for text in texts]
        self._ids = [quoted(_an_id(chance), chance, chance.choice((0, 0, 0, 0.2))) for _ in range(30)]
        self._ids += [str(chance.randrange(10**n)) for n in range(1, chance.choice((1, 20)))]
        self._named = chance.choice((0.9, 1.0, 1.0, 1.0))  # hits that have an id
        digests = [f"{text_hash(text):016x}" for text in chance.sample(texts, 8)]
        self._hashes = [f'"{chance.choice((digest, digest, digest.upper()))}"' for digest in digests]
        self._metas = [self._labels(chance, 0.0) for _ in range(6)]
        self._slots = self._members(chance)

    def _draw_protocol(self, chance: random.Random) -> None:
        self.kind, self.described = "our protocol", None
        self.schema = SCHEMA if chance.random() < 0.6 else some_schema(chance) if chance.random() < 0.9 else NO_LABELS
        share = chance.random()
        if share < 0.05:
            self.kind, self.described = "JMESPath", chance.choice(_SEARCHED)
        elif share < 0.2:
            self.kind = chance.choice(list(_BUILT_IN))
            self.described = descriptions.profile(self.kind, _BUILT_IN[self.kind]).results
        elif share < 0.5:
            self.kind, self.described = "described", _some_layout(chance, self.schema)
        elif self.schema is not SCHEMA:
            self.kind = "our protocol, other labels"

    @property
    def _layout(self) -> ResponseLayout | None:
        return self.described if isinstance(self.described, ResponseLayout) else None

    def _members(self, chance: random.Random) -> list[_Slot]:
        texts, odd_texts = self._texts, [*ODD_IDS, *ODD_OTHERS, *SHAPES]
        if self._layout is None:
            hashed = chance.choice((0.0, 0.1, 1.0))
            slots = [
                _Slot(("id",), self._named, self._ids, ODD_IDS),
                _Slot(("score",), 0.95, SCORES, ODD_SCORES),
                _Slot(("text",), chance.choice((0.1, 0.9, 0.9)) * (1 - hashed), texts, odd_texts),
                _Slot(("text_hash",), hashed, self._hashes, ODD_HASHES),
            ]
        else:
            described = {name: _steps(path) for name, path in self._layout.members.items()}
            values = {
                "id": (self._named, self._ids, ODD_IDS),
                "score": (0.95, SCORES, ODD_SCORES),
                "text": (0.8, texts, odd_texts),
                "text_hash": (0.6, self._hashes, ODD_HASHES),
                "meta": (0.5, self._metas, METAS),
            }
            slots = [
                _Slot(path, *values.get(name, (0.6, LABELS, ODD_LABELS))) for name, path in described.items() if path
            ]
            slots += [_Slot((name,), values[name][0], *values[name][1:]) for name in values if name not in described]
        if chance.random() < 0.3:
            slots += [_Slot((name,), 0.05, self._ids, ODD_IDS) for name in ID[1:]]
            slots += [_Slot((name,), 0.05, texts, odd_texts) for name in TEXT[1:]]
        if self._layout is None and chance.random() < 0.9:
            slots.append(_Slot(("meta",), chance.choice((0.5, 1.0)), self._metas, METAS))
        if chance.random() < 0.4:
            slots += [_Slot(path, 0.1, LABELS, ODD_LABELS) for label in self.schema.labels for path in label.hit]
        if not any(slot.path == ("id",) for slot in slots) and chance.random() < 0.5:
            chance.shuffle(slots)
        return slots

    def _labels(self, chance: random.Random, odd: float) -> Tree:
        """Return a `meta` with labels, none of them at two places in most."""
        tree: Tree = []
        for label in self.schema.labels:
            inside = [path[1:] for path in label.hit if path[0] == "meta" and path[1:]]
            for path in inside if chance.random() < 0.1 else chance.sample(inside, min(1, len(inside))):
                if chance.random() < 0.8:
                    values = ODD_LABELS if chance.random() < odd else LABELS
                    _put(tree, path, chance.choice(values))
        if chance.random() < 0.3:
            tree.insert(chance.randrange(len(tree) + 1), (chance.choice(OTHER_NAMES), chance.choice(OTHERS)))
        return tree

    def case(self, chance: random.Random) -> Case:
        """Return a case with a body as the grammar has it."""
        answer = _Answer(self, chance)
        return Case(
            self.kind,
            answer.text().encode("utf-8", "surrogateescape"),
            self.text_prefixes,
            self.schema,
            self.described,
            None if chance.random() < 0.6 else chance.randrange(1, 6),
        )


def _an_id(chance: random.Random) -> str:
    if chance.random() < 0.5:
        return f"c{chance.randrange(10 ** chance.randrange(1, 12))}"
    return some_text(chance, 70) or "a/b"


def _put(tree: Tree, path: Path, value: Any) -> None:
    """Put a value at a path; members that are no objects and in the way get a namesake."""
    for name in path[:-1]:
        for known, inner in tree:
            if known == name and type(inner) is list:
                tree = inner
                break
        else:
            inner = []
            tree.append((name, inner))
            tree = inner
    tree.append((path[-1], value))


class _Answer:
    """One body as text."""

    def __init__(self, around: Surroundings, chance: random.Random) -> None:
        self._around, self._chance, self._random = around, chance, chance.random
        share = chance.random()
        self._odd = 0.0 if share < 0.6 else 0.01 if share < 0.9 else 0.2
        self._escaped = 0.0 if chance.random() < 0.9 else 0.1  # names with an escape
        self._shuffled = 0.0 if chance.random() < 0.7 else 0.3
        between = chance.random() < 0.3
        self._blanks = [BLANKS[int(self._random() * len(BLANKS))] if between else "" for _ in range(4)]
        self._labels = chance.random() < 0.15  # that are new with every hit

    def text(self) -> str:
        random, around = self._random, self._around
        lists = [self._hits() for _ in range(around.queries)]
        layout = around._layout
        if random() < self._odd:
            lists.append("[]")
        if random() < self._odd:
            lists.pop()
        if layout is None:
            body = self._list(lists)
            if random() < self._odd:
                body = self._pick(SHAPES)
            body = body if random() < 0.3 else self._within(("results",), body)
        else:
            hits = _steps(layout.hits)
            elements = [self._within(hits, one) for one in lists]
            body = elements[0] if layout.lists is None and elements else self._list(elements)
            body = self._within(() if layout.lists is None else _steps(layout.lists), body)
        if self._odd and random() < 0.03:
            body = self._pick(("\udcef\udcbb\udcbf", "x", "[", "\x00", "\ufeff")) + body
        if self._odd and random() < 0.03:
            body += self._pick(("x", "]", ",", "\x00", "{}", "\udcff", " 1"))
        return self._pick(BLANKS) + body + self._pick(BLANKS)

    def _pick(self, values: Sequence[Any]) -> Any:
        return values[int(self._random() * len(values))]

    def _value(self, slot: _Slot) -> Any:
        return self._pick(slot.odd if self._random() < self._odd else slot.values)

    def _hits(self) -> str:
        random = self._random
        if random() < self._odd * 0.3:
            return str(self._pick(SHAPES))
        number = int(random() * 5) if random() < 0.99 else int(random() * 120)
        hits = [self._hit() for _ in range(number)]
        if random() < self._odd * 0.1:
            hits[int(random() * 2) : 0] = [self._pick(("{}", "{}", "0", '{"":1}'))] * int(random() * 400)
        return self._list(hits)

    def _hit(self) -> str:
        random, odd = self._random, self._odd
        if random() < odd * 0.3:
            return str(self._pick(SHAPES) if random() < 0.7 else self._pick(ODD_OTHERS))
        tree: Tree = []
        for slot in self._around._slots:
            if random() < slot.presence:
                value = self._value(slot)
                if self._labels and value in self._around._metas:
                    value = self._around._labels(self._chance, odd)
                if len(slot.path) == 1:
                    tree.append((slot.path[0], value))
                else:
                    tree = _copied(tree)
                    _put(tree, slot.path, value)
        while random() < 0.2:
            other = self._pick(ODD_OTHERS) if random() < odd else self._pick(OTHERS)
            names = ESCAPED_NAMES if random() < self._escaped else OTHER_NAMES
            tree.insert(int(random() * (len(tree) + 1)), (self._pick(names), other))
        if tree and random() < odd + 0.01:
            name, value = self._pick(tree)
            tree.insert(int(random() * (len(tree) + 1)), (name, self._pick((value, "null", *SHAPES, *OTHERS[:12]))))
        if random() < self._shuffled:
            self._chance.shuffle(tree)
        return self._object(tree)

    def _within(self, path: Path, value: str) -> str:
        """Return a value within the objects that a path leads through, with other members beside it."""
        random = self._random
        for name in reversed(path):
            tree: Tree = [(name, value)]
            while random() < 0.15:
                other = self._pick(ODD_OTHERS) if random() < self._odd else self._pick(OTHERS)
                tree.insert(int(random() * (len(tree) + 1)), (self._pick((*OTHER_NAMES[:20], "hits", "id")), other))
            if random() < self._odd * 0.3:
                tree.insert(int(random() * 2), (name, self._pick((value, *SHAPES))))
            value = self._object(tree)
        return value

    def _list(self, values: list[str]) -> str:
        a, b, c, _ = self._blanks
        return f"[{a}{f'{b},{c}'.join(values)}{a}]" if values else f"[{a}]"

    def _object(self, tree: Tree) -> str:
        a, b, c, d = self._blanks
        if not tree:
            return f"{{{a}}}"
        members = [
            f'"{self._name(name)}"{b}:{c}{value if type(value) is str else self._object(value)}' for name, value in tree
        ]
        return f"{{{d}{f'{a},{c}'.join(members)}{b}}}"

    def _name(self, name: str) -> str:
        if self._escaped and name and self._random() < self._escaped and "\\" not in name:
            n = int(self._random() * len(name))
            if ord(name[n]) < 0xD800:
                return f"{name[:n]}\\u{ord(name[n]):04x}{name[n + 1 :]}"
        return name


def _copied(tree: Tree) -> Tree:
    return [(name, _copied(value) if type(value) is list else value) for name, value in tree]


@lru_cache(maxsize=4)
def surroundings(seed: int, block: int) -> Surroundings:
    """Return what the cases of a block share."""
    return Surroundings(f"{seed}.{block}")


@lru_cache(maxsize=1)
def _whole(seed: int, number: int) -> Case:
    return surroundings(seed, number // BLOCK).case(random.Random(f"{seed}.{number}."))


def drawn(seed: int, number: int) -> Case:
    """Return one case; each odd one is the even one before it, damaged."""
    case = _whole(seed, number & ~1)
    return damaged(case, random.Random(f"{seed}.{number}.")) if number & 1 else case


def damaged(case: Case, chance: random.Random) -> Case:
    """Return a case with a little of its body changed: often a whole value or name, so that it may be JSON still."""
    body, random = case.body, chance.random
    for _ in range(chance.choice((1, 1, 2, 3))):
        if body:
            body = _with_another_value(body, chance) if random() < 0.75 else _with_other_bytes(body, chance)
    return replace(case, kind=f"{case.kind}, damaged", body=body)


def _with_another_value(body: bytes, chance: random.Random) -> bytes:
    """Put one scalar in the place of another, a string for a name, or take an element away."""
    begin = max(0, body.find(b"{", int(chance.random() * len(body))))
    places = list(islice(_SCALAR.finditer(body, begin), 12))
    if not places:
        return body
    one, other = chance.choice(places), chance.choice(places)
    after = body[one.end() :].lstrip()[:1]
    if chance.random() < 0.15 and after == b",":
        return body[: one.start()] + body[one.end() :].lstrip()[1:]
    if after == b":" and other[0][:1] != b'"':
        return body
    put = chance.choice(VALUES).encode() if after != b":" and chance.random() < 0.3 else other[0]
    return body[: one.start()] + put + body[one.end() :]


def _with_other_bytes(body: bytes, chance: random.Random) -> bytes:
    i, j = sorted((int(chance.random() * len(body)), int(chance.random() * len(body))))
    near = min(len(body), i + chance.choice((1, 2, 5, 40)))
    far = min(len(body), j + near - i)
    match int(chance.random() * 8):
        case 0:
            return body[:i] + bytes([body[i] ^ 1 << int(chance.random() * 8)]) + body[i + 1 :]
        case 1:
            return body[:i] + body[near:]
        case 2:
            return body[:j] + body[i:near] + body[j:]
        case 3:
            return body[:near] + body[i:]
        case 4 if near <= j:
            return body[:i] + body[j:far] + body[near:j] + body[i:near] + body[far:]
        case 5 if chance.random() < 0.3:
            return body[:j]
    return body[:i] + STRUCTURE[int(chance.random() * len(STRUCTURE)) :][:1] + body[i + 1 :]
