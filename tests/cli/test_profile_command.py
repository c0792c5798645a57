"""`benchbench profile metrics` and `benchbench profile client`."""

import json
import sys

import pytest
from command_line import said, sentence

from benchbench.profile import client, clients, scoring_speed, tools
from benchbench.profile.peers import MEASURES

SMALL = ("--limit", 20, "--depth", 10, "--repeat", 1)


def stand_in(name: str, code: str = "") -> tools.Tool:
    """Return a tool that runs some code and prints the same value for every mean."""
    said = json.dumps({"means": dict.fromkeys(MEASURES, 0.5), "seconds": [0.25]})
    command = (sys.executable, "-c", f"{code}\nprint({said!r})")
    return tools.Tool(name=name, package=name, version="1.0", command=command, means=tools.printed, again=command)


@pytest.fixture
def alone(monkeypatch):
    """Have no peer installed."""
    monkeypatch.setattr(tools, "peers", lambda names: [])


@pytest.fixture
def unread(monkeypatch):
    """Write no workload, for tools that read none."""
    monkeypatch.setattr(scoring_speed, "_written", lambda workload, stem: ("qrels", "run"))


def test_json_is_all_of_standard_output_and_nothing_else_is_said(capsys, alone, unread, monkeypatch):
    monkeypatch.setattr(tools, "ours", lambda: stand_in("benchbench"))
    code, output, errors = said(capsys, "profile", "metrics", *SMALL, "--format", "json")
    value = json.loads(output)
    assert (code, errors) == (0, "")
    assert value["workload"]["queries"] == 20
    assert value["machine"]["versions"]["benchbench"]
    (row,) = value["tools"]
    assert (row["tool"], row["failure"], row["agrees"], len(row["rounds"])) == ("benchbench", None, True, 1)


@pytest.mark.slow  # two tools are measured, each in processes of its own
def test_text_is_a_table_with_a_row_per_tool(capsys):
    pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    code, output, errors = said(capsys, "profile", "metrics", *SMALL, "--peers", "pytrec_eval")
    assert (code, errors) == (0, "")
    rows = [line for line in output.splitlines() if line.startswith(("benchbench  ", "pytrec_eval  "))]
    assert len(rows) == 2
    assert rows[0].endswith("reference")
    assert rows[1].endswith("agree within 0.000001")


def test_a_failing_peer_is_a_row_and_the_exit_code_is_0(capsys, unread, monkeypatch):
    monkeypatch.setattr(tools, "ours", lambda: stand_in("benchbench"))
    monkeypatch.setattr(tools, "peers", lambda names: [stand_in("ranx", "raise SystemExit('no luck today')")])
    code, output, errors = said(capsys, "profile", "metrics", *SMALL)
    assert (code, errors) == (0, "")
    assert "ranx: no luck today" in output


def test_where_benchbench_itself_fails_the_table_is_printed_and_the_exit_code_is_2(capsys, alone, unread):
    code, output, errors = said(capsys, "profile", "metrics", *SMALL, "--timeout", "0.0001")
    assert code == 2
    assert "benchbench: still running after 0.0001 s" in output
    assert "benchbench itself" in sentence(errors)


def test_a_peer_that_is_named_and_not_installed_is_one_sentence(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, output, errors = said(capsys, "profile", "metrics", *SMALL, "--peers", "trec_eval")
    assert (code, output) == (2, "")
    assert "--peers trec_eval is not installed" in sentence(errors)


@pytest.mark.parametrize("arguments", [("--limit", 0), ("--repeat", 0), ("--timeout", 0), ("--peers", "lucene")])
def test_bad_usage_is_one_sentence(capsys, arguments):
    code, output, errors = said(capsys, "profile", "metrics", *arguments)
    assert (code, output) == (2, "")
    assert arguments[0] in sentence(errors)


@pytest.mark.parametrize(("quiet", "shown"), [(False, True), (True, False)])
def test_progress_shows_on_a_terminal_only_and_is_wiped(capsys, monkeypatch, alone, unread, quiet, shown):
    monkeypatch.setattr(tools, "ours", lambda: stand_in("benchbench"))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    code, _, errors = said(capsys, "profile", "metrics", *SMALL, *["--quiet"] * quiet)
    assert code == 0
    assert ("Measuring: 1 of 2, benchbench" in errors) is shown
    assert not shown or errors.endswith("\r\x1b[K")


TINY = ("--limit", 8, "--batch-size", 4, "--top-k", 3, "--repeat", 1)


def test_the_client_is_measured_beside_the_usual_loop_and_json_is_all_of_standard_output(capsys):
    code, output, errors = said(capsys, "profile", "client", *TINY, "--format", "json")
    assert (code, errors) == (0, "")
    value = json.loads(output)
    assert value["workload"] == {"queries": 8, "batch_size": 4, "hits": 3, "concurrency": 4}
    ours, usual, ceiling = value["clients"][:3]
    assert (ours["client"], ours["failure"], ours["ratio"]) == ("benchbench", None, 1.0)
    assert usual["client"].endswith("json + md5")
    assert ceiling["client"] == "no network: orjson + xxh3"
    answers = ["texts and labels", "ids and scores", "hashes and labels"]
    assert list(dict.fromkeys(one["answer"] for one in value["clients"])) == answers
    assert list(dict.fromkeys(one["answer"] for one in value["stages"])) == answers
    numbers = {(one["scope"].get("answer"), one["scope"].get("stage")) for one in value["record"]["numbers"]}
    assert {(answer, stage) for answer in answers for stage in ("transport", "walk", "labels", "judge")} <= numbers


@pytest.mark.slow  # it measures a client twice
def test_gates_see_the_stages_of_the_client(capsys):
    code, _, errors = said(capsys, "profile", "client", *TINY, "--fail-if", "us_per_hit>0")
    assert code == 1
    assert "texts and labels, walk: gate failed: us_per_hit is " in errors
    code, _, errors = said(capsys, "profile", "client", *TINY, "--fail-if", "us_per_byte>1")
    assert code == 2
    assert "us_per_answer" in sentence(errors)


def test_where_our_client_itself_fails_the_table_is_printed_and_the_exit_code_is_2(capsys, monkeypatch):
    monkeypatch.setattr(clients, "ours", lambda: clients.Client("benchbench", None, lambda work: 0))
    code, output, errors = said(capsys, "profile", "client", *TINY)
    assert code == 2
    assert "benchbench: ValueError: 0 hits, not 24" in output
    assert "benchbench itself" in sentence(errors)


@pytest.mark.slow  # it measures a client
def test_where_the_stages_fail_the_table_is_printed_and_the_exit_code_is_2(capsys, monkeypatch):
    def fail(work: object, judging: object) -> None:
        raise OSError("no luck")

    monkeypatch.setattr(client, "time_stages", fail)
    code, output, errors = said(capsys, "profile", "client", *TINY)
    assert code == 2
    assert "texts and labels, stages: OSError: no luck" in output
    assert "benchbench itself was not measured: OSError: no luck" in sentence(errors)
