"""An evaluation of answers as continuous integration is told of it."""

from collections.abc import Sequence

from benchbench.answers.summary import Summary
from benchbench.report import ci
from benchbench.report.answers import notes, remarks, table
from benchbench.results.record import GateResult
from benchbench.results.verdict import too_many_failures


def checked(
    command: str, about: str, summary: Summary, gates: Sequence[GateResult], max_error_rate: float = 1.0
) -> ci.Checked:
    """Return a case a gate, and one when too many questions failed; `about` is what answered, or the file."""
    what = "question" if summary.total == 1 else "questions"
    broken = too_many_failures(summary.nulls, summary.total, max_error_rate, summary.failures, what=what)
    cases = ci.checked([*([broken] if broken else []), *gates], about)
    lines = "\n".join(f"- {label}: {ci.line(said)}" for label, said in remarks(summary))
    heading, body = f"{about}: {summary.total:,} answers", f"{table(summary)}\n{lines}\n"
    return ci.Checked(command, heading, tuple(cases), body, tuple(notes(summary)))
