"""A kind of result costs a record and a layout, and a format costs a renderer: what each then has."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import pytest
from any_result import EXAMPLES, UNBROKEN, Counted, Recorded, counted_layout
from results.round_trip import round_trip

from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.show import command as show
from benchbench.cli.signatures import Argument, described_command
from benchbench.errors import GateError, InputError
from benchbench.report.blocks import Table
from benchbench.report.draw import LAYOUTS, RENDERERS, draw, layout, printed
from benchbench.report.layout import Layout
from benchbench.results.record import record
from benchbench.results.result import Result


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Add a kind of result: its class has a `to_record`, and its layout is here; return a command that measures it."""
    monkeypatch.setitem(LAYOUTS, "counted", counted_layout)

    @described_command("count")
    def command(
        words: Annotated[tuple[str, ...], Argument()] = (),
        *,
        report: Annotated[Reporting, reporting("letters<3")],
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
    assert output.endswith(
        "Gate        ▼ failed: letters is 6, required at least 7\nGate        ● seconds>2s passed with 1 s\n"
    )
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
    assert "Letters       2.0000" in capsys.readouterr().out
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


@pytest.mark.parametrize("kind", ["of_tomorrow", "queries", "score.x", "..", "", "a\nb\x1b[31m", "a" * 10_000, "\x00"])
def test_a_kind_that_nobody_knows_is_one_sentence(kind: str):
    with pytest.raises(InputError) as error:
        draw(Recorded(record(kind, 1.0)), "text")
    assert str(error.value).startswith("no report is known for results of kind '")
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("made", EXAMPLES.values(), ids=EXAMPLES)
def test_a_result_is_drawn_as_it_was_when_it_is_read_back(tmp_path: Path, made: Callable[[], Result]):
    round_trip(made(), tmp_path / "out")
