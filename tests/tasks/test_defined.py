"""The tasks of a data set: those of its `dataset.toml`, or those of legal cases."""

from pathlib import Path

import pytest
from judged_data import described

from benchbench.errors import InputError
from benchbench.kernels.rules import Rule
from benchbench.tasks.defined import legal_cases, said_tasks, tasks_of
from benchbench.tasks.reading import parse_task

SHOP = """
cluster = "shop"

[labels]
brand = ["brand", "meta.brand"]

[tasks.brand]
label = "brand"
rule = "equal"

[tasks.gold]
rule = "judgments"
"""


def test_legal_cases_have_four_tasks() -> None:
    gold, accusation, article, imprisonment = legal_cases()
    assert [task.name for task in legal_cases()] == ["gold", "accusation", "article", "imprisonment"]
    assert {task.recall for task in legal_cases()} == {10}
    assert (gold.rule, gold["by"], gold["max_positives"], gold["rel"]) == (Rule.JUDGMENTS, "text", 10, 1)
    assert (accusation.rule, article.rule, imprisonment.rule) == (Rule.EQUAL, Rule.EQUAL, Rule.WITHIN)
    assert accusation.label is not None
    assert (accusation.label.ignore, accusation.label.name) == ("[]", "accusation")
    assert (imprisonment["absolute"], imprisonment["relative"]) == (6, 0.2)
    assert all(parse_task(str(task)) == task for task in legal_cases())


def test_a_data_set_without_tasks_has_those_of_legal_cases(tmp_path: Path) -> None:
    assert tasks_of(described(tmp_path)) == legal_cases()
    for text in ('cluster = "city"', "[labels]\nbrand = 'meta.brand'", "[tasks]"):
        assert tasks_of(described(tmp_path, text)) == legal_cases()


def test_a_data_set_with_tasks_has_those_alone_and_keeps_its_cluster(tmp_path: Path) -> None:
    found = described(tmp_path, SHOP)
    assert found.cluster == "shop"
    assert list(map(str, tasks_of(found))) == ['brand=equal(["brand", "meta.brand"])', "gold=judgments()"]


def test_further_tasks_may_call_the_labels_of_the_described(tmp_path: Path) -> None:
    found = tasks_of(described(tmp_path, SHOP), ["like=overlap(brand)", "price=within(meta.price, relative=0.2)"])
    assert list(map(str, found[2:])) == [
        'like=overlap(["brand", "meta.brand"])',
        "price=within(meta.price, relative=0.2)",
    ]


def test_further_tasks_may_call_the_labels_of_legal_cases_where_those_are_the_tasks(tmp_path: Path) -> None:
    *_, accused = tasks_of(described(tmp_path), ["accused=overlap(accusation)"])
    assert accused.label == legal_cases()[1].label
    *_, accused = tasks_of(described(tmp_path, SHOP), ["accused=overlap(accusation)"])
    assert str(accused) == "accused=overlap(accusation)"


def test_a_task_named_twice_is_an_error_that_says_where(tmp_path: Path) -> None:
    found = described(tmp_path, SHOP)
    with pytest.raises(InputError) as caught:
        tasks_of(found, ["brand=equal(name)"])
    assert str(caught.value) == (
        f"task brand stands twice in {tmp_path / 'dataset.toml'} and --task; give one of them another name"
    )
    with pytest.raises(InputError, match=r"task gold stands twice in the tasks of legal-cases\.toml and --task"):
        tasks_of(described(tmp_path, "cluster = 'a'"), ["gold=judgments()"])


def test_a_bad_description_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        tasks_of(described(tmp_path, "[tasks.brand]\nrule = 'equals'\nlabel = 'brand'"))
    assert str(caught.value) == (
        f"{tmp_path / 'dataset.toml'}, [tasks.brand]: there is no rule 'equals'; did you mean equal?"
    )


def test_a_signature_names_the_tasks_of_legal_cases_and_writes_out_all_others() -> None:
    assert said_tasks(legal_cases()) == "gold,accusation,article,imprisonment"
    _, accusation, *_ = legal_cases()
    changed = parse_task("gold=judgments(by='id', max_positives=10, recall=10)")
    brand = parse_task('brand=equal(meta."a|b", recall=3)')
    assert said_tasks([changed, accusation, brand]) == (
        'gold=judgments(by="id", max_positives=10, recall=10),accusation,brand=equal(meta."a\\u007Cb", recall=3)'
    )
    assert said_tasks([parse_task("accusation=equal(meta.accusation)")]) == "accusation=equal(meta.accusation)"
