import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.measures.gates import as_gates
from benchbench.report.ci import Case, Checked, checked, junit, section
from benchbench.results.checks import check
from benchbench.results.record import Number

FAILED = Case("P@5<1", "old", "old: gate failed: gold.P@5 is 0.5, required at least 1", "failed", 1.5)
PASSED = Case("p99>1s", "old", "old: p99>1s passed with 12 ms", "passed", 1.5)
ELSEWHERE = Case("P@5<1", "new", "new: P@5<1 passed with 1", "passed", 0.25)
BROKEN = Case("--max-error-rate 0", "new", "new: 9 of 9 queries failed, mostly: not JSON: '<!doctype html>'", "broken")


def found(*cases: Case, heading: str = "old, new: 9 queries", body: str = "| a |\n") -> Checked:
    return Checked("benchbench run", heading, cases, body)


def test_a_verdict_is_a_case_with_its_sentence_behind_the_label():
    numbers = [Number(name="gold.P@5", value=0.5), Number(name="p99", value=12.0, unit="ms")]
    told = check(as_gates(["P@5<1", "p99>1s"]), numbers)
    assert checked(told, "old", 1.5, "old: ") == [FAILED, PASSED]


def test_junit_has_a_case_a_gate_and_what_it_was_checked_on():
    suites = ElementTree.fromstring(junit(found(FAILED, PASSED, ELSEWHERE, BROKEN)))
    assert suites.attrib == {"tests": "4", "failures": "1", "errors": "1", "skipped": "0"}
    (suite,) = suites
    assert suite.attrib["name"] == "benchbench run"
    assert [(case.attrib["classname"], case.attrib["name"]) for case in suite] == [
        ("old", "P@5<1"),
        ("old", "p99>1s"),
        ("new", "P@5<1"),
        ("new", "--max-error-rate 0"),
    ]
    assert [[(child.tag, child.text) for child in case] for case in suite] == [
        [("failure", FAILED.said)],
        [],
        [],
        [("error", BROKEN.said)],
    ]


def test_the_time_of_what_two_gates_were_checked_on_counts_once():
    (suite,) = ElementTree.fromstring(junit(found(FAILED, PASSED, ELSEWHERE)))
    assert suite.attrib["time"] == "1.750"
    assert [case.attrib["time"] for case in suite] == ["1.500", "1.500", "0.250"]


def test_a_time_that_is_not_known_is_not_made_up():
    assert "time" not in junit(found(BROKEN))


@given(st.text(), st.text(), st.text(), st.sampled_from(["passed", "failed", "broken"]))
def test_junit_is_well_formed_whatever_the_texts(gate: str, about: str, said: str, state):
    (suite,) = ElementTree.fromstring(junit(found(Case(gate, about, said, state))).encode())
    (case,) = suite
    kept = "".join(c if c.isprintable() else " " for c in about)
    assert case.attrib["classname"] == kept


def test_control_characters_and_half_a_pair_are_spaces_in_junit():
    text = junit(found(Case("P@5<1", "a\x00\x1b[31m\ud800b", "\x08", "failed")))
    assert 'classname="a  [31m b"' in text
    assert text.encode()


def test_a_section_has_heading_verdicts_and_body():
    assert section(found(FAILED, PASSED)) == (
        "## old, new: 9 queries\n\n**1 of 2 gates failed.**\n\n"
        "- ❌ old: gate failed: gold.P@5 is 0.5, required at least 1\n- ✅ old: p99>1s passed with 12 ms\n\n| a |\n\n"
    )


def test_what_is_broken_stands_before_the_gates_and_is_none_of_them():
    said = section(found(ELSEWHERE, BROKEN))
    assert said.index("9 of 9 queries failed") < said.index("All gates passed.")
    assert said.count("- ✅") == 1
    assert "❌" not in said


def test_without_gates_a_section_says_nothing_of_them():
    assert section(found()) == "## old, new: 9 queries\n\n| a |\n\n"


def test_a_tag_in_a_sentence_is_shown_and_not_obeyed():
    assert "not JSON: '&lt;!doctype html>'" in section(found(BROKEN))
    assert "<img" not in section(found(heading="<img src=x>"))


@pytest.mark.parametrize("text", ["a\nb", "a\r\n# b", "a\u2028b"])
def test_a_sentence_stays_one_line_of_markdown(text: str):
    said = section(found(Case("P@5<1", "a", text, "failed"), heading=text))
    assert len(re.findall(r"^", said, re.MULTILINE)) == len(re.findall(r"^", section(found(FAILED)), re.MULTILINE))
    assert "\u2028" not in said
