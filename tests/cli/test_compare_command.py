import json
import os
import shutil
import subprocess
from pathlib import Path

import compared
import data_sets
import orjson
import pytest
from command_line import process, said, sentence
from golden_inputs import STORED

GATE = "Δ nDCG@10 < -0.01 and p < 0.05"
FILES = ("{qrels}", "{good}", "{poor}")
ASKED = ("-m", "nDCG@10", "--margin", "0.5", "--need", "0.1", "--resamples", "500")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    return compared.write_files(tmp_path)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return compared.write_results(tmp_path_factory.mktemp("results"))


def test_the_page_of_folders_has_the_texts_of_their_data_set(capsys, folders, tmp_path: Path):
    page = tmp_path / "page.html"
    assert said(capsys, "compare", *folders[1:], "--moved", "0", "--html", page).code == 0
    texts = [query["t"] for query in compared.queries_of(page.read_text(encoding="utf-8"))["opened"].values()]
    assert data_sets.lines()[0]["query"]["fact"] in texts


def test_the_same_seed_gives_the_same_bytes(capsys, files):
    one, other = (json.loads(said(capsys, "compare", *files, "--format", "json").output) for _ in range(2))
    records = [value.pop("record") for value in (one, other)]
    assert one == other
    assert records[0]["numbers"] == records[1]["numbers"] != []


@pytest.mark.parametrize("baseline", ["poor", "{run}", "{folder}/../{folder.name}/{run.name}"])
def test_a_baseline_is_a_name_or_a_path_of_the_run(capsys, files, baseline):
    named = baseline.format(run=files[2], folder=files[2].parent)
    _, output, _ = said(capsys, "compare", *files, "--baseline", named, "--format", "json")
    assert json.loads(output)["settings"]["baseline"] == "poor"


def test_runs_are_called_by_as_much_of_their_path_as_tells_them_apart(capsys, files, tmp_path: Path):
    (tmp_path / "new").mkdir()
    judged, good, _ = files
    other, same = tmp_path / "good.txt", tmp_path / "new" / "good.run"
    for path in (other, same):
        shutil.copyfile(good, path)

    def names(*arguments: object) -> list[str]:
        value = json.loads(said(capsys, "compare", judged, *arguments, "--format", "json").output)
        return [one["name"] for one in value["systems"]]

    assert names(good, files[2]) == ["good", "poor"]
    assert names(good, other) == ["good.run", "good.txt"]
    assert names(good, same) == [str(good), str(same)]
    assert names(good, good, "--run-name", "a", "--run-name", "b") == ["a", "b"]
    assert names(good, good, "--run-name", "a,b") == ["a", "b"]


def test_a_name_given_once_is_what_the_result_is_called(capsys, files):
    code, output, errors = said(capsys, "compare", *files, "--name", "release 2", "--format", "json")
    value = json.loads(output)
    assert (code, errors, value["record"]["name"]) == (0, "", "release 2")
    assert [one["name"] for one in value["systems"]] == ["good", "poor"]


def test_a_name_given_per_run_is_answered_with_the_option_for_that(capsys, files):
    arguments = ("compare", *files, "--name", "a", "--name", "b", "--format", "json")
    code, output, errors = said(capsys, *arguments)
    value = json.loads(output)
    assert (code, errors) == (0, "--name, given several times, is called --run-name\n")
    assert [one["name"] for one in value["systems"]] == ["a", "b"]
    assert value["record"]["name"] == "a and b"
    assert value["record"]["settings"]["run_name"]["value"] == ["a", "b"]
    assert said(capsys, *arguments, "--quiet").errors == ""


def test_the_record_has_the_options_that_say_how_runs_are_read(capsys, files):
    output = said(capsys, "compare", *files, "--rel", 2, "--strict", "--run-name", "a,b", "--format", "json").output
    settings = json.loads(output)["record"]["settings"]
    found = {name: (settings[name]["value"], settings[name]["source"]) for name in ("rel", "strict", "run_name")}
    assert found == {
        "rel": (2.0, "command line"),
        "strict": (True, "command line"),
        "run_name": (["a", "b"], "command line"),
    }


def test_a_run_may_come_by_standard_input(capsys, files):
    judged, good, poor = files
    code, output, errors = said(capsys, "compare", judged, good, "-", given=poor.read_bytes())
    assert (code, errors) == (0, "")
    assert "standard input is worse than good" in output


# Gates and files for machines


