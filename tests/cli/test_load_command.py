import itertools
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import command_line
import data_sets
import polars as pl
import pytest
import services
from any_result import UNBROKEN
from cases import first_of
from command_line import said, sentence
from results.round_trip import validated

from benchbench.cli.options import new_results
from benchbench.report.draw import draw
from benchbench.results.reading import read_result
from benchbench.results.signature import short

FILES = {
    "config.json",
    "load_summary.txt",
    "over_time.parquet",
    "record.json",
    "report.html",
    "requests.parquet",
    "steps.parquet",
    "summary.json",
}
QUICK = ("--no-reference", "--duration", "10ms", "--warm-up", "0s", "--batch-size", "4")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_sets.write(tmp_path / "data")


@pytest.fixture
def working(data: Path) -> services.Answer:
    return services.searching(data_sets.collection(data))


@pytest.fixture
def service(working: services.Answer) -> Iterator[services.Service]:
    with services.running(working) as service:
        yield service


@pytest.fixture
def load(capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path):
    """Return a function that loads a service with short steps, into the folder `out`."""

    def loaded(url: str, *options: object) -> command_line.Said:
        quick = QUICK[: 5 if "--batch-size" in options else None]
        return said(capsys, "load", "--url", url, "--dataset", data, "--out", tmp_path / "out", *quick, *options)

    return loaded


def nothing_written(out: Path) -> bool:
    return not out.exists() and not out.with_name(out.name + ".partial").exists()


# Bad usage: exit code 2, one sentence, nothing asked


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--rate", "10,x"], "--rate is a number of requests per second above 0 and up to 1,000,000, and not 'x'"),
        (["--batch-size", "1,,2"], "--batch-size is a whole number from 1 to 100,000, and not ''"),
        (["--duration", "1 fortnight"], "--duration is a time such as 30s, 500ms or 2m, and not '1 fortnight'"),
        (["--arrivals", "bursts"], "--arrivals 'bursts' is not one of constant, poisson"),
        (["--tasks", "gold,silver"], "--tasks 'silver' is not one of "),
        (
            ["--rate", 5, "--concurrency", 5],
            "--concurrency is a closed loop, and --rate, --find-max and --trace an open one",
        ),
        (["--find-max", "p99<1s", "--concurrency", 5], "--concurrency is a closed loop, and "),
        (["--find-max", "p99"], "--find-max 'p99' is not name, comparison and bound, "),
        (["--find-max", "p99<5"], "--find-max p99<5: p99 is a time; write p99<5ms, or s"),
        (["--retries", 1], "--retries is not for load: each request is sent once, and each failure counts"),
        (["--retry-for", "9s"], "--retry-for is not for load: each request is sent once, and each failure counts"),
        (["--speed", 2], "--speed is that of a --trace; give one"),
        (["--url", "localhost:1"], "--url localhost:1 is not a URL such as "),
    ],
)
def test_a_wrong_option_is_named_and_nothing_is_asked(load, service, tmp_path, options: list[object], reason: str):
    code, output, errors = load(service.url, *options)
    assert (code, output, service.messages) == (2, "", [])
    assert sentence(errors).startswith(reason)
    assert nothing_written(tmp_path / "out")


@pytest.mark.slow  # a process that serves
def test_without_a_url_the_collection_is_served_and_loaded(capsys, data, tmp_path):
    quick = (*QUICK[:5], "--batch-size", 4, "--rate", 300, "--self", "id", "--name", "twin")
    code, output, _ = said(capsys, "load", "--dataset", data, "--out", tmp_path / "out", *quick, "--format", "json")
    assert code == 0
    (step,) = json.loads(output)["steps"]
    assert (step["values"]["failed_requests"], step["values"]["queries_asked"]) == (0, 12)
    assert json.loads(output)["name"] == "twin"
    options = json.loads((tmp_path / "out" / "config.json").read_bytes())["options"]
    assert (options["url"], options["collection"]) == (None, str(data / "collection.jsonl"))


def test_without_a_url_a_collection_is_needed(capsys, data, tmp_path):
    (data / "collection.jsonl").unlink()
    code, _, errors = said(capsys, "load", "--dataset", data, "--out", tmp_path / "out", *QUICK)
    assert code == 2
    assert sentence(errors).endswith("beside it to serve: give --collection FILE, or --url of a service")
    assert nothing_written(tmp_path / "out")


