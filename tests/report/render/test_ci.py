"""Gates as JUnit's XML, and the section of a job's summary."""

import re
from xml.etree import ElementTree

import pytest
from any_result import Recorded, texts
from hypothesis import given
from hypothesis import strategies as st

from benchbench.report.blocks import SUMMARY, Block, Facts, Gates, Heading, Notes, Table, Text
from benchbench.report.draw import rendered
from benchbench.report.layout import Layout
from benchbench.results.record import GateResult, Number, record

FAILED = GateResult(
    condition="P@5<1",
    verdict="failed",
    said="old: gate failed: gold.P@5 is 0.5, required at least 1",
    about="old",
    scope={"target": "old"},
)
PASSED = GateResult(
    condition="p99>1s", verdict="passed", said="old: p99>1s passed with 12 ms", about="old", scope={"target": "old"}
)
ELSEWHERE = GateResult(
    condition="P@5<1", verdict="passed", said="new: P@5<1 passed with 1", about="new", scope={"target": "new"}
)
BROKEN = GateResult(
    condition="--max-error-rate 0",
    verdict="broken",
    said="9 of 9 queries failed, mostly: not JSON: '<!doctype html>'",
)
SECONDS = [
    Number(name="seconds", value=1.5, unit="s", scope={"target": "old"}),
    Number(name="seconds", value=0.25, unit="s", scope={"target": "new"}),
]


def drawn(form: str, *gates: GateResult, title: str = "old, new: 9 queries", blocks: tuple[Block, ...] = (), **more):
    layout = Layout(title, blocks, dict, lambda: (), command="benchbench run")
    return rendered(Recorded(record("run", 1.0, name="named", gates=list(gates), **more)), layout, form)


def test_junit_has_a_case_per_gate_and_what_it_was_checked_on():
    suites = ElementTree.fromstring(drawn("junit", FAILED, PASSED, ELSEWHERE, BROKEN))
    assert suites.attrib == {"tests": "4", "failures": "1", "errors": "1", "skipped": "0"}
    (suite,) = suites
    assert suite.attrib["name"] == "benchbench run"
    assert [(case.attrib["classname"], case.attrib["name"]) for case in suite] == [
        ("old", "P@5<1"),
        ("old", "p99>1s"),
        ("new", "P@5<1"),
        ("named", "--max-error-rate 0"),
    ]
    assert [[(child.tag, child.text) for child in case] for case in suite] == [
        [("failure", FAILED.said)],
        [],
        [],
        [("error", BROKEN.said)],
    ]


def test_the_time_of_what_two_gates_were_checked_on_counts_once():
    (suite,) = ElementTree.fromstring(drawn("junit", FAILED, PASSED, ELSEWHERE, numbers=SECONDS))
    assert suite.attrib["time"] == "1.750"
    assert [case.attrib["time"] for case in suite] == ["1.500", "1.500", "0.250"]


def test_a_time_that_is_not_known_is_not_made_up():
    assert "time" not in drawn("junit", BROKEN)


def test_notes_stand_at_the_end_of_the_suite():
    (suite,) = ElementTree.fromstring(
        drawn("junit", PASSED, blocks=(Notes(["one\x1b", "two"]), Notes(["elsewhere"], SUMMARY)))
    )
    assert suite.findtext("system-out") == "one \ntwo"


@given(texts | st.just("\ud800"), texts, texts, st.sampled_from(["passed", "failed", "broken"]))
def test_junit_is_well_formed_whatever_the_texts(condition: str, about: str, said: str, verdict):
    gate = GateResult(condition=condition, verdict=verdict, said=said, about=about or "a")
    (suite,) = ElementTree.fromstring(drawn("junit", gate).encode())
    (case,) = suite
    assert case.attrib["classname"] == "".join(c if c.isprintable() else " " for c in about or "a")


def test_a_section_has_heading_verdicts_and_body():
    blocks = (
        Heading("not here", where=SUMMARY),
        Table(["a"], [["1"]], caption="said"),
        Text(["one"], where=SUMMARY),
        Facts([("Data", "12"), ("", "3")], where=SUMMARY),
        Gates(SUMMARY),
        Notes(["left out"], SUMMARY),
    )
    assert drawn("summary", FAILED, PASSED, blocks=blocks) == (
        "## old, new: 9 queries\n\n**1 of 2 gates failed.**\n\n"
        "- ❌ old: gate failed: gold.P@5 is 0.5, required at least 1\n- ✅ old: p99>1s passed with 12 ms\n\n"
        "| a |\n| --- |\n| 1 |\n\nsaid\n\n- one\n\n- Data: 12\n- 3\n\n> left out  \n\n"
    )


def test_what_is_broken_stands_before_the_gates_and_is_none_of_them():
    said = drawn("summary", ELSEWHERE, BROKEN)
    assert said.index("9 of 9 queries failed") < said.index("The gate passed.")
    assert said.count("- ✅") == 1
    assert "❌" not in said


def test_without_gates_a_section_says_nothing_of_them():
    assert drawn("summary", blocks=(Table(["a"], []),)) == "## old, new: 9 queries\n\n| a |\n| --- |\n\n"


def test_a_tag_or_a_link_in_a_sentence_is_shown_and_not_obeyed():
    assert "not JSON: '&lt;!doctype html>'" in drawn("summary", BROKEN)
    assert "<img" not in drawn("summary", title="<img src=x>")
    assert "](" not in drawn("summary", title="![x](http://y)", blocks=(Text(["[x](y)"], where=SUMMARY),))


@pytest.mark.parametrize("text", ["a\nb", "a\r\n# b", "a\u2028b"])
def test_a_sentence_stays_one_line_of_markdown(text: str):
    blocks = (Text([text], where=SUMMARY), Facts([(text, text)], where=SUMMARY))
    gate = GateResult(condition="P@5<1", verdict="failed", said=text)
    said, plainly = (
        drawn("summary", one, title=title, blocks=blocks)
        for one, title, blocks in (
            (gate, text, blocks),
            (FAILED, "a", (Text(["a"], where=SUMMARY), Facts([("a", "b")], where=SUMMARY))),
        )
    )
    assert len(re.findall(r"^", said, re.MULTILINE)) == len(re.findall(r"^", plainly, re.MULTILINE))
    assert "\u2028" not in said
