"""A kind of result costs a record and a layout, and a format costs a renderer: what each then has."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import pytest
from any_result import EXAMPLES, UNBROKEN, Counted, Recorded, counted_layout, records
from hypothesis import given
from hypothesis import strategies as st
from results.round_trip import round_trip

from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.show import command as show
from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import GateError, InputError
from benchbench.report.blocks import Table
from benchbench.report.draw import LAYOUTS, RENDERERS, draw, layout, printed, rendered
from benchbench.report.layout import Layout
from benchbench.report.standard import layout as any_record
from benchbench.results.record import GateResult, Note, Number, Record, counts_of, failures_of, record, settings_of
from benchbench.results.result import Result


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Add a kind of result: its class has a `to_record`, and its layout is here; return a command that measures it."""
    monkeypatch.setitem(LAYOUTS, "counted", counted_layout)

    @described_command("count")
    def command(
        words: Annotated[tuple[str, ...], Argument()] = (), *, report: Annotated[Reporting, reporting("letters<3")]
    ) -> None:
        gates = report.gates(["letters", "seconds"])
        counted = Counted(words)
        report.describe(counted, gates)
        report.finish(counted)

    return lambda *arguments: command.main([str(one) for one in arguments], standalone_mode=False)


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("text", "Word  Letters\n────  ───────\nword        4\n文書        2\n"),
        ("markdown", "| Word | Letters |\n| --- | --- |\n| word | 4 |\n| 文書 | 2 |\n"),
        ("latex", "word & 4 \\\\\n文書 & 2 \\\\\n"),
        ("csv", "word,letters\nword,4\n文書,2\n"),
        ("jsonl", '{"word":"word","letters":4}\n{"word":"文書","letters":2}\n'),
        ("json", '{\n  "words": {\n    "word": 4,\n    "文書": 2\n  },\n  "record": {\n    "kind": "counted",\n'),
        ("html", "<h1>2 words</h1>"),
    ],
)
def test_a_kind_with_a_record_and_a_layout_has_every_format(capsys, counted, form: str, shown: str):
    assert shown in draw(Counted(["word", "文書"]), form, UNBROKEN)
    if form in printed():
        counted("word", "文書", "--format", form)
        assert shown in capsys.readouterr().out


def test_a_kind_with_a_record_and_a_layout_has_gates_and_files_for_ci_a_page_and_a_folder(
    capsys, counted, tmp_path: Path
):
    files = {name: tmp_path / name for name in ("junit", "summary", "html", "out")}
    options = [part for name, path in files.items() for part in (f"--{name}", path)]
    with pytest.raises(GateError, match=r"^gate failed: letters is 6, required at least 7$"):
        counted("word", "文書", "--fail-if", "letters<7", "--fail-if", "seconds>2s", "--name", "mine", *options)
    output, errors = capsys.readouterr()
    assert output.endswith("Gate        ▼ letters 6 (limit 7)\nGate        ● seconds 1 s (limit 2 s)\n")
    assert errors == f"Results in {files['out']}\n"
    (suite,) = ElementTree.parse(files["junit"]).getroot()
    assert (suite.attrib["name"], suite.attrib["tests"], suite.attrib["failures"]) == ("benchbench count", "2", "1")
    assert suite.find("system-out").text == "Letters of any script count."
    assert files["summary"].read_text(encoding="utf-8").startswith("## 2 words\n\n**1 of 2 gates failed.**\n")
    assert "<td>4</td>" in files["html"].read_text(encoding="utf-8")
    stored = json.loads((files["out"] / "record.json").read_bytes())
    assert (stored["kind"], stored["name"]) == ("counted", "mine")
    assert [one["verdict"] for one in stored["gates"]] == ["failed", "passed"]
    assert json.loads((files["out"] / "summary.json").read_bytes()) == {"words": {"word": 4, "文書": 2}}


def test_a_kind_with_a_record_and_a_layout_is_saved_loaded_and_shown(capsys, counted, tmp_path: Path):
    round_trip(Counted(["word", "文書"]), tmp_path / "out")
    show.main([str(tmp_path / "out"), "--query", "文書"], standalone_mode=False)
    assert "Letters       2.000" in capsys.readouterr().out
    with pytest.raises(GateError, match="letters is 6, required at most 5"):
        show.main([str(tmp_path / "out"), "--fail-if", "letters>5"], standalone_mode=False)


def test_a_gate_of_a_new_kind_that_names_no_number_of_it_lists_those_that_exist(counted):
    with pytest.raises(InputError, match=r"--fail-if nDCG@10<1: .* letters, seconds$"):
        counted("word", "--fail-if", "nDCG@10<1")


@pytest.mark.parametrize("made", [*EXAMPLES.values(), lambda: Counted(["a", "b"])], ids=[*EXAMPLES, "counted"])
def test_a_format_with_a_renderer_is_there_for_every_kind(monkeypatch, made: Callable[[], Result]):
    monkeypatch.setitem(LAYOUTS, "counted", counted_layout)
    monkeypatch.setitem(RENDERERS, "tsv", tab_separated)
    result = made()
    (table, *_) = [block for block in layout(result).blocks if isinstance(block, Table)]
    assert draw(result, "tsv").startswith("\t".join(table.head) + "\n")
    assert "tsv" in printed()


