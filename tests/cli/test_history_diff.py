"""`benchbench history diff`."""

import csv
import io
import json
from pathlib import Path

import histories
import pytest
from cases import first_of
from command_line import said, sentence
from histories import Kept
from results.round_trip import round_trip

from benchbench.history.diff.run import DiffSettings, Stored, diff
from benchbench.history.store import open_history
from benchbench.results.figures import signed


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store of three runs, the third the worst; the first and the third lie in folders too."""
    monkeypatch.chdir(tmp_path)
    runs = histories.three()
    histories.store("h.db", runs)
    runs[0].save("first")
    runs[2].save("third")
    return "h.db"


def test_the_verdict_comes_first_then_both_values_and_the_queries_that_moved(capsys, store):
    code, output, errors = said(capsys, "history", "diff", "1", "3", "--store", store)
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    assert lines[0] == "▼ #3 is worse than #1 in 1 of 2 measures, over 40 queries."
    assert [" ".join(line.split()) for line in lines[2:4]] == [
        f"#1 bm25, run, 2026-09-21 14:13, commit {'1' * 10} of main, model v0",
        f"#3 bm25, run, 2026-09-21 16:13, commit {'3' * 10} of main, model v2",
    ]
    assert "Queries that moved most, by gold.nDCG@10" in output
    assert "No difference is shown" in said(capsys, "history", "diff", "1", "2", "--store", store).output


def test_folders_are_compared_as_stored_runs_and_one_with_the_other(capsys, store):
    def changes(*arguments: str) -> object:
        return json.loads(said(capsys, "history", "diff", *arguments, "--format", "json").output)["changes"]

    of_store = changes("1", "3", "--store", store)
    assert changes("first", "third") == of_store
    assert changes("#1", "third", "--store", store) == of_store
    assert changes("first", "latest", "--store", store) == of_store


@pytest.mark.parametrize("form", first_of("text", "json", "jsonl", "csv", "markdown", "latex", first=2))
def test_every_format_has_the_difference(capsys, store, form: str):
    code, output, errors = said(capsys, "history", "diff", "1", "3", "--store", store, "--format", form)
    assert (code, errors) == (0, "")
    whole = json.loads(said(capsys, "history", "diff", "1", "3", "--store", store, "--format", "json").output)
    difference = whole["changes"][0]["difference"]
    shown = str(difference) if form in ("json", "jsonl", "csv") else signed(difference)
    assert (shown.replace("−", "$-$") if form == "latex" else shown) in output


def test_changed_shows_every_query_whose_value_is_another(capsys, store):
    changed = ("--changed", "R@10", "--format", "csv")
    rows = list(
        csv.DictReader(io.StringIO(said(capsys, "history", "diff", "1", "3", "--store", store, *changed).output))
    )
    queries = [row for row in rows if row["query"]]
    first, _, third = histories.three()
    moved = [
        one for one, other in zip(first.values["gold.R@10"], third.values["gold.R@10"], strict=True) if one != other
    ]
    assert len(queries) == len(moved)
    assert {row["measure"] for row in queries} == {"gold.R@10"}
    losses = [float(row["difference"]) for row in queries]
    assert losses == sorted(losses)
    assert (
        "greatest loss first" in said(capsys, "history", "diff", "1", "3", "--store", store, "--changed", "R@10").output
    )


def test_a_measure_that_no_query_changed_in_is_said(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    histories.store("h.db", [Kept({"M": [0.5, 1.0]}, at) for at in (0, 1)])
    output = said(capsys, "history", "diff", "1", "2", "--store", "h.db", "--changed", "M").output
    assert "No query has another M." in output


def test_slices_stand_below_with_their_own_tests(capsys, store):
    output = said(capsys, "history", "diff", "1", "3", "--store", store, "--slice", "category").output
    assert "category=contract" in output
    assert "category=crime" in output


def test_gates_and_files_work_as_everywhere(capsys, store):
    gate = ("--fail-if", "Δ nDCG@10 < -0.01 and p nDCG@10 < 0.05")
    files = ("--junit", "x.xml", "--html", "x.html", "--summary", "s.md")
    code, _, errors = said(capsys, "history", "diff", "1", "3", "--store", store, *gate, *files)
    assert code == 1
    assert "gate failed: #3 against #1: Δ gold.nDCG@10 is -" in errors
    assert "#3 is worse than #1 in 1 of 2 measures" in Path("x.html").read_text("utf-8")
    assert 'failures="1"' in Path("x.xml").read_text("utf-8")
    assert "#3" in Path("s.md").read_text("utf-8")
    assert said(capsys, "history", "diff", "1", "2", "--store", store, *gate).code == 0


def test_a_difference_is_drawn_alike_once_it_lay_in_a_folder(tmp_path):
    first, _, third = histories.three()
    with open_history(tmp_path / "h.db", create=True) as history:
        sides = [Stored(history, history.add(one)[0], f"#{place}") for place, one in enumerate((first, third), 1)]
        found = diff(*sides, DiffSettings(changed="R@10", slices=("category",)))
    round_trip(found, tmp_path / "out")


def test_values_that_are_gone_leave_the_means_and_a_note(capsys, store):
    for path in Path("h.db.tables").glob("*.parquet"):
        path.unlink()
    code, output, _ = said(capsys, "history", "diff", "1", "3", "--store", store)
    assert code == 0
    assert output.startswith("○ Whether #3 differs from #1 is not tested: only numbers are stored.")
    assert "are gone: " in output
    assert "only the numbers of the runs are compared" in output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("1", "1"), "#1 is given twice; name another run"),
        (("1", "bm25"), None),
        (("1", "99"), "no run '99' in the history h.db; "),
        (("1", "nothing"), "no run 'nothing' in the history h.db; "),
        (("1", "empty"), "empty is no results folder: "),
        (("first", "first"), "first is given twice; name another run"),
        (("1", "3", "-m", "AP"), "AP is not stored; "),
        (("1", "3", "--slice", "court"), "--slice court is no column of the queries that is stored; "),
        (("1", "3", "--fail-if", "Δ AP < 0"), "--fail-if Δ AP < 0: Δ AP is not measured; "),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(capsys, store, arguments, reason):
    Path("empty").mkdir()
    code, output, errors = said(capsys, "history", "diff", *arguments, "--store", store)
    if reason is None:
        assert (code, errors) == (0, "")
        return
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason)
