"""`benchbench judge answers`: end to end against a scripted endpoint, and what people do wrong."""

import signal
from pathlib import Path
from typing import Any

import data_sets
import orjson
import polars as pl
import pytest
from chat_server import ChatServer, Send, error, good, in_turn, malformed, refusal, sends
from command_line import process, said, sentence
from msgspec import convert
from results.round_trip import validated

from benchbench.results.record import Record
from benchbench.stored import load

SAME = {"context": ["c"], "truth": "t", "source_type": "law"}
ROWS = [{"question": f"q{n}", "answer": f"a{n}", "category": f"k{n % 2}"} | SAME for n in range(6)]


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """Keep the cache and the results in this test's folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server():
    with ChatServer(good(1)) as running:
        yield running


def answers(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    return data_sets.write_lines(folder / "answers.jsonl", rows)


def line(folder: Path, server: Any, *more: object) -> tuple[object, ...]:
    rubrics = () if "--rubric" in more else ("--rubric", "faithfulness")
    given = ("judge", "answers", answers(folder), *rubrics, "--model", "judge-1", "--base-url", server.url)
    return (*given, "--retry-for", "0", *more)


def test_answers_are_judged_end_to_end(tmp_path, capsys, server):
    given = line(tmp_path, server, "--rubric", "faithfulness", "--rubric", "correctness", "--out", "out")
    code, output, errors = said(capsys, *given, "--price", "1,2")
    assert (code, errors) == (0, "Results in out\n")
    first, second, *_ = output.splitlines()
    assert first == "○ faithfulness: 1.000 (0.610 to 1.000), over 6 items."
    assert second.startswith("○ correctness: ")
    assert "the judge judge-1 is not calibrated" in output
    tables = {"attacks.parquet", "lowest_scores.parquet", "verdicts.parquet"}
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {*tables, "config.json", "record.json", "report.html", "summary.json"}
    table = pl.read_parquet(tmp_path / "out" / "verdicts.parquet")
    rubrics = table.filter(pl.col("attempt") == 1)["rubric"].to_list()
    assert sorted(rubrics) == ["correctness.en@1"] * 6 + ["faithfulness.en@1"] * 6
    assert table["cost"].sum() == pytest.approx(load(tmp_path / "out").details()["cost"]["cost"])


def test_a_second_run_pays_for_nothing(tmp_path, capsys, server):
    assert said(capsys, *line(tmp_path, server, "-q")).code == 0
    before = server.calls
    code, output, _ = said(capsys, *line(tmp_path, server, "--format", "json"))
    assert (code, server.calls) == (0, before)
    assert said(capsys, *line(tmp_path, server, "--no-cache", "--repeat", "1")).code == 0
    assert server.calls == before + 6
    found = orjson.loads(output)
    assert (found["cost"]["calls"], found["cost"]["cached"]) == (0, 12)
    validated(convert(found["record"], Record))
    assert (tmp_path / "cache" / "benchbench" / "judge.sqlite").exists()


def test_a_dry_run_says_what_it_would_cost_and_asks_nothing(tmp_path, capsys, server):
    code, output, errors = said(capsys, *line(tmp_path, server, "--dry-run", "--price", "1,2"))
    assert (code, errors) == (0, "")
    assert output.startswith("judge-1 would be asked 12 times for 12 verdicts.\n  0 are stored already. Nothing")
    code, output, _ = said(capsys, *line(tmp_path, server, "--dry-run", "--format", "json"))
    assert server.calls == 0
    found = orjson.loads(output)
    assert (found["calls"], found["most_calls"], found["cost"]) == (12, 24, None)
    assert not (tmp_path / "results").exists()


def test_an_unknown_price_is_said_and_a_limit_then_refused(tmp_path, capsys, server):
    code, _, errors = said(capsys, *line(tmp_path, server, "--max-cost", "1"))
    assert (code, server.calls) == (2, 0)
    assert "needs to know what the tokens of judge-1 cost; give --price IN,OUT" in sentence(errors)
    code, output, _ = said(capsys, *line(tmp_path, server))
    assert code == 0
    assert "set the price with --price IN,OUT" in output


def test_too_many_failures_are_exit_code_4_and_the_folder_stays(tmp_path, capsys):
    with ChatServer(in_turn(good(1), refusal)) as server:
        code, _, errors = said(capsys, *line(tmp_path, server, "--out", "out", "--concurrency", 1, "--repeat", 1))
    assert code == 4
    assert "5 of 6 verdicts failed, mostly: the model refused to answer" in errors
    assert load(tmp_path / "out").record.status == "failed"
    with ChatServer(in_turn(good(1), refusal)) as server:
        given = line(tmp_path, server, "--concurrency", 1, "--repeat", 1, "--max-error-rate", "0.9")
        assert said(capsys, *given).code == 0


def test_a_judge_that_gives_no_verdict_is_given_up_and_the_summary_of_the_next_run_names_retry_failed(tmp_path, capsys):
    with ChatServer(refusal) as server:
        given = line(tmp_path, server, "--concurrency", 1, "--repeat", 1, "--give-up-after", 2)
        code, _, errors = said(capsys, *given)
        assert (code, server.calls) == (4, 2)
        assert "not asked: 2 calls in a row gave no verdict, the last with: the model refused to answer" in errors
        code, output, _ = said(capsys, *given)
        assert (code, server.calls) == (4, 4)
    assert "2 failed verdicts come from the cache; --retry-failed asks again." in " ".join(output.split())


def test_a_gate_of_show_is_refused_as_that_of_the_command(tmp_path, capsys, server):
    assert said(capsys, *line(tmp_path, server, "--out", "out")).code == 0
    code, _, errors = said(capsys, "show", tmp_path / "out", "--fail-if", "faithfulness<0.5", "-q")
    assert code == 1
    assert "gate refused: the judge judge-1 is not calibrated" in sentence(errors)
    assert said(capsys, "show", tmp_path / "out", "--fail-if", "errors>0", "-q").code == 0


def test_a_gate_on_a_score_needs_a_calibration_or_trust(tmp_path, capsys, server):
    code, _, errors = said(capsys, *line(tmp_path, server, "--fail-if", "faithfulness<0.5", "-q"))
    assert code == 1
    assert "gate refused: the judge judge-1 is not calibrated" in sentence(errors)
    _, _, errors = said(capsys, *line(tmp_path, server, "--fail-if", "faithfulness<0.5"))
    assert errors.startswith("Note: the gate faithfulness<0.5 will be refused: the judge judge-1 is not calibrated")
    _, _, errors = said(capsys, *line(tmp_path, server, "--fail-if", "errors>0"))
    assert "Note: " not in errors
    gates = ("--fail-if", "faithfulness<0.5", "--trust-judge")
    code, output, _ = said(capsys, *line(tmp_path, server, *gates))
    assert code == 0
    assert "Gates use these scores anyway: --trust-judge." in output
    code, _, errors = said(capsys, *line(tmp_path, server, "--fail-if", "faithfulness<2", "--trust-judge", "-q"))
    assert code == 1
    assert "faithfulness is 1, required at least 2" in sentence(errors)


def test_nobody_there_is_exit_code_3_and_leaves_nothing(tmp_path, capsys):
    with ChatServer(good(1)) as server:
        pass
    code, _, errors = said(capsys, *line(tmp_path, server))
    assert code == 3
    assert "refuses connections" in sentence(errors)
    assert not list((tmp_path / "results").iterdir())


def test_a_wrong_key_leaves_nothing_that_blocks_the_second_try(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("K", "sk-0123456789abcdef")
    refused = [error(400, "no key", code="bad"), error(403, "no key")]  # the first is a failed verdict
    with ChatServer(lambda call, request: refused[min(call, 1)]) as server:
        code, _, errors = said(capsys, *line(tmp_path, server, "--api-key-env", "K", "--out", "out"))
    assert (code, server.calls) == (3, 2)
    assert sentence(errors).endswith("(HTTP 403: no key); check the key in Authorization (variable K)")
    assert not list(tmp_path.glob("out*"))
    with ChatServer(good(1)) as server:
        code, _, errors = said(capsys, *line(tmp_path, server, "--api-key-env", "K", "--out", "out"))
    assert code == 0, errors


@pytest.mark.slow  # stops a process
def test_an_interruption_keeps_what_had_come_and_the_next_run_goes_on(capsys, tmp_path):
    running = []

    def script(call, request):
        if call == 3:
            running[0].send_signal(signal.SIGINT)
            return Send(never=True)
        return good(1)(call, request)

    with ChatServer(script) as server:
        running.append(process(*line(tmp_path, server, "--concurrency", 1, "--repeat", 1, "--out", "out")))
        _, errors = running[0].communicate(timeout=60)
        assert running[0].returncode == 130
        assert "the 3 verdicts that had come are in out.partial" in errors
        folder = tmp_path / "out.partial"
        assert len(pl.read_parquet(folder / "verdicts.parquet")) == 3
        assert orjson.loads((folder / "record.json").read_bytes())["status"] == "interrupted"
        again = said(capsys, *line(tmp_path, server, "--concurrency", 1, "--repeat", 1, "--out", "again"))
        assert (again.code, server.calls) == (0, 4 + 3)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--rubric", "faithfullness"), "there is no rubric 'faithfullness'; did you mean faithfulness?"),
        (("--rubric", "relevance"), "--rubric relevance needs document, which stored answers do not have"),
        (("--repeat", "0"), "--repeat"),
        (("--cache", "c", "--no-cache"), "--cache and --no-cache are both given"),
        (("--cache", "answers.jsonl"), "is not a cache of verdicts, or is damaged"),
        (("--fail-if", "nonsense<1"), "nonsense is not measured"),
        (("--calibration", "nowhere"), "nowhere does not exist"),
        (("--ground-truth", "nowhere"), "nowhere does not exist"),
        (("--cluster", "chapter"), "no question of"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path, capsys, more, reason, server):
    code, _, errors = said(capsys, *line(tmp_path, server, *more))
    assert code == 2
    assert reason in sentence(errors)


def test_a_bad_line_of_answers_is_named_and_what_was_judged_before_is_kept(tmp_path, capsys, server):
    given = line(tmp_path, server, "--concurrency", 1, "--out", "out")
    with (tmp_path / "answers.jsonl").open("ab") as file:
        file.write(b"{}\n")
    code, _, errors = said(capsys, *given)
    assert code == 2
    assert "line 7: `question` is missing" in errors
    assert "the 6 verdicts that had come are in out.partial" in errors


def test_a_usual_place_of_the_cache_that_cannot_be_is_done_without_and_said(tmp_path, capsys, monkeypatch, server):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code, _, errors = said(capsys, *line(tmp_path, server))
    assert code == 0
    assert "Note: no verdict is stored, because" in errors


def test_a_secret_is_in_no_file_and_no_output(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "top-secret-value")
    with ChatServer(in_turn(malformed, good(1))) as server:
        given = line(tmp_path, server, "--api-key-env", "JUDGE_KEY", "--header", "X-Key: ${JUDGE_KEY}")
        code, output, errors = said(capsys, *given)
        assert server.headers[0]["authorization"] == "Bearer top-secret-value"
    assert code == 0
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"top-secret-value" in text for text in (output.encode(), errors.encode(), *files))


def test_what_a_judge_says_is_escaped_on_the_page(tmp_path, capsys):
    statement = {"statement": "<img src=x onerror=alert(2)>", "reason": "\u202e", "is_supported": False}
    evil = orjson.dumps({"rationale": "<script>alert(1)</script>", "statements": [statement]}).decode()
    with ChatServer(lambda call, request: evil) as server:
        assert said(capsys, *line(tmp_path, server, "--out", "out", "--html", "page.html")).code == 0
    for page in ("out/report.html", "page.html"):
        text = (tmp_path / page).read_text("utf-8")
        assert "<script>alert(1)" not in text
        assert "<img src=x" not in text
        assert "&lt;script&gt;alert(1)" in text
        assert "\u202e" not in text


def test_a_page_and_a_suite_of_gates_are_written_where_they_are_asked_for(tmp_path, capsys):
    with ChatServer(sends(Send(500, b"{}"))) as server:
        code, _, _ = said(capsys, *line(tmp_path, server, "--junit", "gates.xml", "--summary", "summary.md"))
    assert code in (3, 4)
    with ChatServer(good(1)) as server:
        given = ("--junit", "gates.xml", "--summary", "summary.md", "--fail-if", "errors>0")
        assert said(capsys, *line(tmp_path, server, *given)).code == 0
    assert "errors" in (tmp_path / "gates.xml").read_text("utf-8")
    assert "faithfulness" in (tmp_path / "summary.md").read_text("utf-8")
