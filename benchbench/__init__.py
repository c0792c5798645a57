"""benchbench: how good, and how fast, is a retriever?

>>> import benchbench as bb
>>> outcome = bb.run(bb.Settings("synthetic-cases"))
>>> outcome.per_query.head()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchbench.client.describe import profile as protocol
    from benchbench.client.service import Service
    from benchbench.comparison.folders import compare_results
    from benchbench.comparison.runs import compare
    from benchbench.errors import (
        BenchbenchError,
        GateError,
        InputError,
        InterruptedRunError,
        TooManyFailuresError,
        UnreachableError,
        WorkerError,
    )
    from benchbench.experiment import Outcome, Output, Settings, run, run_targets
    from benchbench.formats.card import DataSet, locate
    from benchbench.formats.judged import Qrels, Run, scan_run
    from benchbench.load_test import Outcome as LoadOutcome
    from benchbench.load_test import Settings as LoadSettings
    from benchbench.load_test import run as run_load
    from benchbench.measures.evaluate import evaluate
    from benchbench.measures.scores import Scores
    from benchbench.tasks.criteria import Criteria

__version__ = "0.1.0"

__all__ = [
    "BenchbenchError",
    "Criteria",
    "DataSet",
    "GateError",
    "InputError",
    "InterruptedRunError",
    "LoadOutcome",
    "LoadSettings",
    "Outcome",
    "Output",
    "Qrels",
    "Run",
    "Scores",
    "Service",
    "Settings",
    "TooManyFailuresError",
    "UnreachableError",
    "WorkerError",
    "compare",
    "compare_results",
    "evaluate",
    "locate",
    "protocol",
    "run",
    "run_load",
    "run_targets",
    "scan_run",
]

_HOMES = {  # loaded on first use: importing benchbench costs nothing
    **dict.fromkeys(("Outcome", "Output", "Settings", "run", "run_targets"), "benchbench.experiment"),
    **dict.fromkeys(("DataSet", "locate"), "benchbench.formats.card"),
    **dict.fromkeys(("Qrels", "Run", "scan_run"), "benchbench.formats.judged"),
    **dict.fromkeys(("LoadOutcome", "LoadSettings", "run_load"), "benchbench.load_test"),
    "Criteria": "benchbench.tasks.criteria",
    "Scores": "benchbench.measures.scores",
    "compare": "benchbench.comparison.runs",
    "compare_results": "benchbench.comparison.folders",
    "Service": "benchbench.client.service",
    "evaluate": "benchbench.measures.evaluate",
    "protocol": "benchbench.client.describe",
}

_THERE = {"LoadOutcome": "Outcome", "LoadSettings": "Settings", "protocol": "profile", "run_load": "run"}  # at home


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'benchbench' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "benchbench.errors")), _THERE.get(name, name))
