import csv
import io
import json
from xml.etree import ElementTree

import compared
import pytest
from any_result import UNBROKEN

import benchbench as bb
from benchbench.comparison.comparable import rules
from benchbench.comparison.compare_result import CompareOutcome
from benchbench.comparison.runs import Sources
from benchbench.report.draw import draw
from benchbench.report.render.lines import width
from benchbench.report.render.screen import Screen
from benchbench.results.figures import interval, signed
from benchbench.results.signature import short

MEASURES = ["nDCG@10", "RR"]
GATE = "Δ nDCG@10 < 0 and p < 0.05"


def outcome(tmp_path_factory: pytest.TempPathFactory, **options: object) -> CompareOutcome:
    judged, good, poor = compared.write_files(tmp_path_factory.mktemp("runs"))
    twin = compared.write_run(good.with_name("twin_1.run"), compared.GOOD)
    runs = {"good": bb.scan_run(good), "poor": bb.scan_run(poor), "twin_1": bb.scan_run(twin)}
    return bb.compare(bb.Qrels.from_file(judged), runs, MEASURES, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def with_baseline(tmp_path_factory: pytest.TempPathFactory) -> CompareOutcome:
    return outcome(tmp_path_factory, baseline="good", fail_if=(GATE,), slices=("positives",))


@pytest.fixture(scope="module")
def all_pairs(tmp_path_factory: pytest.TempPathFactory) -> CompareOutcome:
    return outcome(tmp_path_factory)


def test_text_has_means_differences_tests_sentences_and_how_they_were_reached(with_baseline):
    said = draw(with_baseline, "text", UNBROKEN)
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert lines[1] == "○ twin_1 and good do not differ measurably in any of 2 measures."
    assert lines[2] == "▼ poor is worse than good in 2 of 2 measures."
    assert (
        "Intervals 95 %, of means by BCa bootstrap (Wilson where all values are 0 or 1), of differences by BCa "
        "bootstrap and inverted randomization test"
    ) in lines
    assert "Measure System Mean 95 % interval Rank May be" in lines
    assert "Measure System good Its mean Difference 95 % interval p One scale" in lines
    assert "Measure Difference p randomization p t p wilcoxon corrected Effect d_z Detectable" in lines
    poor = with_baseline.comparison.differences[0]
    (row,) = [line for line in lines if line.startswith("nDCG@10 poor 1.0000")]
    assert f" ▼ {signed(poor.mean)} {interval(poor.low, poor.high, shown=signed)} " in row
    assert any(line.startswith("poor is worse than good in nDCG@10 by ") for line in lines)
    assert "twin_1 and good have the same value of nDCG@10 for every query." in lines
    assert any(line.startswith("Tests randomization test, 2 systems against good") for line in lines)
    assert any(line.startswith("Gate ▼ failed: poor against good: Δ nDCG@10 is ") for line in lines)
    assert f"Gate ● twin_1: {GATE} passed" in lines
    assert "Note twin_1 and good rank the same documents in the same order" in lines
    signatures = [short(one.signature) for one in with_baseline.systems]
    assert lines[-1].split(", data and rules ")[0].split()[::2] == ["Signature", *signatures]
    assert lines[-1].endswith(f", data and rules {rules(with_baseline.systems[0].signature)}")


def test_the_queries_that_moved_stand_with_both_systems_hits_side_by_side(with_baseline):
    said = draw(with_baseline, "text", moved=2)
    shown = said[said.index("Queries that moved most from good to poor in nDCG@10 (+ is relevant):") :].splitlines()
    assert shown[2].startswith("  q")
    query = shown[2].split(":")[0].strip()
    assert shown[3].split() == ["relevant", f"{query}-best,", f"{query}-good"]
    assert [line.split() for line in shown[4:9]] == [
        ["good", "poor"],
        ["1", "+", f"{query}-best", "·", f"{query}-bad"],
        ["2", "+", f"{query}-good", "·", f"{query}-other"],
        ["3", "·", f"{query}-other", "+", f"{query}-good"],
        ["4", "·", f"{query}-bad", "+", f"{query}-best"],
    ]
    assert said.count("  relevant  ") == 2
    assert "No query moved from good to twin_1 in nDCG@10." in said


def test_no_queries_are_shown_when_none_are_asked_for(with_baseline):
    assert "moved" not in draw(with_baseline, "text", moved=0)


def test_slices_are_shown_for_each_pair(with_baseline):
    said = draw(with_baseline, "text")
    assert "poor - good in nDCG@10 by positives, greatest loss first (* significant):" in said
    assert "twin_1 - good in nDCG@10 by positives" in said


@pytest.mark.parametrize("columns", [120, 160])
def test_lines_of_texts_are_no_wider_than_the_terminal(tmp_path, columns):
    judged, good, poor = compared.write_files(tmp_path)
    queries, documents = tmp_path / "queries.jsonl", tmp_path / "documents.jsonl"
    long = "被告人张某 stole a bicycle\n\t" * 9
    queries.write_text("".join(json.dumps({"_id": q, "text": long}) + "\n" for q in compared.QUERIES))
    documents.write_text(
        "".join(json.dumps({"_id": d, "text": long}) + "\n" for h in compared.qrels().values() for d in h)
    )
    found = bb.compare(
        bb.Qrels.from_file(judged),
        {"a": bb.scan_run(good), "b": bb.scan_run(poor)},
        sources=Sources(judged, queries, documents),
    )
    said = draw(found, "text", Screen(columns), width=columns)
    inner = [line for line in said[said.index("Queries that moved") :].splitlines() if line.startswith("    ")]
    assert len(inner) > 20
    assert max(map(width, inner)) <= columns


def test_markdown_marks_what_is_best_and_what_differs_from_the_baseline(with_baseline):
    table, notes = draw(with_baseline, "markdown").split("\n- ", 1)
    assert notes.startswith("twin_1 and good rank the same documents in the same order\n- ")
    assert table.splitlines() == [
        "| System | nDCG@10 | RR |",
        "| --- | ---: | ---: |",
        "| good | **1.0000** | **1.0000** |",
        f"| poor | {mean(with_baseline, 'nDCG@10')}<sup>‡</sup> | {mean(with_baseline, 'RR')}<sup>‡</sup> |",
        "| twin_1 | **1.0000** | **1.0000** |",
        "",
        "Means over 10 queries. † significantly better, ‡ significantly worse than good (randomization test, "
        f"{with_baseline.comparison.family}; alpha 0.05).",
    ]


def mean(found: CompareOutcome, measure: str) -> str:
    return f"{found.details().estimate(measure, 'poor').mean:.4f}"


def test_without_a_baseline_letters_name_those_that_are_beaten(all_pairs):
    lines = draw(all_pairs, "markdown").splitlines()
    assert lines[2:5] == [
        "| a good | **1.0000**<sup>b</sup> | **1.0000**<sup>b</sup> |",
        f"| b poor | {mean(all_pairs, 'nDCG@10')} | {mean(all_pairs, 'RR')} |",
        "| c twin_1 | **1.0000**<sup>b</sup> | **1.0000**<sup>b</sup> |",
    ]
    assert "Raised letters: significantly better than the system of that letter" in lines[6]


def test_latex_is_a_table_with_booktabs_and_a_caption(with_baseline, all_pairs):
    said = draw(with_baseline, "latex")
    assert r"\begin{tabular}{lrr}" in said
    assert r"good & \textbf{1.0000} & \textbf{1.0000} \\" in said
    assert rf"poor & {mean(with_baseline, 'nDCG@10')}$^{{\ddagger}}$ & " in said
    assert r"twin\_1 & " in said
    assert r"\caption{Means over 10 queries. $\dagger$ significantly better, $\ddagger$ significantly worse" in said
    assert said.count("{") == said.count("}")
    assert r"a good & \textbf{1.0000}$^{\mathrm{b}}$" in draw(all_pairs, "latex")


def test_csv_has_a_row_a_difference_and_whole_numbers(with_baseline):
    rows = list(csv.DictReader(io.StringIO(draw(with_baseline, "csv"))))
    assert [(row["measure"], row["baseline"], row["system"]) for row in rows] == [
        (measure, "good", system) for measure in MEASURES for system in ("poor", "twin_1")
    ]
    first = with_baseline.comparison.differences[0]
    assert float(rows[0]["difference"]) == first.mean
    assert float(rows[0]["corrected_randomization"]) == first.corrected["randomization"]


def test_json_is_the_whole_result(with_baseline):
    value = json.loads(draw(with_baseline, "json", moved=2))
    first = with_baseline.comparison.differences[0]
    assert value["queries"] == 10
    assert value["settings"]["baseline"] == "good"
    assert value["differences"][0]["mean"] == first.mean
    assert value["differences"][0]["p"] == dict(first.p)
    assert [one["name"] for one in value["systems"]] == ["good", "poor", "twin_1"]
    assert [len(one["queries"]) for one in value["moved"]] == [2, 0]
    moved = value["moved"][0]["queries"][0]
    assert moved["difference"] == moved["system"] - moved["baseline"]
    assert [hit["rank"] for hit in moved["hits"]["poor"]] == [1, 2, 3, 4]
    assert [one["failure"] is None for one in value["gates"]] == [False, True]
    assert len(value["slices"]) == len(with_baseline.comparison.slices) > 0


def test_json_lines_say_what_each_is(with_baseline):
    kinds = [json.loads(line)["kind"] for line in draw(with_baseline, "jsonl").splitlines()]
    assert [kinds.count(kind) for kind in ("estimate", "difference", "gate")] == [6, 4, 2]
    assert kinds.count("slice") == len(with_baseline.comparison.slices)


def test_junit_has_a_case_a_gate_and_pair(with_baseline):
    suites = ElementTree.fromstring(draw(with_baseline, "junit"))
    assert suites.attrib == {"tests": "2", "failures": "1", "errors": "0", "skipped": "0"}
    cases = suites.findall("testsuite/testcase")
    assert [case.attrib["classname"] for case in cases] == ["poor against good", "twin_1 against good"]
    assert [case.attrib["name"] for case in cases] == [GATE, GATE]
    failures = [case.find("failure") for case in cases]
    assert failures[0] is not None
    assert failures[0].attrib["message"] == f"gate failed: {with_baseline.gates[0].failure}"
    assert failures[1] is None


def test_the_summary_has_verdicts_table_sentences_and_notes(with_baseline, all_pairs):
    said = draw(with_baseline, "summary")
    assert said.startswith("## good, poor and twin_1: 10 queries\n\n**1 of 2 gates failed.**\n")
    assert f"- ❌ gate failed: {with_baseline.gates[0].failure}\n" in said
    assert draw(with_baseline, "markdown").partition("\n- ")[0] in said
    assert f"- ✅ twin_1: {GATE} passed\n" in said
    assert "- poor is worse than good in RR by " in said
    assert "- Note: twin_1 and good rank the same documents in the same order\n" in said
    assert "gates" not in draw(all_pairs, "summary")


def test_many_pairs_are_not_all_listed(tmp_path):
    judged, good, _ = compared.write_files(tmp_path)
    runs = {name: bb.scan_run(good) for name in "abcd"}
    said = draw(bb.compare(bb.Qrels.from_file(judged), runs, ["RR"]), "text")
    assert said.count("No query moved") == 4
    assert "… and 2 more pairs: --html shows them all." in said
