import csv
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import command_line
import data_sets
import orjson
import polars as pl
import pytest
import services
from cases import first_of
from command_line import said, sentence

from benchbench.results.signature import short


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


@pytest.fixture
def service(data: Path) -> Iterator[services.Service]:
    with services.running(services.searching(data_sets.collection(data))) as service:
        yield service


def changed(change: Callable[[list[Any]], object]) -> Callable[[Path], object]:
    """Return a function that rewrites the tiered file with its lines changed."""

    def rewrite(path: Path) -> None:
        lines = data_sets.lines()
        change(lines)
        data_sets.write_lines(path, lines)

    return rewrite


def nothing_written(out: Path) -> bool:
    return not out.exists() and not out.with_name(out.name + ".partial").exists()


@pytest.mark.slow  # a process
def test_results_are_kept_when_nobody_reads_what_is_printed(data, service, tmp_path):
    arguments = ("run", "--dataset", data, "--url", service.url, "--out", tmp_path / "out")
    assert command_line.ended_without_a_reader(*arguments).code == 0
    assert {"record.json", "report.html", "per_query.parquet"} <= {one.name for one in (tmp_path / "out").iterdir()}


# Bad input: exit code 2, one sentence, nothing written


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (Path.unlink, "--dataset {path}: {path} does not exist, and the shipped data sets are: "),
        (lambda path: path.write_bytes(b""), "{path} is empty"),
        (lambda path: path.write_bytes(b"\n \n"), "{path} has no query"),
        (
            lambda path: path.write_bytes(path.read_bytes() + b"{]\n"),
            "{path}, line 13: not JSON (",
        ),
        (
            lambda path: data_sets.write_lines(path, data_sets.lines(), "gb18030"),
            "{path}, line 1: not UTF-8 (byte ",
        ),
        (changed(lambda lines: lines.insert(1, ["a"])), "{path}, line 2: not a JSON object"),
        (changed(lambda lines: lines[1].pop("query")), '{path}, line 2: has no member "query" that is an object'),
        (changed(lambda lines: lines[1]["query"].pop("fact")), "{path}, line 2: the query has no text ("),
        (changed(lambda lines: lines[1]["query"].update(fact=" ")), "{path}, line 2: the query has no text ("),
        (changed(lambda lines: lines[2]["positives"][0].pop("fact")), "{path}, line 3: positive 1 has no text ("),
        (changed(lambda lines: lines[2]["positives"][3].update(tier=6)), "{path}, line 3: the tier of positive 4 is 6"),
        (
            changed(lambda lines: lines[0]["query"]["meta"].update(accusation=[["盗窃"]])),
            "{path}, line 1: the query's label accusation (meta.accusation) is ",
        ),
        (
            changed(lambda lines: lines[0]["query"]["meta"].update(term_of_imprisonment="long")),
            "{path}, line 1: the query's label imprisonment (meta.term_of_imprisonment) is ",
        ),
        (
            changed(lambda lines: lines[5].update(query_id="c1")),
            "{path}, line 6: query_id c1 was used in line 2 already",
        ),
    ],
)
def test_a_bad_data_set_is_named_with_line_and_reason(capsys, data, service, tmp_path, spoil, reason: str):
    path = data / "tiered.jsonl"
    spoil(path)
    code, output, errors = said(capsys, "run", "--dataset", path, "--url", service.url, "--out", tmp_path / "out")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason.format(path=path))
    assert nothing_written(tmp_path / "out")
    assert service.messages == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--batch-size", 0], "--batch-size is a whole number from 1"),
        (["--concurrency", -1], "--concurrency is a whole number from 1"),
        (["--top-k", 0], "--top-k is a whole number from 1"),
        (["--top-k", 9], "--top-k 9 is smaller than the largest cut-off 10: "),
        (["-k", 0], "-k is a whole number from 1"),
        (["--max-positives", -1], "--max-positives is a whole number from 0 to "),
        (["--encoding", "klingon"], "--encoding klingon is not a known encoding; "),
        (["-k", 5, "-m", "AP"], "-k are the cut-offs of the default measures, and measures of -m have their own; "),
        (["-m", "nDGC@10"], "measure 'nDGC@10': there is no measure 'nDGC'; did you mean nDCG"),
        (["--tasks", "gould"], "--tasks 'gould' is not one of gold, accusation, article, imprisonment"),
        (["--url", "localhost:8000"], "--url localhost:8000 is not a URL such as http://127.0.0.1:8000"),
    ],
)
def test_a_bad_option_is_named(capsys, data, service, tmp_path, options: list[object], reason: str):
    code, output, errors = said(
        capsys, "run", "--dataset", data, "--url", service.url, "--out", tmp_path / "out", *options
    )
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason)
    assert nothing_written(tmp_path / "out")
    assert service.messages == []


