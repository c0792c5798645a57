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
from command_line import Said, said, sentence

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


Run = Callable[..., Said]


@pytest.fixture
def run(capsys, data: Path, tmp_path: Path) -> Run:
    """Return what runs the command over the data set, with results in the folder `out` if it is told no other."""
    return lambda *options: said(capsys, "run", "--dataset", data, "--out", tmp_path / "out", *options)


@pytest.fixture
def refused(run: Run, service: services.Service, tmp_path: Path) -> Callable[..., str]:
    """Return what returns the sentence with which a run is refused: it asks, prints and writes nothing."""

    def refusal(*options: object) -> str:
        code, output, errors = run("--url", service.url, *options)
        assert (code, output, service.messages) == (2, "", [])
        assert nothing_written(tmp_path / "out")
        return sentence(errors)

    return refusal


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
        (lambda path: path.write_bytes(path.read_bytes() + b"{]\n"), "{path}, line 13: not JSON ("),
        (lambda path: data_sets.write_lines(path, data_sets.lines(), "gb18030"), "{path}, line 1: not UTF-8 (byte "),
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
            "{path}, line 6: query id c1 was used in line 2 already",
        ),
    ],
)
def test_a_bad_data_set_is_named_with_line_and_reason(data, refused, spoil, reason: str):
    path = data / "tiered.jsonl"
    spoil(path)
    assert refused("--dataset", path).startswith(reason.format(path=path))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--top-k", 9], "--top-k 9 is smaller than the largest cut-off 10: "),
        (["--encoding", "klingon"], "--encoding klingon is not a known encoding; "),
        (["-k", 5, "-m", "AP"], "-k are the cut-offs of the default measures, and measures of -m have their own; "),
        (["-m", "nDGC@10"], "measure 'nDGC@10': there is no measure 'nDGC'; did you mean nDCG"),
        (["--tasks", "gould"], "--tasks 'gould' is not one of gold, accusation, article, imprisonment"),
        (["--url", "localhost:8000"], "--url localhost:8000 is not a URL such as http://127.0.0.1:8000"),
    ],
)
def test_a_bad_option_is_named(refused, options: list[object], reason: str):
    assert refused(*options).startswith(reason)


def test_a_name_has_no_slash_where_the_folder_is_called_by_it(capsys, data, service):
    code, output, errors = said(capsys, "run", "--dataset", data, "--url", service.url, "--name", "a/b")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith("--name a/b cannot be part of a file name")
    assert service.messages == []


def test_a_task_without_labels_is_bad_input_when_it_was_named(data, refused):
    changed(lambda lines: [line["query"]["meta"].pop("accusation") for line in lines])(data / "tiered.jsonl")
    told = refused("--tasks", "accusation")
    assert told == "--tasks accusation: no query of the data set has what this task compares"


def test_without_a_collection_that_can_be_served_there_is_nothing_to_measure(data, run, tmp_path):
    code, _, errors = run("--collection", tmp_path / "gone.jsonl")
    assert (code, sentence(errors)) == (2, f"--collection {tmp_path / 'gone.jsonl'} does not exist")
    (data / "collection.jsonl").unlink()
    code, _, errors = run()
    assert code == 2
    assert sentence(errors).startswith(f"{data / 'tiered.jsonl'} has no collection.jsonl beside it to serve: ")
    assert nothing_written(tmp_path / "out")


def test_bad_lines_are_counted_and_left_out_when_that_is_asked_for(data, run, service):
    path = data / "tiered.jsonl"
    path.write_bytes(path.read_bytes() + b'{]\n{"query": {}}\n')
    code, output, _ = run("--url", service.url, "--skip-bad-lines", "--format", "json")
    counts = json.loads(output)["counts"]
    assert (code, counts["skipped_lines"], counts["queries"]) == (0, 2, data_sets.QUERIES)


# Where results cannot be written


