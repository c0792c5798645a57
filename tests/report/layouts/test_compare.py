import json

import compared
import pytest

import benchbench as bb
from benchbench.comparison.runs import Sources
from benchbench.report.draw import draw
from benchbench.report.render.lines import width
from benchbench.report.render.screen import Screen

MEASURES = ["nDCG@10", "RR"]
GATE = "Δ nDCG@10 < 0 and p < 0.05"


def test_as_many_queries_that_moved_are_shown_of_each_pair_as_are_asked_for(tmp_path):
    judged, good, poor = compared.write_files(tmp_path)
    runs = {name: bb.scan_run(path) for name, path in (("good", good), ("poor", poor), ("twin", good))}
    found = bb.compare(bb.Qrels.from_file(judged), runs, ["RR"], "good", resamples=200)
    shown = draw(found, "text", moved=2)
    assert shown.count("  relevant  ") == 2
    assert "No query moved from good to twin in RR." in shown
    assert "moved" not in draw(found, "text", moved=0)
    assert [len(pair["queries"]) for pair in json.loads(draw(found, "json", moved=2))["moved"]] == [2, 0]


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
    said = draw(found, "text", Screen(columns, whole=True), width=columns)
    inner = [line for line in said[said.index("Queries that moved") :].splitlines() if line.startswith("    ")]
    assert len(inner) > 20
    assert max(map(width, inner)) <= columns


def test_of_many_pairs_that_are_asked_for_four_have_their_queries(tmp_path):
    judged, good, _ = compared.write_files(tmp_path)
    runs = {name: bb.scan_run(good) for name in "abcd"}
    compared_runs = bb.compare(bb.Qrels.from_file(judged), runs, ["RR"])
    said = draw(compared_runs, "text", pairs="all")
    assert said.count("No query moved") == 4
    assert "… and 2 more pairs: --html shows them all." in said
    assert draw(compared_runs, "text").count("No query moved") == 1
