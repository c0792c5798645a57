"""`benchbench history check` and `accept`, with runs of a real service and with such made of numbers."""

import json
import random
import re
import stat
import xml.etree.ElementTree as Tree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import histories
import history_series as series
import orjson
import page_sources
import pytest
import services
from alert_jobs import series_of
from command_line import said, sentence
from history_series import add, quiet
from webhooks import answer, hang, webhook

import benchbench as bb
from benchbench.history.alerts import webhook as module
from benchbench.history.store import open_history


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("BENCHBENCH_HISTORY", "BENCHBENCH_HISTORY_TABLES", "GITHUB_ACTOR"):
        monkeypatch.delenv(name, raising=False)


def made(runs: int = 12, worse: int | None = None, **others: Any) -> None:
    """Make a store of runs, of which one and those after it are worse."""
    with open_history(histories.empty("h.db")) as history:
        last = runs if worse is None else worse - 1
        quiet(history, last, **others)
        for run in range(last + 1, runs + 1):
            add(history, run, -0.1, **others)


def check(capsys: pytest.CaptureFixture[str], *options: object) -> tuple[int, dict[str, Any]]:
    code, output, _ = said(capsys, "history", "check", "--store", "h.db", *options, "--format", "json")
    return code, json.loads(output)


QUERIES, FOUND = 40, 10


