"""A profile, printed."""

import csv
import io
import json
from dataclasses import replace

import pytest
from any_result import UNBROKEN

from benchbench.profile.machine import Machine
from benchbench.profile.profile_result import Profile
from benchbench.profile.scoring_speed import Figures, MeasuredWorkload, MetricsProfile, ToolRow
from benchbench.report.draw import draw

ROUNDS = (Figures(1.5, 200.0, 0.02), Figures(1.3, 202.0, 0.0211))
FOUND = MetricsProfile(
    Machine(
        processor="A processor",
        cores=2,
        date="2026-11-22",
        python="3.11.7",
        versions={"benchbench": "0.1.0", "other": "2"},
    ),
    MeasuredWorkload(50_000, 100, 10, measures=("P@3", "AP")),
    2,
    (
        ToolRow("benchbench", "0.1.0", 1e-6, None, True, 0.0, 1.4, 1.0, 0.02055, 1.0, 201.0, 1.0, ROUNDS),
        ToolRow("other", "2", 1e-6, None, False, 3.2e-5, 14.0, 10.0, 2.055, 100.0, 1005.0, 5.0, ROUNDS),
        ToolRow("c_tool", None, 5.1e-5, None, True, 4e-5, 0.7, 0.5, None, None, 20.1, 0.1, ROUNDS),
        ToolRow("late", "3", 1e-6, "no end after 600 s"),
    ),
)
PROFILE = Profile(FOUND)


def test_text_has_machine_date_versions_workload_and_a_row_per_tool():
    verdict, _, *lines = draw(PROFILE, "text", UNBROKEN).splitlines()
    assert verdict == "Metrics: times as long as benchbench takes: other 10.0, c_tool 0.5."
    assert lines[0] == "A processor, 2 cores, 2026-11-22, Python 3.11.7, benchbench 0.1.0, other 2"
    assert lines[1] == "50,000 queries x 100 hits, 10 judged, 2 measures (P@3, AP), median of 2 in turn"
    cells = [line.split(maxsplit=7) for line in lines[5:9]]
    assert cells == [
        ["benchbench", "1.40", "1.0", "0.0205", "1.0", "201", "1.0", "agree to 1e-06"],
        ["other", "14.00", "10.0", "2.0550", "100.0", "1,005", "5.0", "differ by 3e-05"],
        ["c_tool", "0.70", "0.5", "–", "–", "20", "0.1", "agree to 5e-05"],
        ["late", "–", "–", "–", "–", "–", "–", "not measured"],
    ]
    assert lines[-1] == "Failed      late: no end after 600 s"


def test_json_is_the_whole_result_with_every_round():
    value = json.loads(draw(PROFILE, "json"))
    assert value["machine"]["versions"] == {"benchbench": "0.1.0", "other": "2"}
    assert value["workload"] == {"queries": 50_000, "depth": 100, "judged": 10, "seed": 7, "measures": ["P@3", "AP"]}
    first, *_, last = value["tools"]
    assert first["rounds"][1] == {"whole_process_s": 1.3, "peak_mb": 202.0, "second_evaluation_s": 0.0211}
    assert (first["second_evaluation_s"], first["agrees"], first["failure"]) == (0.02055, True, None)
    assert (last["failure"], last["whole_process_s"], last["rounds"]) == ("no end after 600 s", None, [])


def test_csv_and_json_lines_have_a_complete_row_per_tool():
    rows = list(csv.DictReader(io.StringIO(draw(PROFILE, "csv"))))
    objects = [json.loads(line) for line in draw(PROFILE, "jsonl").splitlines()]
    assert (
        [row["tool"] for row in rows] == [one["tool"] for one in objects] == ["benchbench", "other", "c_tool", "late"]
    )
    assert (rows[1]["whole_process_ratio"], rows[1]["date"], rows[1]["queries"]) == ("10.0", "2026-11-22", "50000")
    assert rows[3]["whole_process_s"] == ""
    assert objects[0]["machine"].startswith("A processor, 2 cores")
    assert (objects[0]["rounds"], objects[3]["rounds"], objects[3]["agrees"]) == (2, 0, None)


def test_markdown_has_machine_and_workload_above_the_table():
    lines = draw(PROFILE, "markdown").splitlines()
    assert lines[0].startswith("A processor")
    assert lines[2].startswith("50,000 queries")
    assert lines[5] == "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    assert lines[7] == "| other | 14.00 | 10.0 | 2.0550 | 100.0 | 1,005 | 5.0 | differ by 3e-05 |"


def test_latex_escapes_and_keeps_machine_and_workload_as_comments():
    text = draw(PROFILE, "latex")
    assert text.startswith("% A processor")
    assert r"c\_tool & 0.70" in text
    assert text.count(r"\\" + "\n") == 5


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_a_reason_cannot_break_a_table(form):
    profile = Profile(replace(FOUND, tools=(ToolRow("bad", None, 1e-6, "50 % | left & $1"),)))
    said, row = [line for line in draw(profile, form, UNBROKEN).splitlines() if "bad" in line][
        :: 1 if form == "latex" else -1
    ]
    assert row.count("|" if form == "markdown" else "&") == (9 if form == "markdown" else 7)
    assert ("50 % | left" if form == "latex" else r"50 % \| left") in said
