"""An evaluation of answers as continuous integration is told of it."""

from collections.abc import Sequence

from benchbench.answers.summary import Summary
from benchbench.report import ci
from benchbench.report.answers import notes, remarks, table
from benchbench.results.record import GateResult


def checked(
    command: str, about: str, summary: Summary, gates: Sequence[GateResult], max_error_rate: float = 1.0
) -> ci.Checked:
    """Return a case a gate, and one when too many questions failed; `about` is what answered, or the file."""
    cases: list[ci.Case] = []
    failed = summary.nulls
    if failed > max_error_rate * summary.total:
        reason = max(summary.failures, key=lambda one: summary.failures[one])
        said = f"{failed:,} of {summary.total:,} question{'s' * (summary.total != 1)} failed, mostly: {reason}"
        cases.append(ci.Case(f"--max-error-rate {max_error_rate:g}", about, said, "broken"))
    cases += ci.checked(gates, about)
    lines = "\n".join(f"- {label}: {ci.line(said)}" for label, said in remarks(summary))
    heading, body = f"{about}: {summary.total:,} answers", f"{table(summary)}\n{lines}\n"
    return ci.Checked(command, heading, tuple(cases), body, tuple(notes(summary)))