def test_rules_of_judging_are_those_of_run_and_stand_with_signature_and_digest_in_every_file(load, service, tmp_path):
    rules = ("--tasks", "article,gold", "-k", 2, "-k", 5, "--self", "id", "--gold", "id", "--max-positives", 3)
    code, output, _ = load(service.url, *rules, "--recall-denominator", "fixed", "--format", "json")
    assert code == 0
    config, whole = (json.loads((tmp_path / "out" / f"{name}.json").read_bytes()) for name in ("config", "summary"))
    printed = json.loads(output)
    assert printed.pop("record") == json.loads((tmp_path / "out" / "record.json").read_bytes())
    assert whole == printed
    assert config["options"]["criteria"] == {
        "tasks": ["gold", "article"],
        "cutoffs": [2, 5],
        "self_by": "id",
        "gold_by": "id",
        "recall_denominator": "fixed",
        "max_positives": 3,
    }
    assert whole["signature"].startswith("tasks:gold,article|measures:P,R,Success,F1,nDCG,RR|k:2,5|self:id|gold:id|")
    assert f"|data:{whole['data_digest']}|" in whole["signature"]
    assert config["data_digest"] == whole["data_digest"]
    assert short(whole["signature"]) in (tmp_path / "out" / "load_summary.txt").read_text(encoding="utf-8")
    assert whole["name"] == "out", "the folder's, where no --name is given"


def test_a_name_that_is_a_pattern_too_is_a_name(load, service, tmp_path):
    code, _, errors = load(service.url, "--out", tmp_path / "[o]ut*")
    assert (code, (tmp_path / "[o]ut*" / "requests.parquet").is_file()) == (0, True), errors


def test_a_results_folder_that_exists_is_left_alone(load, service, tmp_path):
    (tmp_path / "out").mkdir()
    code, _, errors = load(service.url)
    assert (code, service.messages, list((tmp_path / "out").iterdir())) == (2, [], [])
    assert sentence(errors) == f"--out {tmp_path / 'out'} exists already; name another folder"


# Services that fail


def test_a_service_that_refuses_ends_with_3(load, tmp_path):
    with services.refusing() as url:
        code, output, errors = load(url, "--rate", "100")
    assert (code, output) == (3, "")
    assert sentence(errors).startswith(f"{url}/batch_search refuses connections (")
    assert nothing_written(tmp_path / "out")


def test_a_service_that_hangs_ends_with_3(load, tmp_path):
    with services.running(services.never) as service:
        code, _, errors = load(service.url, "--timeout", 0.2)
    assert code == 3
    assert sentence(errors).startswith(f"{service.url}/batch_search gave no answer in 3 attempts (no complete answer ")
    assert nothing_written(tmp_path / "out")


# Gates


def test_gates_that_hold_end_with_0(load, service):
    assert load(service.url, "--rate", 300, "--fail-if", "p99.9>1000s", "--fail-if", "gold.nDCG@10<0.01").code == 0


def test_junit_has_a_case_a_gate_and_step_and_the_summary_what_is_printed(load, service, tmp_path):
    junit, summary = tmp_path / "gates.xml", tmp_path / "step.md"
    gates = ("--fail-if", "p99>0.001ms", "--fail-if", "errors>0", "--junit", junit, "--summary", summary)
    code, output, errors = load(service.url, "--rate", "300,600", "--format", "markdown", "--quiet", *gates)
    (suite,) = ElementTree.parse(junit).getroot()
    steps = ["300 requests/s, batch 4", "600 requests/s, batch 4"]
    seconds = pl.read_parquet(tmp_path / "out" / "steps.parquet")["seconds"]
    assert (code, suite.attrib["time"]) == (1, f"{seconds.sum():.3f}")
    assert [case.attrib["time"] for case in suite.iter("testcase")] == [
        f"{one:.3f}" for one in seconds for _ in range(2)
    ]
    assert [(case.attrib["classname"], case.attrib["name"]) for case in suite.iter("testcase")] == [
        (step, gate) for step in steps for gate in ("p99>0.001ms", "errors>0")
    ]
    assert [one.attrib["message"] for one in suite.iter("failure")] == sentence(errors).split("; ")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith(f"## Load on {service.url}/batch_search: 12 queries, open loop, constant arrivals\n")
    table, _, notes = output.partition("\n\n")
    assert table in text
    assert notes.removeprefix("- ") in text.replace("- Note: ", "- ")
    assert f"- ✅ {steps[0]}: errors>0 passed with 0\n" in text
    assert text.count("❌") == 2


