"""The record of a run: from what is in memory, and from what version 0.1 wrote."""

import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import data_sets
import pytest
import services
from results.round_trip import validated

import benchbench
from benchbench.experiment import Outcome, Settings, run_targets
from benchbench.formats.datasets.locate import locate
from benchbench.report.draw import draw
from benchbench.results.folder import config
from benchbench.results.record import Record
from benchbench.stored import load


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


@pytest.fixture
def outcome(data: Path) -> Outcome:
    return ran(data)


def ran(data: Path, *answers: services.Answer, **options: Any) -> Outcome:
    with services.running(*answers, services.searching(data_sets.collection(data))) as service:
        return data_sets.outcome(data, service.url, **options)


def numbers(record: Record, **scope: str) -> dict[str, Any]:
    return {one.name: one for one in record.numbers if one.scope == scope}


def test_it_has_every_value_with_its_interval_and_what_it_is_over(outcome: Outcome):
    validated(outcome.record)
    for one in outcome.estimates:
        found = numbers(outcome.record, task=one.task)[one.measure]
        assert (found.value, found.stderr, found.low, found.high) == (one.value, one.stderr, one.low, one.high)
        assert (found.n, found.better, found.interval) == (12, "higher", f"95 %, {one.interval}")


def test_times_have_their_unit_and_errors_and_speed_no_task(outcome: Outcome):
    found = numbers(outcome.record)
    assert {name: (one.unit, one.better, one.n) for name, one in found.items()} == {
        **dict.fromkeys(("p50", "p90", "p95", "p99", "mean", "max"), ("ms", "lower", 1)),
        **dict.fromkeys(("errors", "error_rate"), ("", "lower", 12)),
        "queries_per_second": ("queries/s", "higher", None),
        "seconds": ("s", "lower", None),
    }
    assert found["p99"].value == outcome.latency.percentiles["p99"]


def test_it_says_what_was_measured_and_with_what(data: Path):
    (data / "tiered.card.json").write_text('{"collection": {"documents": 28}}')
    outcome = ran(data)
    record = outcome.record
    (subject,) = record.subject
    assert (subject.name, subject.source, subject.signature) == ("service", outcome.url, str(outcome.signature))
    assert record.signature == str(outcome.signature)
    assert (record.data.name, record.data.make, record.data.queries) == ("data", "tiered", 12)
    assert (record.data.source, record.data.digest) == (str(data / "tiered.jsonl"), outcome.queries.digest)
    assert record.data.documents == 28
    assert record.started <= record.finished
    assert {"benchbench", "python", "numpy"} <= record.environment.versions.keys()


def test_the_settings_are_every_option_in_force(data: Path):
    outcome = ran(data, batch_size=7, max_error_rate=0.25)
    written = config(outcome.record)
    options = written["options"]
    assert (options["batch_size"], options["max_error_rate"]) == (7, 0.25)
    assert (options["dataset"], options["collection"]) == (str(data / "tiered.jsonl"), str(data / "collection.jsonl"))
    named = {one.name for one in fields(Settings)} - {"service", "targets", "retriever", "bm25"}
    assert named | {"analysis", "k1", "b"} <= options.keys()
    assert set(written["sources"].values()) == {"default"}
    assert written["sources"].keys() == options.keys()


def test_the_command_is_written_without_what_may_be_secret(data: Path, monkeypatch):
    words = ["run", "--target", "a=http://u:p@w@h:1/x?key=k", "--header", "X-Key: s3cret", "--header=X-Other: t0ken"]
    monkeypatch.setattr(sys, "argv", ["benchbench", *words])
    shown = ["run", "--target", "a=http://h:1/x", "--header", "X-Key: [hidden]", "--header=X-Other: [hidden]"]
    assert ran(data).record.environment.command == shown


def test_counts_failures_and_notes_say_what_numbers_leave_out(data: Path):
    outcome = ran(data, services.status(422, "gone"), services.not_a_number, batch_size=4, concurrency=1)
    record = outcome.record
    counts = {(one.name, *one.scope.values()): one.count for one in record.counts}
    assert (counts["failed",], counts["requests",], counts["hit_faults", "missing_scores"]) == (4, 3, 4)
    assert counts["queries_without_label", "gold"] == 1
    assert [(one.reason, one.count) for one in record.failures] == [("HTTP 422: gone", 4)]
    notes = [one.text for one in record.notes]
    assert any(note.startswith("4 queries had fewer than 10 hits that are no copy") for note in notes)
    assert "4 hits with fault: missing scores" in notes


