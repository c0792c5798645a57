"""Blocks of pages: each is drawn, with its own style and script only; what comes from outside stays text."""

import re
from typing import get_args

import pytest
from any_result import Recorded, drawn_with
from hypothesis import given
from hypothesis import strategies as st
from page_text import Page

from benchbench.report.assets import asset
from benchbench.report.audit_blocks import CheckGroup, CheckList, CheckRow, SideText
from benchbench.report.blocks import Cell, Facts, Notes, Table, Text
from benchbench.report.card_blocks import CardBlock
from benchbench.report.comparison_blocks import (
    Chooser,
    ComparisonBlock,
    Differences,
    Drawn,
    Matrices,
    Matrix,
    MatrixCell,
    MatrixHead,
    MatrixRow,
    MovedList,
    SliceRows,
)
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Bar,
    Bars,
    Choice,
    Cloud,
    Dot,
    Folded,
    Lede,
    Masthead,
    Option,
    PageBlock,
    Pair,
    Panel,
    Panels,
    Path,
    Plot,
    QueryList,
    RangeRow,
    Ranges,
    Reproduce,
    Rule,
    Section,
    Shade,
    Stem,
    Tile,
    Tiles,
)
from benchbench.results.record import record

KINDS = {one.__name__.lower() for union in (PageBlock, CardBlock, ComparisonBlock) for one in get_args(union)} | {
    "checklist"
}
markup = st.text("<>\"'&{}%#=/-!`\\ab\u2028文", min_size=1, max_size=20).filter(str.strip)


def every_block(said: str) -> list[PageBlock | ComparisonBlock | CheckList]:
    """Return each kind of block, with a text in every place that takes one."""
    axis = Axis(0.0, 1.0, [(0.5, said)], "linear", said)
    marks = [
        Dot(0.5, 0.5, said, 0.4, 0.6, hint=said),
        Dot(0.2, 0.5, said, hollow=True),
        Path([(0.0, 0.0), (1.0, 1.0)], said),
        Cloud([(0.1, 0.1)]),
        Cloud([(0.1, 0.1)], crosses=True),
        Rule(0.5, said),
        Shade(0.5, 1.0),
        Stem(0.5, 0.5, said),
    ]
    unit = Axis(0.0, 1.0, [])  # that leaves room for each text, which a chart leaves out or cuts where it has none
    plots = [Plot(said, axis, axis, []), *(Plot(said, unit, unit, [mark]) for mark in marks)]
    table = Table([said, said], [[said, Cell(said, said, True, said)]], caption=said)
    bars = Bars([said, said], [[said, said], [said]], [[Bar(1, said, said, 0, "bad")], [Bar(0, said, said, 1)]], said)
    ranges = Ranges([said], said, 0, [RangeRow(said, 3, [(1.0, 0.0, 2.0, said)])], [(said, said)], [1.0])
    cell = MatrixCell(0, 0, said, "up", said, said, said, said, Drawn(1.0, 2.0, 3.0, 2.0, (1.0, 2.0)))
    rows = [MatrixRow(said, [cell], [(said, said)], late) for late in (False, True)]
    matrix = Matrix(said, [MatrixHead(said, said, said, 50.0, said)], [said], [(said, said)], [said], rows, 1)
    data = {"ids": [said], "columns": [{"name": said, "labels": [said], "rows": [[0]], "top": [0]}]}
    packed = {"texts": [said], "opened": {said: {"l": [[said, said]]}}}
    sides = [SideText(said, said, [said, said], "del"), SideText(said, said, [said])]
    check = CheckRow(said, said, said, 1.0, (0.0, 1.0, 2.0), said, said, said, [(said, [said])], [sides], said)
    return [
        Masthead(said, [said, (said, "bad")], said, [said, said], [said]),
        Band(said, [table], "bad", [said], said),
        Lede([said, said, said], said),
        Tiles([Tile(said, [said, said], said, said, said)]),
        Section("one", said, said, said, Choice("key", said, [Option(said, 1, said), Option(said)])),
        Panels([Panel(said, said, plots, "key", 0, said)], 2, said),
        Pair([bars], [ranges, ranges]),
        QueryList([said], [said] * 5, [[said] * 5], said, [said, said], data, packed),
        Section("two", said, said),
        Folded(said, said, [table, Facts([(said, said)], said), Text([said]), Notes([said])]),
        CheckList(said, [(0.0, said)], [CheckGroup(said, [check])]),
        Reproduce(said, [(said, [(said, said)])], said),
        Matrices([matrix, matrix], Choice("b", said, [Option(said)]), [said], said, 5, said, ("up", said, said)),
        Chooser([said]),
        Differences([Panel(said, said, plots[:1], name="differences")]),
        SliceRows(),
        MovedList([said], said, {}, ""),
    ]


def page(said: str) -> Page:
    layout = Layout(said, [], dict, lambda: (), drawn=lambda: every_block(said))
    return Page(rendered(Recorded(record("counted", 1.0)), layout, "html"))


PLAIN = page("simple")


@given(markup)
def test_a_text_with_markup_adds_no_tag_no_attribute_and_no_script(said: str):
    shown = page(said)
    assert (shown.tags, shown.depths) == (PLAIN.tags, PLAIN.depths)
    assert list(map(list, shown.elements)) == list(map(list, PLAIN.elements))
    assert not [value for _, value in shown.attributes if value.startswith("javascript:")]


def test_every_text_is_read_as_it_was_written():
    said = "<b onclick='x()'>&amp;{{ 7 * 7 }}</b>"
    shown = page(said)
    in_data = 3  # which has no < in it
    assert sum(text.count(said) for text in shown.texts) == sum(text.count("simple") for text in PLAIN.texts) - in_data
    in_attributes = [
        sum(value.count(text) for _, value in one.attributes) for one, text in ((shown, said), (PLAIN, "simple"))
    ]
    assert in_attributes[0] == in_attributes[1]


def test_nothing_is_asked_of_anybody_and_no_link_leaves_the_page():
    links = [value for _, value in PLAIN.attributes if value.startswith(("http", "//", "data:", "#"))]
    assert set(links) <= {"data:,", "#main", "#one", "#two", *(f"#m{number}" for number in range(8))}


def test_every_block_of_pages_has_a_part():
    assert set(re.findall(r"{% macro (\w+)\(block\) %}", asset("parts.html"))) >= KINDS


@pytest.mark.parametrize("name", ["page.css", "page.js"])
def test_what_a_part_needs_names_blocks_that_there_are(name: str):
    found = {one for names in re.findall(r"^/\* == ([a-z ]+)", asset(name), re.MULTILINE) for one in names.split()}
    assert found
    assert found <= KINDS | {"notebook"}


def test_a_page_has_the_style_of_its_parts_and_of_no_others():
    result, layout = drawn_with("counted")
    tiles = Tiles([Tile("one", ["1"], "", "", "")])
    source = rendered(result, layout._replace(drawn=lambda: [Section("a", "a", "a"), tiles]), "html")
    assert ".tile {" in source
    assert ".card {" not in source
    assert "== querylist" not in source
    assert "<script>" in source
