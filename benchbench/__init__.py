"""benchbench: how good, and how fast, is a retriever?

>>> import benchbench as bb
>>> outcome = bb.run(bb.Settings(bb.locate("synthetic-cases")))
>>> outcome.per_query.head()
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchbench.comparison.folders import compare_results
    from benchbench.comparison.runs import compare
    from benchbench.errors import (
        BenchbenchError,
        GateError,
        InputError,
        InterruptedRunError,
        TooManyFailuresError,
        UnreachableError,
    )
    from benchbench.experiment import Outcome, Output, Settings, run, run_targets
    from benchbench.formats.card import DataSet, locate
    from benchbench.formats.judged import Qrels, Run, scan_run
    from benchbench.measures.evaluate import evaluate
    from benchbench.tables.scores import Scores
    from benchbench.tasks.criteria import Criteria

__version__ = "0.1.0"

__all__ = [
    "BenchbenchError",
    "Criteria",
    "DataSet",
    "GateError",
    "InputError",
    "InterruptedRunError",
    "Outcome",
    "Output",
    "Qrels",
    "Run",
    "Scores",
    "Settings",
    "TooManyFailuresError",
    "UnreachableError",
    "compare",
    "compare_results",
    "evaluate",
    "locate",
    "run",
    "run_targets",
    "scan_run",
]

_HOMES = {  # loaded on first use: importing benchbench costs nothing
    **dict.fromkeys(("Outcome", "Output", "Settings", "run", "run_targets"), "benchbench.experiment"),
    **dict.fromkeys(("DataSet", "locate"), "benchbench.formats.card"),
    **dict.fromkeys(("Qrels", "Run", "scan_run"), "benchbench.formats.judged"),
    "Criteria": "benchbench.tasks.criteria",
    "Scores": "benchbench.tables.scores",
    "compare": "benchbench.comparison.runs",
    "compare_results": "benchbench.comparison.folders",
    "evaluate": "benchbench.measures.evaluate",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'benchbench' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "benchbench.errors")), name)
