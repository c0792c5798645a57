"""The folder of a load test."""

from dataclasses import replace
from pathlib import Path

import invented_load
import polars as pl
import pytest

from benchbench.load_test import LoadOutcome
from benchbench.loads.folder import LoadFolder
from benchbench.results.reading import read_result

PAGES = {"load_summary.txt": "for people\n"}
FILES = {"config.json", "record.json", "summary.json", "load_summary.txt", "steps.parquet", "requests.parquet"}


@pytest.fixture
def outcome(tmp_path: Path) -> LoadOutcome:
    return invented_load.outcome(tmp_path / "data")


def hold(outcome: LoadOutcome, place: Path, error: str | None = None) -> None:
    """Write a folder as the command does; `error` is that of all requests."""
    with LoadFolder(place) as folder:
        for number, step in enumerate(outcome.steps):
            folder.append(step, pl.DataFrame({"number": list(range(number + 1)), "error": [error] * (number + 1)}))
        if outcome.steps:
            folder.finish(outcome, lambda: PAGES)
        if outcome.interrupted:
            raise KeyboardInterrupt


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_whole_folder_has_record_summary_pages_and_tables(outcome: LoadOutcome, tmp_path: Path):
    hold(outcome, tmp_path / "out")
    assert names(tmp_path / "out") == FILES
    assert not (tmp_path / "out.partial").exists()
    loaded = read_result(tmp_path / "out")
    assert [(one.name, one.rows) for one in loaded.record.tables] == [("requests", 3), ("steps", 2)]
    assert loaded.table("requests")["step"].to_list() == [1, 2, 2]
    assert (tmp_path / "out" / "load_summary.txt").read_text(encoding="utf-8") == "for people\n"


def test_an_interrupted_test_stays_partial_with_its_finished_steps(outcome: LoadOutcome, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt) as interrupt:
        hold(replace(outcome, interrupted=True), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert names(tmp_path / "out.partial") == FILES
    kept = f"the requests of the steps that were finished are in {tmp_path / 'out.partial'}"
    assert interrupt.value.__notes__ == [kept]


def test_an_interrupted_test_of_which_every_request_failed_leaves_nothing(outcome: LoadOutcome, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt):
        hold(replace(outcome, interrupted=True), tmp_path / "out", "HTTP 500")
    assert names(tmp_path) == {"data"}


def test_a_test_without_a_finished_step_leaves_nothing(outcome: LoadOutcome, tmp_path: Path):
    with pytest.raises(KeyboardInterrupt):
        hold(replace(outcome, steps=[], interrupted=True), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
