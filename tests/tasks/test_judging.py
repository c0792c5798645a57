"""How the hits of a data set are judged: its tasks, its options, and what a signature says of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hit_lists import hits_of as listed
from hit_lists import label_columns
from judged_data import CASES, LAMPS, RELEVANT, THEFT, Record, data_set, options, refused, write

from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.records import Part
from benchbench.kernels.judge import KEPT, SELF
from benchbench.measures.notation import resolve
from benchbench.tables.hashing import id_hash, text_hash
from benchbench.tables.hits import Hits
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import Judging, judging_of

# Tasks


def test_tasks_are_measured_that_a_query_has_what_it_takes_for(shop: DataSet, tmp_path: Path) -> None:
    found = judging_of(Criteria(), shop)
    assert found.tasks == ("brand", "price")
    assert found.lacking == {"brand": 1, "price": 2}
    assert found.judged_tasks == ()
    found = judging_of(Criteria(), replace(shop, queries=Part(write(tmp_path / "few.jsonl", LAMPS[1:]))))
    assert (found.tasks, found.lacking) == (("brand",), {"brand": 1})
    assert found.notes == ("task price is not measured: no query of the data set has what is compared",)


def test_further_tasks_are_measured_with_those_of_the_data_set(shop: DataSet) -> None:
    found = judging_of(options(task=("gold=judgments()", "like=overlap(brand, recall=3)")), shop)
    assert found.tasks == ("brand", "price", "gold", "like")
    assert (found.judged_tasks, found.lacking["gold"]) == (("gold",), 2)
    assert found.rules["tasks"] == (
        "brand=equal(brand),price=within(price, relative=0.2),gold=judgments(),like=overlap(brand, recall=3)"
    )


def test_named_tasks_alone_are_measured_in_the_order_of_the_data_set(cases: DataSet) -> None:
    found = judging_of(options(tasks=("article", "gold")), cases)
    assert found.tasks == ("gold", "article")
    assert found.rules["tasks"] == "gold,article"


def test_a_data_set_without_positives_and_labels_is_refused_and_one_with_labels_has_their_tasks(tmp_path: Path) -> None:
    own = {"query_id": "q3", "query": {"fact": "甲"}, "positives": [{"fact_id": "p", "fact": " 甲"}]}
    nothing = data_set(tmp_path, [{"query_id": "q1", "query": {"fact": "乙"}}, own])
    assert refused(nothing).startswith("no hit can be relevant: no query of the data set has a positive")
    data = data_set(tmp_path, [own, {"query_id": "q2", "query": {"fact": "乙", "meta": {"accusation": ["盗窃"]}}}])
    found = judging_of(Criteria(), data)  # tasks of legal cases are left out in silence
    assert (found.tasks, found.notes) == (("accusation",), ())
    assert refused(data, tasks=("gold",)) == "--tasks gold: no query of the data set has what this task compares"


# Judging


def hits_of(judging: Judging, *lists: list[Record]) -> Hits:
    flat = [hit for one in lists for hit in one]
    hits = listed(
        counts=[len(one) for one in lists],
        ids=[hit["id"] for hit in flat],
        id_hashes=[id_hash(hit["id"]) for hit in flat],
        text_hashes=[text_hash(hit["text"]) for hit in flat],
        score=[0.0] * len(flat),
    )
    hits.labels = label_columns(judging.queries.schema, judging.queries.labels, flat)
    return hits


def test_the_query_is_known_by_text_or_by_id_as_the_options_say(cases: DataSet) -> None:
    for self_by, fate in (("text", KEPT), ("id", SELF)):
        judging = judging_of(options(self_by=self_by), cases)
        assert judging.judge(0, hits_of(judging, [{"id": "q1", "text": "戊"}])).fate.tolist() == [fate]


def test_a_positive_is_known_by_text_or_by_id_as_the_options_say(cases: DataSet) -> None:
    for given, expected in (({}, [False, True]), ({"gold_by": "id"}, [True, False])):
        judging = judging_of(options(**given), cases)
        hits = hits_of(judging, [{"id": "p", "text": "戊"}, {"id": "x", "text": "丙"}])
        assert judging.judge(0, hits).relevant[0].tolist() == expected


def test_queries_by_their_first_or_by_their_numbers_are_judged_with_their_own_positives_and_counts(
    cases: DataSet,
) -> None:
    judging = judging_of(options(recall_denominator="full"), replace(cases, card={"relevant": RELEVANT}))
    one, other = [{"id": "x", "text": "丙", **THEFT}], [{"id": "y", "text": "案3"}, {"id": "z", "text": "丙", **THEFT}]
    whole = judging.judge(0, hits_of(judging, one, other))
    second = judging.judge(1, hits_of(judging, other))
    turned = judging.judge(np.array([1, 0]), hits_of(judging, other, one))
    assert whole.values[1:].tobytes() == second.values.tobytes()
    assert np.ascontiguousarray(turned.values[::-1]).tobytes() == np.ascontiguousarray(whole.values).tobytes()
    assert value(judging, second.values, "gold", "R@10") == [1 / 10]  # the first 10 positives count
    assert value(judging, second.values, "accusation", "R@10") == [1 / 40]
    assert value(judging, whole.values, "gold", "R@3") == [1.0, 1 / 10]
    assert value(judging, whole.values, "imprisonment", "R@3") == [0.0, 1 / 60]


def value(judging: Judging, values: np.ndarray, task: str, name: str) -> list[float]:
    (place,) = judging.criteria.plans.columns[resolve(name)[0]]
    found: list[float] = values[:, judging.tasks.index(task), place].tolist()
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 2 / 10),
        ({"recall_denominator": "full", "max_positives": 0}, 2 / 12),
        ({"recall_denominator": "capped"}, 0.2),
    ],
)
def test_recall_of_judgments_divides_as_the_options_say(cases: DataSet, given: Record, expected: float) -> None:
    judging = judging_of(options(tasks=("gold",), **given), cases)
    found = judging.judge(1, hits_of(judging, [{"id": "y", "text": "案3"}, {"id": "z", "text": "案4"}]))
    assert value(judging, found.values, "gold", "R@3") == [expected]


def test_hits_without_labels_are_counted_for_each_task(shop: DataSet) -> None:
    judging = judging_of(Criteria(), shop)
    empty = {"id": "x", "text": "x"}
    found = judging.judge(0, hits_of(judging, [empty, {"id": "y", "text": "y", "brand": "lumen"}], [empty], []))
    assert found.unlabelled.tolist() == [2, 3]
    assert found.relevant.tolist() == [[False, True, False], [False] * 3]
    bare = listed(counts=[1, 0, 0], ids=["x"], id_hashes=[1], text_hashes=[2], score=[0.0])
    assert judging.judge(0, bare).unlabelled.tolist() == [1, 1]


def test_grades_and_gains_are_those_of_the_task_that_is_measured(cases: DataSet) -> None:
    tiers = [{"fact_id": str(tier), "fact": f"案{tier}", "tier": tier} for tier in (1, 5)]
    write(cases.queries.path, [{**CASES[0], "positives": tiers}])
    tasks = ("steep=judgments(max_positives=10, gains='exp')", "few=judgments(max_positives=10, rel=2, gains={5=2})")
    judging = judging_of(options(tasks=("gold", "steep", "few"), task=tasks, measures=["nDCG@2", "P@2"]), cases)
    found = judging.judge(0, hits_of(judging, [{"id": "5", "text": "案5"}, {"id": "1", "text": "案1"}]))
    discount = 1 / np.log2(3)
    ideal: Callable[[float, float], float] = lambda high, low: (low + high * discount) / (high + low * discount)  # noqa: E731
    assert value(judging, found.values, "gold", "nDCG@2") == pytest.approx([ideal(5, 1)])
    assert value(judging, found.values, "steep", "nDCG@2") == pytest.approx([ideal(31, 1)])
    assert value(judging, found.values, "few", "nDCG@2") == pytest.approx([ideal(2, 1)])
    assert [value(judging, found.values, task, "P@2") for task in judging.tasks] == [[1.0], [1.0], [0.5]]


# Signatures


@pytest.mark.parametrize(
    ("given", "recall"),
    [
        ({}, "fixed"),
        ({"recall_denominator": "full"}, "full"),
        ({"recall_denominator": "capped"}, "capped"),
        (
            {"task": ("x=equal(meta.imprisonment, recall=5)",)},
            "gold=fixed,accusation=fixed,article=fixed,imprisonment=fixed,x=5",
        ),
        ({"task": ("x=equal(meta.imprisonment, recall=10)",)}, "fixed"),
    ],
)
def test_a_signature_says_what_recall_divides_by(cases: DataSet, given: Record, recall: str) -> None:
    data = replace(cases, card={"relevant": RELEVANT})
    assert judging_of(options(**given), data).rules["recall"] == recall


def test_a_signature_says_how_hits_were_judged(cases: DataSet) -> None:
    found = judging_of(options(measures=["AP"], self_by="id", max_positives=0), cases).rules
    assert (found["tasks"], found["self_by"], found["gold_by"]) == (
        "gold,accusation,article,imprisonment",
        "id",
        "text",
    )
    assert (found["max_positives"], list(map(str, found["measures"]))) == (0, ["AP"])
