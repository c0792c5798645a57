"""What recall divides by, by options, tasks, card and collection."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judged_data import CASES, GOODS, LAMPS, RELEVANT, THEFT, data_set, options, refused, write

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.kernels.plan import ALL, CAPPED, FIXED
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.denominators import Denominators
from benchbench.tasks.judging import judging_of

SHIPPED = locate("synthetic-cases")
BARE = replace(SHIPPED, collection=None, card={})
SAME = "same=equal(['accusation', 'meta.accusation'])"


def found(data: DataSet, *tasks: str, **options: Any) -> Denominators:
    return judging_of(Criteria(task=tasks, **options), data).denominators


@pytest.mark.parametrize(
    ("asked", "rule", "limit"), [("fixed", FIXED, 10), ("capped", CAPPED, 10), ("full", ALL, 0), (None, FIXED, 10)]
)
def test_the_option_goes_before_what_tasks_say(asked: Any, rule: int, limit: int) -> None:
    divisors = found(SHIPPED, recall_denominator=asked)
    assert (divisors.rule[0], divisors.limit[0], divisors.said) == (rule, limit, asked or "fixed")
    assert (divisors.rule[1:] == ALL).all()
    most = divisors.relevant[:, 1:].max()
    assert most == 10 if asked != "full" else most > 10


def test_the_card_says_what_the_collection_has() -> None:
    counted = found(replace(SHIPPED, card={}), recall_denominator="full")
    assert found(SHIPPED, recall_denominator="full").relevant.tolist() == counted.relevant.tolist()


def test_a_signature_says_each_task_where_they_differ() -> None:
    said = found(SHIPPED, f"{SAME[:-1]}, recall=7)", SAME.replace("same", "all")).said
    assert said == "gold=fixed,accusation=fixed,article=fixed,imprisonment=fixed,same=7,all=full"


def test_without_a_collection_a_task_divides_by_10_and_the_signature_says_so() -> None:
    divisors = found(BARE, SAME)
    assert (divisors.said, set(divisors.relevant[:, -1].tolist())) == ("fixed", {10})
    assert divisors.notes == ("there is no collection to count relevant documents in, so recall of same divides by 10",)


@pytest.mark.parametrize(
    ("tasks", "options", "name"),
    [
        ((), {"recall_denominator": "full"}, "accusation"),
        ((f"{SAME[:-1]}, recall='collection')",), {}, "same"),
        ((f"{SAME[:-1]}, recall='capped')",), {"tasks": ("same",)}, "same"),
    ],
)
def test_what_must_be_counted_and_cannot_be_is_an_error(tasks: Any, options: Any, name: str) -> None:
    with pytest.raises(InputError, match=f"task {name}: recall needs the number of relevant documents") as caught:
        found(BARE, *tasks, **options)
    assert "give --collection FILE, or --recall-denominator fixed" in str(caught.value)


# Relevant documents of each query


def relevant(data: DataSet, **given: Any) -> list[list[int]]:
    return judging_of(options(**given), data).denominators.relevant.tolist()


def test_fixed_is_10_everywhere(cases: DataSet, shop: DataSet) -> None:
    for data in (cases, replace(cases, card={"relevant": RELEVANT})):
        assert relevant(data) == relevant(data, recall_denominator="fixed") == [[10] * 4] * 2
    assert relevant(shop, recall_denominator="fixed") == [[10] * 2] * 3


def test_full_is_the_number_of_relevant_documents_that_the_card_has(cases: DataSet) -> None:
    data = replace(cases, card={"relevant": RELEVANT})
    assert [row[1:] for row in relevant(data, recall_denominator="full")] == [[4, 5, 0], [40, 50, 60]]
    assert [row[1:] for row in relevant(data, recall_denominator="capped")] == [[4, 5, 0], [10, 10, 10]]


def test_without_a_card_the_collection_is_counted(shop: DataSet) -> None:
    for given in ({}, {"recall_denominator": "full"}):
        assert relevant(shop, **given) == [[14, 5], [1, 0], [0, 0]]  # 8 to 12; the query's own text does not count
    assert relevant(shop, recall_denominator="capped") == [[10, 5], [1, 0], [0, 0]]


def test_a_card_that_lacks_a_query_or_a_task_leaves_them_to_the_collection(cases: DataSet, tmp_path: Path) -> None:
    incomplete = replace(cases, card={"relevant": {**RELEVANT, "article": {"q1": 3}}})
    collection = write(tmp_path / "collection.jsonl", [{"text": "丁", **THEFT}])
    found = relevant(replace(incomplete, collection=collection), recall_denominator="full")
    assert [row[1:] for row in found] == [[4, 1, 0], [40, 1, 60]]


def test_the_card_counts_for_the_tasks_that_it_was_made_for_alone(tmp_path: Path) -> None:
    """A task of another meaning may have the name."""
    described = "[tasks.accusation]\nrule = 'overlap'\nlabel = 'meta.accusation'"
    data = data_set(tmp_path, CASES, described, [{"text": "丁", "meta": THEFT}])
    assert relevant(replace(data, card={"relevant": RELEVANT})) == [[1], [1]]


@pytest.mark.parametrize("rule", ["capped", "full"])
@pytest.mark.parametrize(
    ("counts", "task"),
    [
        ({}, "accusation"),
        ({"accusation": RELEVANT["accusation"]}, "article"),
        (RELEVANT | {"imprisonment": {"q1": 3}}, "imprisonment"),
    ],
)
def test_without_counts_and_collection_the_error_says_how_to_get_them(
    cases: DataSet, rule: str, counts: Any, task: str
) -> None:
    assert refused(replace(cases, card={"relevant": counts}), recall_denominator=rule) == (
        f"task {task}: recall needs the number of relevant documents, and there is no collection to count them in: "
        "give --collection FILE, or --recall-denominator fixed"
    )


def test_a_task_that_no_query_has_a_label_for_needs_no_counts(tmp_path: Path) -> None:
    data = data_set(tmp_path, [{"query": {"fact": "甲"}, "positives": [{"fact": "乙"}]}])
    assert judging_of(options(recall_denominator="full"), data).tasks == ("gold",)


RECALL = """
[tasks.plain]
rule = "equal"
label = "brand"

