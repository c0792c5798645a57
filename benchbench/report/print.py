"""What a finished run prints, a format each."""

from collections.abc import Callable

from benchbench.experiment import Outcome
from benchbench.report import table, targets
from benchbench.report.folder import pretty
from benchbench.report.summary import summary, text

FORMATS: dict[str, Callable[[Outcome], str]] = {
    "text": text,
    "json": lambda outcome: pretty(summary(outcome)).decode(),
    "jsonl": table.json_lines,
    "csv": table.comma_separated,
    "markdown": table.markdown,
    "latex": table.latex,
}

TARGET_FORMATS: dict[str, Callable[[targets.Outcomes], str]] = {
    "text": targets.text,
    "json": lambda outcomes: pretty(targets.summary(outcomes)).decode(),
    "jsonl": targets.json_lines,
    "csv": targets.comma_separated,
    "markdown": targets.markdown,
    "latex": targets.latex,
}
