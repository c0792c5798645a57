"""A comparison for continuous integration: JUnit's XML, and a summary in Markdown."""

import xml.etree.ElementTree as Tree

from benchbench.report.comparison_formats import markdown
from benchbench.report.comparison_words import heading, sentence
from benchbench.significance.outcome import Outcome


def junit(outcome: Outcome) -> str:
    """Return a test suite: a case a gate and pair, and what failed in a sentence."""
    failures = sum(one.failure is not None for one in outcome.gates)
    counts = {"tests": f"{len(outcome.gates)}", "failures": f"{failures}", "errors": "0", "skipped": "0"}
    suites = Tree.Element("testsuites", counts)
    suite = Tree.SubElement(suites, "testsuite", {"name": "benchbench compare", **counts, "time": "0"})
    for one in outcome.gates:
        pair = f"{one.system} against {one.baseline}"
        case = Tree.SubElement(suite, "testcase", {"classname": _clean(pair), "name": _clean(one.gate), "time": "0"})
        if one.failure is not None:
            failure = Tree.SubElement(case, "failure", {"type": "gate", "message": _clean(one.failure)})
            failure.text = _clean(one.failure)
    Tree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(suites, encoding="unicode") + "\n"


def summary(outcome: Outcome) -> str:
    """Return a section of Markdown: the verdict, the table, a sentence a difference, gates and notes."""
    failed = [one for one in outcome.gates if one.failure is not None]
    lines = [f"## {heading(outcome)}", ""]
    if outcome.gates:
        lines += [f"**{len(failed)} of {len(outcome.gates)} gates failed.**" if failed else "All gates passed.", ""]
        lines += [
            f"- {'❌' if one.failure else '✅'} {one.failure or f'{one.system}: {one.gate}'}" for one in outcome.gates
        ]
        lines.append("")
    lines += [markdown(outcome)]
    lines += [f"- {sentence(outcome.comparison, one)}" for one in outcome.comparison.differences]
    notes = (*outcome.notes, *outcome.comparison.notes)
    lines += ["", *(f"> {note}  " for note in notes)] if notes else []
    return "\n".join([*lines, ""])


def _clean(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in text)