def test_a_step_that_breaks_the_condition_of_a_search_is_no_failure(load, service, tmp_path):
    junit, summary = tmp_path / "gates.xml", tmp_path / "step.md"
    written = ("--fail-if", "errors>0", "--junit", junit, "--summary", summary)
    code, _, _ = load(service.url, "--rate", 300, "--find-max", "p99<0.0001ms", *written)
    (suite,) = ElementTree.parse(junit).getroot()
    assert (code, suite.attrib["failures"]) == (0, "0")
    assert "breaks the condition: p99 is " in summary.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--junit", "gates.xml"), "--junit writes one test case per gate; name a gate with --fail-if"),
        (("--summary", "no/step.md"), "--summary no/step.md: there is no folder no"),
    ],
)
def test_a_file_for_ci_that_cannot_be_is_known_before_the_load(load, service, tmp_path, options, reason: str):
    code, output, errors = load(service.url, *options)
    assert (code, output, service.messages) == (2, "", [])
    assert sentence(errors) == reason
    assert nothing_written(tmp_path / "out")


# Ctrl-C


@pytest.mark.slow  # stops a process
def test_ctrl_c_ends_with_130_and_reports_the_steps_that_were_finished(data, tmp_path, working):
    out = tmp_path / "out"
    with services.running(working, working, services.never) as service:
        arguments = ["--url", service.url, "--rate", "100,200", *QUICK, "--timeout", 3600, "--out", out]
        with command_line.process("load", "--dataset", data, *arguments, "--format", "json") as interrupted:
            assert [service.asked.get(timeout=60) for _ in range(3)] == [0, 1, 2]
            interrupted.send_signal(signal.SIGINT)
            output, errors = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 130
    assert sentence(errors) == (
        f"interrupted; steps finished: 1; the requests of the steps that were finished are in {out}.partial"
    )
    assert not out.exists()
    assert {path.name for path in (tmp_path / "out.partial").iterdir()} == FILES
    summary = json.loads(output)
    assert (summary["interrupted"], summary["record"]["status"]) == (True, "interrupted")
    assert [step["name"] for step in summary["steps"]] == ["100 requests/s, batch 4"]


@pytest.mark.slow  # a process that is interrupted
@pytest.mark.parametrize("workers", first_of(1, 2))
def test_ctrl_c_before_the_first_step_has_ended_ends_with_130_too(data, tmp_path, working, workers: int):
    out = tmp_path / "out"
    with services.running(working, services.never) as service:
        arguments = ["--url", service.url, *QUICK, "--timeout", 3600, "--out", out, "--workers", workers]
        with command_line.process("load", "--dataset", data, *arguments) as interrupted:
            assert [service.asked.get(timeout=60) for _ in range(2)] == [0, 1]
            interrupted.send_signal(signal.SIGINT)
            output, errors = interrupted.communicate(timeout=60)
    assert (interrupted.returncode, output) == (130, "")
    assert sentence(errors) == "interrupted; steps finished: 0"
    assert nothing_written(out)


# What it prints and writes


def test_the_default_is_a_closed_loop_of_four_concurrencies(load, service):
    code, output, _ = load(service.url, "--format", "json")
    summary = json.loads(output)
    assert (code, summary["loop"]) == (0, "closed")
    assert [step["values"]["concurrency"] for step in summary["steps"]] == [1, 2, 4, 8]


def test_wide_text_is_the_content_of_the_summary_for_people(monkeypatch, load, service, tmp_path):
    monkeypatch.setenv("COLUMNS", "80")
    code, output, errors = load(service.url, "--concurrency", "1,2", "--wide")
    assert (code, errors) == (0, f"Results in {tmp_path / 'out'}\n")
    assert output == (tmp_path / "out" / "load_summary.txt").read_text(encoding="utf-8")
    assert "queries/s), with " in output


def test_json_is_the_content_of_the_summary_with_the_record_and_nothing_else(load, service, tmp_path):
    _, output, errors = load(service.url, "--rate", 300, "--format", "json", "--quiet", "--fail-if", "errors>2")
    assert errors == ""
    out, whole = tmp_path / "out", json.loads(output)
    assert whole.pop("record") == json.loads((out / "record.json").read_bytes())
    assert whole == json.loads((out / "summary.json").read_bytes())
    record = read_result(out).record
    validated(record)
    assert [gate.verdict for gate in record.gates] == ["passed"]
    assert (record.settings["rate"].source, record.settings["seed"].source) == ("command line", "default")
    assert json.loads((out / "config.json").read_bytes())["sources"]["rate"] == "command line"