def test_a_name_has_no_slash_where_the_folder_is_called_by_it(capsys, data, service):
    code, output, errors = said(capsys, "run", "--dataset", data, "--url", service.url, "--name", "a/b")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith("--name a/b cannot be part of a file name")
    assert service.messages == []


def test_a_task_without_labels_is_bad_input_when_it_was_named(capsys, data, service, tmp_path):
    changed(lambda lines: [line["query"]["meta"].pop("accusation") for line in lines])(data / "tiered.jsonl")
    arguments = ["run", "--dataset", data, "--url", service.url, "--out", tmp_path / "out", "--tasks", "accusation"]
    code, _, errors = said(capsys, *arguments)
    assert (code, nothing_written(tmp_path / "out")) == (2, True)
    assert sentence(errors) == "--tasks accusation: no query of the data set has what this task compares"


def test_without_url_and_collection_there_is_nothing_to_measure(capsys, data, tmp_path):
    (data / "collection.jsonl").unlink()
    code, _, errors = said(capsys, "run", "--dataset", data, "--out", tmp_path / "out")
    assert code == 2
    assert sentence(errors).startswith(f"{data / 'tiered.jsonl'} has no collection.jsonl beside it to serve: ")
    assert nothing_written(tmp_path / "out")


def test_a_collection_that_cannot_be_served_is_named(capsys, data, tmp_path):
    arguments = ["--collection", tmp_path / "gone.jsonl", "--out", tmp_path / "out"]
    code, _, errors = said(capsys, "run", "--dataset", data, *arguments)
    assert code == 2
    assert sentence(errors) == f"--collection {tmp_path / 'gone.jsonl'} does not exist"
    assert nothing_written(tmp_path / "out")


def test_bad_lines_are_counted_and_left_out_when_that_is_asked_for(capsys, data, service, tmp_path):
    path = data / "tiered.jsonl"
    path.write_bytes(path.read_bytes() + b'{]\n{"query": {}}\n')
    arguments = ["--skip-bad-lines", "--out", tmp_path / "out", "--format", "json"]
    code, output, _ = said(capsys, "run", "--dataset", path, "--url", service.url, *arguments)
    counts = json.loads(output)["counts"]
    assert (code, counts["skipped_lines"], counts["queries"]) == (0, 2, data_sets.QUERIES)


# Where results cannot be written


