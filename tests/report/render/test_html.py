"""The page: what comes from outside stays text, and nothing is asked of anybody."""

import json
import re
from pathlib import Path

import pytest
from any_result import Recorded, drawn_with, every_block
from cases import first_of
from page_text import Page

from benchbench.report.blocks import PAGE, Block, Cell, Facts, Gates, Heading, Notes, Sparks, Table, Text
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.report.render.html import embedded
from benchbench.results.record import GateResult, record

EVIL = "\"><script>window.broken = 1</script><img src=x onerror='window.broken=1'>&amp;{{ 7 * 7 }}"


def page(*blocks: Block, gates: tuple[GateResult, ...] = ()) -> Page:
    layout = Layout("a title", blocks, dict, lambda: ())
    return Page(rendered(Recorded(record("counted", 1.0, gates=list(gates))), layout, "html"))


def test_the_title_stands_once_and_what_all_numbers_share_below_it():
    shown = page(Heading("a title", "of 12 queries"))
    assert shown.of("title", "h1") == ["a title", "a title"]
    assert shown.of("p") == ["of 12 queries"]


def test_every_block_is_drawn():
    cell = Cell("0.50", aside="[0.4, 0.6]", strong=True, marks="†")
    shown = page(
        Text(["one", "two"]),
        Table(["M", "v"], [["P@1", cell]], caption="said"),
        Facts([("Data", "12"), ("", "3")], "Facts"),
        Notes(["left out"], frozenset({"html"})),
        Gates(),
        gates=(GateResult(condition="P@1<1", verdict="failed", said="gate failed: P@1 is 0.5"),),
    )
    assert shown.of("p") == ["one", "two"]
    assert shown.of("caption", "th", "strong", "small", "sup") == [
        "said", "M", "v", "P@1", "0.50", "[0.4, 0.6]", "†", "Failed",
    ]  # fmt: skip
    assert shown.of("h2", "dt", "dd") == ["Facts", "Data", "12\n3\n", "Gates"]
    assert shown.of("code") == ["P@1<1"]


@pytest.mark.parametrize(("again", "grouped"), [("gold", True), ("", False)])
def test_a_name_stands_once_for_all_rows_of_a_group(again: str, grouped: bool):
    rows = [["gold", "1"], [again, "2"], [again, "3"], ["article", "4"]]
    shown = page(Table(["Task", "k"], rows, grouped=grouped))
    assert shown.of("th") == ["Task", "k", "gold", "article"]
    assert shown.of("td") == ["1", "2", "3", "4"]
    assert [value for name, value in shown.attributes if name == "rowspan"] == ["3"]


def test_an_empty_table_has_its_head_and_no_gate_has_no_heading():
    shown = page(Table(["A"], []), Gates(), Text([]), Notes([]))
    assert shown.of("th", "td", "h2", "ul") == ["A"]


def test_a_text_with_markup_stays_text_in_every_place():
    shown = Page(rendered(*drawn_with(EVIL), "html"))
    assert not {"script", "img"} & set(shown.tags)
    assert not any(name.startswith("on") for name, _ in shown.attributes)
    assert shown.of("title", "h1") == [EVIL, EVIL]
    assert {EVIL} == {text.strip() for text in shown.of("caption", "dt", "small", "sup", "code")}
    assert ("aria-label", EVIL) in shown.attributes


def test_no_script_may_run_and_nothing_may_be_fetched():
    source = rendered(*drawn_with("x"), "html")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', source)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "script-src" not in rules
    assert (rules["base-uri"], rules["form-action"]) == ("'none'", "'none'")
    shown = Page(source)
    assert not {"script", "img", "iframe", "a", "form"} & set(shown.tags)
    assert [value for name, value in shown.attributes if name in ("src", "href")] == ["data:,"]
    assert "url(" not in source


def test_a_block_that_no_template_draws_is_an_error_and_not_left_out():
    result, layout = drawn_with("counted")
    sparks = layout._replace(blocks=[Sparks([], where=PAGE)])
    with pytest.raises(TypeError, match="no template draws blocks of the class Sparks"):
        rendered(result, sparks, "html")


@pytest.mark.parametrize("said", ["</script><script>", "<!--", "文書"])
def test_what_is_embedded_for_a_script_cannot_end_it(said: str):
    text = embedded({"said": said})
    assert "<" not in text
    assert json.loads(text) == {"said": said}


@pytest.mark.parametrize(("width", "scheme"), first_of((390, "dark"), (1280, "light")))
def test_a_browser_runs_nothing_scrolls_nothing_sideways_and_axe_finds_nothing(
    opened_page, violations, tmp_path: Path, width: int, scheme: str
):
    wide = [f"column {number}" for number in range(30)]
    blocks = [
        *every_block("long" * 100 + " " + EVIL),
        *every_block("判例" * 60),
        Table(wide, [wide, [Cell("0.5", aside="[0, 1]", strong=True)] * 30]),
    ]
    result, layout = drawn_with("gate")
    path = tmp_path / "page.html"
    path.write_text(rendered(result, Layout(layout.title, blocks, dict, dict), "html"), encoding="utf-8")
    shown = opened_page(path, width, scheme)
    assert shown.evaluate("window.broken") is None
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert [one for one in violations(shown) if one[0] != "landmark-unique"] == [], "captions are alike here"
