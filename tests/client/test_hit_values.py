"""Values of hits as columns, and what is counted."""

import math

import numpy as np
import pytest

from benchbench.client.hit_values import digest, scores, usable_values
from benchbench.tables.hashing import NO_HASH
from benchbench.tables.hits import Hits
from benchbench.tables.labels import MALFORMED, MALFORMED_NUMBER, MISSING, Kind, Label


def test_what_is_no_number_is_no_score_and_counted():
    hits = Hits()
    found = scores([1.5, 2, None, "3", True, [1.0], math.nan, 10**400, -(10**400), -0.0], hits)
    assert found.dtype == np.float64
    assert str(found.tolist()) == "[1.5, 2.0, nan, nan, nan, nan, nan, inf, -inf, -0.0]"
    assert hits.faults == {"missing_scores": 5}


def test_scores_that_are_all_numbers_are_no_fault():
    hits = Hits()
    assert scores([0.5, 1.5], hits).tolist() == [0.5, 1.5]
    assert scores([], hits).tolist() == []
    assert hits.faults == {}


@pytest.mark.parametrize(("value", "expected"), [("00000000000000ff", 255), ("FFFFFFFFFFFFFFFF", 2**64 - 1)])
def test_sixteen_hexadecimal_digits_are_a_hash(value: str, expected: int):
    assert digest(value) == expected


@pytest.mark.parametrize("value", [0, 1])
def test_a_hash_that_is_reserved_is_written_as_another(value: int):
    assert digest(f"{value:016x}") == value + 2


@pytest.mark.parametrize(
    "value", [None, 12, "", "f" * 15, "f" * 17, "0x" + "f" * 14, "+" + "f" * 15, "１" * 16, ["f" * 16]]
)
def test_anything_else_is_no_hash(value: object):
    assert digest(value) == NO_HASH


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (Kind.SET, [3, MALFORMED, MISSING, MALFORMED], [3, MISSING, MISSING, MISSING]),
        (Kind.FLAG, [0, MISSING, MALFORMED, MALFORMED], [0, MISSING, MISSING, MISSING]),
        (Kind.NUMBER, [0.5, MALFORMED_NUMBER, math.nan, MALFORMED_NUMBER], [0.5, math.nan, math.nan, math.nan]),
    ],
)
def test_what_is_malformed_counts_as_missing(kind: Kind, given: list[float], expected: list[float]):
    hits = Hits()
    found = usable_values(Label("brand", kind, (), ()), np.array(given, kind.type), hits)
    assert (str(found.tolist()), found.dtype) == (str(expected), kind.type)
    assert hits.faults == {"malformed_brand": 2}
