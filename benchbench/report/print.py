"""What a finished run prints, a format each."""

from collections.abc import Callable

from benchbench.experiment import Outcome
from benchbench.report import table, targets
from benchbench.report.escape import latex_notes, markdown_notes
from benchbench.report.folder import pretty
from benchbench.report.summary import summary, text, warnings

FORMATS: dict[str, Callable[[Outcome], str]] = {
    "text": text,
    "json": lambda outcome: pretty(summary(outcome)).decode(),
    "jsonl": table.json_lines,
    "csv": table.comma_separated,
    "markdown": lambda outcome: table.markdown(outcome) + markdown_notes(warnings(outcome)),
    "latex": lambda outcome: latex_notes(warnings(outcome)) + table.latex(outcome),
}

TARGET_FORMATS: dict[str, Callable[[targets.Outcomes], str]] = {
    "text": targets.text,
    "json": lambda outcomes: pretty(targets.summary(outcomes)).decode(),
    "jsonl": targets.json_lines,
    "csv": targets.comma_separated,
    "markdown": lambda outcomes: targets.markdown(outcomes) + markdown_notes(targets.warnings(outcomes)),
    "latex": lambda outcomes: latex_notes(targets.warnings(outcomes)) + targets.latex(outcomes),
}
