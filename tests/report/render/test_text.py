"""Reports on a terminal: aligned, a line per sentence, nothing in them obeyed; colours say what marks say."""

import re

import pytest
from any_result import UNBROKEN, Recorded, drawn_with

from benchbench.report.blocks import Block, Cell, Facts, Gates, Heading, Notes, Table, Text, Verdict
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.report.render.lines import cut, padded, width
from benchbench.report.render.screen import Screen
from benchbench.results.record import GateResult, record

EVERYWHERE = frozenset({"text"})
CODE = re.compile(r"\x1b\[(\d+(?:;\d+)*)m([^\x1b]*)\x1b\[0m")
FAILED = GateResult(condition="P@5<1", verdict="failed", said="gate failed: P@5 is 0.5, required at least 1")
PASSED = GateResult(condition="p99>1s", verdict="passed", said="p99>1s passed with 12 ms")


def text(*blocks: Block, gates: tuple[GateResult, ...] = (), screen: Screen | None = None) -> str:
    layout = Layout("title", blocks, dict, lambda: ())
    return rendered(Recorded(record("counted", 1.0, gates=list(gates))), layout, "text", screen)


def test_columns_are_aligned_numbers_at_the_right():
    rows = [["x", "1"], ["", "22"], ["yy", "3"]]
    assert text(Table(["A", "B"], rows)) == "A    B\n──  ──\nx    1\n    22\nyy   3\n"
    assert text(Table(["A", "B"], rows, "rl")) == " A  B\n──  ──\n x  1\n    22\nyy  3\n"


def test_wide_characters_take_two_columns_and_combining_ones_none():
    assert [width(one) for one in ("abc", "判例", "e\u0301", "ｱ", "")] == [3, 4, 1, 1, 0]
    lines = text(Table(["法律", "B"], [["e\u0301x", "1"], ["判例集", "2"]])).splitlines()
    assert lines == ["法律    B", "──────  ─", "e\u0301x      1", "判例集  2"]
    assert padded("判", 4) == "判  "


@pytest.mark.parametrize(
    ("given", "columns", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("判例判例", 5, "判例…"),
        ("a\nb\x1b[2J  c", 60, "a b [2J c"),
        ("word and", 6, "word…"),
    ],
)
def test_a_long_text_is_cut_to_its_columns(given: str, columns: int, shown: str):
    assert cut(given, columns) == shown
    assert width(shown) <= columns


def test_blocks_stand_apart_and_in_order():
    shown = text(
        Heading("判例", "of all"),
        Text(["one", "two"], where=EVERYWHERE),
        Table(["A"], [["1"]], caption="caption"),
        Facts([("Data", "12 queries"), ("", "3 skipped"), ("A long label here", "said")], "heading"),
        Notes(["left out"], EVERYWHERE),
    )
    assert shown == (
        "判例\nof all\n\none\ntwo\n\ncaption\nA\n─\n1\n\n"
        "Data        12 queries\n            3 skipped\nA long label here said\n\nNote        left out\n"
    )


def test_blocks_without_anything_in_them_take_no_line():
    assert text(Text([]), Facts([]), Notes([], EVERYWHERE), Gates(), Heading("a")) == "a\n"


def test_a_block_of_another_format_is_left_out():
    assert text(Text(["page"], where=frozenset({"html"})), Text(["both"])) == "both\n"


def test_a_group_stands_once_and_a_blank_line_before_the_next():
    rows = [["gold", "1"], ["gold", "2"], ["article", "3"]]
    assert text(Table(["Task", "k"], rows, grouped=True)) == (
        "Task     k\n───────  ─\ngold     1\n         2\n\narticle  3\n"
    )
    assert text(Table(["Task", "k"], rows)) == "Task     k\n───────  ─\ngold     1\ngold     2\narticle  3\n"


def test_a_cell_has_its_interval_beside_it_and_no_mark():
    cell = Cell("0.50", aside="[0.4, 0.6]", strong=True, marks="a†")
    assert text(Table(["M"], [[cell]])).endswith("0.50 [0.4, 0.6]\n")


def test_an_empty_table_has_its_head():
    assert text(Table(["A", "Bcd"], [])) == "A  Bcd\n─  ───\n"


def test_gates_say_what_was_observed_and_required():
    assert text(Gates(), gates=(FAILED, PASSED)) == (
        "Gate        ▼ failed: P@5 is 0.5, required at least 1\nGate        ● p99>1s passed with 12 ms\n"
    )


def test_a_sentence_stays_on_its_line_whatever_it_quotes():
    plainly, hostile = (rendered(*drawn_with(said), "text", UNBROKEN).count("\n") for said in ("x", "a\nb\r\n\u2028c"))
    in_rows_and_code = 2 * 2 + 2 * 2  # CSV and code keep the lines of a text
    assert hostile - plainly <= in_rows_and_code


def painted(*blocks: Block, gates: tuple[GateResult, ...] = ()) -> list[tuple[str, str]]:
    """Return what stands in a colour or weight, with its code."""
    return [(code, said.strip()) for code, said in CODE.findall(text(*blocks, gates=gates, screen=Screen(80, True)))]


def test_green_and_red_stand_at_a_mark_or_at_what_has_one():
    rows = [[Cell("▲ +0.1"), Cell("0.5", strong=True)], [Cell("▼ -0.1"), Cell("○ 0", tone="muted")]]
    verdict = Verdict([("▲", "better"), ("▼", "worse"), ("○", "open")])
    found = painted(verdict, Table(["A", "B"], rows), Facts([("Latency", "! few"), ("Signature", "abc")]))
    coloured = [said for code, said in found if code in ("32", "31")]
    assert coloured == ["▲", "▼", "▲ +0.1", "▼ -0.1", "!"]
    assert [said for code, said in found if code == "1"] == ["better", "worse", "open", "0.5"]
    assert "○ 0" in [said for code, said in found if code == "2"]


def test_gates_that_failed_stand_above_the_verdict_and_those_that_passed_too():
    verdict = Verdict([("○", "open")])
    assert painted(verdict, gates=(FAILED, PASSED))[:2] == [("31", "▼"), ("1", "1 of 2 gates failed: P@5<1.")]
    assert painted(verdict, gates=(PASSED,))[:2] == [("32", "●"), ("1", "The gate passed.")]
    broken = GateResult(condition="", verdict="broken", said="every query failed")
    assert painted(verdict, gates=(broken, PASSED))[:2] == [("31", "▼"), ("1", "every query failed")]


def test_without_colours_there_is_no_escape_and_with_them_none_from_outside():
    result, layout = drawn_with("\x1b[31mred\x1b[0m")
    assert "\x1b" not in rendered(result, layout, "text", Screen(80))
    shown = rendered(result, layout, "text", Screen(80, True))
    assert "\x1b" not in CODE.sub(r"\2", shown), "every escape is one of ours, and has its end"
    assert "\\x1b[31mred" in shown


def test_a_terminal_of_ascii_gets_ascii():
    blocks = Verdict([("▲", "a – b"), ("◐", "c")]), Table(["A"], [["██░"]])
    assert text(*blocks, screen=Screen(80, False, True)) == "^ a - b\n~ c\n\nA\n---\n##.\n"
