"""`benchbench history list` and `history show`."""

import csv
import io
import json
from pathlib import Path

import any_result
import histories
import pytest
from cases import first_of
from command_line import said, sentence
from histories import Kept

from benchbench.comparison.comparable import rules
from benchbench.history.comparability import comparable_groups
from benchbench.history.listing import listing
from benchbench.history.settings import Wanted
from benchbench.history.store import open_history
from benchbench.report import draw


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store of three runs of one name."""
    monkeypatch.chdir(tmp_path)
    histories.store("h.db", histories.three())
    return "h.db"


def listed(capsys: pytest.CaptureFixture[str], *more: str) -> list[int]:
    """Return the numbers of the runs that are listed."""
    found = said(capsys, "history", "list", "--store", "h.db", "--format", "json", *more)
    assert (found.code, found.errors) == (0, "")
    return [one["number"] for one in json.loads(found.output)["rows"]]


def test_a_row_per_run_says_what_it_is_and_how_good(capsys, store):
    code, output, errors = said(capsys, "history", "list", "--store", store)
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "h.db: 3 runs"
    first = histories.three()[0].record
    measures = ", ".join(f"gold.{one.name} {one.value:.4f}" for one in first.numbers)
    assert " ".join(lines[4].split()) == (
        f"#1 2026-09-21 14:13 bm25 run cases {measures} 11111111 model=v0 {rules(first.signature)}"
    )


def test_csv_has_whole_numbers_and_a_column_per_measure(capsys, store):
    rows = list(
        csv.DictReader(io.StringIO(said(capsys, "history", "list", "--store", store, "--format", "csv").output))
    )
    value = histories.three()[2].record.numbers[0].value
    assert (rows[2]["number"], float(rows[2]["gold.nDCG@10"])) == ("3", value)
    assert rows[2]["tags"] == f"commit={'3' * 40} branch=main model=v2"


@pytest.mark.parametrize("form", first_of("text", "json", "jsonl", "csv", "markdown", "latex", first=2))
def test_every_format_has_every_run(capsys, store, form: str):
    code, output, errors = said(capsys, "history", "list", "--store", store, "--format", form)
    assert (code, errors) == (0, "")
    assert all(commit * 8 in output for commit in "123")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [1, 2, 3]),
        (("--tag", "model=v1"), [2]),
        (("--commit", "3333"), [3]),
        (("--since", "2026-09-21T15:00"), [2, 3]),
        (("--until", "2026-09-21T15:30"), [1, 2]),
        (("--name", "bm25", "--limit", "2"), [2, 3]),
        (("--name", "dense"), []),
        (("--kind", "load"), []),
        (("--dataset", "cases"), [1, 2, 3]),
        (("--signature", rules(histories.RULES)), [1, 2, 3]),
        (("--signature", "00000000"), []),
    ],
)
def test_options_choose_runs(capsys, store, options, expected):
    assert listed(capsys, *options) == expected


def test_an_empty_choice_is_said(capsys, store):
    assert said(capsys, "history", "list", "--store", store, "--name", "none").output == "h.db: 0 runs\n"


def test_other_rules_under_one_name_are_marked(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = {"gold.nDCG@10": histories.drawn(1)}
    other = histories.RULES.replace("ties:input", "ties:trec")
    histories.store("h.db", [Kept(values, 0), Kept(values, 1, signature=other), Kept(values, 2, name="dense")])
    with open_history("h.db") as history:
        rows = listing(history).rows
        assert [one.other_rules for one in rows] == [False, True, False]
        assert rows[0].rules != rows[1].rules
        assert rows[0].rules == rows[2].rules
        assert comparable_groups(history.entries()) == [0, 1, 0]
    output = said(capsys, "history", "list", "--store", "h.db").output
    assert f"{rows[1].rules} *" in output
    assert "* measured by other rules, or on other data" in output


def test_what_came_out_is_not_in_the_digits_of_the_rules():
    assert rules(histories.RULES.format(run="a")) == rules(histories.RULES.format(run="b"))
    assert rules("") == ""


def test_a_clock_that_goes_back_is_said_and_the_order_of_time_is_an_option(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    histories.store("h.db", [Kept({"M": [0.5, 1.0]}, at) for at in (5, 1, 2)])
    output = said(capsys, "history", "list", "--store", "h.db").output
    assert "Note" in output
    assert "#2 started before the run that was recorded before" in output
    assert listed(capsys, "--order", "time") == [2, 3, 1]
    assert said(capsys, "history", "list", "--store", "h.db", "--format", "csv").errors.startswith("Note: #2 started")


def test_runs_of_several_kinds_have_the_first_measures_of_their_own(tmp_path):
    class Other(Kept):
        kind = "load"

    histories.store(tmp_path / "h.db", [Kept({"A": [1.0, 0.0]}, 0), Other({"B": [1.0, 1.0]}, 1)])
    with open_history(tmp_path / "h.db") as history:
        assert [dict(one.measures) for one in listing(history).rows] == [{"A": 0.5}, {"B": 1.0}]
        assert listing(history, Wanted(kind="none")).rows == ()


def test_names_that_a_terminal_would_obey_are_shown_and_not_obeyed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    histories.store("h.db", [Kept({"M": [0.5, 1.0]}, name="a\x1b[31m\nb", tags={"x": "\x07|<b>"})])
    for form in ("text", "markdown", "latex", "csv"):
        output = said(capsys, "history", "list", "--store", "h.db", "--format", form).output
        assert not {"\x1b", "\x07"} & set(output)


def test_a_store_that_is_not_there_is_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, output, errors = said(capsys, "history", "list")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith("there is no history at results/history.db yet; ")
    assert not list(tmp_path.iterdir())


# show


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv", "markdown", "latex"])
def test_a_stored_run_is_shown_as_it_was(capsys, tmp_path, monkeypatch, form: str):
    monkeypatch.chdir(tmp_path)
    result = any_result.scores()
    histories.store("h.db", [result])
    output = said(capsys, "history", "show", "latest", "--store", "h.db", "--format", form).output
    assert output.splitlines() == draw.draw(result, form, any_result.UNBROKEN).splitlines()


def test_a_page_of_a_stored_run_and_its_gates(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    histories.store("h.db", [any_result.scores()])
    gate = ("--fail-if", "AP<0.99", "--junit", "gates.xml", "--html", "page.html", "--summary", "step.md")
    code, _, errors = said(capsys, "history", "show", "1", "--store", "h.db", *gate)
    assert (code, sentence(errors)) == (1, "gate failed: AP is 0.75, required at least 0.99")
    assert Path("page.html").read_text("utf-8").startswith("<!doctype html>")
    assert 'failures="1"' in Path("gates.xml").read_text("utf-8")


def test_a_run_that_there_is_none_of_is_one_sentence(capsys, store):
    code, output, errors = said(capsys, "history", "show", "77", "--store", store)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith("no run '77' in the history h.db")


def test_first_measures_are_found_wherever_they_stand_in_a_record(tmp_path):
    early = Kept({"x.Q": [1.0, 0.5], "x.nDCG@10": [0.5, 0.5], "x.R@10": [0.0, 0.5]}, 0)
    late = Kept({"x.nDCG@10": [1.0, 1.0], "x.Q": [1.0, 0.0]}, 1)
    none = Kept({"x.other": [1.0, 0.0]}, 2)
    last = Kept({"x.R@10": [0.5, 0.5], "x.nDCG@10": [0.25, 0.25], "x.Q": [1.0, 1.0], "x.AP": [1.0, 1.0]}, 3)
    histories.store(tmp_path / "h.db", [early, late, none, last])
    with open_history(tmp_path / "h.db") as history:
        found = [dict(one.measures) for one in listing(history).rows]
    assert found[0]["x.nDCG@10"] == 0.5
    assert found[1] == {"x.nDCG@10": 1.0}
    assert found[2] == {}
    assert found[3] == {"x.nDCG@10": 0.25, "x.R@10": 0.5, "x.AP": 1.0}


def test_a_table_has_the_last_runs_of_many_and_programs_have_all(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("benchbench.history.listing.SHOWN", 2)
    histories.store("h.db", [Kept({"M": [0.5, 1.0]}, at) for at in range(4)])
    output = said(capsys, "history", "list", "--store", "h.db").output
    assert "tables have the last 2 of 4 runs; --limit 4 shows all" in output
    assert ("#3 " in output, "#2 " in output) == (True, False)
    assert "#2 " in said(capsys, "history", "list", "--store", "h.db", "--limit", "3").output
    assert listed(capsys) == [1, 2, 3, 4]
