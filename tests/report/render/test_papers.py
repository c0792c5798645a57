"""Tables in Markdown and LaTeX, and what their numbers leave out."""

import re

import pytest
from any_result import Recorded, drawn_with

from benchbench.report.blocks import Block, Cell, Facts, Gates, Heading, Notes, Table, Text
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.results.record import record

PAPERS = frozenset({"markdown", "latex"})
CELL = Cell("0.50", aside="[0.4, 0.6]", strong=True, marks="a†")


def paper(form: str, *blocks: Block) -> str:
    return rendered(Recorded(record("counted", 1.0)), Layout("title", blocks, dict, lambda: ()), form)


def test_markdown_has_tables_sentences_facts_and_notes():
    shown = paper(
        "markdown",
        Heading("not shown", where=PAPERS),
        Text(["one", "two"], where=PAPERS),
        Table(["A", "B"], [["x", CELL]], "lr", caption="said below"),
        Facts([("Data", "12"), ("", "3")], where=PAPERS),
        Notes(["left out"]),
        Gates(PAPERS),
    )
    assert shown == (
        "one\n\ntwo\n\n| A | B |\n| --- | ---: |\n| x | **0.50 [0.4, 0.6]**<sup>a†</sup> |\n\nsaid below\n\n"
        "- Data: 12\n- 3\n\n- left out\n"
    )


def test_latex_has_tables_of_booktabs_below_comments():
    table = Table(["A", "B"], [["x", CELL]], "lr", caption="50 %", floats=True)
    assert paper("latex", Heading("no", where=PAPERS), table, Text(["said"], where=PAPERS), Notes(["left\nout"])) == (
        "% said\n% left\\nout\n\\begin{table}\n\\centering\n\\caption{50 \\%}\n"
        "\\begin{tabular}{lr}\n\\toprule\nA & B \\\\\n"
        "\\midrule\nx & \\textbf{0.50}$^{\\mathrm{a}\\dagger}$ \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n"
    )


def test_a_table_of_latex_that_does_not_float_has_its_caption_above_it():
    shown = paper("latex", Table(["A"], [], caption="5 hits & more"))
    assert shown.startswith("5 hits \\& more\n\n\\begin{tabular}{l}\n")


def test_a_group_stands_once_and_a_rule_before_the_next_in_latex():
    rows = [["gold", "1"], ["gold", "2"], ["article", "3"]]
    assert paper("latex", Table(["Task", "k"], rows, grouped=True)).split("\\midrule\n")[1:] == [
        "gold & 1 \\\\\n & 2 \\\\\n",
        "article & 3 \\\\\n\\bottomrule\n\\end{tabular}\n",
    ]
    assert paper("markdown", Table(["Task", "k"], rows, grouped=True)).count("| gold |") == 2


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_an_empty_table_has_its_head_and_nothing_has_nothing(form: str):
    assert "A" in paper(form, Table(["A"], []))
    assert paper(form) == ""
    assert paper(form, Notes([])) == ""


def cells(line: str) -> int:
    """Return how many cells a row of Markdown has."""
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1


@pytest.mark.parametrize("said", ["a|b", "a\\|b", "\\", "a\n| b |", "<img src=x>", "[a](http://b)", "![a](http://b)"])
def test_no_text_ends_a_cell_of_markdown_or_is_a_tag_a_link_or_an_image(said: str):
    shown = rendered(*drawn_with(said), "markdown")
    rows = [line for line in shown.splitlines() if line.startswith("| ")]
    assert [cells(line) for line in rows] == [2] * 8
    assert not re.search(r"(?<!\\)<(?!/?sup>)", shown)
    assert "](" not in shown


COMMANDS = r"\input{x}\end{tabular} & $1$ % # _ ^ ~ { }"


def test_no_text_is_a_command_of_latex():
    lines = rendered(*drawn_with(COMMANDS), "latex").splitlines()
    said = [line for line in lines if not line.startswith("%")]
    assert not any(r"\input" in line for line in said)
    assert [line for line in said if r"\end{" in line] == [r"\end{tabular}", r"\end{tabular}", r"\end{table}"]
    assert all(len(re.findall(r"(?<!\\)&", line)) == 1 for line in said if line.endswith(r"\\"))
    assert not any(re.search(r"(?<!\\)[%#]", line) for line in said)
