"""What rooms above this floor know of a result: they are named here, and imported when they are asked."""

from importlib import import_module
from typing import TYPE_CHECKING

from benchbench.results.checks import NO_REFUSALS, Refusals

if TYPE_CHECKING:
    from benchbench.results.measured import Measured
    from benchbench.results.record import Number

_JUDGES = {  # kind -> module whose `refused` takes a result
    "judge": "benchbench.judging.gates",
    "nuggets": "benchbench.judging.nuggets.scores",
    "evaluate": "benchbench.evaluation.gates",
}


def refusals_of(result: "Measured") -> Refusals:
    """Return the numbers that no gate may go by, as what judged them says; InputError when the result is damaged."""
    module = _JUDGES.get(result.record.kind)
    found: Refusals = NO_REFUSALS if module is None else import_module(module).refused(result)
    return found


def measure_name(name: str) -> str:
    """Return the name under which a measure is reported, such as nDCG@10 for ndcg_cut_10; any other name as it is."""
    found: str = import_module("benchbench.measures.gates").reported_name(name)
    return found


def notebook(result: "Measured") -> str:
    """Return what a notebook shows of a result; InputError for a kind that no report is known for."""
    found: str = import_module("benchbench.report.draw").draw(result, "notebook")
    return found


def with_interval(result: "Measured", number: "Number") -> "Number":
    """Return a number with an interval, where the values per query give one that the record does not have."""
    found: Number
    (found,) = import_module("benchbench.measures.own_interval").own_intervals(result, [number])
    return found
