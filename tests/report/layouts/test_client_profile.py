"""A profile of the client, printed."""

import csv
import io
import json
import re
from dataclasses import replace

from any_result import UNBROKEN

from benchbench.profile.client import ClientProfile, ClientRow, ClientWorkload
from benchbench.profile.machine import Machine
from benchbench.profile.profile_result import Profile
from benchbench.profile.stages import Stage
from benchbench.report.draw import draw
from benchbench.stored import load

FOUND = ClientProfile(
    Machine("A processor", 2, "2026-11-22", "3.11.7", {"benchbench": "0.1.0"}),
    "a canned service",
    ClientWorkload(6400, 32, 20, 4),
    2,
    (
        ClientRow("texts and labels", 890_000, "benchbench", "0.1.0", None, 400.4, 12_812.8, 1.0, (0.5, 0.499)),
        ClientRow("texts and labels", 890_000, "a | b_c", None, None, 100.1, 3_203.2, 4.0, (2.0, 1.996)),
        ClientRow("ids and scores", 20_000, "late", "2", "OSError: gone"),
    ),
    (
        Stage("texts and labels", 890_000, "walk", None, 250.04, 0.3907, (250.04, 250.0)),
        Stage("texts and labels", 890_000, "texts", None, 1_234.5, 1.929, (1_234.5,)),
        Stage("hashes and labels", 143_000, "walk", None, 60.0, 0.0938, (60.0, 60.0)),
        Stage("ids and scores", 20_000, "stages", "OSError: gone | away"),
    ),
)
PROFILE = Profile(FOUND)


def test_text_has_the_machine_the_work_and_a_row_per_answer_and_client():
    verdict, _, *lines = draw(PROFILE, "text", UNBROKEN).splitlines()
    assert verdict.startswith("Client: times as long as benchbench takes: ")
    assert lines[0] == "A processor, 2 cores, 2026-11-22, Python 3.11.7, benchbench 0.1.0"
    assert lines[1].startswith(
        "6,400 queries, 32 per request, 20 hits each, from a canned service; 4 requests in flight"
    )
    assert lines[5].split() == ["texts", "and", "labels,", "890", "kB", "benchbench", "400", "12,813", "356", "1.00"]
    assert lines[7].endswith("not measured")
    assert any(line.startswith("Failed") and line.endswith("OSError: gone") for line in lines)


def test_text_has_a_row_per_stage_with_what_it_takes_of_each_answer():
    lines = draw(PROFILE, "text", UNBROKEN).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Stage"))
    head = ["Stage", "texts and labels, 890 kB: µs", "µs/hit", "hashes and labels, 143 kB: µs", "µs/hit"]
    assert re.split(r" {2,}", lines[first])[:5] == head
    assert lines[first + 2].split() == ["walk", "250.0", "0.391", "60.0", "0.094", "–", "–"]
    assert lines[first + 3].split() == ["texts", "1,234.5", "1.929", "–", "–", "–", "–"]
    assert "Failed      ids and scores, stages: OSError: gone | away" in lines


def test_a_page_has_the_stages_too_and_a_profile_of_before_has_none():
    page = draw(PROFILE, "html")
    assert "1,234.5" in page
    assert "ids and scores, stages: OSError: gone | away" in page
    assert "Stage" not in draw(Profile(replace(FOUND, stages=())), "text")


def test_the_record_has_the_stages_with_answer_and_stage_as_their_scope():
    found = {
        (one.scope["stage"], one.scope["answer"]): (one.value, one.unit, one.better, one.n)
        for one in PROFILE.record.numbers
        if one.name == "us_per_answer"
    }
    assert found[("walk", "texts and labels")] == (250.04, "µs", "lower", 2)
    assert len(found) == 3
    assert [(one.reason, one.scope) for one in PROFILE.record.failures][1:] == [
        ("OSError: gone | away", {"answer": "ids and scores", "stage": "stages"})
    ]
    assert [one.name for one in PROFILE.record.subject] == ["benchbench", "a | b_c", "late"]


def test_a_stored_profile_has_its_stages_again(tmp_path):
    folder = PROFILE.save(tmp_path / "profile")
    assert draw(load(folder), "text", UNBROKEN) == draw(PROFILE, "text", UNBROKEN)


def test_json_is_the_whole_result_with_every_round():
    value = json.loads(draw(PROFILE, "json"))
    assert value["workload"] == {"queries": 6400, "batch_size": 32, "hits": 20, "concurrency": 4}
    assert value["service"] == "a canned service"
    assert [one["rounds"] for one in value["clients"]] == [[0.5, 0.499], [2.0, 1.996], []]
    assert [one["rounds"] for one in value["stages"]] == [[250.04, 250.0], [1_234.5], [60.0, 60.0], []]


def test_csv_and_json_lines_have_complete_rows():
    rows = list(csv.DictReader(io.StringIO(draw(PROFILE, "csv"))))
    objects = [json.loads(line) for line in draw(PROFILE, "jsonl").splitlines()]
    clients = ["benchbench", "a | b_c", "late"]
    assert [row["client"] for row in rows] == [*clients, *[""] * 4]
    assert [one.get("client") for one in objects] == [*clients, *[None] * 4]
    assert [row["stage"] for row in rows] == [one.get("stage", "") for one in objects]
    assert [row["us_per_hit"] for row in rows[3:]] == ["0.3907", "1.929", "0.0938", ""]
    assert (rows[1]["ratio"], rows[1]["queries"], rows[1]["rounds"], rows[2]["ratio"]) == ("4.0", "6400", "2", "")


def test_markdown_and_latex_keep_their_columns():
    assert r"| a \| b_c | 100 |" in draw(PROFILE, "markdown")
    assert "| --- | --- | ---: | ---: | ---: | ---: | --- |" in draw(PROFILE, "markdown")
    assert r"\begin{tabular}{llrrrrl}" in draw(PROFILE, "latex")
    assert r"a | b\_c & 100" in draw(PROFILE, "latex")
