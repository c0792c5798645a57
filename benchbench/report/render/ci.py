"""For continuous integration: the gates as JUnit's XML, and a section of Markdown for a job's summary."""

import re
import xml.etree.ElementTree as Tree
from collections import Counter

from benchbench.errors import visible
from benchbench.report.blocks import Block, Facts, Notes, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.render.papers import markdown_table
from benchbench.results.record import GateResult, Record
from benchbench.results.result import Result
from benchbench.results.verdict import gates_counted

_ELEMENTS = {"failed": "failure", "broken": "error", "not judged": "skipped"}  # of a JUnit test case
_MARKS = {"passed": "✅", "failed": "❌", "not judged": "⚪"}


def junit(result: Result, layout: Layout) -> str:
    """Return a test suite: a case per gate and what it was checked on, and what failed in a sentence."""
    record = result.record
    states = Counter(_ELEMENTS.get(gate.verdict, "") for gate in record.gates)
    counts = {
        "tests": f"{len(record.gates)}",
        "failures": f"{states['failure']}",
        "errors": f"{states['error']}",
        "skipped": f"{states['skipped']}",
    }
    abouts = {_about(gate, record): _seconds(gate, record) for gate in record.gates}
    times = [seconds for seconds in abouts.values() if seconds is not None]
    suites = Tree.Element("testsuites", counts)
    suite = Tree.SubElement(
        suites, "testsuite", {"name": _clean(layout.command), **counts, **(_time(sum(times)) if times else {})}
    )
    for gate in record.gates:
        about, seconds = _about(gate, record), _seconds(gate, record)
        names = {"classname": _clean(about), "name": _clean(gate.condition)}
        case = Tree.SubElement(suite, "testcase", names | ({} if seconds is None else _time(seconds)))
        if element := _ELEMENTS.get(gate.verdict):
            message = _clean(gate.said)
            kind = {} if element == "skipped" else {"type": gate.verdict}
            Tree.SubElement(case, element, {**kind, "message": message}).text = message
    if notes := [note for block in layout.of("junit") if isinstance(block, Notes) for note in block.sentences]:
        Tree.SubElement(suite, "system-out").text = "\n".join(map(_clean, notes))
    Tree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Tree.tostring(suites, encoding="unicode") + "\n"


def section(result: Result, layout: Layout) -> str:
    """Return a section of Markdown: the heading, what became of the gates, and the report."""
    results = result.record.gates
    gates = [gate for gate in results if gate.verdict != "broken"]
    has_failed = any(gate.verdict == "failed" for gate in gates)
    lines = [f"## {line(layout.title)}", ""]
    for gate in results:
        lines += [f"**{line(gate.said)}**", ""] if gate.verdict == "broken" else []
    if gates:
        lines += [f"**{gates_counted(gates)}**" if has_failed else gates_counted(gates), ""]
        lines += [f"- {_MARKS[gate.verdict]} {line(gate.said)}" for gate in gates]
        lines.append("")
    body = "\n".join(drawn for block in layout.of("summary") if (drawn := _drawn(block)))
    return "\n".join([*lines, *map(visible, body.rstrip("\n").split("\n")), "", ""])


def line(text: str) -> str:
    """Return a text as one line of Markdown in which no tag, no link and no image hides a part of it."""
    return re.sub(r"<(?=[a-zA-Z/!?])", "&lt;", _clean(text)).replace("](", "]\\(")


def _drawn(block: Block) -> str:
    match block:
        case Table():
            return markdown_table(block)
        case Text(lines):
            return "".join(f"- {line(text)}\n" for text in lines)
        case Facts(rows):
            return "".join(f"- {line(f'{label}: {text}' if label else text)}\n" for label, text in rows)
        case Notes(sentences):
            return "".join(f"> {line(sentence)}  \n" for sentence in sentences)
    return ""


def _about(gate: GateResult, record: Record) -> str:
    return gate.about or record.name


def _seconds(gate: GateResult, record: Record) -> float | None:
    """Return how long the measurement took that a gate was checked on, where the record has it."""
    for number in record.numbers:
        if number.name == "seconds" and number.scope.items() <= gate.scope.items():
            return number.value
    return None


def _clean(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def _time(seconds: float) -> dict[str, str]:
    return {"time": f"{seconds:.3f}"}
