"""The options of judging: what can be asked for, and what the tasks of a data set say where nobody does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import tables
from judged_data import described

from benchbench.errors import InputError
from benchbench.measures.default_list import default_measures
from benchbench.measures.notation import resolve
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import legal_cases

TABLES = tables(__file__)


@pytest.mark.parametrize("cutoffs", [(), (0,), (3, -1)])
def test_a_cutoff_below_1_is_refused(cutoffs: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="a cut-off"):
        Criteria(cutoffs=cutoffs)


def test_a_limit_of_positives_below_0_is_refused_and_0_is_none() -> None:
    with pytest.raises(InputError, match="--max-positives is a whole number from 0 to"):
        Criteria(max_positives=-1)
    assert Criteria(max_positives=0).max_positives == 0


def test_one_task_measure_or_cut_off_may_stand_alone() -> None:
    alone: Any = Criteria("gold", cutoffs=10, task="brand=equal(brand)")
    assert alone == Criteria(("gold",), cutoffs=(10,), task=("brand=equal(brand)",))
    assert Criteria(measures="AP") == Criteria(measures=("AP",))  # type: ignore[arg-type]
    assert Criteria(cutoffs=np.int64(5)) == Criteria(cutoffs=(5,))  # type: ignore[arg-type]


@pytest.mark.parametrize(("options", "reason"), TABLES["refused"])
def test_a_word_that_is_no_option_is_refused_with_those_that_are(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as refused:
        Criteria(**options)
    assert str(refused.value).startswith(reason)


# Measures and cut-offs


def test_without_measures_they_are_the_default_ones_at_the_cutoffs() -> None:
    criteria = Criteria(cutoffs=(10, 3, 10))
    assert criteria.cutoffs == (3, 10)
    assert criteria.measures == default_measures((3, 10))
    assert criteria.is_default
    assert not Criteria(measures=resolve("AP")).is_default  # type: ignore[arg-type]


def test_named_measures_have_cutoffs_of_their_own() -> None:
    criteria: Any = Criteria(measures=["nDCG@5", "P.5,20", "nDCG@5", "AP"])
    assert list(map(str, criteria.measures)) == ["nDCG@5", "P@5", "P@20", "AP"]
    assert (criteria.cutoffs, criteria.is_default, criteria.deepest) == ((), False, 20)


def test_the_default_measures_by_name_are_the_default_ones() -> None:
    named = Criteria(cutoffs=(1,), measures=default_measures((3, 5)))
    assert named == Criteria(cutoffs=(3, 5))


def test_options_that_came_of_options_are_the_same() -> None:
    for criteria in (Criteria(cutoffs=(7,)), Criteria(measures=["AP", "nDCG@3"])):  # type: ignore[arg-type]
        assert Criteria(cutoffs=criteria.cutoffs, measures=criteria.measures) == criteria


def test_plans_compute_the_measures_and_nothing_else() -> None:
    criteria = Criteria(measures=["AP", "P(judged_only=True)@3", "microR@5"])  # type: ignore[arg-type]
    assert set(criteria.plans.columns) == set(criteria.measures)
    assert criteria.plans is Criteria(measures=criteria.measures).plans


@pytest.mark.parametrize(
    ("measures", "deepest", "top_k"),
    [
        ((), 10, 20),
        (("nDCG@10",), 10, 20),
        (("nDCG@11",), 11, 31),
        (("P@5", "AP@100"), 100, 120),
        (("AP", "RR"), None, 20),
        (("IPrec@1.0", "SetP"), None, 20),
        (("P@3",), 3, 20),
    ],
)
def test_as_many_hits_are_asked_for_as_the_deepest_cutoff_needs(
    measures: tuple[str, ...], deepest: int | None, top_k: int
) -> None:
    criteria = Criteria(measures=measures)  # type: ignore[arg-type]
    assert (criteria.deepest, criteria.top_k) == (deepest, top_k)
    criteria.check_top_k(top_k)


def test_fewer_hits_than_are_measured_are_refused() -> None:
    criteria = Criteria(measures=["P@30"])  # type: ignore[arg-type]
    criteria.check_top_k(30)
    with pytest.raises(InputError, match="--top-k 29 is smaller than the largest cut-off 30: the service would be"):
        criteria.check_top_k(29)
    Criteria(measures=["AP"]).check_top_k(1)  # type: ignore[arg-type]


# Of a data set


def test_legal_cases_say_what_is_not_given(tmp_path: Path) -> None:
    found = Criteria().of(described(tmp_path))
    assert found.tasks == ("gold", "accusation", "article", "imprisonment")
    assert (found.gold_by, found.recall_denominator, found.max_positives) == ("text", "fixed", 10)
    assert (found.self_by, found.cutoffs) == ("text", (3, 5, 10))
    assert found.of(described(tmp_path)) == found


def test_options_go_before_what_tasks_say(tmp_path: Path) -> None:
    given = Criteria(("article", "gold"), gold_by="id", recall_denominator="full", max_positives=0, self_by="id")
    found = given.of(described(tmp_path))
    assert found.tasks == ("gold", "article")  # in the order of the data set
    assert (found.gold_by, found.recall_denominator, found.max_positives) == ("id", "full", 0)
    assert found.self_by == "id"


def test_tasks_of_a_shop_say_their_own_and_positives_stay_where_there_are_no_judgments(
    tmp_path: Path,
) -> None:
    brand = "[tasks.brand]\nlabel = 'meta.brand'\nrule = 'equal'\n"
    gold = "[tasks.gold]\nrule = 'judgments'\nby = 'id'\nmax_positives = 3\n"
    found = Criteria().of(described(tmp_path, brand + gold))
    assert found.tasks == ("brand", "gold")
    assert (found.gold_by, found.recall_denominator, found.max_positives) == ("id", None, 3)
    found = Criteria().of(described(tmp_path, brand))
    assert (found.tasks, found.gold_by, found.max_positives) == (("brand",), "text", 0)


def test_further_tasks_stand_behind_those_of_the_described(tmp_path: Path) -> None:
    criteria = Criteria(("like", "gold"), task="like=overlap(accusation)")  # type: ignore[arg-type]
    data = described(tmp_path)
    assert [task.name for task in criteria.known(data)] == [*(task.name for task in legal_cases()), "like"]
    found = criteria.of(data)
    assert (found.tasks, found.recall_denominator) == (("gold", "like"), None)  # one divides by another number
    fixed = Criteria(task=("like=overlap(accusation, recall=10)",)).of(data)
    assert fixed.recall_denominator == "fixed"


@pytest.mark.parametrize("tasks", [("glod",), ("gold", "g"), ("Gold",)])
def test_a_task_that_the_data_set_does_not_have_is_refused_with_those_it_has(
    tmp_path: Path, tasks: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as refused:
        Criteria(tasks).of(described(tmp_path))
    assert str(refused.value) == f"--tasks {tasks[-1]!r} is not one of gold, accusation, article, imprisonment"


def test_a_further_task_that_is_none_or_is_there_already_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--task 'x=equals\(brand\)': there is no rule 'equals'; did you mean equal"):
        Criteria(task=("x=equals(brand)",)).of(described(tmp_path))
    with pytest.raises(InputError, match=r"task gold stands twice in the tasks of legal-cases.toml and --task"):
        Criteria(task=("gold=judgments()",)).of(described(tmp_path))


# As they are shown


def test_options_are_shown_under_the_names_that_they_are_given_by(tmp_path: Path) -> None:
    data = described(tmp_path)
    assert Criteria().of(data).options() == {
        "--tasks": ["gold", "accusation", "article", "imprisonment"],
        "-k": [3, 5, 10],
        "--self": "text",
        "--gold": "text",
        "--recall-denominator": "fixed",
        "--max-positives": 10,
    }
    other = Criteria(("brand",), measures=["AP", "nDCG@7"], task=("brand=equal(brand)",)).of(data)  # type: ignore[arg-type]
    assert other.options() == {
        "--tasks": ["brand"],
        "-k": [],
        "--self": "text",
        "--gold": "text",
        "--recall-denominator": None,
        "--max-positives": 10,
        "-m": ["AP", "nDCG@7"],
        "--task": ["brand=equal(brand)"],
    }


def test_what_is_shown_makes_the_same_options(tmp_path: Path) -> None:
    for criteria in (Criteria(), Criteria(measures=["AP"], task=("b=equal(b)",))):  # type: ignore[arg-type]
        found = criteria.of(described(tmp_path))
        assert Criteria(**found.shown()) == found
