"""docs/tasks.md says each rule and parameter as the table of rules does, and its examples are tasks."""

import re
from pathlib import Path

import pytest

from benchbench.tables.text_files import toml_value
from benchbench.tasks.reading import parse_tasks, read_tasks
from benchbench.tasks.rules import RULES, Definition, Sides
from benchbench.tasks.task import Task

PAGE = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")
SIDES = {Sides.NEITHER: "neither", Sides.BOTH: "both", Sides.QUERY: "the query"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("definition", RULES.values(), ids=lambda one: one.name)
def test_each_rule_and_parameter_has_its_row(definition: Definition) -> None:
    assert f"| `{definition.name}` | {definition.meaning} | {SIDES[definition.sides]} |\n" in PAGE
    for parameter in definition.parameters:
        default = ""
        if parameter.default is not None:
            task = Task("one", definition.rule, given=((parameter.name, parameter.default),))
            default = f"`{str(task).partition(f'({parameter.name}=')[2][:-1]}`"
        assert f"| `{definition.name}` | `{parameter.name}` | {default} | {parameter.meaning} |\n" in PAGE
    assert PAGE.count(f"\n| `{definition.name}` | `") == len(definition.parameters)


def test_the_tasks_of_the_file_are_those_of_the_command_line() -> None:
    (described,), (texts,) = blocks("toml"), blocks("text")
    tasks = read_tasks(toml_value(described.encode(), "dataset.toml"), "dataset.toml")
    assert tasks == parse_tasks(texts.splitlines())
    assert list(map(str, tasks)) == texts.splitlines()
