"""What a task may be called, and which tasks may stand together."""

import itertools

import pytest
from cases import check_each, check_rows, tables

from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG
from benchbench.tasks.names import check_name, together
from benchbench.tasks.reading import parse_task, parse_tasks

TABLES = tables(__file__)


@pytest.mark.parametrize(
    "name", ["brand", "a", "7", "list-price", "list_price", "品牌", "A1", "x" * 64, "gold", "golden"]
)
def test_letters_and_digits_are_a_name(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "-a", "a-", "_a", "a.b", "a@b", "a,b", "a|b", "a\n", "x" * 65, "é\u0301x"]
)
def test_other_characters_are_none(name: str) -> None:
    with pytest.raises(InputError, match="is no name of a task: that is up to 64 letters and digits"):
        check_name(name)


def test_the_name_of_a_measure_is_none_of_a_task():
    def check(name: str) -> None:
        with pytest.raises(InputError, match="for a measure is called so"):
            check_name(name)

    check_each(check, [*CATALOG, "ndcg", "map", "mrr", "P_5", "ndcg_cut", "recall-10", "microF1"])


def test_the_name_of_a_column_or_of_a_part_of_gates_is_none_of_a_task():
    def check(name: str, also: str) -> None:
        with pytest.raises(InputError, match="for a column of the tables or a part of gates is called so"):
            check_name(also or name)

    check_rows(
        check,
        itertools.product(
            ["query_id", "Place", "rank", "id", "score", "self", "copy", "duplicate", "positive_id"], ["", "spread"]
        ),
    )


def test_tasks_of_several_sources_stand_in_their_order() -> None:
    file, option = parse_tasks(["a=equal(x)", "b=judgments()"]), parse_tasks(["c=judgments(rel=3)"])
    assert together({"dataset.toml": file, "--task": option}) == (*file, *option)
    assert together({}) == ()


@pytest.mark.parametrize(("texts", "message"), TABLES["together"])
def test_tasks_that_cannot_stand_together_are_an_error(texts: list[str], message: str) -> None:
    described = parse_task("brand=equal(x)"), parse_task("gold=judgments()")
    with pytest.raises(InputError) as caught:
        together({"dataset.toml": described, "--task": parse_tasks(texts)})
    assert str(caught.value) == message


def test_64_tasks_stand_together_and_no_more() -> None:
    many = parse_tasks([f"a{n}=equal(x)" for n in range(65)])
    assert len(together({"--task": many[:64]})) == 64
    with pytest.raises(InputError) as caught:
        together({"dataset.toml": many[:2], "--task": many[2:]})
    assert str(caught.value) == "there are 65 tasks in dataset.toml and --task, and a run has at most 64"
