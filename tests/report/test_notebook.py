"""What a notebook shows of a result: what it comes to, its table and its first chart."""

import json
import re
from pathlib import Path

import compared

import benchbench as bb
from benchbench.report.draw import draw


def test_scores_are_a_sentence_a_table_and_a_chart():
    shown = bb.evaluate(compared.qrels(), compared.GOOD, ["nDCG@10", "RR"], fail_if="RR<2")._repr_html_()
    assert re.search(r"<p><b>\d+ of 10 queries</b> have nDCG@10 of exactly 0, <b>\d+</b> of exactly 1\.</p>", shown)
    assert re.findall(r'<th scope="row">([^<]+)</th>', shown) == ["nDCG@10", "RR"]
    assert shown.count('<div class="plot"') == 1
    assert re.search(r"Failed</strong> <code>RR&lt;2</code>", shown)


def _rows(shown: str) -> list[str]:
    """Return the names of the rows of the chart."""
    (svg,) = re.findall('<svg class="wide".*?</svg>', shown)
    return re.findall(r'<text x="[\d.]+" y="[\d.]+" text-anchor="end">([^<]+)</text>', svg)


def test_the_chart_of_a_comparison_has_its_differences():
    found = bb.compare(compared.qrels(), {"good": compared.GOOD, "poor": compared.POOR}, ["RR", "AP"])
    assert {"poor against good: Δ AP", "poor against good: Δ RR"} <= set(_rows(found._repr_html_()))


def test_passages_are_a_table_and_a_chart_of_their_measures(tmp_path: Path):
    snippets = [{"file_path": "a", "span": [0, 7], "answer": "a right"}]
    (tmp_path / "gold.json").write_text(
        json.dumps({"tests": [{"query": f"q{n}", "snippets": snippets} for n in range(3)]})
    )
    passages = [{"query": f"q{n}", "retrieved_passages": [text]} for n, text in enumerate(("a right", "a right", "no"))]
    (tmp_path / "found.json").write_text(json.dumps(passages))
    shown = bb.score_passages(tmp_path / "found.json", tmp_path / "gold.json")._repr_html_()
    assert "<table" in shown
    assert _rows(shown) == ["ndcg@10", "recall@10", "span_f1", "exact_match"]


def test_the_chart_of_answers_has_their_metrics():
    row = {"question": "q", "answer": "CPR Part 31", "truth": "CPR Part 31"}
    shown = bb.score_answers([row] * 3, metrics=["statute_citation_accuracy"])._repr_html_()
    assert "statute_citation_accuracy" in _rows(shown)


def test_a_comparison_is_its_verdict_and_its_table():
    found = bb.compare(compared.qrels(), {"good": compared.GOOD, "poor": compared.POOR}, ["RR"])
    assert found._repr_html_() == draw(found, "notebook")
    assert re.search(r"<p>▼ poor is worse than good[^<]*\.</p>", found._repr_html_())
    assert "<table" in found._repr_html_()


def test_nothing_of_it_runs_loads_or_reaches_the_rest_of_the_notebook():
    name = "</style><script>alert(1)</script>"
    shown = bb.compare(compared.qrels(), {name: compared.GOOD, "poor": compared.POOR}, ["RR"])._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    (style,) = re.findall("<style>(.*?)</style>", shown, re.DOTALL)
    assert style.startswith(".benchbench-result {")
    assert not re.search(r"url\(|@import|https?:", shown)
