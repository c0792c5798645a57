"""How agreement with people is drawn: for terminals, papers and pages."""

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from invented_agreement import made
from page_text import Page
from profiles import costly

from benchbench.report.card_blocks import CrossedTable, Means
from benchbench.report.draw import draw
from benchbench.report.layouts.judge_agreement_page import blocks
from benchbench.report.page_blocks import Pair, Panels
from benchbench.report.render.screen import Screen
from benchbench.results import figures

EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'>&amp;{{ 7 * 7 }}</style>"


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("names", [("j",), ("gpt-4o/relevance.ja@1", "other")])
def test_no_line_is_wider_than_the_terminal(columns: int, names: tuple[str, ...]) -> None:
    text = draw(made(names), "text", Screen(columns, False, False))
    assert max(map(len, text.splitlines())) <= columns
    for name in names:
        assert name in text


def test_the_verdict_comes_first_and_the_loud_sentence_behind_it() -> None:
    text = draw(made(), "text", Screen(1000, False, False)).splitlines()
    assert text[0].startswith("◐ j agrees ")
    (line,) = [line for line in text if line.startswith("○ Cannot tell whether j favours texts of m, its own model: ")]
    assert ": −0.181 (" in line


def test_a_constant_stands_beside_every_number_that_it_has() -> None:
    found = made()
    text = draw(found, "text", Screen(120, False, False))
    (judge,) = found.found.judges
    constant = judge.constant
    assert constant is not None
    assert f"Always {constant.grade:g}" in text
    for value in (constant.alpha, constant.agreement):
        assert re.search(rf" {re.escape(figures.value(value))}\n", text)


def test_systems_have_both_ranks_and_what_the_judge_is_worth() -> None:
    text = draw(made(), "text", Screen(120, False, False))
    (line,) = [one for one in text.splitlines() if one.startswith("nDCG@3, judge j: tau ")]
    assert line.endswith(", 18 queries")
    assert "Worth queries" in text
    assert "the judge reverses " in text


@pytest.mark.parametrize("form", ["markdown", "latex", "csv", "jsonl", "json", "summary", "junit", "html"])
def test_every_format_draws_it(form: str) -> None:
    assert "j" in draw(made(fail_if=("low kappa<0.1",)), form)


def test_the_page_has_every_kappa_on_one_scale_and_the_grades_crossed() -> None:
    page = blocks(made(("a", "b")))
    means = [one for one in page if isinstance(one, Means)]
    assert [(row.name, row.series) for row in means[0].rows] == [(name, judge) for name in [
        "kappa, all grades", "kappa, quadratic weights", "alpha, ordinal", "same grade",
        "kappa, grade 1 or higher", "kappa, grade 2 or higher", "kappa, grade 3 or higher",
    ] for judge in ("a", "b")]  # fmt: skip
    assert all(0 <= row.mean <= 100 for one in means for row in one.rows)
    halves = [half for one in page if isinstance(one, Pair) for half in (*one.left, *one.right)]
    crossed = [half for half in halves if isinstance(half, CrossedTable)]
    assert len(crossed) == 2
    for table in crossed:
        assert [name for name, _ in table.rows] == list(table.heads) == ["0", "1", "2", "3"]
        assert sum(int(cell.pairs) for _, cells in table.rows for cell in cells) == 108
        same = [[cell.same for cell in cells] for _, cells in table.rows]
        assert same == np.eye(4, dtype=bool).tolist()


def test_a_gate_that_failed_stands_at_the_top_of_the_page() -> None:
    page = draw(made(fail_if=("low kappa<0.99",)), "html")
    assert Page(page).tags
    assert page.index("The gate failed") < page.index("Agreement with people")


@settings(max_examples=costly(20))
@given(st.text(min_size=1, max_size=30))
@example("")
def test_no_name_makes_markup(name: str) -> None:
    called = f"{EVIL}{name}"
    page = draw(made((called,), called), "html")
    assert "<script>window" not in page
    assert "<img src=x" not in page


def test_the_bias_of_each_judge_is_drawn_beside_its_numbers() -> None:
    (panels,) = (block for block in blocks(made(("one", "other"))) if isinstance(block, Panels))
    ((plot,),) = [panel.plots for panel in panels.panels]
    names = [
        "length of the text, one",
        "own model's texts, one",
        "length of the text, other",
        "own model's texts, other",
    ]
    assert [name for _, name in reversed(plot.y.ticks)] == names
    assert plot.x.low < 0 < plot.x.high