def test_a_results_folder_that_exists_is_left_alone(capsys, data, service, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    code, _, errors = said(capsys, "run", "--dataset", data, "--url", service.url, "--out", out)
    assert (code, service.messages, list(out.iterdir())) == (2, [], [])
    assert sentence(errors) == f"--out {out} exists already; name another folder"


def test_a_place_that_cannot_be_written_to_is_known_before_the_run(capsys, data, service, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    out = tmp_path / "file" / "out"
    code, _, errors = said(capsys, "run", "--dataset", data, "--url", service.url, "--out", out)
    assert (code, service.messages) == (2, [])
    assert sentence(errors) == f"cannot write {out}.partial: Not a directory; name another place with --out"


def said_on_a_disk_of(size: int, arguments: list[object]) -> str:
    """Return the sentence with which a command ends that can write no larger file; it prints nothing else."""

    def small_disk() -> None:
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a compiled module would be cut off too, and stay so
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    with command_line.process(*arguments, preexec_fn=small_disk) as full:
        output, errors = full.communicate(timeout=60)
    assert (full.returncode, output) == (2, "")
    return sentence(errors)


@pytest.mark.slow  # a process
def test_a_disk_that_takes_nothing_is_one_sentence_and_leaves_nothing(data, service, tmp_path):
    out = tmp_path / "out"
    arguments = ["run", "--dataset", data, "--url", service.url, "--out", out]
    assert said_on_a_disk_of(4000, arguments) == (
        f"cannot write {out}.partial: File too large; name another place with --out; "
        "the last 12 queries that came back could not be stored"
    )
    assert nothing_written(out)


@pytest.mark.slow  # a process
def test_a_disk_that_fills_up_during_the_run_costs_nothing_that_was_received(capsys, data, service, tmp_path):
    """The report is larger than what was received, so that the disk is full when the run is at its end."""
    out = tmp_path / "out"
    arguments = ["run", "--dataset", data, "--url", service.url, "--out", out]
    assert said_on_a_disk_of(20_000, arguments) == (
        f"cannot write {out}.partial: File too large; name another place with --out; what had been received is in "
        f"{out}.partial, and the same command with --resume goes on from there"
    )
    asked = len(service.messages)
    assert said(capsys, *arguments, "--resume").code == 0
    assert len(service.messages) == asked


# Services that fail


def test_a_service_that_refuses_ends_with_3(capsys, data, tmp_path):
    with services.refusing() as url:
        code, output, errors = said(capsys, "run", "--dataset", data, "--url", url, "--out", tmp_path / "out")
    assert (code, output) == (3, "")
    assert sentence(errors).startswith(f"{url}/batch_search refuses connections (")
    assert nothing_written(tmp_path / "out")


def test_a_service_that_hangs_ends_with_3(capsys, data, tmp_path):
    with services.running(services.never) as service:
        arguments = ["--url", service.url, "--timeout", 0.2, "--retries", 0, "--out", tmp_path / "out"]
        code, output, errors = said(capsys, "run", "--dataset", data, *arguments)
    assert (code, output) == (3, "")
    assert sentence(errors).startswith(f"{service.url}/batch_search gave no answer in 1 attempt (no whole answer ")
    assert nothing_written(tmp_path / "out")


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (services.html, "protocol error: the body is not JSON: it starts with '<!doctype html>"),
        (services.too_few_lists, "protocol error: 11 result lists for 12 queries"),
        (services.truncated, "protocol error: the body is not JSON"),
        (services.status(404, "no such index"), "HTTP 404 from POST http://"),
    ],
)
def test_failed_queries_end_with_4_and_a_whole_folder_that_says_why(capsys, data, tmp_path, answer, failure: str):
    out = tmp_path / "out"
    with services.running(answer) as service:
        code, output, errors = said(capsys, "run", "--dataset", data, "--url", service.url, "--out", out, "--quiet")
    assert code == 4
    assert sentence(errors).startswith(f"12 of 12 queries failed, mostly: {failure}")
    assert f"Failed      12 queries: {failure}" in output
    assert json.loads((out / "summary.json").read_bytes())["counts"]["failed"] == 12


def test_a_wrong_key_is_named_and_does_not_block_the_second_try(capsys, data, tmp_path, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "a-secret-key-of-24-chars")
    line = ["run", "--dataset", data, "--out", tmp_path / "out", "--header", "api-key: ${SEARCH_KEY}", "-q", "--url"]
    with services.running(services.status(401, "who is a-secret-key-of-24-chars?")) as service:
        code, _, errors = said(capsys, *line, service.url)
    assert code == 4
    assert sentence(errors) == (
        f"{service.url}/batch_search lets nobody in (HTTP 401: who is [hidden]?); check the key in api-key (variable "
        "SEARCH_KEY)"
    )
    assert nothing_written(tmp_path / "out")
    with services.running(services.echo) as service:
        code, _, errors = said(capsys, *line, service.url)
    assert (code, (tmp_path / "out" / "summary.json").exists()) == (0, True), errors


def test_a_run_in_which_no_query_got_a_hit_ends_with_4_and_a_whole_folder(capsys, data, tmp_path):
    with services.running(services.no_hits) as service:
        options = ["--out", tmp_path / "out", "--max-error-rate", 1, "--quiet"]
        code, output, errors = said(capsys, "run", "--dataset", data, "--url", service.url, *options)
    assert code == 4
    assert sentence(errors) == "every list of hits is empty: is anything indexed there?"
    assert "\nRemoved " not in output
    assert (tmp_path / "out" / "summary.json").is_file()


@pytest.mark.parametrize("output", first_of("text", "json", "markdown", "latex", first=2))
def test_hits_beyond_those_asked_for_are_cut_and_said(capsys, data, tmp_path, output: str):
    many = services.changed(services.echo, lambda value: {"results": [one * 50 for one in value["results"]]})
    with services.running(many) as service:
        options = ["--url", service.url, "--top-k", 20, "--format", output, "--out", tmp_path / "out", "--quiet"]
        code, shown, _ = said(capsys, "run", "--dataset", data, *options)
    assert code == 0
    assert "360 hits were cut: the service sent more than --top-k 20 per query" in shown
    assert pl.read_parquet(tmp_path / "out" / "hits.parquet").height == 12 * 20