[tasks.{word}]
rule = "equal"
label = "brand"
recall = {recall}

[tasks.few]
rule = "equal"
label = "brand"
recall = 3
"""


@pytest.mark.parametrize(("word", "recall", "counts"), [("all", '"collection"', 14), ("most", '"capped"', 10)])
def test_each_task_says_what_its_recall_divides_by(tmp_path: Path, word: str, recall: str, counts: int) -> None:
    data = data_set(tmp_path, LAMPS[:1], RECALL.format(word=word, recall=recall), GOODS)
    found = judging_of(Criteria(), data)
    assert found.denominators.relevant.tolist() == [[14, counts, 3]]
    assert found.rules["recall"] == f"plain=full,{word}={'full' if word == 'all' else 'capped'},few=3"
    assert relevant(data, recall_denominator="capped") == [[10, 10, 10]]
    assert refused(replace(data, collection=None)).startswith(f"task {word}: recall needs the number of relevant")


def test_bad_lines_of_the_collection_are_skipped_and_counted(shop: DataSet) -> None:
    shop.served().path.write_bytes(b'{"text": "x", "brand": "oak"}\n{"text":\n[]\n')
    with pytest.raises(InputError, match=r"collection\.jsonl, line 2"):
        judging_of(Criteria(), shop)
    found = judging_of(Criteria(), shop, skip_bad_lines=True)
    assert found.notes[0] == "2 bad lines of the collection were skipped"
    assert found.denominators.relevant.tolist() == [[0, 0], [1, 0], [0, 0]]