def test_the_verdict_is_decided_before_anything_is_reported(data: Path):
    outcome = ran(data, services.status(422, "gone"), batch_size=4, concurrency=1, fail_if="errors>1%")
    broken, gate = outcome.record.gates
    assert (broken.verdict, broken.condition, broken.value) == ("broken", "--max-error-rate 0", 4 / 12)
    assert broken.said == "4 of 12 queries failed, mostly: HTTP 422: gone"
    assert (gate.verdict, gate.name) == ("failed", "error_rate")
    assert outcome.record.status == "failed"
    assert [one["gate"] for one in json.loads(draw(outcome, "json"))["gates"]] == ["errors>1%"]
    allowed = ran(data, services.status(422, "gone"), batch_size=4, concurrency=1, max_error_rate=0.5)
    assert (allowed.record.gates, allowed.record.status) == ([], "complete")


def test_a_service_that_knows_no_such_request_is_told_how_to_describe_it(data: Path):
    with services.running(services.status(404, "no such path")) as service:
        outcome = data_sets.outcome(data, service.url)
    (gate,) = outcome.record.gates
    assert gate.said.startswith("12 of 12 queries failed, mostly: HTTP 404 from POST http://")
    assert gate.said.endswith("describe it: benchbench protocol --out mine.toml -- curl …")
    assert "none of 12 queries got an answer that can be used." in draw(outcome, "text")


def test_a_service_that_finds_nothing_is_broken(data: Path):
    with services.running(services.no_hits) as service:
        outcome = data_sets.outcome(data, service.url)
    (gate,) = outcome.record.gates
    assert (gate.verdict, gate.condition) == ("broken", "no hits")


def test_of_several_services_everything_has_the_target_in_its_scope(data: Path):
    with services.running(services.searching(data_sets.collection(data))) as service:
        urls = {"a": service.url, "b": service.url}
        targets = run_targets(Settings(locate(str(data)), targets=urls, name="pair", max_error_rate=0.5))
    record = targets.record
    validated(record)
    assert (record.kind, record.name, [one.name for one in record.subject]) == ("targets", "pair", ["a", "b"])
    for name, outcome in targets.items():
        mine = [one for one in record.numbers if one.scope["target"] == name]
        assert [(one.name, one.value) for one in mine] == [(one.name, one.value) for one in outcome.record.numbers]
    assert all(one.scope["target"] in urls for kind in (record.counts, record.notes) for one in kind)
    assert record.settings["target"].value == {name: one.url for name, one in targets.items()}
    assert record.settings["max_error_rate"].value == 0.5
    assert record.signature == str(targets["a"].signature)


# Folders of version 0.1


def old(folder: Path, outcome: Outcome, change: Any = lambda summary, options: None) -> Path:
    """Write what version 0.1 wrote."""
    outcome.save(folder)
    (folder / "record.json").unlink()
    summary, written = (json.loads((folder / f"{name}.json").read_bytes()) for name in ("summary", "config"))
    del written["sources"]
    change(summary, written["options"])
    for name, value in (("summary", summary), ("config", written)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    return folder


def test_a_folder_without_a_record_has_the_same_one_but_for_its_id_and_times(data: Path, tmp_path: Path):
    outcome = ran(data, services.status(422, "gone"), batch_size=4, concurrency=1, fail_if=("p99>100s", "P@3<1"))
    found, record = load(old(tmp_path / "old", outcome)), outcome.record
    for member in ("name", "status", "subject", "signature", "settings", "environment", "numbers"):
        assert getattr(found.record, member) == getattr(record, member), member
    for member in ("counts", "failures", "notes", "gates"):
        assert getattr(found.record, member) == getattr(record, member), member
    assert draw(found, "text") == draw(outcome, "text")


def test_members_that_early_folders_do_not_have_are_empty(outcome: Outcome, tmp_path: Path):
    def earlier(summary: dict[str, Any], options: dict[str, Any]) -> None:
        for name in ("gates", "warnings", "client"):
            del summary[name]
        del options["max_error_rate"]

    found = load(old(tmp_path / "old", outcome, earlier))
    assert found.record.gates == []
    assert "Client" not in draw(found, "text")
    assert [one.value for one in found.record.numbers] == [one.value for one in outcome.record.numbers]


def test_the_version_is_that_of_the_package(outcome: Outcome):
    assert outcome.record.environment.versions["benchbench"] == benchbench.__version__
