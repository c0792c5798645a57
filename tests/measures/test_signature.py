"""One line that makes a score reproducible."""

from typing import Any

import pytest

import benchbench
from benchbench.measures.default_list import default_measures
from benchbench.measures.notation import resolve
from benchbench.measures.signature import run_signature
from benchbench.results.signature import parts_of

PARTS: dict[str, Any] = {
    "tasks": "gold,article",
    "measures": default_measures((3, 10)),
    "self_by": "text",
    "gold_by": "id",
    "recall": "capped",
    "max_positives": 10,
    "counts": {"queries": 300, "scored": 298, "failed": 2, "without_positives": 4},
    "data_digest": "d1",
    "run_digest": "d2",
}


def test_a_signature_is_one_line_with_its_parts_in_a_fixed_order() -> None:
    assert str(run_signature(**PARTS)) == (
        "tasks:gold,article|measures:P,R,Success,F1,nDCG,RR|k:3,10|self:text|gold:id|recall:capped|positives:10"
        "|ties:input|failed:0|queries:300 (scored 298, failed 2, without positives 4)|data:d1|run:d2|version:"
        + benchbench.__version__
    )


def test_other_measures_than_the_default_ones_are_named_one_by_one_with_their_cut_offs() -> None:
    measures = resolve(["ndcg(gains={2:3,1:1})@10", "RBP(p=0.5)", "iprec@.1", "P@5", "R@5"])
    line = str(run_signature(**(PARTS | {"measures": measures})))
    assert "|measures:nDCG(gains={1:1,2:3})@10,RBP(p=0.5),IPrec@0.1,P@5,R@5|self:text|" in line
    assert parts_of(line)["measures"] == ",".join(map(str, measures))
    assert "k" not in parts_of(line)


def test_a_load_test_has_rules_and_data_and_no_one_run() -> None:
    load = run_signature(**(PARTS | {"counts": {"queries": 300, "without_positives": 4}, "run_digest": None})).parts
    whole = dict(run_signature(**PARTS).parts)
    del whole["run"]
    assert load == {**whole, "queries": "300 (without positives 4)"}


@pytest.mark.parametrize(
    "change",
    [
        {"tasks": "gold"},
        {"measures": default_measures((3,))},
        {"self_by": "id"},
        {"gold_by": "text"},
        {"recall": "full"},
        {"max_positives": 5},
        {"counts": {"queries": 300, "scored": 299, "failed": 1, "without_positives": 4}},
        {"data_digest": "d3"},
        {"run_digest": "d3"},
        {"load": "d4"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_changes_a_score_changes_the_signature(change: dict[str, Any]) -> None:
    assert run_signature(**(PARTS | change)) != run_signature(**PARTS)
    assert str(run_signature(**(PARTS | change))) != str(run_signature(**PARTS))


def test_equal_parts_make_equal_signatures() -> None:
    assert run_signature(**PARTS) == run_signature(**PARTS)
