"""What continuous integration is told of a command with gates: JUnit's XML, and a section of Markdown."""

import re
import xml.etree.ElementTree as Tree
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from benchbench.errors import visible
from benchbench.results.record import GateResult

_ELEMENTS = {"failed": "failure", "broken": "error"}  # of a JUnit test case


@dataclass(frozen=True, slots=True)
class Case:
    """A gate, and what became of it. What is broken has failed so much that gates say little."""

    gate: str
    about: str  # what it was checked on: a service, a step, a pair
    said: str  # a sentence, whatever became of it
    state: Literal["passed", "failed", "broken"]
    seconds: float | None = None  # that what it was checked on took


@dataclass(frozen=True, slots=True)
class Checked:
    """What a command measured, with its gates."""

    command: str  # "benchbench run"
    heading: str
    cases: tuple[Case, ...]
    body: str  # Markdown: tables, and what else there is to say
    notes: tuple[str, ...] = ()  # what the numbers leave out; the body says it too


def checked(results: Iterable[GateResult], about: str, seconds: float | None = None, label: str = "") -> list[Case]:
    """Return a case a gate; the label stands before each sentence."""
    return [Case(one.condition, about, f"{label}{one.said}", one.verdict, seconds) for one in results]


def junit(found: Checked) -> str:
    """Return a test suite: a case a gate and what it was checked on, and what failed in a sentence."""
    states = [one.state for one in found.cases]
    counts = {
        "tests": f"{len(states)}",
        "failures": f"{states.count('failed')}",
        "errors": f"{states.count('broken')}",
        "skipped": "0",
    }
    suites = Tree.Element("testsuites", counts)
    times = {one.about: one.seconds for one in found.cases if one.seconds is not None}
    suite = Tree.SubElement(
        suites, "testsuite", {"name": found.command, **counts, **(_time(sum(times.values())) if times else {})}
    )
    for one in found.cases:
        names = {"classname": _clean(one.about), "name": _clean(one.gate)}
        case = Tree.SubElement(suite, "testcase", names | ({} if one.seconds is None else _time(one.seconds)))
        if one.state != "passed":
            said = _clean(one.said)
            Tree.SubElement(case, _ELEMENTS[one.state], {"type": one.state, "message": said}).text = said
    if found.notes:
        Tree.SubElement(suite, "system-out").text = "\n".join(map(_clean, found.notes))
    Tree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(suites, encoding="unicode") + "\n"


def section(found: Checked) -> str:
    """Return a section of Markdown: the heading, what became of the gates, and the body."""
    gates = [one for one in found.cases if one.state != "broken"]
    failed = sum(one.state == "failed" for one in gates)
    lines = [f"## {line(found.heading)}", ""]
    for one in found.cases:
        lines += [f"**{line(one.said)}**", ""] if one.state == "broken" else []
    if gates:
        lines += [f"**{failed} of {len(gates)} gates failed.**" if failed else "All gates passed.", ""]
        lines += [f"- {'✅' if one.state == 'passed' else '❌'} {line(one.said)}" for one in gates]
        lines.append("")
    return "\n".join([*lines, *map(visible, found.body.rstrip("\n").split("\n")), "", ""])


def line(text: str) -> str:
    """Return a text as one line of Markdown in which no tag hides a part of it."""
    return re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", _clean(text))


def _clean(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def _time(seconds: float) -> dict[str, str]:
    return {"time": f"{seconds:.3f}"}
