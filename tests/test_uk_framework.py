"""The tables of answers/uk_framework.md: every row is what benchbench does, and every test file is there."""

import re
from pathlib import Path

import pytest
from answer_values import scored
from cases import check_each

from benchbench.answers.citations import document_citations, uk

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "tests" / "answers" / "uk_framework.md").read_text(encoding="utf-8")
VERDICTS = ("same", "stricter", "more", "other")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    table = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in re.split(r"\|", line)[1:-1]] for line in lines]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def test_each_pattern_finds_what_the_page_says():
    def check(row: list[str]) -> None:
        (text,), (source, *path) = code(row[1]), code(row[3])
        found = document_citations.documents(text) if row[0] == "document" else uk.extract(text)
        steps = tuple(path) if row[0] == "document" else tuple(path[0].split()) if path else ()
        assert [(one.source, one.path) for one in found] == [(source, steps)]
        assert row[4].startswith(VERDICTS)

    check_each(check, rows("Patterns"))


def test_each_example_has_the_score_that_the_page_says():
    def check(row: list[str]) -> None:
        ((metric,), (truth,), (answer,)) = (code(cell) for cell in row[:3])
        assert scored(metric, answer, truth).score == float(row[4])
        assert row[5].startswith("same") == (float(row[3]) == float(row[4]))

    check_each(check, rows("Examples"))


@pytest.mark.parametrize("file", sorted({name for name in code(TEXT) if name.startswith("tests/")}))
def test_each_file_of_tests_is_there(file: str):
    assert (ROOT / file).is_file()


def test_all_that_the_framework_names_stands_in_the_tables():
    assert (len(rows("Patterns")), len(rows("Examples")), len(rows("Classes of tests"))) == (22, 20, 11)