def test_a_results_folder_that_exists_is_left_alone(run, service, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    code, _, errors = run("--url", service.url)
    assert (code, service.messages, list(out.iterdir())) == (2, [], [])
    assert sentence(errors) == f"--out {out} exists already; name another folder"


def test_a_place_that_cannot_be_written_to_is_known_before_the_run(refused, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    out = tmp_path / "file" / "out"
    assert refused("--out", out) == f"cannot write {out}.partial: Not a directory; name another place with --out"


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
        f"cannot write {out}.partial: File too large; name another place with --out; received answers are in "
        f"{out}.partial; run the same command with --resume to continue"
    )
    asked = len(service.messages)
    assert said(capsys, *arguments, "--resume").code == 0
    assert len(service.messages) == asked


# Services that fail


def test_a_service_that_refuses_ends_with_3(run, tmp_path):
    with services.refusing() as url:
        code, output, errors = run("--url", url)
    assert (code, output) == (3, "")
    assert sentence(errors).startswith(f"{url}/batch_search refuses connections (")
    assert nothing_written(tmp_path / "out")


def test_a_service_that_hangs_ends_with_3(run, tmp_path):
    with services.running(services.never) as service:
        code, output, errors = run("--url", service.url, "--timeout", 0.2, "--retries", 0)
    assert (code, output) == (3, "")
    assert sentence(errors).startswith(f"{service.url}/batch_search gave no answer in 1 attempt (no complete answer ")
    assert nothing_written(tmp_path / "out")


def test_a_wrong_key_is_named_and_does_not_block_the_second_try(run, tmp_path, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "a-secret-key-of-24-chars")
    header = ("--header", "api-key: ${SEARCH_KEY}", "-q")
    with services.running(services.status(401, "who is a-secret-key-of-24-chars?")) as service:
        code, _, errors = run(*header, "--url", service.url)
    assert code == 4
    assert sentence(errors) == (
        f"{service.url}/batch_search lets nobody in (HTTP 401: who is [hidden]?); check the key in api-key (variable "
        "SEARCH_KEY)"
    )
    assert nothing_written(tmp_path / "out")
    with services.running(services.echo) as service:
        code, _, errors = run(*header, "--url", service.url)
    assert (code, (tmp_path / "out" / "summary.json").exists()) == (0, True), errors


@pytest.mark.parametrize("keys", [("docno", "rel_score"), ("key", "points")])
def test_other_key_names_are_told_and_a_description_maps_them(run, data, tmp_path, keys: tuple[str, str]):
    working = services.searching(data_sets.collection(data))

    def renamed(value: dict[str, Any]) -> Any:
        return [[{keys[0]: hit["id"], keys[1]: hit["score"]} for hit in hits] for hits in value["results"]]

    description = tmp_path / "mine.toml"
    description.write_text(
        f'body = {{ queries = "{{queries}}", top_k = "{{top_k}}" }}\n'
        f'[results]\nlists = "@"\nid = "{keys[0]}"\nscore = "{keys[1]}"\n'
    )
    with services.running(services.changed(working, renamed)) as service:
        command = ("--gold", "id", "--quiet", "--url", service.url)
        code, output, errors = run(*command)
        assert code == 4
        assert "none of 12 queries got an answer that can be used" in output
        assert "--protocol FILE says where ids and texts are (results.id, " in sentence(errors)
        assert f"they have the keys '{', '.join(keys)}'" in sentence(errors)
        code, output, _ = run(*command, "--out", tmp_path / "2", "--protocol", description)
    assert code == 0
    assert "all 12 queries answered" in output


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
        f"interrupted; received answers are in {out}.partial; run the same command with --resume to continue"
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
    assert sentence(errors).startswith(f"interrupted; received answers are in {tmp_path / 'out'}.partial; ")
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
        "worker process 2 of 2 was killed, probably because the system ran out of memory; received answers are in "
        f"{tmp_path / 'out'}.partial; run the same command with --resume to continue"
    )
    assert len(received(tmp_path)) == 2


# Gates


GATES = ("--fail-if", "nDCG@10<0.99", "--fail-if", "accusation.P@5<2%", "--fail-if", "p99>1ms")


