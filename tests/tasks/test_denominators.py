"""What recall divides by, by options, tasks, card and collection."""

from dataclasses import replace
from typing import Any

import pytest

from benchbench.errors import InputError
from benchbench.formats.card import DataSet, locate
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
