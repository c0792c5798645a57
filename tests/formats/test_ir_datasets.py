"""Qrels of ir_datasets, from a registry in memory."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from judged_files import GRADES, flat, same

import benchbench as bb
from benchbench.errors import InputError


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Return what adds a data set of given qrels to the registry, in memory."""
    ir_datasets = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(ir_datasets.registry, "_registered", dict(ir_datasets.registry._registered))

    def add(name: str, rows: Any) -> None:
        class Judged(ir_datasets.formats.BaseQrels):  # type: ignore[misc]
            def qrels_iter(self) -> Any:
                yield from rows() if callable(rows) else rows

        ir_datasets.registry.register(name, ir_datasets.Dataset(Judged()))

    return add


def test_qrels_of_a_data_set_of_ir_datasets_are_those_of_its_rows(registered: Callable[[str, Any], None]):
    trec_rows = pytest.importorskip("ir_datasets").formats.TrecQrel
    registered("tiny", [trec_rows(query, document, grade, "Q0") for query, document, grade in flat(GRADES)])
    assert same(bb.Qrels.from_ir_datasets("tiny"), bb.Qrels.from_dict(GRADES))
    assert same(bb.Qrels.from_file("ir_datasets:tiny"), bb.Qrels.from_dict(GRADES))


def test_subtopics_of_ir_datasets_are_subtopics_and_its_iterations_are_not(registered: Callable[[str, Any], None]):
    formats = pytest.importorskip("ir_datasets").formats
    registered("subtopics", [formats.TrecSubQrel("a", "x", 1, "1"), formats.TrecSubQrel("a", "x", 2, "2")])
    registered("rounds", [formats.TrecQrel("a", "x", 1, "0.5"), formats.TrecQrel("a", "y", 2, "1")])
    run = bb.Run.from_dict({"a": {"x": 1.0}})
    assert bb.evaluate(bb.Qrels.from_ir_datasets("subtopics"), run, ["StRecall@5"]).mean() == {"StRecall@5": 1.0}
    assert bb.Qrels.from_ir_datasets("rounds").subtopics is None


def test_a_data_set_that_is_absent_or_has_no_qrels_is_refused(registered: Callable[[str, Any], None]):
    def unreachable() -> Any:
        raise ConnectionError("the network is down")

    registered("empty", [])
    registered("others", [("a", "x")])
    registered("far", unreachable)
    for name, reason in (
        ("no/such/data set", "names no data set that has qrels"),
        ("antique", "names no data set that has qrels"),
        ("others", "names no data set that has qrels"),
        ("empty", "has no judgment"),
        ("far", "cannot be read: the network is down"),
    ):
        with pytest.raises(InputError, match=f"^ir_datasets:{name} {reason}"):
            bb.Qrels.from_file(f"ir_datasets:{name}")


def test_ir_datasets_names_its_extra_where_it_is_absent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match=r"pip install '\.\[ir_datasets\]' in the checkout of benchbench$"):
        bb.Qrels.from_file("ir_datasets:antique")
