"""Labels that are looked up by their JSON mean what they mean when each is read."""

import math
from random import Random

import numpy as np
import orjson
import pytest
from hit_lists import assert_same

from benchbench.client import known_labels
from benchbench.client.decode import AnswerReader, decode_objects
from benchbench.client.known_labels import KnownLabels
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Vocabulary

SCHEMA = LabelSchema(
    (
        Label("a", Kind.SET, (), (("a",), ("meta", "a"))),
        Label("again", Kind.SET, (), (("a",),), "x"),
        Label("flag", Kind.FLAG, (), (("flag",),)),
        Label("size", Kind.NUMBER, (), (("size",),)),
    )
)
VALUES = ["x", "xy", ["x", "y"], ["y", "x"], 1, 1.0, True, False, None, 0, [], [None], {}, {"b": 1}, "7", "seven", -2.5]


def answers(seed: int, number: int) -> list[bytes]:
    """Return answers to two queries whose hits have labels of any kind, some of them never seen before."""
    random = Random(seed)

    def hit(n: int) -> dict[str, object]:
        value = {name: random.choice([*VALUES, f"v{random.randrange(200)}"]) for name in ("a", "flag", "size")}
        return {"id": f"d{n}", "score": 1.5, **{name: one for name, one in value.items() if random.random() < 0.8}}

    return [orjson.dumps([[hit(n) for n in range(random.randrange(9))] for _ in range(2)]) for _ in range(number)]


def checked(bodies: list[bytes]) -> KnownLabels:
    """Read answers one after the other in both ways; return what is known then."""
    labels, others = Vocabulary(), Vocabulary()
    reader = AnswerReader(labels, SCHEMA)
    for body in bodies:
        assert_same(reader.read(body, [(), ()]), decode_objects(body, [(), ()], others, SCHEMA))
    assert labels.sets() == others.sets()
    return reader._known


@pytest.mark.parametrize("seed", range(5))
def test_labels_of_many_answers_are_those_of_their_objects(seed: int):
    checked(answers(seed, 40))


@pytest.mark.parametrize("values", [1, 2, 8, 1 << 10])
def test_so_are_they_where_what_is_known_has_to_be_forgotten(monkeypatch: pytest.MonkeyPatch, values: int):
    monkeypatch.setattr(known_labels, "_VALUES", values)
    monkeypatch.setattr(known_labels, "_MOST_VALUES", 2 * values)
    known = checked(answers(7, 60))
    assert known._new.shape[1] <= 2 * values


def test_a_number_that_is_out_of_range_is_not_kept():
    labels = Vocabulary()
    reader = AnswerReader(labels, SCHEMA)
    for _ in range(2):
        (size,) = reader.read(b'[[{"id":"a","a":"x","size":1e999}]]', [()]).labels[3]
        assert math.isnan(size)
        assert reader.read(b'[[{"id":"a","a":"x","size":2}]]', [()]).labels[3].tolist() == [2.0]
    assert labels.sets() == [frozenset({"x"})]


def test_where_no_label_is_asked_for_no_kernel_is_called(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(known_labels, "number_values", None)
    assert AnswerReader(Vocabulary(), NO_LABELS).read(b'[[{"id":"a","a":"x"}]]', [()]).labels == []


def test_without_labels_in_any_hit_all_are_missing():
    hits = Hits()
    text, spans, is_used = np.empty(0, np.uint8), np.zeros((2, 3), np.uint64), np.zeros(2, np.bool_)
    ways = np.array([[0, 1]] * 4)
    columns = KnownLabels(Vocabulary(), SCHEMA).columns(text, spans, is_used, ways, hits)
    assert [column.tolist() for column in columns[:3]] == [[-1] * 3] * 3
    assert np.isnan(columns[3]).all()
    assert not hits.faults
