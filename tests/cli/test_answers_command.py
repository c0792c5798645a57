"""`benchbench answers`: end to end against a small assistant, over stored answers, and what people do wrong."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import assistants
import data_sets
import orjson
import pytest
import services
from assistants import TRUTHS
from command_line import process, said, sentence
from msgspec import convert
from results.round_trip import validated

from benchbench.results.record import Record
from benchbench.results.signature import short


@pytest.fixture
def service() -> Iterator[services.Service]:
    with services.running(assistants.from_documents(assistants.DOCUMENTS)) as running:
        yield running


def config(folder: Path, url: str, truths: list[dict[str, Any]] = TRUTHS, **more: Any) -> Path:
    data_sets.write_lines(folder / "truth.jsonl", truths)
    keys = {
        "testdata_path": "truth.jsonl",
        "results_dir": "results",
        "target_url": f"{url}/ask",
        "target_parameters": {"overrides": {"top": 2}},
    }
    path = folder / "config.json"
    path.write_bytes(orjson.dumps(keys | more))
    return path


def stored(folder: Path, *rows: dict[str, Any]) -> Path:
    return data_sets.write_lines(folder / "answers.jsonl", rows)


def rows_in(folder: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (folder / "eval_results.jsonl").read_bytes().splitlines()]


def test_settings_say_whether_the_line_or_the_configuration_file_had_them(tmp_path: Path, capsys, service):
    path = config(tmp_path, service.url, requested_metrics=["any_citation"])
    arguments = ("--config", path, "--concurrency", 2, "--name", "assistant", "-m", "latency", "--format", "json")
    record = orjson.loads(said(capsys, "answers", "run", *arguments).output)["record"]
    sources = {name: one["source"] for name, one in record["settings"].items()}
    assert (record["name"], record["status"]) == ("assistant", "complete")
    assert {name for name, source in sources.items() if source == str(path)} == {"testdata", "url", "target_parameters"}
    of_line = {name for name, source in sources.items() if source == "command line"}
    assert of_line == {"config", "concurrency", "metrics", "measure"}
    validated(convert(record, Record))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--fail-if", "nDCG@10<0.4"), "--fail-if nDCG@10<0.4: nDCG@10 is not measured; measured are answer_length, "),
        (("--fail-if", "latency>2"), "--fail-if latency>2: latency is a time; write latency>2ms, or s"),
        (("--junit", "gates.xml"), "--junit writes one test case per gate; name a gate with --fail-if"),
        (("--summary", "no/step.md"), "--summary no/step.md: there is no folder no"),
    ],
)
def test_a_gate_or_a_file_that_cannot_be_is_known_before_anything_is_asked(
    tmp_path: Path, capsys, service, options: tuple[str, ...], reason: str
):
    path = config(tmp_path, service.url)
    code, output, errors = said(capsys, "answers", "run", "--config", path, *options)
    assert (code, output, service.messages) == (2, "", [])
    assert sentence(errors).startswith(reason)
    assert not (tmp_path / "results").exists()


def test_options_take_the_place_of_the_file(tmp_path: Path, capsys, service):
    path = config(tmp_path, "http://127.0.0.1:9", requested_metrics=["gpt_relevance", "latency"])
    arguments = ("--url", service.url, "--limit", 1, "--resultsdir", tmp_path / "there")
    code, output, errors = said(capsys, "answers", "run", "--config", path, *arguments, "--source-type", "PD")
    assert (code, len(service.messages)) == (0, 1)
    assert service.messages[0]["messages"][0]["content"] == "What are costs budgets?"
    assert "Note: " in errors
    assert "gpt_relevance needs a model as a judge" in errors
    assert output.splitlines()[4].startswith("latency")
    assert len(list((tmp_path / "there").iterdir())) == 1


def test_out_names_the_folder_itself(tmp_path: Path, capsys, service):
    given = ("answers", "run", "--config", config(tmp_path, service.url), "--limit", 1, "--out", tmp_path / "mine")
    assert said(capsys, *given).code == 0
    code, _, errors = said(capsys, *given, "--resultsdir", tmp_path)
    assert (tmp_path / "mine" / "eval_results.jsonl").exists()
    assert code == 2
    assert "--out names the results folder, and --resultsdir the folder that holds it: give one" in errors


@pytest.mark.parametrize(
    ("more", "options", "reason"),
    [
        ({"testdata_path": "no.jsonl"}, (), "no.jsonl does not exist"),
        ({"target_response_answer_jmespath": "a.["}, (), "target_response_answer_jmespath: 'a.[' is not a JMESPath"),
        ({"requested_metrics": ["precedent"]}, (), "no answer metric 'precedent'; did you mean precedent_"),
        ({"target_url": "nowhere"}, (), "nowhere is not a URL"),
        ({}, ("--source-type", "X"), "has that source type and category"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(
    tmp_path: Path, capsys, more: dict[str, Any], options: tuple[str, ...], reason: str
):
    path = config(tmp_path, "http://127.0.0.1:9", **more)
    code, output, errors = said(capsys, "answers", "run", "--config", path, *options)
    assert (code, output) == (2, "")
    assert reason in sentence(errors)
    assert not (tmp_path / "results").exists()


def test_nobody_there_is_exit_code_3_and_leaves_nothing(tmp_path: Path, capsys):
    with services.refusing() as url:
        code, _, errors = said(capsys, "answers", "run", "--config", config(tmp_path, url))
    assert code == 3
    assert "refuses connections" in sentence(errors)
    assert not list((tmp_path / "results").iterdir())


@pytest.mark.slow  # stops a process
def test_an_interruption_keeps_what_had_come(tmp_path: Path):
    ways = (assistants.saying(assistants.said("Part 36 [Part 36].")), services.never)
    with services.running(*ways) as service:
        path = config(tmp_path, service.url)
        running = process("answers", "run", "--config", path, "--concurrency", 1)
        service.asked.get(timeout=60)
        service.asked.get(timeout=60)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "the answer that had come is in" in errors
    (folder,) = (tmp_path / "results").iterdir()
    assert folder.name.endswith(".partial")
    assert len(rows_in(folder)) == 1
    assert orjson.loads((folder / "record.json").read_bytes())["status"] == "interrupted"


def test_a_secret_is_in_no_file_and_no_output(tmp_path: Path, capsys, monkeypatch, service):
    monkeypatch.setenv("SECRET", "top-secret-value")
    arguments = ("--config", config(tmp_path, service.url), "--header", "X-Key: ${SECRET}", "--token-env", "SECRET")
    code, output, errors = said(capsys, "answers", "run", *arguments)
    assert code == 0
    assert service.headers[0]["X-Key"] == "top-secret-value"
    assert service.headers[0]["Authorization"] == "Bearer top-secret-value"
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"top-secret-value" in text for text in (output.encode(), errors.encode(), *files))


@pytest.mark.slow  # two processes for each order
def test_a_folder_names_its_questions_and_rules_and_neither_order_nor_processes_matter(tmp_path: Path, capsys):
    rows = [{"question": f"q{n}", "answer": f"a{n}", "truth": "t", "latency": n} for n in range(5000)]
    files = {"one": rows, "other": rows[::-1], "else": [*rows[1:], {**rows[0], "truth": "u"}]}
    digests = {}
    for name, workers in (("one", 1), ("other", 2), ("else", 1)):
        source, out = data_sets.write_lines(tmp_path / f"{name}.jsonl", files[name]), tmp_path / name
        options = ("-m", "any_citation", "--out", out, "--workers", workers)
        code, output, _ = said(capsys, "answers", "score", source, *options)
        summary, kept = (orjson.loads((out / f"{one}.json").read_bytes()) for one in ("summary", "config"))
        assert (code, kept["data_digest"]) == (0, summary["data_digest"])
        assert f"|data:{summary['data_digest']}|" in summary["signature"]
        assert summary["signature"].startswith(
            "metrics:any_citation|failed:left out|questions:5000 (null 0, unanswered 0)|"
        )
        assert re.search(rf"\nSignature   {short(summary['signature'])}, data and rules [0-9a-f]{{8}}\n$", output)
        digests[name] = summary["data_digest"]
    assert digests["one"] == digests["other"] != digests["else"]


def test_answers_are_not_compared_with_runs(tmp_path: Path, capsys):
    path = stored(tmp_path, {"question": "q", "answer": "a", "truth": "t"})
    assert said(capsys, "answers", "score", path, "--out", tmp_path / "out").code == 0
    code, _, errors = said(capsys, "compare", tmp_path / "out", tmp_path / "out")
    assert code == 2
    assert f"{tmp_path / 'out'} holds a result of kind answers; compare takes those of run and load" in errors


def test_what_run_wrote_can_be_scored_again(tmp_path: Path, capsys, service):
    first = said(capsys, "answers", "run", "--config", config(tmp_path, service.url), "--format", "json")
    (written,) = (tmp_path / "results").glob("*/eval_results.jsonl")
    again = said(capsys, "answers", "score", written, "--format", "json", "--out", tmp_path / "again")
    of_stored, of_asked = orjson.loads(again.output), orjson.loads(first.output)
    for member in ("numbers", "failures", "notes", "signature"):
        assert of_stored["record"][member] == of_asked["record"][member]
    assert of_stored | {"record": {}} == of_asked | {"record": {}}
    record, summary = (orjson.loads((tmp_path / f"again/{one}.json").read_bytes()) for one in ("record", "summary"))
    assert of_stored == {**summary, "record": record}
    assert (tmp_path / "again" / "eval_results.jsonl").read_bytes() == written.read_bytes()


def test_a_folder_has_a_page_which_html_and_show_write_as_well(tmp_path: Path, capsys):
    path, out = stored(tmp_path, *({**row, "answer": row["truth"]} for row in TRUTHS)), tmp_path / "out"
    assert said(capsys, "answers", "score", path, "--out", out, "--html", tmp_path / "page.html").code == 0
    assert said(capsys, "show", out, "--html", tmp_path / "again.html").code == 0
    pages = [file.read_text("utf-8") for file in (out / "report.html", tmp_path / "page.html", tmp_path / "again.html")]
    assert pages[0] == pages[1] == pages[2]
    assert pages[0].count('<article class="card"') == len(TRUTHS)


def test_a_question_that_is_answered_twice_is_named(tmp_path: Path, capsys):
    config(tmp_path, "http://127.0.0.1:9")
    path = tmp_path / "answers.jsonl"
    row = orjson.dumps({"question": TRUTHS[0]["question"], "answer": "Part 36."}) + b"\n"
    path.write_bytes(row + b"\n" + row)
    code, output, errors = said(capsys, "answers", "score", path, "--ground-truth", tmp_path / "truth.jsonl")
    assert (code, output) == (2, "")
    assert sentence(errors) == f"{path}, line 3: the question of line 1 again; remove one of the two"


@pytest.mark.usefixtures("registry")
def test_answers_that_had_come_before_an_error_are_kept(tmp_path: Path, capsys):
    own = metric(tmp_path, "return 1 / ('Costs' not in answer.response)")
    ways = (assistants.saying(assistants.said("Part 36.")), assistants.saying(assistants.said("Costs.")))
    with services.running(*ways) as service:
        options = ("--config", config(tmp_path, service.url), "--concurrency", 1, "-m", "mine", "--metrics-from", own)
        code, output, errors = said(capsys, "answers", "run", *options)
    (folder,) = (tmp_path / "results").iterdir()
    assert (code, output) == (2, "")
    assert sentence(errors) == (
        "the metric mine fails on the question 'What does Part 31 cover?': ZeroDivisionError: division by zero; "
        f"the answer that had come is in {folder}"
    )
    assert folder.name.endswith(".partial")
    assert [row["answer"] for row in rows_in(folder)] == ["Part 36."]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs a POSIX system")
def test_a_place_that_cannot_be_written_is_known_before_anything_is_asked(tmp_path: Path, capsys, service):
    (tmp_path / "file").write_text("")
    arguments = ("--config", config(tmp_path, service.url), "--resultsdir", tmp_path / "file" / "there")
    code, _, errors = said(capsys, "answers", "run", *arguments)
    assert (code, service.messages) == (2, [])
    assert "cannot write" in sentence(errors)


def many(folder: Path, rows: int) -> Path:
    return stored(folder, *({**TRUTHS[n % 3], "answer": "x" * (n % 50)} for n in range(rows)))


def metric(folder: Path, body: str) -> Path:
    path = folder / "metrics.py"
    path.write_text(
        f"import os, threading\nfrom benchbench.answers.metrics import metric\n\n"
        f"@metric('mine', 'One of my own.')\ndef mine(answer):\n    {body}\n"
    )
    return path


@pytest.mark.slow  # 5,000 answers by one process, and by three
def test_workers_change_no_byte_and_know_metrics_of_ones_own(tmp_path: Path):
    path, own = many(tmp_path, 5000), metric(tmp_path, "return len(answer.response) / 3")
    shown = []
    for workers in (1, 2):
        out = tmp_path / f"by {workers}"
        options = ("-m", "mine", "--metrics-from", own, "--workers", workers, "--format", "json", "--out", out)
        scoring = process("answers", "score", path, *options)
        whole = orjson.loads(scoring.communicate(timeout=120)[0])
        numbers = whole.pop("record")["numbers"]
        files = [(out / name).read_bytes() for name in ("eval_results.jsonl", "summary.json")]
        shown.append((whole, numbers, *files))
        assert scoring.returncode == 0
    assert shown[0] == shown[1]
    assert shown[0][0]["metrics"]["mine"]["most"] == 49 / 3


@pytest.mark.slow  # thousands of answers
def test_a_bad_line_ends_all_workers_with_one_sentence(tmp_path: Path, capsys):
    path = many(tmp_path, 6000)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:4500], b'{"question": "?"}\n', *lines[4500:]]))
    options = ("-m", "citations_matched", "--workers", 2, "--out", tmp_path / "out")
    code, output, errors = said(capsys, "answers", "score", path, *options)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"{path}, line 4501: `truth` is missing; its members are question, and")
    assert [one.name for one in tmp_path.iterdir()] == ["answers.jsonl"]


@pytest.mark.slow  # processes that are interrupted
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_an_interruption_ends_all_workers(tmp_path: Path):
    path, own = many(tmp_path, 5000), metric(tmp_path, "os.write(1, b'%d\\n' % os.getpid()); threading.Event().wait()")
    scoring = process("answers", "score", path, "-m", "mine", "--metrics-from", own, "--workers", 2)
    assert scoring.stderr is not None
    pids = {int(scoring.stderr.readline()) for _ in range(2)}  # what a worker prints is shown beside the result
    scoring.send_signal(signal.SIGINT)
    output, errors = scoring.communicate(timeout=60)
    assert (scoring.returncode, output, errors.strip()) == (130, "", "Interrupted.")
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({}, "; the members of the first are question, truth, source_type"),
        ({"response": "Part 36."}, "; the members of the first are question, truth, source_type, response"),
        ({"answer": None}, ", mostly: the stored answer is null"),
        ({"answer": " "}, ", mostly: the answer is empty"),
        ({"answer": None, "error": "HTTP 500: \x1b[31m"}, ", mostly: HTTP 500"),
    ],
)
def test_a_file_without_answers_is_bad_input(tmp_path: Path, capsys, answers: dict[str, Any], why: str):
    path = stored(tmp_path, *({**row, **answers} for row in TRUTHS))
    for options in ((), ("--out", tmp_path / "out")):
        code, output, errors = said(capsys, "answers", "score", path, *options)
        assert (code, output) == (2, "")
        reason = f"`answer` is null, empty or missing in each of its 3 lines{why}"
        assert sentence(errors) == f"{path} has no answer in it: {reason}"
    assert [one.name for one in tmp_path.iterdir()] == ["answers.jsonl"]


def test_metrics_that_need_no_truth_score_answers_without_one(tmp_path: Path, capsys):
    path = stored(tmp_path, {"question": "?", "answer": "See [1]."})
    code, output, _ = said(capsys, "answers", "score", path, "-m", "any_citation", "--format", "json")
    assert (code, orjson.loads(output)["metrics"]["any_citation"]["mean"]) == (0, 1.0)
    code, output, errors = said(capsys, "answers", "score", path, "-m", "any_citation,citations_matched")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"{path}, line 1: `truth` is missing; its members are question, answer, and")


def test_questions_of_one_document_are_grouped_in_the_intervals(tmp_path: Path, capsys):
    rows = [
        {"question": f"{n}?", "answer": "See [1]." * (n % 8 < 5), "truth": "[1]", "document": f"d{n % 8}"}
        for n in range(40)
    ]
    path = stored(tmp_path, *({**row, "answer": row["answer"] or "No."} for row in rows))
    options = ("answers", "score", path, "-m", "any_citation", "--cluster")
    code, output, _ = said(capsys, *options, "document", "--format", "json")
    whole = orjson.loads(output)
    line, number = whole["metrics"]["any_citation"], whole["record"]["numbers"][0]
    assert (code, line["mean"], line["interval"]) == (0, 0.625, "Wilson's form with Student's t, 8 groups of document")
    ends = line["low"], line["high"]
    assert (number["low"], number["high"], number["interval"]) == (*ends, f"95 %, {line['interval']}")
    assert line["high"] - line["low"] > 0.4  # of forty questions it would be 0.3 wide
    assert line["design_effect"] == pytest.approx(39 / 7)
    assert "8 groups of document, fewer than 20" in whole["record"]["notes"][-1]["text"]
    code, output, errors = said(capsys, *options, "user")
    assert (code, output, sentence(errors)) == (2, "", f"no question of {path} has a member user to group by")


def test_a_question_without_a_document_is_a_group_of_its_own_and_counted(tmp_path: Path, capsys):
    rows = [
        {"question": f"{n}?", "answer": "See [1]." if n % 3 else "No.", "document": f"d{n}" if n < 2 else None}
        for n in range(40)
    ]
    options = ("answers", "score", stored(tmp_path, *rows), "-m", "any_citation", "--format", "json", "--cluster")
    code, output, _ = said(capsys, *options, "document")
    whole = orjson.loads(output)
    assert (code, whole["clusters"]) == (0, 40)
    assert whole["metrics"]["any_citation"]["interval"] == "Wilson's form with Student's t, 40 groups of document"