@pytest.mark.parametrize("keys", [("docno", "rel_score"), ("key", "points")])
def test_other_key_names_are_told_and_a_description_maps_them(capsys, data, tmp_path, keys: tuple[str, str]):
    working = services.searching(data_sets.collection(data))

    def renamed(value: dict[str, Any]) -> Any:
        return [[{keys[0]: hit["id"], keys[1]: hit["score"]} for hit in hits] for hits in value["results"]]

    description = tmp_path / "mine.toml"
    description.write_text(
        f'body = {{ queries = "{{queries}}", top_k = "{{top_k}}" }}\n'
        f'[results]\nlists = "@"\nid = "{keys[0]}"\nscore = "{keys[1]}"\n'
    )
    command = ["run", "--dataset", data, "--gold", "id", "--quiet"]
    with services.running(services.changed(working, renamed)) as service:
        code, output, errors = said(capsys, *command, "--url", service.url, "--out", tmp_path / "1")
        assert code == 4
        assert "0 of 12 queries scored" in output
        assert "--protocol FILE says which member is what (results.id, " in sentence(errors)
        assert f"they have the keys '{', '.join(keys)}'" in sentence(errors)
        code, output, _ = said(
            capsys, *command, "--url", service.url, "--out", tmp_path / "2", "--protocol", description
        )
    assert code == 0
    assert "12 of 12 queries scored, " in output


def test_failures_within_the_allowed_rate_end_with_0(capsys, data, tmp_path):
    working = services.searching(data_sets.collection(data))
    with services.running(services.status(404), working) as service:
        arguments = ["--url", service.url, "--batch-size", 4, "--concurrency", 1, "--max-error-rate", 0.4]
        code, output, _ = said(capsys, "run", "--dataset", data, *arguments, "--out", tmp_path / "out")
    assert code == 0
    assert "Failed      4 queries: HTTP 404" in output


@pytest.mark.parametrize(
    ("numbers", "code"),
    first_of(
        ([signal.SIGTERM], 143),
        ([signal.SIGINT], 130),
        ([signal.SIGHUP], 129),
        ([signal.SIGINT] * 3, 130),
        ([signal.SIGTERM, signal.SIGINT, signal.SIGHUP] * 5, 143),
    ),
    ids=["SIGTERM", "SIGINT", "SIGHUP", "three", "fifteen"],
)
def test_a_signal_keeps_what_came_says_where_and_gives_its_exit_code(
    data, tmp_path, numbers: list[signal.Signals], code: int
):
    if signal.getsignal(numbers[0]) is signal.SIG_IGN:
        pytest.skip(f"{numbers[0].name} is ignored here, as it is under nohup, and so by the command too")
    out = tmp_path / "out"
    with services.running(services.searching(data_sets.collection(data)), services.never) as service:
        arguments = ["--url", service.url, "--batch-size", 5, "--concurrency", 1, "--timeout", 3600, "--out", out]
        with command_line.process("run", "--dataset", data, *arguments) as interrupted:
            assert [service.asked.get(timeout=60) for _ in range(2)] == [0, 1]
            interrupted.send_signal(numbers[0])
            for number in numbers[1:]:
                interrupted.send_signal(number)
            output, errors = interrupted.communicate(timeout=60)
    assert (interrupted.returncode in {code, *((128 + number) for number in numbers[1:])}, output) == (True, "")
    assert sentence(errors) == (
        f"interrupted; what had been received is in {out}.partial, and the same command with --resume goes on from "
        "there"
    )
    assert not out.exists()
    received = pl.read_parquet(tmp_path / "out.partial" / "hits" / "*.parquet")
    assert received["query_id"].unique(maintain_order=True).to_list() == [f"c{n}" for n in range(5)]


# Workers