def test_gates_that_hold_change_nothing(run, service):
    assert run("--url", service.url, "--fail-if", "p99>1000s", "--fail-if", "errors>0").code == 0


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("nDCG@7<0.4", "--fail-if nDCG@7<0.4: nDCG@7 is not measured; -k 7 adds it; measured are P, R, "),
        ("p42>1s", "--fail-if p42>1s: p42 is not measured; measured are P, R, "),
        ("speed>1", "--fail-if speed>1: speed is not measured; measured are P, R, "),
        ("zold.P@5<1", "--fail-if zold.P@5<1: zold.P@5 is not measured; there is no task zold, tasks are gold, "),
    ],
)
def test_a_gate_about_what_is_not_measured_is_bad_input_before_the_run(refused, gate: str, reason: str):
    assert refused("--fail-if", gate).startswith(reason)


# Files for continuous integration


def test_a_gate_that_fails_leaves_junit_and_adds_to_a_summary(run, service, tmp_path):
    junit, summary = tmp_path / "gates.xml", tmp_path / "step.md"
    summary.write_text("# Before\n")
    options = ("--junit", junit, "--summary", summary, "--name", "mine", "--fail-if", "nDCG@10<0.99")
    assert run("--url", service.url, *options).code == 1
    results = json.loads((tmp_path / "out" / "summary.json").read_bytes())
    (suite,) = ElementTree.parse(junit).getroot()
    assert float(suite.attrib["time"]) == pytest.approx(results["throughput"]["seconds"], abs=0.001)
    assert {case.attrib["classname"] for case in suite.iter("testcase")} == {"mine"}
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Before\n## mine on data: 12 queries\n\n**The gate failed.**\n")
    assert f"- Signature: {short(results['signature'])}, data and rules " in text


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
    refused, tmp_path, options: tuple[str, ...], reason: str
):
    told = refused(*(option.format(folder=tmp_path) for option in options))
    assert told.startswith(reason.format(folder=tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"data"}
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("option", ["--junit", "--summary"])
def test_a_full_disk_at_the_end_is_one_sentence_and_the_results_stay(run, service, tmp_path, option: str):
    code, _, errors = run("--url", service.url, "--fail-if", "errors>0", option, "/dev/full")
    assert code == 2
    assert sentence(errors).startswith(f"{option} /dev/full cannot be written: ")
    assert (tmp_path / "out" / "summary.json").exists()


# What it prints


def test_what_is_printed_is_what_lies_in_the_folder(run, service, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    out, page = tmp_path / "out", tmp_path / "page.html"
    code, output, errors = run("--url", service.url, "--format", "json", "--html", page)
    assert (code, errors) == (0, f"Results in {out}\n")
    value, record = json.loads(output), json.loads((out / "record.json").read_bytes())
    assert value.pop("record") == record
    assert orjson.dumps(value) == orjson.dumps(json.loads((out / "summary.json").read_bytes()))
    config = json.loads((out / "config.json").read_bytes())
    assert config["sources"].keys() == config["options"].keys()
    assert (config["sources"]["url"], config["sources"]["batch_size"]) == ("command line", "default")
    assert {name: one["source"] for name, one in record["settings"].items()} == config["sources"]
    assert page.read_bytes() == (out / "report.html").read_bytes()
    shown = run("--url", service.url, "--out", tmp_path / "2", "--quiet", "--wide")
    assert shown == (0, (tmp_path / "2" / "evaluate_summary.txt").read_text(encoding="utf-8"), "")


def test_without_url_the_collection_is_served_and_measured(run, tmp_path):
    code, output, errors = run("--format", "json", "--quiet")
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
        options = ("--out", tmp_path / "out", "--batch-size", 4, "--verbose")
        arguments = ["run", "--dataset", data, f"--url={url}", *options]
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
def test_no_secret_of_the_url_is_in_an_error(run: Run, answer: services.Answer | None):
    with services.running(answer) if answer else services.refusing() as where:
        url = getattr(where, "url", where).replace("http://", "http://anna:s3cret@")
        code, _, errors = run("--url", url, "--retries", 0)
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
    assert one["interval"] == "Wilson's form with Student's t, 10 groups of document"
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