def test_a_folder_is_drawn_as_it_was_printed(load, service, tmp_path):
    page = tmp_path / "page.html"
    _, output, _ = load(service.url, "--rate", 300, "--html", page, "--fail-if", "errors>2", "--name", "one", "--wide")
    loaded = read_result(tmp_path / "out")
    assert loaded.record.name == "one"
    assert draw(loaded, "text", UNBROKEN) == output
    assert draw(loaded, "html") == page.read_text(encoding="utf-8")
    assert page.read_bytes() == (tmp_path / "out" / "report.html").read_bytes()


def test_the_folder_has_what_the_numbers_can_be_computed_from(load, service, tmp_path):
    load(service.url, "--rate", "300,600", "--batch-size", "2,4", "--arrivals", "constant")
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == FILES
    requests, steps = pl.read_parquet(out / "requests.parquet"), pl.read_parquet(out / "steps.parquet")
    assert requests.columns[:5] == ["step", "repeat", "number", "counted", "first_query"]
    assert {"due", "sent", "first_byte", "end", "bytes", "status", "error"} <= set(requests.columns)
    assert requests.group_by("step").len().sort("step")["len"].to_list() == [3, 6, 3, 6]
    assert steps["step"].to_list() == [1, 2, 3, 4]
    milliseconds = 1e3 * (pl.col("end") - pl.col("due"))
    again = requests.group_by("step").agg(largest=milliseconds.max()).sort("step")
    assert steps["max"].to_list() == pytest.approx(again["largest"].to_list(), rel=2e-3)
    config = json.loads((out / "config.json").read_bytes())["options"]
    assert (config["rate"], config["batch_size"], config["retries"]) == ([300, 600], [2, 4], 0)
    assert steps["p99"].to_list() == [
        one["values"]["p99"] for one in json.loads((out / "summary.json").read_bytes())["steps"]
    ]


def test_no_secret_is_written_down(load, service, tmp_path, monkeypatch):
    monkeypatch.setenv("LOAD_TOKEN", "very-secret")
    code, output, errors = load(service.url, "--rate", 300, "--token-env", "LOAD_TOKEN")
    assert code == 0
    assert service.headers[-1]["Authorization"] == "Bearer very-secret"
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert "very-secret" not in output + errors
    assert b"very-secret" not in written


def test_repeats_go_round_all_steps_and_are_one_step_with_an_interval(load, service, tmp_path):
    many = ("--rate", "2000,4000", "--batch-size", "1", "--arrivals", "poisson", "--repeat", "6")
    code, output, _ = load(service.url, *many, "--wide")
    assert code == 0
    assert "Each step 6 times, all in turn." in output
    assert "95 % jackknife t interval over 6 repeats, ms from due" in output
    out = tmp_path / "out"
    requests, again = pl.read_parquet(out / "requests.parquet"), pl.read_parquet(out / "repeats.parquet")
    assert requests["step"].is_sorted()
    assert requests.group_by("step", "repeat").len().height == again.height == 12
    steps = pl.read_parquet(out / "steps.parquet")
    assert steps["requests"].sum() == requests["counted"].sum() == again["requests"].sum()
    dues = [one["due"].to_list() for _, one in requests.filter(pl.col("step") == 1).group_by("repeat")]
    assert len({tuple(one) for one in dues}) == 6, "arrivals are drawn anew"
    record = json.loads((out / "record.json").read_bytes())
    p50 = [one for one in record["numbers"] if one["name"] == "p50"]
    assert [one["interval"] for one in p50] == 2 * ["95 % jackknife t interval over 6 repeats"]
    assert all(one["low"] <= one["value"] <= one["high"] for one in p50)