def test_gates_on_folders_name_measures_as_run_does(capsys, folders):
    code, _, errors = said(capsys, "compare", *folders[1:], "--fail-if", "nDCG@10 < 0.99")
    assert code == 1
    assert "half against whole: gold.nDCG@10 is " in errors
    code, _, errors = said(capsys, "compare", *folders[1:], "--fail-if", "Δ accusation.P@3 < 0")
    assert code == 2
    assert (
        "accusation.P@3 is not compared; -m accusation.P@3 adds it; compared are gold.nDCG@10, gold.R@10, gold.RR@10"
        in errors
    )


@pytest.mark.slow  # a process
def test_files_may_be_streams(files):
    done = process("compare", *files, "--fail-if", GATE, "--junit", "/dev/stderr", "--quiet", stdout=subprocess.DEVNULL)
    _, errors = done.communicate()
    assert done.returncode == 1
    assert errors.startswith("<?xml")


# Bad usage: exit code 2 and one sentence


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("{qrels}",), "needs QRELS and two runs or more, two results folders or more, or two runs or more alone"),
        (
            ("{qrels}", "{good}"),
            "needs QRELS and two runs or more, two results folders or more, or two runs or more alone",
        ),
        (("nothing.trec", "{good}", "{poor}"), "nothing.trec does not exist"),
        (("{qrels}", "{good}", "nothing.run"), "nothing.run does not exist"),
        (("{good}", "{qrels}", "{poor}"), "good.run looks like a run and {qrels} like judgments: swap them"),
        (("{qrels}", "{good}", "{good}"), "give each a --run-name"),
        (
            (*FILES, "--name", "a", "--name", "a"),
            "two runs are called a; give each a --run-name",
        ),
        (
            (*FILES, "--run-name", "a"),
            "2 runs need 2 names, and --run-name has 1; give one name per run",
        ),
        (
            (*FILES, "--run-name", "a,b", "--name", "c", "--name", "d"),
            "--name is what the result is called; give it once",
        ),
        ((*FILES, "-m", "foo"), "there is no measure 'foo'"),
        ((*FILES, "--baseline", "x"), "--baseline x is not compared; there are good, poor"),
        ((*FILES, "--slice", "x"), "--slice x is no column of the queries; there are positives"),
        (
            (*FILES, "--queries", "{good}"),
            "line 1: not JSON (unexpected character, expected a JSON value at column 1); queries are JSON",
        ),
        ((*FILES, "--collection", "{good}"), "is not a collection: none of its lines"),
        ((*FILES, "--html", "{folder}"), "is a folder; name a file"),
        ((*FILES, "--html", "{good}"), "is also given as a file to read or write"),
        ((*FILES, "--html", "{folder}/no/x.html"), "there is no folder"),
        ((*FILES, "--summary", "{folder}/no/x.md"), "there is no folder"),
        (
            (*FILES, "--junit", "x.xml"),
            "--junit writes one test case per gate; name a gate with --fail-if",
        ),
        (
            (*FILES, "--fail-if", "foo<1"),
            "--fail-if foo<1: foo is not compared; compared are nDCG@10, ",
        ),
        ((*FILES, "--fail-if", "p<0.05"), "--fail-if p<0.05: name the measure"),
        ((*FILES, "--margin", "0"), "number above 0"),
        ((*FILES, "--need", "-1"), "number above 0"),
        ((*FILES, "--margin", "x"), "number above 0"),
        (
            (*FILES, "--correction", "maxt", "--test", "t"),
            "maxt is of the randomization test, and not of --test t",
        ),
        ((*FILES, "--correction", "tukey"), "holm, maxt, bonferroni, bh"),
        (
            (*FILES, "--fail-if", "p_not_inferior nDCG@10 > 0.05"),
            "p_not_inferior nDCG@10 is not measured",
        ),
        ((*FILES, "--alpha", "1"), "--alpha is a number from 1e-06 to 0.999"),
        ((*FILES, "--resamples", "7"), "--resamples is a whole number"),
        (("{folder}", "{good}", "{poor}"), "is a folder and {good} is not; give QRELS and RUNs, or RESULTS folders"),
        (("{folder}", "nothing"), "nothing is not there"),
        (("{folder}", "{folder}"), "is no results folder: it has no record.json and no summary.json"),
    ],
)
def test_bad_usage_is_one_sentence(capsys, files, tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    places = {"qrels": files[0], "good": files[1], "poor": files[2], "folder": tmp_path}
    code, output, errors = said(capsys, "compare", *(one.format(**places) for one in arguments))
    assert (code, output) == (2, "")
    assert reason.format(**places) in sentence(errors)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_that_cannot_be_written_to_is_known_before_anything_is_read(capsys, files, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    code, _, errors = said(capsys, "compare", *files, "--html", locked / "x.html")
    assert code == 2
    assert "cannot be written" in sentence(errors)


def test_scores_of_other_rules_are_refused_unless_allowed(capsys, folders, tmp_path: Path):
    other = shutil.copytree(folders[1], tmp_path / "other", ignore=shutil.ignore_patterns("record.json"))
    summary = orjson.loads((other / "summary.json").read_bytes())
    summary |= {"name": "other", "signature": summary["signature"].replace("recall:fixed", "recall:full")}
    (other / "summary.json").write_bytes(orjson.dumps(summary))
    code, _, errors = said(capsys, "compare", folders[1], other)
    assert code == 2
    assert "another denominator of recall (recall:full and recall:fixed); make them alike, or add" in sentence(errors)
    code, output, _ = said(capsys, "compare", folders[1], other, "--allow-different")
    assert code == 0
    assert "Note        other was scored otherwise than whole: another denominator of recall" in output


def test_an_unfinished_run_is_refused(capsys, folders, tmp_path: Path):
    partial = shutil.copytree(folders[1], tmp_path / "run.partial")
    (partial / "record.json").unlink()
    code, _, errors = said(capsys, "compare", folders[1], partial)
    assert code == 2
    assert "is not complete: its command did not finish" in sentence(errors)


def test_queries_and_collection_give_texts(capsys, files, tmp_path: Path):
    queries = data_sets.write_lines(tmp_path / "q.jsonl", [{"_id": q, "text": f"about {q}"} for q in compared.QUERIES])
    collection = data_sets.write_lines(tmp_path / "c.jsonl", [{"_id": "q1-best", "text": "a bicycle"}])
    _, output, _ = said(
        capsys, "compare", *files, "--queries", queries, "--collection", collection, "--moved", "9", "--wide"
    )
    assert "    asked     about q1\n" in output
    assert "+ q1-best a bicycle" in output


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv", "markdown", "latex"])
def test_a_file_name_that_is_no_utf_8_reaches_every_output_replaced(capsys, tmp_path: Path, form):
    judged, good, poor = compared.write_files(tmp_path)
    odd = good.rename(tmp_path / os.fsdecode(b"caf\xe9.txt"))
    page = tmp_path / "page.html"
    done = said(capsys, "compare", judged, odd, poor, "--format", form, "--html", page, "--baseline", odd)
    assert (done.code, done.errors) == (0, "")
    assert "caf\ufffd" in done.output
    assert "caf\ufffd" in page.read_text(encoding="utf-8")
    scored = said(capsys, "score", judged, odd, "--format", form)
    assert (scored.code, scored.errors) == (0, "")
    assert "caf\ufffd" in scored.output


def test_control_characters_in_a_name_are_not_obeyed(capsys, tmp_path: Path):
    judged, good, poor = compared.write_files(tmp_path)
    done = said(capsys, "compare", judged, good, poor, "--run-name", "\x1b[31mred\nline,b")
    assert done.output.startswith("▼ b is worse than \ufffd[31mred line in 3 of 3 measures.")
    assert "\x1b" not in done.output
    twice = said(capsys, "compare", judged, good, poor, "--run-name", "a  b,a b")
    assert sentence(twice.errors) == "two runs are called a b; give each a --run-name"


def test_a_name_cannot_break_a_table(capsys, tmp_path: Path):
    judged, good, poor = compared.write_files(tmp_path)
    names = ("--run-name", r"a\|<img src=x>,†x", "--baseline", "†x", "-m", "RR")
    markdown = said(capsys, "compare", judged, good, poor, *names, "--format", "markdown").output
    assert r"| a\\\|\<img src=x> | **1.000**<sup>†</sup> |" in markdown
    latex = said(capsys, "compare", judged, good, poor, *names, "--format", "latex").output
    assert r"$\dagger$x & " in latex
    assert r"than $\dagger$x (" in latex


def test_a_run_whose_documents_match_nothing_is_said(capsys, files, tmp_path: Path):
    qrels, run, *_ = files
    other = tmp_path / "other.run"
    other.write_text("".join(f"{line.split()[0]} Q0 none 1 1 t\n" for line in qrels.read_text().splitlines()))
    for form in ("text", "json", "csv", "markdown"):
        code, output, errors = said(capsys, "compare", qrels, run, other, "--format", form)
        assert code == 0
        told = errors if form == "csv" else output
        assert "is judged for its query, so that no document counts" in told
        assert "got 'none', and '" in told


def test_runs_without_judgments_are_compared_with_one_another_and_it_says_so_first(capsys, files):
    _, good, poor = files
    code, output, errors = said(capsys, "compare", good, poor, "--moved", "1", "--wide")
    assert (code, errors) == (0, "")
    assert output.startswith(
        "○ good and poor share 100 % of the top 10; the first hit differs for 90 % of 10 queries.\n  No judgments"
    )
    assert f"No judgments: {good} is a run, so this shows how much the runs differ, not which is better." in output
    assert "Queries that changed most between good and poor" in output
    assert "is better than" not in output


@pytest.mark.parametrize("options", [("--test", "t"), ("--rel", "2"), ("--slice", "x"), ("--tie", "0.1")])
def test_options_that_need_judgments_are_refused_without_them(capsys, files, options):
    code, _, errors = said(capsys, "compare", *files[1:], *options)
    assert (code, errors) == (2, f"Error: {options[0]} needs judgments, and all files are runs\n")


def test_load_tests_take_the_options_of_any_report_and_none_about_queries(capsys, tmp_path: Path):
    both = [shutil.copytree(STORED / "load-whole", tmp_path / name) for name in "ab"]
    store = ("--record", "--store", tmp_path / "history.db", "--tag", "model=v2")
    done = said(capsys, "compare", *both, "--run-name", "a,b", "--wide", "--color", "never", *store)
    assert done.code == 0, done.errors
    assert "loads" in said(capsys, "history", "list", *store[1:3]).output
    code, _, errors = said(capsys, "compare", *both, "--slice", "x")
    assert (code, errors) == (2, "Error: --slice is about queries, and load tests are compared by their repeats\n")


def test_a_measure_that_needs_judgments_is_refused_without_them(capsys, files):
    code, _, errors = said(capsys, "compare", *files[1:], "-m", "nDCG@10")
    assert code == 2
    assert "'nDCG@10' needs judgments, or is no measure: without judgments there are overlap@10" in errors


def test_p_values_stand_beside_differences_where_there_is_room(capsys, files, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (found,) = json.loads(said(capsys, "compare", *files, "-m", "RR", "--format", "json").output)["differences"]
    shown = f"{found['corrected']['randomization']:.3f}"
    output = said(capsys, "compare", *files, "-m", "RR").output
    assert f" p {shown}\n" in output
    monkeypatch.setenv("COLUMNS", "50")
    output = said(capsys, "compare", *files, files[2], "--run-name", "a,b,c", "-m", "RR").output
    assert " p " not in output
    assert "Not shown: p-values" in output


def test_a_margin_and_a_difference_asked_for_stand_in_every_place(capsys, files, tmp_path: Path):
    page, folder = tmp_path / "page.html", tmp_path / "kept"
    value = json.loads(said(capsys, "compare", *files, *ASKED, "--format", "json", "--html", page).output)
    (one,) = value["differences"]
    assert one["margin"]["verdict"] == "worse"
    assert (one["changed"], one["found"], one["lost"]) == (one["wins"] + one["losses"], 0, 0)
    assert one["need"] > 1
    assert {"margin": 0.5, "need": 0.1}.items() <= value["settings"].items()
    scope = {"of": "margin", "system": "poor", "baseline": "good"}
    assert {"text": "nDCG@10: poor against good: worse", "scope": scope, "shown": "always"} in value["record"]["notes"]
    assert "<th" in page.read_text(encoding="utf-8")
    assert "p not inferior" in page.read_text(encoding="utf-8")
    code, output, errors = said(capsys, "compare", *files, *ASKED, "--format", "csv", "--out", folder)
    head, line = output.splitlines()
    columns = dict(zip(head.split(","), line.split(","), strict=True))
    assert columns["margin_verdict"] == "worse"
    assert float(columns["margin_low"]) < -0.5
    assert float(columns["need"]) == one["need"]
    assert (code, errors.startswith("Results in ")) == (0, True)
    shown = said(capsys, "show", folder, "--fail-if", "p_not_inferior nDCG@10 > 0.05")
    assert shown.code == 1


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("p_not_inferior nDCG@10 > 0.05", 1),
        ("p_equivalent nDCG@10 <= 0.05", 0),
        ("changed nDCG@10 > 20%", 1),
        ("lost nDCG@10 > 0", 0),
        ("need nDCG@10 > 1 and p < 0.05", 1),
    ],
)
def test_gates_see_a_margin_and_a_need(capsys, files, gate, code):
    assert said(capsys, "compare", *files, *ASKED, "--fail-if", gate).code == code
