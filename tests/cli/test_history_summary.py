"""`benchbench history summary`, of a store and of folders."""

import csv
import io
import json
from pathlib import Path

import histories
import numpy as np
import pytest
from cases import first_of
from command_line import said, sentence
from histories import Kept

from benchbench.history.folders import as_entries
from benchbench.history.store import open_history
from benchbench.history.summary import summary
from benchbench.results.record import Number


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store of three runs of one name, whose folders lie in `results`."""
    monkeypatch.chdir(tmp_path)
    runs = histories.three()
    histories.store("h.db", runs)
    for place, one in enumerate(runs):
        one.save(f"results/r{place}")
    return "h.db"


def summed(capsys: pytest.CaptureFixture[str], *more: object) -> list[dict]:
    """Return the rows of a summary."""
    found = said(capsys, "history", "summary", *more, "--format", "jsonl", "--quiet")
    assert (found.code, found.errors) == (0, "")
    return [json.loads(line) for line in found.output.splitlines()]


def test_a_row_per_run_has_its_values_what_changed_and_which_is_best(capsys, store):
    rows = summed(capsys, "--store", store)
    runs = histories.three()
    for row, run in zip(rows, runs, strict=True):
        assert row["values"]["gold.nDCG@10"]["value"] == run.record.numbers[0].value
    of = [row["values"]["gold.R@10"] for row in rows]
    assert [one["change"] for one in of] == [None, of[1]["value"] - of[0]["value"], of[2]["value"] - of[1]["value"]]
    for measure in ("gold.nDCG@10", "gold.R@10"):
        values = [row["values"][measure]["value"] for row in rows]
        assert [row["values"][measure]["best"] for row in rows] == [one == max(values) for one in values]


def test_a_folder_of_results_is_summed_up_as_the_store_of_them(capsys, store):
    of_store, of_folders = summed(capsys, "--store", store), summed(capsys, "results")
    assert [row["label"] for row in of_folders] == ["results/r0", "results/r1", "results/r2"]
    assert [row["values"] for row in of_folders] == [row["values"] for row in of_store]
    by = ("--by", "category")
    of_store, of_folders = summed(capsys, "--store", store, *by), summed(capsys, "results", *by)
    assert [row["values"] for row in of_folders] == [row["values"] for row in of_store]


def test_a_breakdown_has_the_means_of_each_slice(capsys, store):
    rows = summed(capsys, "--store", store, "--by", "category")
    assert [(row["slice"], row["label"]) for row in rows] == [
        (value, f"#{number}") for value in ("contract", "crime") for number in (1, 2, 3)
    ]
    for row in rows:
        run = histories.three()[int(row["label"][1:]) - 1]
        places = [place for place, one in enumerate(run.columns["category"]) if one == row["slice"]]
        values = [run.values["gold.nDCG@10"][place] for place in places]
        assert row["values"]["gold.nDCG@10"]["value"] == pytest.approx(np.mean(values), abs=1e-12)
        assert row["queries"] == len(places)
    first = [row["values"]["gold.nDCG@10"]["value"] for row in rows[:3]]
    assert [row["values"]["gold.nDCG@10"]["best"] for row in rows[:3]] == [one == max(first) for one in first]
    assert rows[1]["values"]["gold.nDCG@10"]["change"] == first[1] - first[0]


def test_numbers_of_slices_that_are_stored_are_taken_as_they_are(tmp_path):
    slices = [
        Number(name="M", value=value, n=n, better="higher", scope={"slice": f"kind={name}"})
        for name, value, n in (("a", 0.25, 3), ("b", 1.0, 5))
    ]
    histories.store(tmp_path / "h.db", [Kept({"M": [0.0, 1.0]}, others=slices)])
    with open_history(tmp_path / "h.db") as history:
        found = summary(history.entries(), history.rows(history.entries()), history.values, by="kind")
    assert [(row.slice, row.queries, row.values["M"].value) for row in found.rows] == [("a", 3, 0.25), ("b", 5, 1.0)]


def test_runs_of_other_rules_stand_in_another_group_and_none_is_best_of_both(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = histories.RULES.replace("ties:input", "ties:trec")
    runs = [Kept({"M": [0.0, value]}, at, signature=rules) for at, (value, rules) in
            enumerate([(1.0, histories.RULES), (0.5, other), (0.75, histories.RULES), (0.25, other)])]  # fmt: skip
    histories.store("h.db", runs)
    rows = summed(capsys, "--store", "h.db")
    assert [row["group"] for row in rows] == [0, 1, 0, 1]
    assert [row["values"]["M"]["best"] for row in rows] == [True, True, False, False]
    assert [row["values"]["M"]["change"] for row in rows] == [None, None, -0.125, -0.125]
    output = said(capsys, "history", "summary", "--store", "h.db").output
    assert "Only runs of one group may be compared" in output
    assert output.count(" A ") == output.count(" B ") == 2


def test_the_least_is_best_where_less_is_better_and_none_where_all_are_alike(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = [Kept({"p50": [value, value], "M": [1.0, 1.0]}, at, lower=("p50",)) for at, value in enumerate((3.0, 2.0))]
    histories.store("h.db", runs)
    rows = summed(capsys, "--store", "h.db")
    assert [row["values"]["p50"]["best"] for row in rows] == [False, True]
    assert [row["values"]["M"]["best"] for row in rows] == [False, False]


@pytest.mark.parametrize("form", first_of("text", "json", "jsonl", "csv", "markdown", "latex", first=2))
def test_every_format_has_every_run(capsys, store, form: str):
    code, output, errors = said(capsys, "history", "summary", "--store", store, "--format", form)
    assert (code, errors) == (0, "")
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(output)))
        assert [float(row["gold.R@10"]) for row in rows] == [one.record.numbers[1].value for one in histories.three()]
    if form == "markdown":
        assert output.count("**") == 4  # the best of two measures
    if form == "text":
        assert output.count("* 0.") == 2


def test_measures_are_named_as_gates_name_them(capsys, store):
    assert [*summed(capsys, "--store", store, "-m", "R@10")[0]["values"]] == ["gold.R@10"]
    assert [*summed(capsys, "--store", store, "-m", "all")[0]["values"]] == ["gold.nDCG@10", "gold.R@10"]
    code, _, errors = said(capsys, "history", "summary", "--store", store, "-m", "AP")
    assert code == 2
    assert sentence(errors).startswith("AP is not stored; stored are gold.nDCG@10")


def test_runs_without_the_measures_are_left_out_and_said(capsys, store):
    histories.store("h.db", [Kept({"other": [1.0, 0.5]}, 9, name="odd")])
    output = said(capsys, "history", "summary", "--store", store, "-m", "R@10").output
    assert "left out, for they have none of these measures: #4; -m names others" in output
    assert "odd" not in output


@pytest.mark.damages_records
def test_a_damaged_folder_among_others_is_said(capsys, store):
    Path("results/r1/record.json").write_text("{")
    output = said(capsys, "history", "summary", "results").output
    assert "left out: results/r1/record.json" in output
    assert "results/r2" in output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("results", "--store", "h.db"), "--store chooses runs of the store, and FOLDERs are without one; give either"),
        (("results", "--name", "x"), "--name chooses runs of the store, and FOLDERs are without one; give either"),
        (("gone",), "gone does not exist"),
        (("results/r0/record.json",), "results/r0/record.json is not a folder"),
        (("empty",), "empty has no results folder in it: "),
        (("--store", "h.db", "--by", "none"), "#1: --by none is no column of the queries that is stored; there are "),
        (("results", "--by", "none"), "results/r0: --by none is no column of the queries that is stored; there are "),
    ],
)
def test_what_cannot_be_summed_up_is_one_sentence(capsys, store, arguments, reason):
    Path("empty").mkdir()
    code, output, errors = said(capsys, "history", "summary", *arguments)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason)


def test_values_that_are_gone_leave_a_note_and_the_other_runs(capsys, store):
    min(Path("h.db.tables").glob("*.parquet")).unlink()
    found = said(capsys, "history", "summary", "--store", store, "--by", "category")
    assert found.code == 0
    assert "are gone: " in found.output
    assert "#3" in found.output


def test_an_empty_store_has_no_rows(capsys, store):
    assert said(capsys, "history", "summary", "--store", store, "--name", "none").output == "0 runs\n"


def test_results_without_numbers_have_entries_all_the_same(tmp_path):
    entries, numbers = as_entries([(tmp_path, Kept({}))])
    assert ([one.number for one in entries], numbers) == ([1], [])
    assert summary(entries, numbers, histories.drawn).rows == ()
