"""What is said of runs that stand together."""

from dataclasses import replace

import pytest
from stored_runs import SIGNATURE, kept

from benchbench.history.apart import apart, set_back
from benchbench.history.store import open_history
from benchbench.results.record import Data


@pytest.fixture
def history(tmp_path):
    with open_history(tmp_path / "history.db", create=True) as opened:
        yield opened


def test_runs_of_one_name_by_other_rules_are_named_with_what_differs(history):
    history.add(kept(1))
    history.add(kept(2))
    history.add(kept(3, name="dense"))
    assert apart(history.entries()) == []
    other = SIGNATURE.format(1, 1, 4).replace("gold:text", "gold:id").replace("|data:d1", "|data:d2|qrels:q2")
    history.add(kept(4, signature=other, data=Data(name="cases", digest="d2")))
    assert apart(history.entries()) == [
        "2 runs named bm25 cannot be compared with run 4 of that name: other data (data:d1 and data:d2), another rule "
        "for positives (gold:text and gold:id), other judgments (qrels:- and qrels:q2)"
    ]


def test_other_data_are_said_where_the_signature_does_not_say_them(history):
    history.add(kept(1, signature="", data=Data(name="old")))
    history.add(kept(2, signature="", data=Data(name="new")))
    assert apart(history.entries()) == [
        "1 run named bm25 cannot be compared with run 2 of that name: other data (data:old and data:new)"
    ]


def test_a_clock_that_went_back_is_said(history):
    for number in (1, 5, 3, 4, 6):
        history.add(kept(number))
    entries = history.entries()
    assert set_back(entries[:2]) == set_back([]) == []
    assert set_back(entries) == [
        "2 runs of bm25 started before ones recorded earlier: 3 (2023-11-14T22:16:20.000Z), 4 "
        "(2023-11-14T22:17:20.000Z); runs stand in the order in which they were recorded"
    ]
    assert set_back(entries[:3])[0].startswith("1 run of bm25 started before one recorded earlier: 3 (")
    many = [replace(entries[0], number=number, started=f"{9 - number}") for number in range(6)]
    assert "1 (8), 2 (7), 3 (6), …;" in set_back(many)[0]
