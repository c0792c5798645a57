import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import data_sets
import pytest
import services

from benchbench.experiment import Outcome
from benchbench.measures.aggregate import Estimate
from benchbench.report import table
from benchbench.report.columns import plain


@pytest.fixture
def outcome(tmp_path: Path) -> Outcome:
    data = data_sets.write(tmp_path)
    with services.running(services.searching(data_sets.collection(data))) as service:
        return data_sets.outcome(data, service.url)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.25, 0.504, "33.33 [25.0, 50.4]"), (None, None, "33.33"), (0.0, 0.0, "33.33 [0.0, 0.0]")],
)
def test_a_cell_is_a_percentage_with_its_interval_where_there_is_one(low, high, shown: str):
    assert table.cell(Estimate("gold", "P@3", 1 / 3, None, low, high)) == shown


def test_columns_are_aligned():
    assert plain(["A", "B"], [["x", "1"], ["", "22"], ["yy", "3"]]) == "A   B\n--  --\nx   1\n    22\nyy  3"


def test_a_task_stands_once_and_a_blank_line_before_the_next(outcome: Outcome):
    lines = table.summary_table(outcome).splitlines()[2:]
    assert [line.split()[0] for line in lines if line and line[0] != " "] == [
        "Gold",
        "Accusation",
        "Article",
        "Imprisonment",
    ]
    assert lines.count("") == 3


def test_rows_are_tasks_in_order_with_every_title_and_an_estimate_a_cutoff(outcome: Outcome):
    rows = table.rows(outcome)
    assert [(task, title) for task, title, _ in rows] == [
        (task, title)
        for task in ("Gold", "Accusation", "Article", "Imprisonment")
        for title in ("Precision", "Recall", "HitRate", "Macro-F1", "Micro-F1", "nDCG", "MRR")
    ]
    assert all([one.measure.split("@")[1] for one in values] == ["3", "5", "10"] for *_, values in rows)


def test_every_table_shows_the_same_numbers(outcome: Outcome):
    numbers = [[f"{100 * one.value:.2f}" for one in values] for *_, values in table.rows(outcome)]
    markdown = [line.split(" | ")[2:] for line in table.markdown(outcome).splitlines()[2:]]
    assert [[cell.split()[0] for cell in cells] for cells in markdown] == numbers
    latex = [line for line in table.latex(outcome).splitlines() if line.endswith(r"\\")][1:]
    assert [line.removesuffix(r" \\").split(" & ")[2:] for line in latex] == numbers
    shown = [line[25:] for line in table.summary_table(outcome).splitlines()[2:] if line]
    assert [[cell.split()[0] for cell in line.split("]") if cell] for line in shown] == numbers


def test_csv_and_json_lines_lose_no_bit(outcome: Outcome):
    rows = list(csv.reader(io.StringIO(table.comma_separated(outcome))))
    assert rows[0] == ["task", "measure", "value", "stderr", "low", "high"]
    assert [Estimate(*row[:2], *map(float, row[2:])) for row in rows[1:]] == outcome.estimates
    assert [Estimate(**json.loads(line)) for line in table.json_lines(outcome).splitlines()] == outcome.estimates


def test_an_estimate_without_interval_has_empty_cells_in_csv(outcome: Outcome):
    alone = replace(outcome, estimates=[Estimate("gold", "P@3", 0.5, None, None, None)])
    assert table.comma_separated(alone).splitlines()[1] == "gold,P@3,0.5,,,"
