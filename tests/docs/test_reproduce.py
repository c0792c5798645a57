"""docs/reproduce.md has a command for each script that measures a figure, with options that the script has."""

import ast
import re

import documented

PAGE = documented.ROOT / "docs" / "reproduce.md"
SCRIPTS = documented.ROOT / "benchmarks"
COMMANDS = [line.split() for block in documented.blocks(PAGE) for line in documented.lines(block)]
MEASURING = [words[1:] for words in COMMANDS if words[0] == "python"]
HELPERS = {"law_service.py", "machine.py", "nginx.py"}  # which others import or start


def options(script: str) -> set[str]:
    """Return the options that a script adds to its parser."""
    calls = (one for one in ast.walk(ast.parse(script)) if isinstance(one, ast.Call))
    adding = (one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "add_argument")
    return {one.value for call in adding for one in call.args if isinstance(one, ast.Constant)}


def test_each_command_names_a_script_and_options_that_it_has() -> None:
    for path, *words in MEASURING:
        script = (documented.ROOT / path).read_text(encoding="utf-8")
        assert {word for word in words if word.startswith("-")} <= options(script), path


def test_each_script_that_measures_has_its_command() -> None:
    named = {path.removeprefix("benchmarks/") for path, *_ in MEASURING}
    assert named == {path.name for path in SCRIPTS.glob("*.py")} - HELPERS


def test_each_script_with_figures_in_the_readme_says_so() -> None:
    section = (documented.ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Figures\n")[2]
    rows = re.findall(r"^\| .*\| `(\w+\.py)`.*\|$", section.partition("\n## ")[0], re.MULTILINE)
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for script in rows:
        (part,) = (one for one in parts if f"benchmarks/{script}" in one)
        assert "Figures: [README](../README.md#figures)" in part
    assert len(rows) > 10
