"""benchbench: how good, and how fast, is a retriever?

>>> import benchbench as bb
>>> outcome = bb.run(bb.Settings(bb.locate("synthetic-cases")))
>>> outcome.per_query.head()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from benchbench.formats.trec_text import read_qrels, read_run
    from benchbench.measures.evaluate import evaluate
    from benchbench.tables.judged import Qrels, Run
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
    "evaluate",
    "locate",
    "read_qrels",
    "read_run",
    "run",
    "run_targets",
]

_HOMES = {  # loaded on first use: importing benchbench costs nothing
    **dict.fromkeys(("Outcome", "Output", "Settings", "run", "run_targets"), "benchbench.experiment"),
    **dict.fromkeys(("DataSet", "locate"), "benchbench.formats.card"),
    **dict.fromkeys(("Qrels", "Run"), "benchbench.tables.judged"),
    **dict.fromkeys(("read_qrels", "read_run"), "benchbench.formats.trec_text"),
    "Criteria": "benchbench.tasks.criteria",
    "Scores": "benchbench.tables.scores",
    "evaluate": "benchbench.measures.evaluate",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'benchbench' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "benchbench.errors")), name)