def test_a_format_with_a_renderer_is_one_that_commands_print(monkeypatch, capsys):
    monkeypatch.setitem(LAYOUTS, "counted", counted_layout)
    monkeypatch.setitem(RENDERERS, "tsv", tab_separated)

    @described_command("count")
    def command(report: Annotated[Reporting, reporting("letters<3")]) -> None:
        report.finish(Counted(["word"]))

    command.main(["--format", "tsv"], standalone_mode=False)
    assert capsys.readouterr().out == "Word\tLetters\nword\t4\n"


def tab_separated(result: Result, layout: Layout) -> str:
    """Draw tables with tabs between their columns."""
    tables = [block for block in layout.of("text") if isinstance(block, Table)]
    return "".join("\t".join(map(str, row)) + "\n" for one in tables for row in (one.head, *one.rows))


@pytest.mark.parametrize("form", ["pdf", "TEXT", ""])
def test_a_format_that_there_is_not_is_refused_with_those_that_there_are(form: str):
    with pytest.raises(InputError, match=f"^there is no format '{form}'; formats are text, json, .*, html, "):
        draw(Counted(["word"]), form, UNBROKEN)


@pytest.mark.parametrize("form", RENDERERS)
@pytest.mark.parametrize("kind", ["of_tomorrow", "queries", "score.x", "..", "", "a\nb\x1b[31m", "a" * 1_000, "\x00"])
def test_a_kind_that_nobody_knows_is_drawn_from_its_record(kind: str, form: str):
    shown = draw(Recorded(record(kind, 1.0, name="it", numbers=[Number(name="speed", value=2.5)])), form, UNBROKEN)
    assert "\x1b" not in shown
    assert form in ("notebook", "junit", "summary") or "2.5" in shown


def test_a_record_has_a_table_per_shape_of_scope_and_whatever_else_is_in_it():
    told = record(
        "sweep",
        1.0,
        name="night",
        numbers=[
            Number(name="best", value=0.75, low=0.5, high=1.0, n=1_200, title="Best nDCG@10"),
            *(
                Number(name=name, value=value, unit=unit, scope={"system": system}, band="poor")
                for system in ("a", "b")
                for name, value, unit in (("nDCG@10", 0.25, ""), ("p99", 1_204.5, "ms"))
            ),
            Number(name="p99", value=None, unit="ms", failed="it never answered", scope={"system": "c"}),
        ],
        counts=counts_of({"skipped_lines": 3}),
        failures=failures_of({"HTTP 503": 4}, {"system": "c"}),
        notes=[Note(text="One night.", scope={"system": "a"}), Note(text="One night.", scope={"system": "b"})],
    )
    assert draw(Recorded(told), "text", UNBROKEN) == (
        "● sweep night: complete.\n\n"
        "Measure                        Value  Unit      n\n"
        "────────────  ──────────────────────  ────  ─────\n"
        "Best nDCG@10  0.750 (0.500 to 1.000)        1,200\n\n"
        "System  nDCG@10                p99, ms\n"
        "──────  ───────  ─────────────────────\n"
        "a         0.250                1,204.5\n"
        "b         0.250                1,204.5\n"
        "c                – (it never answered)\n\n"
        "Failed      c: HTTP 503 (4 times)\n"
        "Counted     skipped lines 3\n"
        "Note        a and b: One night.\n"
    )
    rows = [json.loads(line) for line in draw(Recorded(told), "jsonl").splitlines()]
    assert [(row.get("system"), row["name"], row["value"]) for row in rows] == [
        (None, "best", 0.75),
        ("a", "nDCG@10", 0.25), ("a", "p99", 1_204.5), ("b", "nDCG@10", 0.25), ("b", "p99", 1_204.5),
        ("c", "p99", None),
    ]  # fmt: skip


def test_the_five_most_frequent_reasons_of_each_scope_are_told():
    reasons = {f"reason {n}": 9 - n for n in range(6)}
    failures = [failure for step in ("a", "b") for failure in failures_of(reasons, {"step": step})]
    shown = draw(Recorded(record("sweep", 1.0, failures=failures)), "text", UNBROKEN)
    told = [line.partition("  ")[2].strip() for line in shown.splitlines() if line.startswith("Failed")]
    assert told == [f"{step}: reason {n} ({9 - n} times)" for step in ("a", "b") for n in range(5)]


@given(records, st.sampled_from(sorted(RENDERERS)))
def test_any_record_is_drawn_in_any_format(told: Record, form: str):
    assert isinstance(any_record(Recorded(told)), Layout)
    assert rendered(Recorded(told), any_record(Recorded(told)), form) is not None


@pytest.mark.parametrize("made", EXAMPLES.values(), ids=EXAMPLES)
def test_a_result_is_drawn_as_it_was_when_it_is_read_back(tmp_path: Path, made: Callable[[], Result]):
    round_trip(made(), tmp_path / "out")


def test_a_result_without_a_page_of_its_own_begins_with_its_verdict_and_ends_with_how_to_make_it_again():
    gates = [GateResult(condition="best<0.9", verdict="failed", said="gate failed: best is 0.75")]
    numbers = [Number(name="best", value=0.75, title="Best nDCG@10")]
    told = record("sweep", 1.0, name="night", numbers=numbers, gates=gates, settings=settings_of({"top_k": 20}))
    page = draw(Recorded(told), "html")
    places = [page.index(text) for text in ('"facts"', "<h1>● sweep night: complete.", "✕ The gate failed", "0.750",
                                            ">Reproduce</h2>", "<dt>top k</dt><dd>20</dd>")]  # fmt: skip
    assert places == sorted(places)
    assert "<script" not in page
