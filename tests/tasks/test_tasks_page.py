"""docs/tasks.md says each rule and parameter as the table of rules does, and its shop is measured as it prints."""

import re
import shlex
from pathlib import Path

import documented
import measured_labels
import pytest
from command_line import said

from benchbench.tables.text_files import toml_value
from benchbench.tasks.reading import parse_tasks, read_tasks
from benchbench.tasks.rules import RULES, Definition, Sides
from benchbench.tasks.task import Task

FILE = documented.ROOT / "docs" / "tasks.md"
PAGE = FILE.read_text(encoding="utf-8")
SIDES = {Sides.NEITHER: "neither", Sides.BOTH: "both", Sides.QUERY: "the query"}


def blocks(language: str) -> list[str]:
    return [one.text for one in documented.blocks(FILE) if one.language == language]


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


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page, and go to the folder above them."""
    assert list(documented.files(FILE)) == ["shop/tiered.jsonl", "shop/collection.jsonl", "shop/dataset.toml"]
    documented.write(FILE, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shop"


@pytest.mark.slow  # three runs, each with a process that serves
def test_the_commands_of_the_shop_print_what_the_page_shows(
    capsys: pytest.CaptureFixture[str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    commands = [shlex.split(line)[1:] for line in "".join(blocks("sh")).splitlines()]
    first, *others = (said(capsys, *command) for command in commands)
    (shown,) = re.findall(r"```\n(● bm25 on shop.*?)\n…[^\n]*\n```", PAGE, flags=re.DOTALL)
    assert documented.prints(first.output, shown)
    assert [one.code for one in (first, *others)] == [0, 0, 0]
    assert ["Whole" in one.output for one in others] == [True, False]


@pytest.mark.slow  # a process that serves
def test_each_value_of_the_shop_is_that_of_plain_python(capsys: pytest.CaptureFixture[str], shop: Path) -> None:
    whole = "whole=contains(meta.categories)"
    out = shop.parent / "results"
    assert said(capsys, "run", "--dataset", shop, "--task", whole, "-k", "1,2,3", "--out", out).code == 0
    measured_labels.check(shop, out, ("brand", "price", "category", "whole"), (1, 2, 3), whole)
