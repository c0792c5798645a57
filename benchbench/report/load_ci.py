"""A load test as continuous integration is told of it."""

from benchbench.load_test import Outcome
from benchbench.report import ci
from benchbench.report.load import heading, markdown, remarks, warnings
from benchbench.results.verdict import all_failed


def checked(outcome: Outcome) -> ci.Checked:
    """Return a case per gate and step, and one more when every request failed.

    The condition of a search for the highest rate is no gate: steps that break it are how the rate is found.
    """
    cases: list[ci.Case] = []
    for step in outcome.steps:
        cases += ci.checked(step.gates, step.load.title, step.load.duration, f"{step.load.title}: ")
    broken = all_failed((step.values["error_rate"] for step in outcome.steps), outcome.steps[0].failures)
    cases += ci.checked([broken] if broken else [], outcome.url)
    said_too = "\n".join(f"- {ci.line(one)}" for one in remarks(outcome, gates=False))
    body = f"{markdown(outcome)}\n{said_too}\n\nSignature `{outcome.signature}`\n"
    return ci.Checked("benchbench load", heading(outcome), tuple(cases), body, tuple(warnings(outcome)))
