"""What a text is drawn on: colours say what marks say, and nothing from outside is a colour."""

import re

from any_result import Recorded, drawn_with

from benchbench.report.blocks import Cell, Facts, Table, Verdict
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.report.render.screen import Screen
from benchbench.results.record import GateResult, record

CODE = re.compile(r"\x1b\[(\d+(?:;\d+)*)m([^\x1b]*)\x1b\[0m")
FAILED = GateResult(condition="P@5<1", verdict="failed", said="gate failed: P@5 is 0.5, required at least 1")
PASSED = GateResult(condition="p99>1s", verdict="passed", said="p99>1s passed with 12 ms")


def painted(layout: Layout, *gates: GateResult) -> list[tuple[str, str]]:
    """Return what stands in a colour or weight, with its code."""
    text = rendered(Recorded(record("counted", 1.0, gates=list(gates))), layout, "text", Screen(80, True))
    return [(code, said.strip()) for code, said in CODE.findall(text)]


def test_green_and_red_stand_at_a_mark_or_at_what_has_one():
    found = painted(
        Layout(
            "",
            [
                Verdict([("▲", "better"), ("▼", "worse"), ("○", "open")]),
                Table(
                    ["A", "B"],
                    [[Cell("▲ +0.1"), Cell("0.5", strong=True)], [Cell("▼ -0.1"), Cell("○ 0", tone="muted")]],
                ),
                Facts([("Latency", "! few"), ("Signature", "abc")]),
            ],
            dict,
            list,
        )
    )
    coloured = [said for code, said in found if code in ("32", "31")]
    assert coloured == ["▲", "▼", "▲ +0.1", "▼ -0.1", "!"]
    assert [said for code, said in found if code == "1"] == ["better", "worse", "open", "0.5"]
    assert "○ 0" in [said for code, said in found if code == "2"]


def test_gates_that_failed_stand_above_the_verdict_and_those_that_passed_too():
    layout = Layout("", [Verdict([("○", "open")])], dict, list)
    assert painted(layout, FAILED, PASSED)[:2] == [("31", "▼"), ("1", "1 of 2 gates failed: P@5<1.")]
    assert painted(layout, PASSED)[:2] == [("32", "●"), ("1", "The gate passed.")]
    broken = GateResult(condition="", verdict="broken", said="every query failed")
    assert painted(layout, broken, PASSED)[:2] == [("31", "▼"), ("1", "every query failed")]


def test_without_colours_there_is_no_escape_and_with_them_none_from_outside():
    result, layout = drawn_with("\x1b[31mred\x1b[0m")
    assert "\x1b" not in rendered(result, layout, "text", Screen(80))
    text = rendered(result, layout, "text", Screen(80, True))
    assert "\x1b" not in CODE.sub(r"\2", text), "every escape is one of ours, and has its end"
    assert "\\x1b[31mred" in text


def test_a_terminal_of_ascii_gets_ascii():
    layout = Layout("", [Verdict([("▲", "a – b"), ("◐", "c")]), Table(["A"], [["██░"]])], dict, list)
    assert rendered(None, layout, "text", Screen(80, False, True)) == "^ a - b\n~ c\n\nA\n---\n##.\n"