@pytest.fixture
def two_workers(data, tmp_path) -> Iterator[tuple["subprocess.Popen[str]", services.Service]]:
    """Yield a run whose two workers wait for answers after the first two are stored, and the service."""
    working = services.searching(data_sets.collection(data))
    held = services.held(2, working)  # until both have asked
    with services.running(held, held, services.never) as service:
        arguments = ["--url", service.url, "--batch-size", 1, "--concurrency", 2, "--workers", 2, "--chunk", 1]
        arguments += ["--timeout", 3600, "--token-env", "TOKEN", "--out", tmp_path / "out"]
        environment = {**os.environ, "TOKEN": "secret-of-mine"}
        with command_line.process("run", "--dataset", data, *arguments, env=environment) as running:
            try:
                assert [service.asked.get(timeout=60) for _ in range(4)] == [0, 1, 2, 3]
                patience = time.monotonic() + 60
                while len(received(tmp_path)) < 2:
                    assert time.monotonic() < patience
                yield running, service
            finally:
                running.kill()


def received(tmp_path: Path) -> list[str]:
    """Return the files of the batches that are stored."""
    return sorted(path.name for path in (tmp_path / "out.partial" / "received").glob("*.parquet"))


@pytest.mark.slow  # three processes
def test_ctrl_c_ends_the_workers_too_and_keeps_what_came(two_workers, tmp_path):
    running, service = two_workers
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)  # they have its standard error too
    assert (running.returncode, output) == (130, "")
    assert sentence(errors).startswith(f"interrupted; what had been received is in {tmp_path / 'out'}.partial, ")
    assert len(received(tmp_path)) == 2
    assert {headers["Authorization"] for headers in service.headers} == {"Bearer secret-of-mine"}


@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers in /proc")
@pytest.mark.slow  # three processes
def test_a_worker_that_dies_ends_the_run_with_one_sentence_and_keeps_what_came(two_workers, tmp_path):
    running, _ = two_workers
    workers = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text(encoding="ascii").split()
    assert len(workers) == 2
    assert all(b"secret" not in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in workers)
    os.kill(int(workers[1]), signal.SIGKILL)
    output, errors = running.communicate(timeout=60)
    assert (running.returncode, output) == (2, "")
    assert sentence(errors) == (
        "worker process 2 of 2 was killed, as a system does that is out of memory; what had been received is in "
        f"{tmp_path / 'out'}.partial, and the same command with --resume goes on from there"
    )
    assert len(received(tmp_path)) == 2


# Gates


GATES = ("--fail-if", "nDCG@10<0.99", "--fail-if", "accusation.P@5<2%", "--fail-if", "p99>1ms")


def test_a_gate_that_fails_ends_with_1_after_the_results_were_written(capsys, data, service, tmp_path):
    out = tmp_path / "out"
    arguments = ["--url", service.url, "--out", out, "--quiet", *GATES]
    code, output, errors = said(capsys, "run", "--dataset", data, *arguments)
    summary = json.loads((out / "summary.json").read_bytes())
    value = summary["measures"]["gold"]["nDCG@10"]["value"]
    assert code == 1
    assert sentence(errors).startswith(
        f"gate failed: gold.nDCG@10 is {value:.6g}, required at least 0.99; gate failed: p99 is "
    )
    assert sentence(errors).endswith(" ms, required at most 1 ms")
    assert [gate["failure"] is None for gate in summary["gates"]] == [False, True, False]
    assert (summary["gates"][0]["value"], summary["gates"][0]["bound"]) == (value, 0.99)
    assert "Gate        ● accusation.P@5<2% passed with " in output


def test_gates_that_hold_change_nothing(capsys, data, service, tmp_path):
    arguments = ["--url", service.url, "--out", tmp_path / "out", "--fail-if", "p99>1000s", "--fail-if", "errors>0"]
    assert said(capsys, "run", "--dataset", data, *arguments).code == 0


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("nDCG@7<0.4", "--fail-if nDCG@7<0.4: nDCG@7 is not measured; -k 7 adds it; measured are P, R, "),
        ("p42>1s", "--fail-if p42>1s: p42 is not measured; measured are P, R, "),
        ("speed>1", "--fail-if speed>1: speed is not measured; measured are P, R, "),
        ("zold.P@5<1", "--fail-if zold.P@5<1: zold.P@5 is not measured; there is no task zold, tasks are gold, "),
    ],
)
def test_a_gate_about_what_is_not_measured_is_bad_input_before_the_run(
    capsys, data, service, tmp_path, gate: str, reason: str
):
    arguments = ["--url", service.url, "--out", tmp_path / "out", "--fail-if", gate]
    code, output, errors = said(capsys, "run", "--dataset", data, *arguments)
    assert (code, output, service.messages) == (2, "", [])
    assert sentence(errors).startswith(reason)
    assert nothing_written(tmp_path / "out")


