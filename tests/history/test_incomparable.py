"""What is said of runs that stand together."""

from stored_runs import SIGNATURE, kept

from benchbench.history.comparability import incomparable
from benchbench.results.record import Data


def test_runs_of_one_name_by_other_rules_are_named_with_what_differs(history):
    history.add(kept(1))
    history.add(kept(2))
    history.add(kept(3, name="dense"))
    assert incomparable(history.entries()) == []
    other = SIGNATURE.format(1, 1, 4).replace("gold:text", "gold:id").replace("|data:d1", "|data:d2|qrels:q2")
    history.add(kept(4, signature=other, data=Data(name="cases", digest="d2")))
    assert incomparable(history.entries()) == [
        "2 runs named bm25 cannot be compared with run 4 of that name: other data (data:d1 and data:d2), another rule "
        "for positives (gold:text and gold:id), other judgments (qrels:- and qrels:q2)"
    ]


def test_other_data_are_said_where_the_signature_does_not_say_them(history):
    history.add(kept(1, signature="", data=Data(name="old")))
    history.add(kept(2, signature="", data=Data(name="new")))
    assert incomparable(history.entries()) == [
        "1 run named bm25 cannot be compared with run 2 of that name: other data (data:old and data:new)"
    ]


def test_of_many_series_the_last_are_counted(history):
    for number in range(8):
        history.add(kept(number, signature=f"ties:{number}"))
    said = incomparable(history.entries())
    assert len(said) == 5
    assert said[0] == (
        "1 run named bm25 cannot be compared with run 8 of that name: another order of ties (ties:6 and ties:7)"
    )
    assert said[-1] == "3 runs more cannot be compared with the latest of their names"
