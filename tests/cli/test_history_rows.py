"""`benchbench history list`, `show`, `summary` and `diff`: runs of a store, and of folders, as rows."""

import csv
import io
import json
import shlex
from pathlib import Path

import any_result
import histories
import numpy as np
import pytest
from cases import first_of
from click.testing import CliRunner
from command_line import Said, said, sentence
from histories import Kept
from results.round_trip import round_trip

from benchbench.cli.history_options import Store
from benchbench.cli.signatures import described_command
from benchbench.comparison.comparable import rules
from benchbench.errors import InputError
from benchbench.history.comparability import comparable_groups
from benchbench.history.diff.diff_run import DiffSettings, StoredRun, diff
from benchbench.history.folders import as_entries
from benchbench.history.listing import listing
from benchbench.history.store import open_history
from benchbench.history.summary import summary
from benchbench.history.wanted import Wanted
from benchbench.report import draw
from benchbench.results.figures import signed
from benchbench.results.record import Number


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store of three runs of one name, the third the worst, whose folders lie in `results`."""
    monkeypatch.chdir(tmp_path)
    runs = histories.three()
    histories.store("h.db", runs)
    for place, run in enumerate(runs):
        run.save(f"results/r{place}")
    return "h.db"


def differ(capsys: pytest.CaptureFixture[str], *more: object) -> Said:
    """Say how the third run of the store differs from the first."""
    return said(capsys, "history", "diff", "1", "3", "--store", "h.db", *more)


@pytest.mark.parametrize("command", [("list",), ("summary",), ("diff", "1", "3")])
@pytest.mark.parametrize("form", first_of("text", "json", "jsonl", "csv", "markdown", "latex", first=2))
def test_every_format_has_every_run_or_the_difference(capsys, store, command: tuple[str, ...], form: str):
    code, output, errors = said(capsys, "history", *command, "--store", store, "--format", form)
    assert (code, errors) == (0, "")
    if command == ("list",):
        assert all(commit * 8 in output for commit in "123")
    elif command == ("summary",) and form == "csv":
        rows = list(csv.DictReader(io.StringIO(output)))
        assert [float(row["gold.R@10"]) for row in rows] == [one.record.numbers[1].value for one in histories.three()]
    elif command == ("summary",):
        assert output.count("**") == (4 if form == "markdown" else 0)  # the best of two measures
        assert output.count("* 0.") == (2 if form == "text" else 0)
    else:
        difference = json.loads(differ(capsys, "--format", "json").output)["changes"][0]["difference"]
        shown = str(difference) if form in ("json", "jsonl", "csv") else signed(difference)
        assert (shown.replace("−", "$-$") if form == "latex" else shown) in output


OF_STORE = "chooses runs of the store, and FOLDERs are without one; give either"
NO_COLUMN = "--by none is no column of the queries that is stored; there are "


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("list --store none.db", "there is no history at none.db yet; "),
        ("show 77", "no run '77' in the history h.db"),
        ("summary results --store h.db", f"--store {OF_STORE}"),
        ("summary results --name x", f"--name {OF_STORE}"),
        ("summary gone", "gone does not exist"),
        ("summary results/r0/record.json", "results/r0/record.json is not a folder"),
        ("summary empty", "empty has no results folder in it: "),
        ("summary --by none", f"#1: {NO_COLUMN}"),
        ("summary results --by none", f"results/r0: {NO_COLUMN}"),
        ("summary -m AP", "AP is not stored; stored are gold.nDCG@10"),
        ("diff 1 1", "#1 is given twice; name another run"),
        ("diff 1 99", "no run '99' in the history h.db; "),
        ("diff 1 nothing", "no run 'nothing' in the history h.db; "),
        ("diff 1 empty", "empty is no results folder: "),
        ("diff results/r0 results/r0", "results/r0 is given twice; name another run"),
        ("diff 1 3 -m AP", "AP is not stored; "),
        ("diff 1 3 --slice court", "--slice court is no column of the queries that is stored; "),
        ("diff 1 3 --fail-if 'Δ AP < 0'", "--fail-if Δ AP < 0: Δ AP is not measured; "),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys, store, monkeypatch, line: str, reason: str):
    monkeypatch.setenv("BENCHBENCH_HISTORY", store)
    Path("empty").mkdir()
    code, output, errors = said(capsys, "history", *shlex.split(line))
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason)
    assert not Path("none.db").exists()


def listed(capsys: pytest.CaptureFixture[str], *more: str) -> list[int]:
    """Return the numbers of the runs that are listed."""
    found = said(capsys, "history", "list", "--store", "h.db", "--format", "json", *more)
    assert (found.code, found.errors) == (0, "")
    return [one["number"] for one in json.loads(found.output)["rows"]]


def test_csv_has_whole_numbers_and_a_column_per_measure(capsys, store):
    rows = list(
        csv.DictReader(io.StringIO(said(capsys, "history", "list", "--store", store, "--format", "csv").output))
    )
    value = histories.three()[2].record.numbers[0].value
    assert (rows[2]["number"], float(rows[2]["gold.nDCG@10"])) == ("3", value)
    assert rows[2]["tags"] == f"commit={'3' * 40} branch=main model=v2"


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


def parsed(*line: str, **environment: str) -> dict:
    found: dict = {}

    @described_command("choose")
    def command(wanted: Wanted, store: Store = None) -> None:
        found.update(wanted=wanted, store=store)

    done = CliRunner().invoke(command, line, env=environment, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return found


def test_each_condition_has_an_option():
    line = "--store a.db --name bm25 --kind run --dataset cases --tag a=b --tag c=d=e --commit abcd --since 2026-01-01"
    line += " --until 2026-02-01 --signature 01234567 --limit 3"
    wanted = Wanted(
        name="bm25", kind="run", data="cases", tags={"a": "b", "c": "d=e"}, commit="abcd", since="2026-01-01",
        until="2026-02-01", signature="01234567", limit=3,
    )  # fmt: skip
    assert parsed(*shlex.split(line)) == {"store": "a.db", "wanted": wanted}


def test_without_options_all_runs_are_wanted_and_the_store_is_that_of_the_environment():
    assert parsed() == {"store": None, "wanted": Wanted()}
    assert parsed(BENCHBENCH_HISTORY="b.db")["store"] == "b.db"


@pytest.mark.parametrize("given", ["model", "=small", " =x"])
def test_a_tag_that_is_none_is_refused(given: str):
    with pytest.raises(InputError, match="is not NAME=VALUE"):
        Wanted(tags=(given,))


def test_a_tag_may_have_an_empty_value():
    assert Wanted(tags=("model=", "model=b", "x=")) == Wanted(tags={"model": "b", "x": ""})


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


def test_measures_are_named_as_gates_name_them(capsys, store):
    assert [*summed(capsys, "--store", store, "-m", "R@10")[0]["values"]] == ["gold.R@10"]
    assert [*summed(capsys, "--store", store, "-m", "all")[0]["values"]] == ["gold.nDCG@10", "gold.R@10"]


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


def test_the_verdict_comes_first_then_both_values_and_the_queries_that_moved(capsys, store):
    code, output, errors = differ(capsys)
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    assert lines[:4] == [
        "▼ #3 is worse than #1 in 1 of 2 measures: gold.nDCG@10 fell from 0.548 to 0.352.",
        "○ No measurable difference in gold.R@10, over 40 queries.",
        "  Changed: model v0 → v2, commit 11111111 → 33333333.",
        "  If it was meant: benchbench history accept 3 --reason …",
    ]
    assert [" ".join(line.split()) for line in lines[5:7]] == [
        f"#1 bm25, run, 2026-09-21 14:13, commit {'1' * 10} of main, model v0",
        f"#3 bm25, run, 2026-09-21 16:13, commit {'3' * 10} of main, model v2",
    ]
    assert "Queries that moved most, by gold.nDCG@10" in output
    assert (
        "do not differ measurably in any of 2 measures"
        in said(capsys, "history", "diff", "1", "2", "--store", store).output
    )


def test_folders_are_compared_as_stored_runs_and_one_with_the_other(capsys, store):
    def changes(*arguments: str) -> object:
        return json.loads(said(capsys, "history", "diff", *arguments, "--format", "json").output)["changes"]

    of_store = changes("1", "3", "--store", store)
    assert changes("results/r0", "results/r2") == of_store
    assert changes("#1", "results/r2", "--store", store) == of_store
    assert changes("results/r0", "latest", "--store", store) == of_store


def test_changed_shows_every_query_whose_value_is_another(capsys, store):
    changed = ("--changed", "R@10", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(differ(capsys, *changed).output)))
    queries = [row for row in rows if row["query"]]
    first, _, third = histories.three()
    moved = [
        one for one, other in zip(first.values["gold.R@10"], third.values["gold.R@10"], strict=True) if one != other
    ]
    assert len(queries) == len(moved)
    assert {row["measure"] for row in queries} == {"gold.R@10"}
    losses = [float(row["difference"]) for row in queries]
    assert losses == sorted(losses)
    assert "greatest loss first" in differ(capsys, "--changed", "R@10").output


def test_a_measure_that_no_query_changed_in_is_said(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    histories.store("h.db", [Kept({"M": [0.5, 1.0]}, at) for at in (0, 1)])
    output = said(capsys, "history", "diff", "1", "2", "--store", "h.db", "--changed", "M").output
    assert "No query has another M." in output


def test_slices_stand_below_with_their_own_tests(capsys, store):
    output = differ(capsys, "--slice", "category").output
    assert "category=contract" in output
    assert "category=crime" in output


def test_gates_and_files_work_as_everywhere(capsys, store):
    gate = ("--fail-if", "Δ nDCG@10 < -0.01 and p nDCG@10 < 0.05")
    files = ("--junit", "x.xml", "--html", "x.html", "--summary", "s.md")
    code, _, errors = differ(capsys, *gate, *files)
    assert code == 1
    assert "gate failed: #3 against #1: Δ gold.nDCG@10 is -" in errors
    assert "#3 is worse than #1 in 1 of 2 measures: gold.nDCG@10 fell from 0.548 to 0.352." in Path("x.html").read_text(
        "utf-8"
    )
    assert 'failures="1"' in Path("x.xml").read_text("utf-8")
    assert "#3" in Path("s.md").read_text("utf-8")
    assert said(capsys, "history", "diff", "1", "2", "--store", store, *gate).code == 0


def test_a_difference_is_drawn_alike_once_it_lay_in_a_folder(tmp_path):
    first, _, third = histories.three()
    with open_history(tmp_path / "h.db", create=True) as history:
        sides = [StoredRun(history, history.add(one)[0], f"#{place}") for place, one in enumerate((first, third), 1)]
        found = diff(*sides, DiffSettings(changed="R@10", slices=("category",)))
    round_trip(found, tmp_path / "out")


def test_values_that_are_gone_leave_the_means_and_a_note(capsys, store):
    for path in Path("h.db.tables").glob("*.parquet"):
        path.unlink()
    code, output, _ = differ(capsys)
    assert code == 0
    assert output.startswith("○ The difference of #3 from #1 was not tested: values per query are not stored for both.")
    assert "are gone: " in output
    assert "only the numbers of the runs are compared" in output