def test_too_many_failures_come_before_a_gate_and_both_are_told(capsys, data, tmp_path):
    with services.running(services.html) as broken:
        arguments = ["--url", broken.url, "--out", tmp_path / "out", "--quiet", "--fail-if", "errors>50%"]
        code, _, errors = said(capsys, "run", "--dataset", data, *arguments)
    assert code == 4
    assert sentence(errors).endswith("; gate failed: error_rate is 1, required at most 0.5")


# Files for continuous integration


def files_for_ci(folder: Path) -> tuple[Path, Path, tuple[object, ...]]:
    """Return both files, and the options that name them."""
    junit, summary = folder / "gates.xml", folder / "step.md"
    return junit, summary, ("--junit", junit, "--summary", summary, "--out", folder / "out", "--quiet")


def test_a_gate_that_fails_leaves_junit_and_a_summary(capsys, data, service, tmp_path):
    junit, summary, options = files_for_ci(tmp_path)
    summary.write_text("# Before\n")
    code, output, _ = said(capsys, "run", "--dataset", data, "--url", service.url, *options, *GATES, "--name", "mine")
    results = json.loads((tmp_path / "out" / "summary.json").read_bytes())
    (suite,) = ElementTree.parse(junit).getroot()
    assert (code, suite.attrib["tests"], suite.attrib["failures"]) == (1, "3", "2")
    assert float(suite.attrib["time"]) == pytest.approx(results["throughput"]["seconds"], abs=0.001)
    assert {case.attrib["classname"] for case in suite.iter("testcase")} == {"mine"}
    assert [case.attrib["name"] for case in suite.iter("testcase")] == list(GATES[1::2])
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Before\n## mine on data: 12 queries\n\n**2 of 3 gates failed.**\n")
    assert f"- ❌ gate failed: {results['gates'][0]['failure']}\n" in text
    assert "- ✅ accusation.P@5<2% passed with " in text
    assert "| Gold | Precision |" in text
    assert "12 of 12 queries scored, " in output
    assert "- Queries: 12 scored, 0 failed; a failed query counts as 0\n" in text
    assert f"- Signature: {short(results['signature'])}, data and rules " in text


def test_each_target_has_its_test_cases(capsys, data, service, tmp_path):
    junit, summary, options = files_for_ci(tmp_path)
    targets = ("--target", f"old={service.url}", "--target", f"new={service.url}")
    code, _, errors = said(capsys, "run", "--dataset", data, *targets, *options, "--fail-if", "P@5<1.1")
    (suite,) = ElementTree.parse(junit).getroot()
    messages = [failure.attrib["message"] for failure in suite.iter("failure")]
    assert (code, sentence(errors)) == (1, "; ".join(messages))
    assert [case.attrib["classname"] for case in suite.iter("testcase")] == ["old", "new"]
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("## old, new on data: 12 queries each\n\n**2 of 2 gates failed.**\n")
    assert "| Task | Metric | old | new |\n" in text
    assert "\n- Signature: old " in text


