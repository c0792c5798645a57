"""`benchbench show`: a folder again, in any format; one query, the worst, its run with metadata."""

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import compared
import data_sets
import polars as pl
import pytest
import services
from any_result import EXAMPLES, UNBROKEN, Recorded, scores
from cases import some_of
from command_line import said, sentence

from benchbench.formats.collection import read_collection
from benchbench.report.draw import draw, printed
from benchbench.results.ir_metadata import header
from benchbench.results.record import Data, Number, Subject, record
from benchbench.results.result import Result
from benchbench.stored import load

WORST = ("--worst", "1")  # what needs no layout of the kind
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3 mine\nq1 Q0 d2 2 2 mine\nq2 Q0 d9 1 1 mine\nq2 Q0 d3 2 0.5 mine\n"


class Asked(Recorded):
    """A result that has values per query, and hits."""

    def tables(self) -> dict[str, Any]:
        values = {
            "query_id": ["q1", "q2", "q\x1b[31m"],
            "gold.nDCG@10": [1.0, 0.5, None],
            "failure": [None, None, "no"],
        }
        hits = {
            "query_id": ["q1", "q1", "q2"],
            "place": [1, 2, 1],
            "rank": [1, 2, 1],
            "id": ["d1", "d\x1b2", "文書"],
            "score": [3.0, 2.0, 1.0],
            "positive_id": [None, None, None],
            **{name: [False] * 3 for name in ("self", "copy", "duplicate", "gold")},
        }
        return {"per_query": lambda: pl.DataFrame(values), "hits": lambda: pl.DataFrame(hits)}


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Return the folder of a result with hits, and a run beside them."""
    made = record(
        "run",
        1.0,
        name="a 'name': # \x1b[31m\u202e \U0001f600",
        subject=[Subject(name="bm25", source="http://127.0.0.1/search")],
        data=Data(name="cases", queries=2),
        signature="tasks:gold|version:1",
        numbers=[Number(name="nDCG@10", value=0.75, scope={"task": "gold"})],
    )
    out = Asked(made).save(tmp_path / "asked")
    (out / "run.trec").write_text(RUN)
    return out


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    return scores().save(tmp_path / "scored")


@pytest.mark.parametrize("form", some_of(printed(), 3))
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_folder_is_printed_as_its_command_printed_it(capsys, tmp_path: Path, name: str, form: str):
    result: Result = EXAMPLES[name]()
    out = result.save(tmp_path / "out")
    code, output, _ = said(capsys, "show", out, "--format", form, "--wide")
    assert (code, output) == (0, draw(result, form, UNBROKEN))


def test_the_worst_queries_come_first_and_one_without_a_value_before_all(capsys, asked: Path):
    code, output, errors = said(capsys, "show", asked, "--worst", 2, "--format", "csv")
    assert (code, errors) == (0, "")
    assert [row["query_id"] for row in csv.DictReader(io.StringIO(output))] == ["q\\x1b[31m", "q2"]
    _, output, _ = said(capsys, "show", asked, "--worst", 20)
    assert "3 of 3 queries, by lowest gold.nDCG@10" in output
    assert [line.split()[0] for line in output.splitlines()[4:7]] == ["q", "q2", "q1"]


@pytest.mark.parametrize("form", [*printed(), "html"])
def test_one_query_is_shown_with_its_values_and_its_hits(capsys, asked: Path, tmp_path: Path, form: str):
    page = tmp_path / "page.html"
    code, output, errors = said(
        capsys, "show", asked, "--query", "q1", *(["--html", page] if form == "html" else ["--format", form])
    )
    assert (code, errors) == (0, "")
    shown = page.read_text("utf-8") if form == "html" else output
    assert "d1" in shown
    assert "文書" not in shown
    if form == "json":
        value = json.loads(output)
        assert value["query"] == [{"query_id": "q1", "gold.nDCG@10": 1.0, "failure": None}]
        assert [hit["id"] for hit in value["hits"]] == ["d1", "d\x1b2"]
    if form in ("text", "html", "markdown"):
        assert "Hit 2" in shown
        assert "the collection is not available" in shown


def test_one_query_of_several_runs_has_a_column_per_run_and_no_hits(capsys, tmp_path: Path):
    out = EXAMPLES["score of several"]().save(tmp_path / "out")
    _, output, _ = said(capsys, "show", out, "--query", "q2")
    lines = [line.split() for line in output.splitlines()]
    assert ["nDCG@10", "0.631", "0.631"] in lines
    assert output.endswith("This result keeps no hits.\n")


def test_a_gate_on_a_folder_has_its_own_exit_code_and_files(capsys, scored: Path, tmp_path: Path):
    junit, summary = tmp_path / "gates.xml", tmp_path / "step.md"
    code, output, errors = said(
        capsys, "show", scored, "--fail-if", "AP<0.9", "--junit", junit, "--summary", summary, "--format", "json"
    )
    assert (code, sentence(errors)) == (1, "gate failed: AP is 0.75, required at least 0.9")
    assert [one["verdict"] for one in json.loads(output)["record"]["gates"]] == ["failed"]
    assert ElementTree.parse(junit).getroot().attrib["failures"] == "1"
    assert "**The gate failed.**" in summary.read_text("utf-8")
    assert said(capsys, "show", scored, "--fail-if", "AP<0.7").code == 0


def test_gates_that_failed_when_it_was_measured_are_shown_and_fail_nothing(capsys, tmp_path: Path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    out = tmp_path / "out"
    files = tmp_path / "qrels", tmp_path / "run"
    assert said(capsys, "score", *files, "--fail-if", "AP<0.9", "--out", out).code == 1
    code, output, errors = said(capsys, "show", out)
    assert (code, errors) == (0, "")
    assert "\nGate        ▼ AP 0.75 (limit 0.9)\n" in output


def test_a_gate_on_a_stored_comparison_may_name_any_test_and_no_option_adds_a_measure(capsys, tmp_path: Path):
    paths, out = compared.write_files(tmp_path), tmp_path / "out"
    assert said(capsys, "compare", *paths, "-m", "nDCG@10", "--out", out).code == 0
    code, _, errors = said(capsys, "show", out, "--fail-if", "Δ nDCG@10 < -0.01 and p_wilcoxon nDCG@10 < 0.05")
    assert code == 1
    assert "p_wilcoxon nDCG@10 is " in errors
    code, _, errors = said(capsys, "show", out, "--fail-if", "nDCG@3 < 0.1")
    assert code == 2
    assert "nDCG@3 is not measured; did you mean nDCG@10?" in errors


def test_a_run_is_written_with_its_metadata_above_it(capsys, asked: Path, tmp_path: Path):
    path = tmp_path / "export.trec"
    assert said(capsys, "show", asked, "--worst", 1, "--run-file", path).code == 0
    assert path.read_text("utf-8") == header(load(asked).record) + RUN


def test_the_header_changes_no_score_here_and_in_pytrec_eval(capsys, asked: Path, tmp_path: Path):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    qrels, path = tmp_path / "qrels", tmp_path / "export.trec"
    qrels.write_text(QRELS)
    said(capsys, "show", asked, "--run-file", path, "--worst", 1)
    shown = [
        re.sub(r"\|run:\w+", "", said(capsys, "score", qrels, run, "--format", "csv").output.replace(run.stem, "run"))
        for run in (asked / "run.trec", path)
    ]
    assert shown[0] == shown[1]
    with (asked / "run.trec").open() as plain, path.open(encoding="utf-8") as exported:
        without = (line for line in exported if not line.startswith("#"))
        assert pytrec_eval.parse_run(plain) == pytrec_eval.parse_run(without)


def test_an_export_replaces_nothing_unless_it_is_told_to(capsys, asked: Path, tmp_path: Path):
    path = tmp_path / "export.trec"
    path.write_text("mine")
    code, output, errors = said(capsys, "show", asked, "--worst", 1, "--run-file", path)
    assert (code, output, path.read_text()) == (2, "", "mine")
    assert sentence(errors).startswith(f"{path} exists already; --force replaces it")
    assert said(capsys, "show", asked, "--worst", 1, "--run-file", path, "--force").code == 0
    assert path.read_text("utf-8").endswith(RUN)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("{scored}", "--query", "q9"), "--query q9 is no query of this result; --worst 20 shows some"),
        (("{scored}", "--query", "q1", "--worst", "3"), "--query shows one query, and --worst several; give either"),
        (("{scored}", "--worst", "0"), "--worst"),
        (("{scored}", "--run-file", "{folder}/x"), "{scored} has no run.trec to write with its metadata"),
        (("{scored}", "--fail-if", "nDCG@3<1"), "--fail-if nDCG@3<1: nDCG@3 is not measured; "),
        (("{scored}", "--fail-if", "nonsense"), "--fail-if 'nonsense' is not name, comparison and bound"),
        (("{scored}", "--junit", "{folder}/x"), "--junit writes one test case per gate; name a gate with --fail-if"),
        (("{folder}", "--worst", "3"), "{folder} is no results folder: it has no record.json and no summary.json"),
        (("{folder}/nothing",), "{folder}/nothing does not exist"),
        (("{profile}", "--worst", "3"), "results of kind profile have no values per query"),
        (("{asked}", "--run-file", "{folder}/x", "--html", "{folder}/x"), "--html {folder}/x is also given as a file"),
        (
            ("{asked}", "--run-file", "{asked}/record.json", *WORST),
            "{asked}/record.json exists already; --force replaces it, another --run-file keeps it",
        ),
        (
            ("{asked}", "--run-file", "{asked}", "--force", *WORST),
            "{asked} is a folder, and no file can replace it; name another place with --run-file",
        ),
        (
            ("{asked}", "--run-file", "{asked}/run.trec", "--force", *WORST),
            "--run-file {asked}/run.trec is the run itself",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    capsys, tmp_path: Path, scored: Path, asked: Path, arguments: tuple[str, ...], reason: str
):
    profile = EXAMPLES["profile metrics"]().save(tmp_path / "profile")
    places = {"scored": scored, "asked": asked, "profile": profile, "folder": tmp_path}
    before = sorted(tmp_path.rglob("*"))
    code, output, errors = said(capsys, "show", *(one.format(**places) for one in arguments))
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason.format(**places))
    assert sorted(tmp_path.rglob("*")) == before
    assert (asked / "run.trec").read_text() == RUN


def test_a_file_that_cannot_be_written_leaves_the_folder_as_it_is(capsys, asked: Path, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    code, _, errors = said(capsys, "show", asked, "--worst", 1, "--run-file", tmp_path / "file" / "x")
    assert code == 2
    assert sentence(errors)
    assert (asked / "run.trec").read_text() == RUN


def test_a_copy_of_a_folder_has_its_run_its_judgments_and_its_pages(capsys, tmp_path: Path):
    data = data_sets.write(tmp_path / "data")
    with services.running(services.searching(data_sets.collection(data))) as service:
        command = ("run", "--dataset", data, "--url", service.url, "--name", "a/b", "--out", tmp_path / "out", "-q")
        assert said(capsys, *command).code == 0
    copy = load(tmp_path / "out").save(tmp_path / "copy")
    kept = [path for path in (tmp_path / "out").iterdir() if path.suffix in (".trec", ".txt", ".html")]
    files = {path.name: path.read_bytes() for path in kept}
    assert len(files) >= 4
    assert {name: (copy / name).read_bytes() for name in files} == files


def test_a_relevant_document_beyond_the_hits_is_shown_with_its_rank_or_as_not_found(capsys, asked: Path):
    (asked / "qrels.trec").write_text("q1 0 d1 2\nq1 0 d7 1\n")
    _, output, _ = said(capsys, "show", asked, "--query", "q1")
    assert "Hit 1       ○, grade 2: d1 (3)\n" in output
    assert "Missing     grade 1, not among the hits: d7\n" in output


PLACE = {"file_path": "a.txt", "span": [30, 61], "answer": "The landlord \x1b[31mrepairs it"}
QUESTION = "Who \x1b[31mrepairs it?"


def passages_of(capsys: pytest.CaptureFixture[str], folder: Path, questions: list[str], retrieved: str) -> Path:
    """Return the folder of scores of passages, of which one was retrieved for each question."""
    gold, predictions, out = (folder / name for name in ("gold.json", "predictions.json", "out"))
    gold.write_text(json.dumps({"tests": [{"query": one, "snippets": [PLACE]} for one in questions]}))
    predictions.write_text(json.dumps([{"query": one, "retrieved_passages": [retrieved]} for one in questions]))
    assert said(capsys, "passages", predictions, gold, "--out", out).code == 0
    return out


def test_passages_open_what_was_retrieved_and_the_gold_that_was_not(capsys, tmp_path: Path):
    out = passages_of(capsys, tmp_path, [QUESTION], "Nothing \x1b[31mof it")
    for asked_for in (("--query", QUESTION), ("--worst", 1)):
        code, output, errors = said(capsys, "show", out, *asked_for)
        assert (code, errors) == (0, "")
        assert "Passage 1   ○ Nothing \\x1b[31mof it" in output
        assert "The landlord \\x1b[31mrepairs it" in output.partition("\nMissing")[2]
        assert "\x1b" not in output


@pytest.fixture
def passages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    return passages_of(capsys, tmp_path, ["Who repairs it?", "Who pays for the roof?", "When?"], "Nothing")


@pytest.mark.parametrize(
    ("given", "shown"),
    [("Who r", "Who repairs it?"), ("Who  pays", "Who pays for the roof?"), ("When?", "When?"), ("3", "When?")],
)
def test_a_query_is_named_by_the_beginning_of_its_text_or_its_number(capsys, passages: Path, given: str, shown: str):
    code, output, _ = said(capsys, "show", passages, "--query", given)
    assert code == 0
    assert f"Query       {shown}\n" in output


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("Who", "--query Who fits 2 of 3, such as 'Who repairs it?', 'Who pays for the roof?'; write more of it"),
        ("4", "--query 4 is no query of this result; --worst 20 shows some"),
    ],
)
def test_a_query_that_is_none_or_one_of_several_is_one_sentence(capsys, passages: Path, given: str, reason: str):
    code, _, errors = said(capsys, "show", passages, "--query", given)
    assert (code, sentence(errors)) == (2, reason)


def test_a_data_set_that_was_moved_away_is_named_as_missing_and_the_rest_is_shown(capsys, tmp_path: Path):
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "qrels").mkdir(parents=True)
    texts = {"corpus": {"d1": "roof \x1b[31mrepairs", "d2": "ships"}, "queries": {"q1": "who \x1b[31mrepairs the roof"}}
    for name, rows in texts.items():
        lines = (json.dumps({"_id": row, "text": text}) + "\n" for row, text in rows.items())
        (data / f"{name}.jsonl").write_text("".join(lines))
    (data / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with services.running(services.searching(read_collection(data / "corpus.jsonl"))) as service:
        assert said(capsys, "run", "--dataset", data, "--url", service.url, "--out", out).code == 0
    _, output, _ = said(capsys, "show", out, "--query", "q1")
    assert "Query       who \\x1b[31mrepairs the roof\n" in output
    assert "roof \\x1b[31mrepairs\n" in output.partition("\nHit 1")[2]
    assert "\x1b" not in output
    shutil.rmtree(data)
    code, output, _ = said(capsys, "show", out, "--query", "q1")
    assert code == 0
    assert "No query texts: the data set of the run is not where it was." in output
    assert "grade 1: d1" in output.partition("\nHit 1")[2]


def test_values_per_query_without_a_column_that_names_queries_are_one_sentence(capsys, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Asked, "tables", lambda _: {"per_query": lambda: pl.DataFrame({"nDCG@10": [1.0]})})
    out = Asked(record("run", 1.0, name="mine")).save(tmp_path / "out")
    code, _, errors = said(capsys, "show", out, "--worst", 1)
    assert (code, sentence(errors)) == (2, "the values per query of this result have no column query_id or query")
