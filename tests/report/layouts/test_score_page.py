"""The page of scores: what it says of one run and of several, and that it lies in the folder."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from any_result import scores
from command_line import said
from page_sources import embedded, words
from results.round_trip import round_trip

import benchbench as bb
from benchbench.measures.scores import SeveralScores
from benchbench.report.draw import draw
from benchbench.runs.page import score_page


def many(queries: int = 60) -> bb.Scores:
    """Return scores of which every third query finds nothing, and the others their document at rank 1 to 4."""
    qrels = bb.Qrels.from_dict({f"q{n}": {"d": 1} for n in range(queries)})
    found = {
        f"q{n}": {"x" if n % 3 == 0 else "d": 10.0 - n % 4, **{f"e{m}": 8.5 - m for m in range(3)}}
        for n in range(queries)
    }
    return bb.evaluate(qrels, bb.Run.from_dict(found), ["nDCG@10", "RR", "Success@1"])


def test_it_says_how_good_and_how_many_found_nothing():
    shown = words(draw(many(), "html"))
    assert re.search(r"20 of 60 queries have nDCG@10 of exactly 0, \d+ of exactly 1\.", shown)
    assert "✓ no judged query is missing" in shown
    assert "95 % interval" in shown
    assert "Latency" not in shown
    assert "Slowest first" not in shown
    assert "Scores store one value per query." in shown


def test_its_list_has_every_value():
    result = many()
    found = embedded(draw(result, "html"), "data")
    table = result.per_query()
    assert found["ids"] == table["query_id"].to_list()
    for view, values in zip(found["views"], found["values"], strict=True):
        assert [value / 1e4 for value in values] == pytest.approx(table[view["measure"]].to_list(), abs=1e-4)


def test_only_of_several_runs_the_page_says_that_they_differ():
    qrels = bb.Qrels.from_dict({"q": {"d": 1}})
    alone = bb.evaluate(qrels, bb.Run.from_dict({"q": {"d": 1.0}}), ["RR"])
    heads = [re.findall(r"Where (?:it fails|runs differ)", words(draw(x, "html"))) for x in (alone, scores("a", "b"))]
    assert [set(found) for found in heads] == [{"Where it fails"}, {"Where runs differ"}]


def test_several_runs_are_views_of_one_measure():
    result = scores("one", "two")
    page = score_page(result, ["one", "two"], ["nDCG@10", "AP"])
    assert page is not None
    assert [(view.name, view.measure) for view in page.views] == [("one", "nDCG@10"), ("two", "nDCG@10")]
    shown = words(draw(result, "html"))
    assert "Next: two " in shown
    assert "To test the differences: benchbench compare with the same files." in shown
    assert "Runs differ most first" in shown


def test_of_several_runs_the_best_is_named_in_each_measure():
    qrels = bb.Qrels.from_dict({"q": {"d": 1, "e": 1}})
    runs = {"one": {"q": {"d": 2.0, "x": 1.0}}, "two": {"q": {"x": 3.0, "d": 2.0, "e": 1.0}}}
    of_each = [bb.evaluate(qrels, bb.Run.from_dict(run), ["RR", "R@3", "P@1"]) for run in runs.values()]
    named = tuple(replace(result, name=name) for name, result in zip(runs, of_each, strict=True))
    source = draw(SeveralScores(named), "html")
    assert "Highest mean, a filled dot: one in RR and P@1; two in R@3." in words(source)
    assert {"one 1.000", "two 0.500"} <= set(re.findall(r"<text[^>]*>([^<]*)</text>", source))
    assert "several runs in nDCG@10 and AP" in words(draw(scores("one", "two"), "html"))


def test_markup_in_names_stays_text():
    evil = "<img src=x onerror='window.broken = 1'>"
    plain, shown = (draw(scores(name, f"{name} too"), "html") for name in ("plain", evil))
    tags = [re.findall(r"<(/?[a-z][a-z0-9]*)", source) for source in (plain, shown)]
    assert tags[0] == tags[1]


def test_it_is_the_same_from_its_folder(tmp_path: Path):
    round_trip(many(), tmp_path / "out")


def test_the_command_writes_it_into_its_folder_and_where_it_is_told(capsys, tmp_path: Path):
    (tmp_path / "qrels.trec").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "run.trec").write_text("q1 Q0 d1 1 2.0 r\nq2 Q0 d1 1 2.0 r\n")
    page, out = tmp_path / "page.html", tmp_path / "out"
    files = (tmp_path / "qrels.trec", tmp_path / "run.trec")
    code, _, _ = said(capsys, "score", *files, "--out", out, "--html", page)
    assert code == 0
    assert (out / "report.html").read_bytes() == page.read_bytes()
    again = tmp_path / "again.html"
    assert said(capsys, "show", out, "--html", again)[0] == 0
    assert again.read_bytes() == page.read_bytes()
