from pathlib import Path

import data_sets
import pytest
import services
from any_result import UNBROKEN
from results.round_trip import round_trip

from benchbench.experiment import Settings, Targets, run_targets
from benchbench.formats.datasets.locate import locate
from benchbench.report.draw import draw
from benchbench.stored import load


@pytest.fixture
def targets(tmp_path: Path) -> Targets:
    data = data_sets.write(tmp_path / "data")
    working = services.searching(data_sets.collection(data))
    with services.running(working) as good, services.running(services.status(422, "gone"), working) as poor:
        urls = {"good": good.url, "poor": poor.url}
        gates = ("accusation.P@3<0.9", "p99>100s")
        return run_targets(
            Settings(locate(str(data)), targets=urls, name="pair", batch_size=4, concurrency=1, fail_if=gates)
        )


def test_it_is_drawn_from_its_folder_as_it_was(targets: Targets, tmp_path: Path):
    loaded = round_trip(targets, tmp_path / "out")
    names = [f"{target}/per_query" for target in ("good", "poor")]
    assert [one.name for one in loaded.record.tables] == names
    assert loaded.table("poor/per_query").equals(targets["poor"].per_query)
    again = round_trip(loaded, tmp_path / "again")
    assert [one.name for one in again.record.tables] == names


def test_the_folder_of_each_target_is_one_of_a_run(targets: Targets, tmp_path: Path):
    targets.save(tmp_path / "out")
    for name, outcome in targets.items():
        alone = load(tmp_path / "out" / name)
        assert alone.record.kind == "run"
        assert draw(alone, "text", UNBROKEN) == draw(outcome, "text", UNBROKEN)


def test_measures_and_failures_stand_side_by_side_and_no_speed_of_few_requests(targets: Targets):
    text = draw(targets, "text", UNBROKEN)
    assert "▼ good and poor on data: 12 queries each; failed: 4 of poor, which count as 0.\n" in text
    assert ["Task", "Metric", "good", "poor"] in [line.split() for line in text.splitlines()]
    assert "p50, ms per request" not in text, "12 requests are too few"
    (failed,) = [line.split() for line in text.splitlines() if "failed queries" in line]
    assert failed == ["Service", "failed", "queries", "0", "4"]


def test_gates_and_what_is_broken_name_their_target(targets: Targets):
    said = [gate.said for gate in targets.record.gates]
    assert said[2].startswith("poor: 4 of 12 queries failed, mostly: HTTP 422: gone")
    assert said[3].startswith("poor: gate failed: accusation.P@3 is ")
    assert [gate.about for gate in targets.record.gates] == ["good", "good", "poor", "poor", "poor"]
    text = draw(targets, "text", UNBROKEN).splitlines()
    assert "Gate        ▼ accusation.P@3 0.6667 at poor (limit 0.9)" in text
    assert [line for line in text if "poor: 4 of 12" in line] == [f"▼ {said[2]}"]
    assert targets.record.status == "failed"
    summary = draw(targets, "summary")
    assert f"**{said[2]}**" in summary
    junit = draw(targets, "junit")
    assert (junit.count('classname="good"'), junit.count('classname="poor"')) == (2, 3)
    assert junit.count(" time=") == 6  # of the suite, and of each case


def test_it_says_of_few_groups_that_they_are_few(tmp_path: Path):
    data = data_sets.write(tmp_path / "data")
    with services.running(services.searching(data_sets.collection(data))) as service:
        settings = Settings(locate(str(data)), targets={"a": service.url, "b": service.url}, cluster="accusation")
        drawn = draw(run_targets(settings), "text", UNBROKEN)
    for name in ("a", "b"):
        assert f"\n{name}           ! " in drawn
    assert "\nNote        a and b: 3 groups of accusation, fewer than 20: intervals are wide" in drawn
