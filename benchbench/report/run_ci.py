"""A run, of one service or of several, as continuous integration is told of it."""

from collections.abc import Mapping
from pathlib import Path

from benchbench.client.arrival import EMPTY
from benchbench.experiment import Outcome
from benchbench.report import ci, summary, table, targets
from benchbench.results.verdict import no_hits, too_many_failures


def checked(outcomes: Mapping[str, Outcome], max_error_rate: float, folder: Path) -> ci.Checked:
    """Return a case per gate and service, and one for each service of which too many queries failed, or none got a hit.

    Parameters
    ----------
    outcomes
        By target; that of the only service without targets is under the empty name.
    max_error_rate
        Share of queries that may fail.
    folder
        Where the results are.
    """
    cases: list[ci.Case] = []
    for target, outcome in outcomes.items():
        about, label, place = outcome.settings.name, f"{target}: " if target else "", folder / target
        seconds = outcome.latency.seconds
        failed, queries = outcome.counts["failed"], outcome.counts["queries"]
        where = f"see {place / 'requests.parquet'}"
        broken = (
            too_many_failures(failed, queries, max_error_rate, outcome.failures, more=where),
            no_hits(outcome.counts["scored"], outcome.counts["hits"], EMPTY),
        )
        cases += ci.checked([*filter(None, broken), *outcome.gates], about, seconds, label)
    if "" in outcomes:
        only = outcomes[""]
        facts = "\n".join(summary.facts(only))
        heading = summary.heading(only)
        body = f"{table.markdown(only)}\n```\n{facts}\n```\n\nSignature `{only.signature}`\n"
        notes = summary.warnings(only)
    else:
        heading = targets.heading(outcomes)
        lines = "\n".join(f"- {ci.line(one)}" for one in targets.facts(outcomes))
        body = f"{targets.markdown(outcomes)}\n{lines}\n"
        notes = targets.warnings(outcomes)
    return ci.Checked("benchbench run", heading, tuple(cases), body, tuple(notes))