def small_data(folder: Path) -> bb.DataSet:
    """Write 40 queries on four topics, each with two relevant documents."""
    (folder / "qrels").mkdir(parents=True)
    queries = [{"_id": f"q{n}", "text": f"query {n}", "metadata": {"topic": "abcd"[n % 4]}} for n in range(QUERIES)]
    documents = [{"_id": f"d{n}_{rank}", "text": f"{n} {rank}"} for n in range(QUERIES) for rank in range(FOUND)]
    for name, rows in (("queries", queries), ("corpus", documents)):
        (folder / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    lines = [f"q{n}\td{n}_{rank}\t1\n" for n in range(QUERIES) for rank in (0, 1)]
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    return bb.locate(folder)


@contextmanager
def changing_service() -> Iterator[tuple[services.Service, dict[str, float]]]:
    """Run a search service that orders hits a little differently in each run, and by more when told so."""
    state = {"run": 0.0, "lost": 0.0}

    def hits(query: str, top_k: int) -> list[dict[str, Any]]:
        number = int(query.removeprefix("query "))
        chance = random.Random(f"{state['run']} {query}")
        scores = [chance.gauss(-rank, 0.7) for rank in range(FOUND)]
        scores[0] -= state["lost"]
        ranked = sorted(range(FOUND), key=lambda rank: -scores[rank])
        return [{"id": f"d{number}_{rank}", "score": scores[rank]} for rank in ranked]

    with services.running(services.answering(hits)) as service:
        yield service, state


def test_a_change_of_a_service_is_found_accepted_and_held_against_from_then_on(capsys: Any, tmp_path: Path) -> None:
    data, alarms = small_data(tmp_path / "small"), tmp_path / "alarms.jsonl"
    with changing_service() as (service, state), bb.History("h.db") as history:

        def run() -> None:
            state["run"] += 1
            found = bb.run(bb.Settings(data, url=service.url, name="search"))
            history.add(found, tags={"commit": f"{int(state['run']):03d}{'f' * 37}"})

        def checked() -> tuple[int, dict[str, Any]]:
            code, value = check(capsys, "--alert", alarms)
            return code, value["series"][0]["measures"][0]

        for _ in range(10):
            run()
        assert checked()[1]["verdict"] == "too little data"
        for _ in range(2):
            run()
            assert checked()[1]["verdict"] == "no measurable change"
        assert not alarms.exists()
        state["lost"] = 4.0
        run()
        code, one = checked()
        assert (code, one["verdict"], one["alert"]) == (1, "worse", "began")
        assert (one["since"]["number"], one["before"]["number"]) == (13, 12)
        assert "between commit 012fffff and 013fffff" in one["sentence"]
        assert len(one["moved"]) == 20
        assert all(each["after"] < each["before"] for each in one["moved"])
        assert {each["slice"] for each in one["slices"]} >= {f"topic={topic}" for topic in "abcd"}
        assert checked()[1]["alert"] == "open"
        state["lost"] = 0.0
        run()
        code, one = checked()
        assert (code, one["verdict"], one["alert"]) == (0, "no measurable change", "ended")
        state["lost"] = 4.0
        run()
        assert checked()[0] == 1
        assert [json.loads(line)["event"] for line in alarms.read_text().splitlines()] == ["began", "ended", "began"]
        code, output, errors = said(capsys, "history", "accept", "--store", "h.db", "--reason", "smaller index")
        assert (code, errors) == (0, "")
        assert "Accepted with run 15 of search on small: smaller index." in output
        assert "1 of 10 runs of the new reference is there: runs are judged again after 9 more runs" in output
        assert checked()[1]["verdict"] == "too little data"


def test_the_terminal_says_the_verdict_first_and_what_to_do_second(capsys: Any) -> None:
    made(13, worse=13, columns={"topic": ["law"] * 20 + ["tax"] * 20})
    code, output, errors = said(capsys, "history", "check", "--store", "h.db")
    first, cause, advice, *_ = output.splitlines()
    assert code == 1
    assert first.startswith("▼ gold.nDCG@10 is worse since run 13, between commit c0120000 and c0130000: ")
    assert cause == "  Changed at run 13: commit c0120000 → c0130000."
    assert "If it was meant: benchbench history accept 13 --reason …" in advice
    assert sentence(errors).startswith("gate failed: gold.nDCG@10 is worse since run 13")
    for stated in (
        "Queries whose gold.nDCG@10 fell most",
        "Slices whose gold.nDCG@10 fell most; not tested",
        "Reference   runs 1 to 10, commits c0010000 to c0100000, 2023-11-14 to 2023-11-15",
        "Level       a change needs p of 0.00017 or less by queries and 0.000083 or less by runs, 0.00005 over eight",
        "Budget      3 of 60 planned runs since the reference; 0.002 of alpha 0.05 used",
        "Measures    gold.nDCG@10 (default; -m chooses others)",
    ):
        assert stated in output
    assert re.search(r"gold\.nDCG@10 +worse .* [▁▂▃▄▅▆▇█]{13}\n", output)


def test_measures_of_which_the_same_is_said_share_a_sentence_and_a_level(capsys: Any) -> None:
    with open_history("h.db", create=True) as history:
        for run in range(1, 13):
            add(history, run, measures={f"gold.{one}": series.values(run) for one in ("nDCG@10", "RR", "P@5")})
    output = said(capsys, "history", "check", "--store", "h.db", "-m", "nDCG@10,RR,P@5").output
    assert output.startswith("○ No measurable change in gold.nDCG@10, gold.RR and gold.P@5.\n")
    assert len(re.findall(r"gold\.\S+: p \S+ by queries and \S+ by runs", output)) == 3
    assert output.count("a change needs p of") == 1


def test_a_failure_of_several_gates_is_read_as_a_list(capsys: Any) -> None:
    with open_history("h.db", create=True) as history:
        for run in range(1, 14):
            add(history, run, measures={f"gold.{one}": series.values(run, -0.1 * (run == 13)) for one in ("AP", "RR")})
    errors = said(capsys, "history", "check", "--store", "h.db", "-m", "AP,RR").errors
    assert "); gate failed: gold.RR is worse" in errors
    assert ".;" not in errors


def test_too_little_data_is_said_and_passes(capsys: Any) -> None:
    made(6, worse=6)
    code, output, errors = said(capsys, "history", "check", "--store", "h.db")
    assert (code, errors) == (0, "")
    assert output.startswith(
        "○ gold.nDCG@10 0.411 is 0.086 below run 5 (p < 0.001 over 40 queries; run-to-run noise is not known yet).\n"
        "○ Run 6 is not judged (too little data): gold.nDCG@10 0.411.\n"
        "  6 of 10 runs; 4 more make the reference, and the run after is the first judged.\n"
        "  See: benchbench history diff 5 6."
    )


def test_a_latest_run_that_failed_has_the_exit_code_of_too_many_failures(capsys: Any) -> None:
    made(12)
    with open_history("h.db") as history:
        add(history, 13, status="failed")
    code, output, errors = said(capsys, "history", "check", "--store", "h.db")
    assert code == 4
    assert output.startswith("▼ Not judged: run 13 has no values to judge: it failed.")
    assert "run 13 has no values to judge" in sentence(errors)


def test_junit_has_a_case_per_measure_and_the_summary_a_sparkline(capsys: Any, tmp_path: Path) -> None:
    made(13, worse=13, latency=series.milliseconds(1))
    options = ["-m", "nDCG@10,latency", "--junit", "j.xml", "--summary", "s.md"]
    assert said(capsys, "history", "check", "--store", "h.db", *options).code == 1
    suite = Tree.parse(tmp_path / "j.xml").getroot()[0]
    cases = {one.get("name"): [each.tag for each in one] for one in suite.findall("testcase")}
    assert cases == {"gold.nDCG@10 is worse": ["failure"], "p50 is worse": ["skipped"]}
    summary = (tmp_path / "s.md").read_text()
    assert "- ❌ gate failed: gold.nDCG@10 is worse since run 13" in summary
    assert re.search(r"\| gold\.nDCG@10 \| \*\*worse\*\* \|.*\| [▁▂▃▄▅▆▇█]{13} \|", summary)
    assert "Queries whose gold.nDCG@10 fell most" in summary
    assert "]. (" not in Tree.tostring(suite, encoding="unicode")
    assert "Reference: runs 1 to 10" in summary


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown", "latex"])
def test_every_format_has_the_verdict(capsys: Any, form: str) -> None:
    made(13, worse=13)
    code, output, _ = said(capsys, "history", "check", "--store", "h.db", "--format", form)
    assert code == 1
    assert "gold.nDCG" in output
    assert "worse" in output


def test_a_gate_of_one_s_own_goes_by_the_difference(capsys: Any) -> None:
    made(12)
    passed = check(capsys, "--fail-if", "Δ nDCG@10<-0.05")
    failed = check(capsys, "--fail-if", "Δ gold.nDCG@10 < 0.9 and p > 0")
    assert (passed[0], failed[0]) == (0, 1)
    code, output, _ = said(capsys, "history", "check", "--store", "h.db", "--fail-if", "nDCG@10>0")
    assert code == 1
    assert output.startswith("▼ The gate failed: nDCG@10>0.")


def test_a_folder_of_a_check_is_shown_again_and_has_its_page(capsys: Any, tmp_path: Path) -> None:
    made(13, worse=13)
    found = said(capsys, "history", "check", "--store", "h.db", "--out", "checked", "--html", "p.html")
    assert found.code == 1
    again = said(capsys, "show", "checked")
    assert again.output == found.output
    page = (tmp_path / "p.html").read_text()
    assert (tmp_path / "checked" / "report.html").is_file()
    words = page_sources.words(page)
    assert "gold.nDCG@10 is worse since run 13" in words
    assert page.count('class="dot bad"') == 2  # the same chart at two widths
    assert re.search(r"(lowest 0\.\d{3}.*mean 0\.\d{3}.*highest|reference) 0\.\d{3}", words)
    assert re.search(r"▼ worse, now 0\.\d{3}", words)


def test_names_from_outside_are_shown_and_not_obeyed(capsys: Any, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>\x1b[31m"
    made(13, worse=13, name=name, columns={"<b>": ["<i>"] * 20 + ["x"] * 20})
    code, output, _ = said(capsys, "history", "check", "--store", "h.db", "--html", "p.html", "--summary", "s.md")
    assert code == 1
    assert "\x1b" not in output
    assert "<script>alert" not in (tmp_path / "p.html").read_text()
    assert "<script>alert" not in (tmp_path / "s.md").read_text()


def test_a_webhook_is_shown_by_its_host_alone(capsys: Any, tmp_path: Path) -> None:
    made(13, worse=13)
    with services.running(services.status(200)) as service:
        secret = f"{service.url}/hooks/T0P-s3cret"
        code, output, errors = said(
            capsys, "history", "check", "--store", "h.db", "--alert", secret, "--out", "checked", "--html", "p.html"
        )
    assert code == 1
    assert len(service.messages) == 1
    written = b"".join(path.read_bytes() for path in (tmp_path / "checked").rglob("*") if path.is_file())
    for text in (output, errors, written.decode(errors="replace"), (tmp_path / "p.html").read_text()):
        assert "T0P-s3cret" not in text
    assert service.url.partition("://")[2] in output


@pytest.mark.parametrize(
    ("options", "said_of_it"),
    [
        (["-m", "nDCG@20"], "--measure nDCG@20: nDCG@20 is not measured"),
        (["-m", "latency"], "latency is not measured"),
        (["--cluster", "document"], "no such column; they have none"),
        (["--alpha", "0"], "--alpha is a number"),
        (["--alpha", "0.000001"], "leaves 3.3e-09 for each test"),
        (["--planned-runs", "0"], "--planned-runs is a whole number"),
        (["--margin", "-1"], "--margin is a number"),
        (["--name", "other"], "h.db has no such run to check"),
        (["--fail-if", "nDCG@20<1"], "nDCG@20 is not measured"),
        (["--fail-if", "nonsense"], "is not name, comparison and bound"),
        (["--alert", "ftp://x"], "--alert takes stderr, a file"),
    ],
)
def test_what_is_wrong_is_one_sentence(capsys: Any, options: list[str], said_of_it: str) -> None:
    made(12)
    code, output, errors = said(capsys, "history", "check", "--store", "h.db", *options)
    assert (code, output) == (2, "")
    assert said_of_it in sentence(errors)


def test_a_store_that_is_not_there_or_empty_is_one_sentence(capsys: Any) -> None:
    assert "there is no history at none.db yet" in sentence(
        said(capsys, "history", "check", "--store", "none.db").errors
    )
    made(0)
    found = said(capsys, "history", "check", "--store", "h.db")
    assert found.code == 2
    assert "h.db has no run yet" in sentence(found.errors)


def test_a_store_that_cannot_be_written_is_one_sentence(capsys: Any, tmp_path: Path) -> None:
    made(12)
    tables = tmp_path / "h.db.tables"
    tables.rename(tmp_path / "aside")
    tables.write_text("")
    found = said(capsys, "history", "check", "--store", "h.db")
    assert found.code == 2
    assert "values per query of run 12 are gone" in sentence(found.errors)
    tables.unlink()
    (tmp_path / "aside").rename(tables)
    (tmp_path / "h.db").chmod(stat.S_IRUSR)
    assert said(capsys, "history", "check", "--store", "h.db").code in (0, 2)  # root may write it all the same


def test_accepted_changes_are_listed_and_taken_back(capsys: Any) -> None:
    made(14, worse=13)
    assert check(capsys)[0] == 1
    meant = ("--reason", "new\tindex", "--accepted-by", "me", "--format", "json")
    code, output, _ = said(capsys, "history", "accept", "--store", "h.db", *meant)
    assert code == 0
    members = {"run": 13, "reason": "new index", "by": "me", "runs": 2, "of_runs": 10, "ended": ["gold.nDCG@10"]}
    assert json.loads(output).items() >= members.items()
    listed = said(capsys, "history", "accept", "--store", "h.db", "--list").output
    assert re.search(r"service on cases +13 +\d{4}-.* me +new index +counts", listed)
    assert check(capsys)[0] == 0
    code, output, _ = said(capsys, "history", "accept", "--store", "h.db", "--undo")
    assert code == 0
    assert "Taken back: the change of run 13 of service on cases, new index." in output
    assert check(capsys)[0] == 1
    listed = said(capsys, "history", "accept", "--store", "h.db", "--list", "--format", "json").output
    assert orjson.loads(listed) == {"accepted": []}


@pytest.mark.parametrize(
    ("options", "said_of_it"),
    [
        ([], "--reason TEXT is missing"),
        (["--reason", " "], "--reason is a text"),
        (["99", "--reason", "x"], "no run '99'"),
        (["--list", "--undo"], "give either"),
        (["--undo", "--reason", "x"], "--reason is of a change that is accepted, and not of --undo"),
        (["--undo"], "no change of service on cases was accepted"),
        (["--name", "other", "--reason", "x"], "has no such run"),
    ],
)
def test_what_cannot_be_accepted_is_one_sentence(capsys: Any, options: list[str], said_of_it: str) -> None:
    made(2)
    code, output, errors = said(capsys, "history", "accept", "--store", "h.db", *options)
    assert (code, output) == (2, "")
    assert said_of_it in sentence(errors)


def test_python_checks_and_accepts(tmp_path: Path) -> None:
    made(13, worse=13)
    with bb.History("h.db") as history:
        found = history.check("nDCG@10", margin=0.02, name="service")
        assert [one.verdict for one in found.record.gates] == ["failed"]
        assert "worse since run 13" in bb.draw(found, "markdown")
        assert history.accept(reason="meant").accepted.run == 13
        assert history.check().found.series[0].measures[0].verdict == "too little data"
        with pytest.raises(bb.InputError, match="and not by colour"):
            history.check(colour="red")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store whose latest run is worse than the ten before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHBENCH_HISTORY", "history.db")
    with bb.History("history.db") as history:
        series_of(history, [1] * 10 + [2])
    return "history.db"


def test_a_webhook_that_hangs_changes_neither_verdict_nor_exit_code_and_is_told_by_the_next_check(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    post = module.Webhook.post
    monkeypatch.setattr(module.Webhook, "post", lambda self, body, seconds: post(self, body, 0.2))
    with webhook(hang, answer()) as received:
        hook = f"{received.url}/services/s3cr3t-part"
        for expected in (
            f"{received.url} was not told of alerts: no complete answer within 0.2 s; the next check tells it",
            "Error: gate failed: RR is worse since run 11",
        ):
            code, output, errors = said(capsys, "history", "check", "--alert", hook, "--format", "json", "-q")
            assert code == 1
            assert errors.startswith(expected)
            (series,) = orjson.loads(output)["series"]
            assert series["measures"][0]["verdict"] == "worse"
    first, second = received.bodies
    assert first == second
    assert [query for query, *_ in first["alerts"][0]["queries"]]
    assert "s3cr3t-part" not in output + errors
    assert b"s3cr3t-part" not in Path("history.db").read_bytes()


def test_it_is_told_once_when_it_begins_and_once_when_it_ends(store: str, capsys: pytest.CaptureFixture[str]):
    line = ("history", "check", "--alert", "alerts.jsonl", "-q")
    assert [said(capsys, *line).code for _ in range(2)] == [1, 1]
    assert said(capsys, "history", "accept", "11", "--reason", "meant").code == 0
    assert said(capsys, *line).code == 0
    told = [orjson.loads(one) for one in Path("alerts.jsonl").read_bytes().splitlines()]
    assert [one["event"] for one in told] == ["began", "ended"]
    assert told[1]["ended"]["why"] == "accepted"


def test_a_bad_target_is_refused_before_anything_is_checked(store: str, capsys: pytest.CaptureFixture[str]):
    before = Path("history.db").read_bytes()
    code, _, errors = said(capsys, "history", "check", "--alert", "env:NOT_SET")
    assert (code, errors.strip()) == (2, "Error: --alert env:NOT_SET: the environment variable NOT_SET is not set")
    assert Path("history.db").read_bytes() == before
