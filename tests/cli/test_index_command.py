"""`benchbench index`: over a file, over Azure AI Search as documented, and over `benchbench serve` itself."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import command_line
import indexes
import orjson
import pytest
import services
from command_line import said, sentence

DOCS = Path(__file__).resolve().parents[2] / "docs"
KEY = ("--header", "api-key: ${SEARCH_KEY}")
AZURE = ("--protocol", "azure-ai-search", "--protocol-option", "index=legal", *KEY)


@pytest.fixture
def held(tmp_path: Path) -> Path:
    path = tmp_path / "collection.jsonl"
    path.write_bytes(indexes.lines())
    return path


@pytest.fixture(params=["file", "azure"])
def index(request: pytest.FixtureRequest, held: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, ...]]:
    """The options that name an index with the same four documents."""
    if request.param == "file":
        yield "--collection", held
        return
    monkeypatch.setenv("SEARCH_KEY", indexes.KEY)
    with services.running(indexes.azure()) as service:
        yield "--url", service.url, *AZURE


def truths(path: Path, *cited: str) -> Path:
    rows = [{"question": f"question {n}", "truth": f"It says so. {one}"} for n, one in enumerate(cited)]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def test_queries_that_all_find_something_pass(capsys, index, tmp_path: Path):
    queries = tmp_path / "queries.txt"
    queries.write_text("disclosure\noffer", encoding="utf-8")
    code, output, notes = said(capsys, "index", "test", "--queries", queries, *index, "--format", "json")
    assert (code, notes) == (0, "All 2 queries find something\n")
    assert [one["total"] for one in orjson.loads(output)["queries"]] == [2, 2]


def test_what_is_exported_converted_and_validated_is_all_there(capsys, index, tmp_path: Path):
    exported, truth = tmp_path / "export.json", tmp_path / "truth.jsonl"
    code, output, notes = said(capsys, "index", "export", "disclosure", "--out", exported, *index)
    assert (code, output, notes) == (0, "", f"2 of 2 hits written to {exported}\n")
    value = orjson.loads(exported.read_bytes())
    assert (value["query"], value["total"], len(value["documents"])) == ("disclosure", 2, 2)
    assert indexes.KEY.encode() not in exported.read_bytes()

    code, output, errors = said(capsys, "index", "export", "guide", "--out", exported, *index)
    assert (code, output) == (2, "")
    assert sentence(errors) == f"{exported} exists already; --force replaces it, another --out keeps it"
    assert orjson.loads(exported.read_bytes()) == value
    assert said(capsys, "index", "export", "disclosure", "--out", exported, "--force", *index).code == 0
    assert orjson.loads(exported.read_bytes()) == value

    code, output, notes = said(capsys, "index", "convert", exported, exported, "--out", truth)
    assert (code, output) == (0, "")
    assert notes.startswith(f"2 drafts written to {truth}: review each before you use it\nLeft out: 2 further chunks")
    rows = [orjson.loads(line) for line in truth.read_bytes().splitlines()]
    (guide,) = [row for row in rows if row["category"] == indexes.GUIDE]
    assert guide == {
        "question": "What does commercial-court-guide.pdf say about disclosure?",
        "truth": indexes.RECORDS[2]["content"] + " [commercial-court-guide.pdf#page=41]",
        "source_type": "Court Guide",
        "category": indexes.GUIDE,
    }

    code, output, notes = said(capsys, "index", "validate", truth, *index)
    assert (code, notes) == (0, "")
    assert output.splitlines()[1].endswith(": 2 of 2 cited documents are among the 4.")


def test_an_index_that_does_not_show_all_its_documents_validates_nothing(capsys, tmp_path: Path):
    truth = truths(tmp_path / "truth.jsonl", "[Part 36]")
    page = {"total": 5, "documents": [{"id": "a"}]}
    with services.running(services.raw(orjson.dumps(page))) as service:
        code, output, errors = said(capsys, "index", "validate", truth, "--url", service.url)
    assert (code, output) == (2, "")
    assert "/documents showed 1 of its 5 documents" in sentence(errors)


@pytest.mark.slow  # a process that serves
def test_our_own_service_is_an_index(capsys, held: Path, tmp_path: Path):
    truth = truths(tmp_path / "truth.jsonl", "[Part 36]", "[commercial-court-guide.pdf#page=41]")
    with command_line.process("serve", held, "--quiet") as service:
        url = service.stdout.readline().strip()
        listed = said(capsys, "index", "list", "--url", url)
        searched = said(capsys, "index", "search", "offer", "--url", url, "--format", "jsonl")
        validated = said(capsys, "index", "validate", truth, "--url", url)
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=60)
    assert listed.errors == "4 of 4 documents\n"
    assert {orjson.loads(line)["id"] for line in searched.output.splitlines()} == {"part36-1", "part36-2"}
    assert validated.code == 0
    assert validated.output.splitlines()[1].endswith(": 2 of 2 cited documents are among the 4.")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["list"], "name the index: either --url URL or --collection FILE"),
        (["list", "--url", "http://127.0.0.1:1", "--collection", "x"], "name the index: either --url"),
        (["list", "--collection", "no.jsonl"], "no.jsonl does not exist"),
        (["list", "--collection", "{held}", "--field", "id=x"], "--field and --protocol-option are for --url"),
        (["list", "--url", "http://h", "--field", "x"], "--field x is not NAME=VALUE"),
        (["list", "--url", "h"], "--url h is not a URL"),
        (["list", "--url", "http://h", "--protocol", "azure-ai-search"], "--protocol azure-ai-search needs the name"),
        (["search", " ", "--collection", "{held}"], "the query is empty; `benchbench index list` shows all documents"),
        (["export", "zoning", "--out", "x.json", "--collection", "{held}"], "'zoning' finds nothing in "),
        (["test", "--queries", "no.txt", "--collection", "{held}"], "no.txt does not exist"),
        (["test", "--queries", "{empty}", "--collection", "{held}"], "--queries {empty} has no query in it"),
        (["convert", "no.json", "--out", "x.jsonl"], "no.json does not exist"),
        (["convert", "no.json", "--out", "{held}"], "{held} exists already, and may have been reviewed"),
        (["validate", "no.jsonl", "--collection", "{held}"], "no.jsonl does not exist"),
    ],
)
def test_what_cannot_be_ends_with_2_and_one_sentence(capsys, held: Path, arguments: list[str], reason: str):
    empty = held.with_name("queries.txt")
    empty.write_text("\n", encoding="utf-8")
    places = {"held": held, "empty": empty}
    code, output, errors = said(capsys, "index", *(one.format(**places) for one in arguments))
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason.format(**places))


def test_a_wrong_key_ends_with_2_and_no_service_with_3(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEARCH_KEY", "wr0ng-key")
    with services.running(indexes.azure()) as service:
        code, output, errors = said(capsys, "index", "list", "--url", service.url, *AZURE)
    assert (code, output) == (2, "")
    assert "requires a valid key (HTTP 403)" in sentence(errors)
    assert "wr0ng-key" not in errors
    with services.refusing() as url:
        code, output, errors = said(capsys, "index", "list", "--url", url)
    assert (code, output) == (3, "")
    assert "refuses connections" in sentence(errors)


def test_drafts_of_documents_without_text_are_refused(capsys, tmp_path: Path):
    export = tmp_path / "export.json"
    export.write_bytes(orjson.dumps({"query": "x", "documents": [{"id": "a"}]}))
    code, _, errors = said(capsys, "index", "convert", export, "--out", tmp_path / "truth.jsonl")
    assert code == 2
    assert sentence(errors).startswith("no document of the exports has a text")
    assert not (tmp_path / "truth.jsonl").exists()


def test_the_page_shows_what_the_commands_print(capsys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("COLUMNS", "120")
    page = re.sub("^    ", "", (DOCS / "search-indexes.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    monkeypatch.chdir(DOCS.parent)
    index = ("--collection", "docs/examples/rules.jsonl", "--wide")
    cited = ("[Part 36#page=Offers to Settle]", "[CPR Part 36]", "[commercial-court-guide.pdf#page=14]")
    export, drafts = tmp_path / "export.json", tmp_path / "drafts.jsonl"
    printed = [
        said(capsys, "index", "list", *index).output,
        said(capsys, "index", "validate", truths(tmp_path / "truth.jsonl", *cited), *index).output,
    ]
    printed[-1] = printed[-1].partition("Signature")[0]  # it depends on the version
    said(capsys, "index", "export", "disclosure", "--out", export, *index[:2])
    said(capsys, "index", "convert", export, "--out", drafts)
    printed.append(drafts.read_text(encoding="utf-8").splitlines()[0])
    assert [text in page for text in printed] == [True] * 3


def test_a_ground_truth_that_cites_no_document_validates_nothing(capsys, index, tmp_path: Path):
    truth = truths(tmp_path / "truth.jsonl", "Costs follow the event.", "See [1].")
    code, output, errors = said(capsys, "index", "validate", truth, *index)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(f"{truth}: no truth of its 2 questions cites a document, as [Name] or ")


def test_a_validation_has_gates_junit_a_summary_and_a_folder(capsys, index, tmp_path: Path):
    truth = truths(tmp_path / "truth.jsonl", "[Part 36]", "[Zoning Law]", "")
    junit, summary, out = tmp_path / "gates.xml", tmp_path / "step.md", tmp_path / "out"
    written = ("--junit", junit, "--summary", summary, "--out", out)
    gates = ("--fail-if", "missing_rate>60%", "--fail-if", "citing_none>0")
    code, _, errors = said(capsys, "index", "validate", truth, *index, *written, *gates)
    failed = "gate failed: citing_none is 1, required at most 0"
    assert code == 1
    assert errors.startswith(f"Results in {out}\nError: 1 of 2 cited documents are not in ")
    assert errors.endswith(f"; {failed}\n")
    cases = ElementTree.parse(junit).getroot()[0]
    names = [case.attrib["name"] for case in cases.iter("testcase")]
    assert names == ["missing>0", "missing_rate>60%", "citing_none>0"]
    assert "**2 of 3 gates failed.**" in summary.read_text(encoding="utf-8")
    record = orjson.loads((out / "record.json").read_bytes())
    assert (record["kind"], [gate["verdict"] for gate in record["gates"]]) == ("index", ["failed", "passed", "failed"])


@pytest.mark.parametrize("command", ["test", "validate"])
def test_the_record_has_the_options_and_where_the_index_is_without_a_secret(
    capsys, index, tmp_path: Path, command: str
):
    truth, out = truths(tmp_path / "truth.jsonl", "[Part 36]"), tmp_path / "out"
    line = (command, truth) if command == "validate" else (command, "--top-k", 3)
    gate = {"test": "without_hits>99", "validate": "citing_none>99"}[command]
    said(capsys, "index", *line, *index, "--timeout", 9, "--fail-if", gate, "--out", out, "--format", "json")
    settings = orjson.loads((out / "record.json").read_bytes())["settings"]
    found = {name: one["value"] for name, one in settings.items()}
    option, place, *_ = index
    shown = {"--url": found["url"], "--collection": found["collection"]}
    assert [name for name, value in shown.items() if value is not None] == [option]
    assert shown[option].startswith(str(place))
    assert (found["fail_if"], found["timeout"], settings["timeout"]["source"]) == ([gate], 9.0, "command line")
    assert not {"header", "token_env", "protocol_option", "format", "out"} & found.keys()
    assert indexes.KEY not in (out / "record.json").read_text() + (out / "config.json").read_text()


def test_junit_of_a_test_needs_no_gate_on_the_line(capsys, index, tmp_path: Path):
    queries, junit = tmp_path / "queries.txt", tmp_path / "gates.xml"
    queries.write_text("disclosure", encoding="utf-8")
    code, *_ = said(capsys, "index", "test", "--queries", queries, *index, "--junit", junit)
    assert (code, [case.attrib["name"] for case in ElementTree.parse(junit).getroot()[0]]) == (0, ["without_hits>0"])


@pytest.mark.parametrize("command", ["test", "validate"])
def test_a_gate_on_no_number_of_an_index_names_what_there_is(capsys, held: Path, tmp_path: Path, command: str):
    truth = (truths(tmp_path / "truth.jsonl", "[Part 36]"),) if command == "validate" else ()
    code, output, errors = said(capsys, "index", command, *truth, "--collection", held, "--fail-if", "nDCG@10<1")
    assert (code, output) == (2, "")
    assert ("missing_rate" if command == "validate" else "without_hits") in sentence(errors)
