import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import data_sets
import pytest
import services
from command_line import said

from benchbench.report.html import page
from benchbench.report.summary import config, environment, summary, text


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


def test_no_secret_of_the_url_is_in_any_file_nor_on_the_screen(capsys, monkeypatch, data: Path, tmp_path: Path):
    working = services.searching(data_sets.collection(data))
    with services.running(services.status(404), working) as service:
        url = service.url.replace("http://", "http://anna:s3cret@") + "/batch_search?key=t0ken"
        arguments = [
            "run",
            "--dataset",
            data,
            f"--url={url}",
            "--out",
            tmp_path / "out",
            "--batch-size",
            4,
            "--verbose",
        ]
        monkeypatch.setattr(sys, "argv", ["benchbench", *map(str, arguments)])
        code, output, errors = said(capsys, *arguments)
    assert code == 4
    assert service.headers[0]["Authorization"].startswith("Basic ")
    paths = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    files = {path.name: path.read_bytes().decode(errors="replace") for path in paths}
    assert f"--url={service.url}/batch_search" in json.loads(files["config.json"])["command"]
    for content in (*files.values(), output, errors):
        assert not any(secret in content for secret in ("s3cret", "anna", "t0ken"))


@pytest.mark.parametrize("answer", [services.reset, None])
def test_no_secret_of_the_url_is_in_an_error(capsys, data: Path, tmp_path: Path, answer: services.Answer | None):
    with services.running(answer) if answer else services.refusing() as where:
        url = getattr(where, "url", where).replace("http://", "http://anna:s3cret@")
        arguments = ["--url", url, "--retries", 0, "--out", tmp_path / "out"]
        code, _, errors = said(capsys, "run", "--dataset", data, *arguments)
    assert code == 3
    assert "s3cret" not in errors


def test_the_summary_is_json_and_has_every_estimate(data: Path):
    with services.running(services.searching(data_sets.collection(data))) as service:
        outcome = data_sets.outcome(data, service.url)
    whole = summary(outcome)
    assert json.loads(json.dumps(whole)) == whole
    assert sum(len(measures) for measures in whole["measures"].values()) == len(outcome.estimates)
    assert whole["url"] == f"{service.url}/batch_search"
    assert whole["measures"]["gold"]["P@3"]["value"] == outcome.estimates[0].value


def test_the_configuration_has_every_option_and_what_it_ran_on(data: Path):
    settings = data_sets.settings(data, "http://127.0.0.1:1", batch_size=7)
    written = config(settings, "http://127.0.0.1:1/batch_search", "digest", 0.25)
    options = written["options"]
    assert (options["batch_size"], options["max_error_rate"]) == (7, 0.25)
    assert (options["dataset"], options["collection"]) == (str(data / "tiered.jsonl"), str(data / "collection.jsonl"))
    assert {*settings.__slots__} - {"service", "targets", "retriever"} <= options.keys()
    assert {"benchbench", "python", "numpy"} <= written["versions"].keys()


def test_the_command_is_written_without_what_may_be_secret(data: Path, monkeypatch):
    words = ["run", "--target", "a=http://u:p@w@h:1/x?key=k", "--header", "X-Key: s3cret", "--header=X-Other: t0ken"]
    monkeypatch.setattr(sys, "argv", ["benchbench", *words])
    written = config(data_sets.settings(data, "http://127.0.0.1:1"), "http://127.0.0.1:1", "digest", 0.0)
    shown = ["run", "--target", "a=http://h:1/x", "--header", "X-Key: [hidden]", "--header=X-Other: [hidden]"]
    assert written["command"] == shown


def test_a_client_that_was_the_bottleneck_is_told_in_text_page_and_json(data: Path):
    with services.running(services.echo) as service:
        outcome = data_sets.outcome(data, service.url)
    assert "Client      event loop late by " in text(outcome)
    told = replace(outcome, bottleneck="The client was the bottleneck: <so>.")
    assert "            The client was the bottleneck: <so>.\n" in text(told)
    assert "The client was the bottleneck: &lt;so&gt;." in page(told)
    assert summary(told)["client"] == {**outcome.client, "bottleneck": told.bottleneck}
    assert outcome.client.keys() == {"looks", "busy_p90_ms", "lag_p90_ms", "lag_p99_ms", "lag_max_ms", "cpu"}


def test_failures_and_oddities_are_told_and_nothing_that_did_not_happen(data: Path):
    working = services.searching(data_sets.collection(data))
    with services.running(working) as service:
        calm = text(data_sets.outcome(data, service.url))
    with services.running(services.status(422, "gone"), services.not_a_number, working) as service:
        rough = text(data_sets.outcome(data, service.url, batch_size=4, concurrency=1))
    assert "Queries     12 scored, 0 failed" in calm
    assert not any(word in calm for word in ("Failed", "fault", "fewer than"))
    assert "Queries     8 scored, 4 failed (a failed query counts as 0)" in rough
    assert "Failed      4 queries: HTTP 422: gone\n" in rough
    assert "4 hits with fault: missing scores\n" in rough
    assert "4 queries had fewer than 10 hits left after the removals\n" in rough


def test_the_host_has_its_cores_and_those_that_the_process_may_use():
    host = environment(())["host"]
    assert host["cpus"] == os.cpu_count()
    assert 1 <= host["usable_cpus"] <= host["cpus"]
