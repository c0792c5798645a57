"""What programs read: JSON, JSON lines and CSV, whole and not rounded."""

import csv
import io
import json
import math
from typing import Any

import pytest
from any_result import Recorded, drawn_with, json_values, texts
from hypothesis import given
from hypothesis import strategies as st

from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.results.record import record

NAN = float("nan")


def drawn(form: str, *rows: dict[str, Any], members: Any = None, lines: Any = None) -> str:
    layout = Layout("title", (), lambda: members or {}, lambda: rows, lines)
    return rendered(Recorded(record("counted", 1.0, name="mine")), layout, form)


def test_json_has_the_members_and_the_record_beside_them():
    value = json.loads(drawn("json", members={"queries": 3, "nothing": NAN}))
    assert list(value) == ["queries", "nothing", "record"]
    assert (value["queries"], value["nothing"], value["record"]["name"]) == (3, None, "mine")


@given(st.lists(st.dictionaries(texts, json_values, max_size=3), max_size=3))
def test_json_lines_are_an_object_each(rows: list[dict[str, Any]]):
    lines = drawn("jsonl", *rows).split("\n")
    assert [json.loads(line).keys() for line in lines[:-1]] == [row.keys() for row in rows]
    assert lines[-1] == ""


def test_json_lines_may_have_other_objects_than_csv_has_rows():
    assert drawn("jsonl", {"row": 1}, lines=lambda: [{"line": [1, 2]}]) == '{"line":[1,2]}\n'


def test_the_head_of_csv_has_the_columns_of_all_rows():
    assert drawn("csv", {"a": 1}, {"b": "x,y", "a": None}) == 'a,b\n1,\n,"x,y"\n'
    assert drawn("csv") == ""


@given(st.lists(st.floats(), min_size=1))
def test_a_number_in_csv_and_json_lines_has_every_bit_and_what_is_none_is_empty(values: list[float]):
    rows = [{"n": n, "value": value} for n, value in enumerate(values)]
    read = [row["value"] for row in csv.DictReader(io.StringIO(drawn("csv", *rows)))]
    assert [one and float(one) for one in read] == ["" if math.isnan(value) else value for value in values]
    loaded = [json.loads(line)["value"] for line in drawn("jsonl", *rows).splitlines()]
    assert loaded == [value if math.isfinite(value) else None for value in values]


@pytest.mark.parametrize("form", ["json", "jsonl"])
@pytest.mark.parametrize("said", ["\x1b[2J\x00\r\n", "\u2028\u202e", 'a"b\\', "<script>"])
def test_a_text_comes_back_from_json_as_it_was(form: str, said: str):
    assert said in json.loads(rendered(*drawn_with(said), form).split("\n")[0] if form == "jsonl" else
                              rendered(*drawn_with(said), form))  # fmt: skip


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_what_is_no_unicode_is_written_with_question_marks(form: str):
    assert '"run-?.trec"' in rendered(*drawn_with("run-\udcff.trec"), form)
