"""docs/results.md names every member of a record, and none that there is not."""

import re
from pathlib import Path
from typing import Any

import pytest

from benchbench.results.folder import CONFIG, RECORD, SUMMARY
from benchbench.results.record import schema

PAGE = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
TYPES: dict[str, Any] = schema()["$defs"]
MEMBERS = {  # of a record -> its type
    "subject": "Subject",
    "data": "Data",
    "settings": "Setting",
    "environment": "Environment",
    "counts": "Count",
    "failures": "Failure",
    "notes": "Note",
    "tables": "TableFile",
}


def named(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


def rows(below: str) -> list[list[str]]:
    """Return the rows of the first table below a line."""
    table = re.search(r"(^\|.*\n)+", PAGE.split(below, 1)[1], re.MULTILINE)
    assert table
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[0].splitlines()[2:]]


@pytest.mark.parametrize(
    ("below", "kind"),
    [("## The record\n", "Record"), ("A number of `numbers`:", "Number"), ("A gate of `gates`:", "GateResult")],
)
def test_every_member_has_its_row(below: str, kind: str):
    assert set().union(*(named(first) for first, _ in rows(below))) == set(TYPES[kind]["properties"])


def test_the_smaller_types_have_all_their_members():
    told = {named(first).pop(): named(members) for first, members in rows("The others:")}
    assert told == {member: set(TYPES[kind]["properties"]) for member, kind in MEMBERS.items()}
    assert {*MEMBERS.values(), "Record", "Number", "GateResult"} == set(TYPES)


def test_the_files_of_a_folder_are_named():
    assert [first for first, _ in rows("## The folder\n")][:3] == [f"`{name}`" for name in (RECORD, SUMMARY, CONFIG)]
