"""A profile of the client, printed."""

import csv
import io
import json

from benchbench.profile.client import ClientProfile, Row, Workload
from benchbench.profile.machine import Machine
from benchbench.profile.outcome import Profile
from benchbench.report.draw import draw

FOUND = ClientProfile(
    Machine("A processor", 2, "2026-11-22", "3.11.7", {"benchbench": "0.1.0"}),
    "a canned service",
    Workload(6400, 32, 20, 4),
    2,
    (
        Row("texts and labels", 890_000, "benchbench", "0.1.0", None, 400.4, 12_812.8, 1.0, (0.5, 0.499)),
        Row("texts and labels", 890_000, "a | b_c", None, None, 100.1, 3_203.2, 4.0, (2.0, 1.996)),
        Row("ids and scores", 20_000, "late", "2", "OSError: gone"),
    ),
)
PROFILE = Profile(FOUND)


def test_text_has_the_machine_the_work_and_a_row_per_answer_and_client():
    lines = draw(PROFILE, "text").splitlines()
    assert lines[0] == "A processor, 2 cores, 2026-11-22, Python 3.11.7, benchbench 0.1.0"
    assert lines[1].startswith(
        "6,400 queries, 32 per request, 20 hits each, from a canned service; 4 requests in flight"
    )
    assert lines[5].split() == ["texts", "and", "labels,", "890", "kB", "benchbench", "400", "12,813", "356", "1.00"]
    assert lines[7].endswith("not measured: OSError: gone")


def test_json_is_the_whole_result_with_every_round():
    value = json.loads(draw(PROFILE, "json"))
    assert value["workload"] == {"queries": 6400, "batch_size": 32, "hits": 20, "concurrency": 4}
    assert value["service"] == "a canned service"
    assert [one["rounds"] for one in value["clients"]] == [[0.5, 0.499], [2.0, 1.996], []]


def test_csv_and_json_lines_have_complete_rows():
    rows = list(csv.DictReader(io.StringIO(draw(PROFILE, "csv"))))
    objects = [json.loads(line) for line in draw(PROFILE, "jsonl").splitlines()]
    assert [row["client"] for row in rows] == [one["client"] for one in objects] == ["benchbench", "a | b_c", "late"]
    assert (rows[1]["ratio"], rows[1]["queries"], rows[1]["rounds"], rows[2]["ratio"]) == ("4.0", "6400", "2", "")


def test_markdown_and_latex_keep_their_columns():
    assert r"| a \| b_c | 100 |" in draw(PROFILE, "markdown")
    assert "| --- | --- | ---: | ---: | ---: | ---: | --- |" in draw(PROFILE, "markdown")
    assert r"\begin{tabular}{llrrrrl}" in draw(PROFILE, "latex")
    assert r"a | b\_c & 100" in draw(PROFILE, "latex")