def test_too_many_failures_leave_both_files_and_are_an_error_in_them(capsys, data, tmp_path):
    junit, summary, options = files_for_ci(tmp_path)
    with services.running(services.html) as broken:
        code, _, errors = said(
            capsys, "run", "--dataset", data, "--url", broken.url, *options, "--fail-if", "queries_per_second<0"
        )
    (suite,) = ElementTree.parse(junit).getroot()
    assert code == 4
    assert [[child.tag for child in case] for case in suite.iter("testcase")] == [["error"], []]
    assert suite[0].attrib["name"] == "--max-error-rate 0"
    assert suite[0][0].attrib["message"] == sentence(errors)
    text = summary.read_text(encoding="utf-8")
    assert "\n**12 of 12 queries failed, mostly: " in text
    assert "All gates passed." in text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--junit", "{folder}/gates.xml"), "--junit writes one test case per gate; name a gate with --fail-if"),
        (("--fail-if", "errors>0", "--junit", "{folder}/no/gates.xml"), "--junit {folder}/no/gates.xml: there is no"),
        (("--summary", "{folder}"), "--summary {folder} is a folder; name a file"),
        (
            ("--fail-if", "errors>0", "--junit", "{folder}/one", "--summary", "{folder}/one"),
            "--junit and --summary are both {folder}/one; name two files",
        ),
    ],
)
def test_a_file_that_cannot_be_written_is_known_before_anything_is_asked(
    capsys, data, service, tmp_path, options: tuple[str, ...], reason: str
):
    given = [option.format(folder=tmp_path) for option in options]
    arguments = ("--dataset", data, "--url", service.url, "--out", tmp_path / "out", *given)
    code, output, errors = said(capsys, "run", *arguments)
    assert (code, output, service.messages) == (2, "", [])
    assert sentence(errors).startswith(reason.format(folder=tmp_path))
    assert nothing_written(tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("option", ["--junit", "--summary"])
def test_a_full_disk_at_the_end_is_one_sentence_and_the_results_stay(capsys, data, service, tmp_path, option: str):
    arguments = ("--dataset", data, "--url", service.url, "--out", tmp_path / "out", "--fail-if", "errors>0")
    code, _, errors = said(capsys, "run", *arguments, option, "/dev/full")
    assert code == 2
    assert sentence(errors).startswith(f"{option} /dev/full cannot be written: ")
    assert (tmp_path / "out" / "summary.json").exists()


# What it prints


def printed(
    capsys, data: Path, service: services.Service, out: Path, output: str, *options: str, noted: str = ""
) -> str:
    arguments = ["--url", service.url, "--out", out, "--format", output, *options]
    code, text, errors = said(capsys, "run", "--dataset", data, *arguments)
    assert (code, errors) == (0, noted + ("" if "--quiet" in options else f"Results in {out}\n"))
    return text


def test_json_is_the_content_of_the_summary_and_the_record_and_nothing_else(capsys, data, service, tmp_path):
    value = json.loads(printed(capsys, data, service, tmp_path / "out", "json"))
    assert value.pop("record") == json.loads((tmp_path / "out" / "record.json").read_bytes())
    assert orjson.dumps(value) == orjson.dumps(json.loads((tmp_path / "out" / "summary.json").read_bytes()))


def test_the_record_says_where_the_value_of_each_option_came_from(capsys, data, service, tmp_path):
    printed(capsys, data, service, tmp_path / "out", "json")
    config = json.loads((tmp_path / "out" / "config.json").read_bytes())
    assert config["sources"].keys() == config["options"].keys()
    assert (config["sources"]["url"], config["sources"]["batch_size"]) == ("command line", "default")
    record = json.loads((tmp_path / "out" / "record.json").read_bytes())
    assert {name: one["source"] for name, one in record["settings"].items()} == config["sources"]


def test_html_is_the_page_that_lies_in_the_folder(capsys, data, service, tmp_path):
    options = ["--out", tmp_path / "out", "--html", tmp_path / "page.html", "--quiet"]
    assert said(capsys, "run", "--dataset", data, "--url", service.url, *options).code == 0
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "out" / "report.html").read_bytes()


def test_text_of_120_columns_is_the_content_of_the_summary_for_people(monkeypatch, capsys, data, service, tmp_path):
    monkeypatch.setenv("COLUMNS", "120")
    text = printed(capsys, data, service, tmp_path / "out", "text", "--quiet")
    assert text == (tmp_path / "out" / "evaluate_summary.txt").read_text(encoding="utf-8")


def test_csv_and_json_lines_hold_every_estimate_of_the_summary(capsys, data, service, tmp_path):
    noted = "Note: 1 query that no hit can be relevant for in task gold\n"
    rows = list(csv.DictReader(io.StringIO(printed(capsys, data, service, tmp_path / "1", "csv", noted=noted))))
    printed_lines = printed(capsys, data, service, tmp_path / "2", "jsonl", noted=noted).splitlines()
    lines = [json.loads(line) for line in printed_lines]
    measures = json.loads((tmp_path / "1" / "summary.json").read_bytes())["measures"]
    estimates = {(task, measure): one for task, of_task in measures.items() for measure, one in of_task.items()}
    assert len(rows) == len(lines) == len(estimates)
    for row, line in zip(rows, lines, strict=True):
        key = row.pop("task"), row.pop("measure")
        assert {name: row[name] for name in ("interval", "design_effect")} == {
            "interval": estimates[key].get("interval"),
            "design_effect": "",
        }
        assert {name: float(row[name]) for name in ("value", "stderr", "low", "high")}.items() <= estimates[key].items()
        assert line == {"task": key[0], "measure": key[1], **estimates[key]}


