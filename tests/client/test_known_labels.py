"""Labels that are looked up by their JSON mean what they mean when each is read."""

import math

import pytest

from benchbench.client import known_labels
from benchbench.client.decode import AnswerReader
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Vocabulary

SCHEMA = LabelSchema(
    (
        Label("a", Kind.SET, (), (("a",), ("meta", "a"))),
        Label("again", Kind.SET, (), (("a",),), "x"),
        Label("flag", Kind.FLAG, (), (("flag",),)),
        Label("size", Kind.NUMBER, (), (("size",),)),
    )
)


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
