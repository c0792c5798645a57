"""Which numbers of a result no gate may go by, as what judged them says.

What judges stands above this floor. It is found by the kind of the result, and imported when it is asked.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from benchbench.results.checks import NO_REFUSALS, Refusals

if TYPE_CHECKING:
    from benchbench.results.result import Result

_JUDGES = {  # kind -> module whose `refused` takes a result
    "judge": "benchbench.judging.gates",
    "nuggets": "benchbench.judging.nugget_scores",
    "evaluate": "benchbench.evaluation.gates",
}


def refusals_of(result: "Result") -> Refusals:
    """Return the numbers that nobody may go by, and why; InputError when the result is damaged."""
    module = _JUDGES.get(result.record.kind)
    found: Refusals = NO_REFUSALS if module is None else import_module(module).refused(result)
    return found