def test_markdown_and_latex_are_whole_tables(capsys, data, service, tmp_path):
    markdown = printed(capsys, data, service, tmp_path / "1", "markdown").splitlines()
    table = [line.split("|") for line in markdown if line.startswith("|")]
    assert markdown[-1] == "- 1 query that no hit can be relevant for in task gold"
    assert {len(cells) for cells in table} == {len(["", "Task", "Metric", "@3", "@5", "@10", ""])}
    latex = printed(capsys, data, service, tmp_path / "2", "latex").splitlines()
    assert latex[0] == "% 1 query that no hit can be relevant for in task gold"
    assert latex[1].startswith(r"95 \% intervals: percentile bootstrap over queries")
    assert (latex[3], latex[-1]) == (r"\begin{tabular}{llrrr}", r"\end{tabular}")
    rows = [line for line in latex if line.endswith(r"\\")]
    assert {row.count("&") for row in rows} == {4}
    assert len(rows) == len(table) - 1


def test_without_url_the_collection_is_served_and_measured(capsys, data, tmp_path):
    arguments = ["--out", tmp_path / "out", "--format", "json", "--quiet"]
    code, output, errors = said(capsys, "run", "--dataset", data, *arguments)
    result = json.loads(output)
    assert (code, errors, result["counts"]["failed"]) == (0, "", 0)
    assert result["counts"]["own_text_first"] == data_sets.QUERIES
    assert json.loads((tmp_path / "out" / "config.json").read_bytes())["options"]["url"] is None


def test_a_results_folder_is_named_by_time_and_name(capsys, data, service, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert said(capsys, "run", "--dataset", data, "--url", service.url, "--name", "mine").code == 0
    (folder,) = (tmp_path / "results").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z-mine", folder.name)


# Secrets


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


def grouped(folder: Path) -> Path:
    """Write a data set of thirty queries on ten documents, and return its folder."""
    folder.mkdir()
    rows = [
        {
            "query_id": n,
            "query": {"fact": f"query {n}", "meta": {"document": f"d{n % 10}"}},
            "positives": [{"fact_id": f"p{n}", "fact": f"answer {n % 10}"}],
        }
        for n in range(30)
    ]
    documents = [{"_id": f"a{n}", "text": f"answer {n}" if n < 6 else f"query {n}"} for n in range(10)]
    for name, lines in (("tiered.jsonl", rows), ("collection.jsonl", documents)):
        (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return folder


def test_queries_of_one_document_are_grouped_in_the_intervals(capsys, tmp_path):
    data = grouped(tmp_path / "data")
    with services.running(services.searching(data_sets.collection(data))) as service:
        command = ("run", "--dataset", data, "--url", service.url, "--cluster", "document", "--format", "json", "-q")
        code, output, _ = said(capsys, *command)
    whole = json.loads(output)
    one = whole["measures"]["gold"]["Success@10"]
    assert (code, whole["cluster"], whole["clusters"]) == (0, "document", 10)
    assert one["interval"] in ("sign flips of 10 groups of document", "Wilson over 10 groups of document")
    assert "10 groups of document, fewer than 20" in " ".join(note["text"] for note in whole["record"]["notes"])
    code, output, errors = said(capsys, "run", "--dataset", data, "--cluster", "user")
    assert (code, output) == (2, "")
    assert "--cluster user: the queries of" in sentence(errors)


@pytest.mark.parametrize(
    ("option", "cluster"), [((), "document"), (("--cluster", "none"), ""), (("--cluster", "query_id"), None)]
)
def test_a_data_set_may_name_its_cluster(capsys, tmp_path, option: tuple[str, ...], cluster: str | None):
    data = grouped(tmp_path / "data")
    (data / "dataset.toml").write_text('cluster = "document"\n', encoding="utf-8")
    with services.running(services.searching(data_sets.collection(data))) as service:
        command = ("run", "--dataset", data, "--url", service.url, "-q", "--format", "json", *option)
        code, output, errors = said(capsys, *command)
    if cluster is None:
        assert (code, "have no value of it; there are: document" in sentence(errors)) == (2, True)
    else:
        assert (code, json.loads(output)["cluster"]) == (0, cluster)


@pytest.mark.parametrize("toml", ["cluster = 3\n", "cluster = [\n"])
def test_a_cluster_that_is_no_column_is_one_sentence(capsys, tmp_path, toml: str):
    data = grouped(tmp_path / "data")
    (data / "dataset.toml").write_text(toml, encoding="utf-8")
    code, output, errors = said(capsys, "run", "--dataset", data)
    assert (code, output, "dataset.toml" in sentence(errors)) == (2, "", True)
