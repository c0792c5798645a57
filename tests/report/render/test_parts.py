"""Parts of pages: each block has its macro, and a page has the style and the script of its own parts only."""

import re
from typing import get_args

import pytest
from any_result import drawn_with

from benchbench.report.assets import asset
from benchbench.report.card_blocks import CardBlock
from benchbench.report.comparison_blocks import ComparisonBlock
from benchbench.report.draw import rendered
from benchbench.report.page_blocks import PageBlock, Section, Tile, Tiles

KINDS = {one.__name__.lower() for union in (PageBlock, CardBlock, ComparisonBlock) for one in get_args(union)}


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