def test_a_trace_is_replayed(load, service, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("ts,id\n5,c3\n5.01,c1\n5.03,c3\n", encoding="utf-8")
    code, output, _ = load(service.url, "--trace", path, "--speed", 2, "--batch-size", "1")
    assert code == 0
    assert "The trace at speed 2; its first 0 s are not counted." in output
    requests = pl.read_parquet(tmp_path / "out" / "requests.parquet")
    assert requests["first_query"].to_list() == [3, 1, 3]
    assert requests["due"].to_list() == pytest.approx([0.0, 0.005, 0.015])
    assert requests["queries"].to_list() == [1, 1, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [("ts\nsoon\n", "line 2: 'soon' is not a time"), ("ts,id\n1,nobody\n", "line 2: the data set has no query nobody")],
)
def test_a_bad_trace_is_one_sentence_with_its_line_and_exit_code_2(load, service, tmp_path, text, said):
    path = tmp_path / "log.csv"
    path.write_text(text, encoding="utf-8")
    code, _, errors = load(service.url, "--trace", path, "--batch-size", "1")
    assert code == 2
    assert f"{path}, {said}" in errors
    assert not service.messages


def test_targets_are_loaded_by_turns_and_compared(capsys, data, working, tmp_path):
    with services.running(working) as one, services.running(working) as other:
        options = ("--rate", "500", "--repeat", "6", "--dataset", data, "--out", tmp_path / "out", *QUICK)
        targets = ("--target", f"a={one.url}", "--target", f"b={other.url}")
        code, output, _ = said(capsys, "load", *targets, *options)
    assert code == 0
    assert output[0] in "▲▼○◐"
    assert output.partition("\n\n")[2].startswith("Means over repeats (a 6 and b 6); 95 % intervals ")
    assert "by turns" not in output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a", "b", "comparison"}
    for name in "ab":
        assert {path.name for path in (tmp_path / "out" / name).iterdir()} == {*FILES, "repeats.parquet"}
    code, again, _ = said(capsys, "compare", tmp_path / "out" / "a", tmp_path / "out" / "b")
    assert (code, again) == (0, output)
    code, again, _ = said(capsys, "show", tmp_path / "out" / "comparison")
    assert (code, again) == (0, output)


def test_targets_whose_folder_is_taken_have_the_name_of_a_later_second(capsys, data, service, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    taken = list(itertools.islice(new_results("load").paths(), 300))
    for path in taken:
        path.mkdir(parents=True)
    targets = ("--target", f"a={service.url}", "--target", f"b={service.url}")
    code, _, errors = said(capsys, "load", *targets, "--rate", "500", "--dataset", data, *QUICK)
    assert code == 0, errors
    (made,) = set(Path("results").iterdir()) - set(taken)
    assert {path.name for path in made.iterdir()} == {"a", "b", "comparison"}


def test_a_target_of_which_every_request_fails_is_reported_and_the_exit_code_is_4(capsys, data, working, tmp_path):
    with services.running(working) as one, services.running(services.status(404, "gone")) as other:
        options = ("--rate", "300", "--dataset", data, "--out", tmp_path / "out", *QUICK)
        targets = ("--target", f"a={one.url}", "--target", f"b={other.url}")
        code, output, errors = said(capsys, "load", *targets, *options)
    assert code == 4
    assert output[0] in "▲▼○◐"
    assert "a keeps up with" in output
    assert output.partition("\n\n")[2].startswith("Load "), "no test, so steps and no differences"
    assert "Error: b: every request failed, mostly: HTTP 404" in errors
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a", "b", "comparison"}


@pytest.mark.parametrize(
    ("options", "said_of_it"),
    [
        (("--url", "http://x"), "--url is one service, and --target several"),
        (("--fail-if", "p99>1s"), "--fail-if is about one service"),
        (("--find-max", "p99<1s"), "--find-max searches for one service at a time"),
        (("--target", "comparison=http://x"), "--target comparison has the name of the folder of the differences"),
    ],
)
def test_what_does_not_go_with_targets_is_said(capsys, data, tmp_path, options, said_of_it):
    targets = ("--target", "a=http://127.0.0.1:1", "--target", "b=http://127.0.0.1:1")
    code, _, errors = said(capsys, "load", "--dataset", data, "--out", tmp_path / "out", *targets, *QUICK, *options)
    assert code == 2
    assert said_of_it in errors
    assert not (tmp_path / "out").exists()


def test_two_folders_of_load_are_compared_and_options_of_queries_refused(capsys, load, service, tmp_path):
    load(service.url, "--rate", "300")
    (tmp_path / "out").rename(tmp_path / "before")
    load(service.url, "--rate", "300")
    code, output, _ = said(capsys, "compare", tmp_path / "before", tmp_path / "out", "--baseline", "out")
    assert code == 0
    assert "no verdict on out and before: it needs 6 repeats of each step on either side" in output
    assert "the load tests ran one after the other" in output
    code, _, errors = said(capsys, "compare", tmp_path / "before", tmp_path / "out", "-m", "nDCG@10")
    assert code == 2
    assert "--measure is about queries, and load tests are compared by their repeats" in errors
