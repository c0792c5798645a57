"""A comparison as continuous integration is told of it."""

from benchbench.report.ci import Case, Checked, line
from benchbench.report.comparison_formats import markdown
from benchbench.report.comparison_words import heading, sentence
from benchbench.significance.outcome import Outcome


def checked(outcome: Outcome) -> Checked:
    """Return a case a gate and pair; the body is the table, a sentence a difference, and notes."""
    cases = tuple(Case(one.condition, one.about, one.said, one.verdict) for one in outcome.gates)
    lines = [markdown(outcome)]
    lines += [f"- {line(sentence(outcome.comparison, one))}" for one in outcome.comparison.differences]
    notes = (*outcome.notes, *outcome.comparison.notes)
    lines += ["", *(f"> {line(note)}  " for note in notes)] if notes else []
    return Checked("benchbench compare", heading(outcome), cases, "\n".join(lines), notes)
