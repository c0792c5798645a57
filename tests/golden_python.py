"""What Python is given: the values of each public function that measures, as JSON values."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import compared
import golden_inputs as inputs
import golden_masks as masks
import polars as pl

import benchbench as bb

_MEASURES = ("nDCG@3", "AP", "RR", "P@2")
_SHORT = bb.Criteria(tasks=("gold", "accusation"), cutoffs=(3, 10))


def _rows(frame: pl.DataFrame, mask: masks.Mask = masks.NOTHING) -> Any:
    """Return a frame as JSON has it, without what is timed."""
    kept = frame.select(name for name in frame.columns if not re.fullmatch(mask.columns, name))
    return {"types": {name: str(kind) for name, kind in frame.schema.items()}, "rows": kept.to_dicts()}


def _evaluated() -> Any:
    scores = {
        name: bb.evaluate(bb.Qrels.from_dict(compared.qrels()), bb.Run.from_dict(run), _MEASURES)
        for name, run in (("good", compared.GOOD), ("poor", compared.POOR))
    }
    return {
        name: {
            "mean": one.mean(),
            "per_query": _rows(one.per_query()),
            "queries": dict(one.queries),
            "signature": str(one.signature),
        }
        for name, one in scores.items()
    }


def _compared() -> Any:
    runs = {"good": bb.Run.from_dict(compared.GOOD), "poor": bb.Run.from_dict(compared.POOR)}
    made = bb.compare(bb.Qrels.from_dict(compared.qrels()), runs, _MEASURES, resamples=500, fail_if=["nDCG@3<0.9"])
    said = [(gate.condition, gate.failure) for gate in made.gates]
    return {"frame": _rows(made.frame()), "repr": repr(made), "gates": said}


def _compared_folders() -> Any:
    inputs.stored()
    made = bb.compare_results([Path("whole"), Path("half")], ["gold.nDCG@10", "R@10"], resamples=500)
    return {"frame": _rows(made.frame()), "notes": list(made.notes), "moved_by": made.moved_by}


def _run(outcome: bb.Outcome) -> Any:
    return {
        "per_query": _rows(outcome.per_query, masks.RUN),
        "counts": outcome.counts,
        "failures": outcome.failures,
        "gates": [(gate.condition, gate.failure) for gate in outcome.gates],
        "signature": str(outcome.signature),
    }


def _ran() -> Any:
    with inputs.searched() as places:
        settings = bb.Settings("data", places["a"], batch_size=4, criteria=_SHORT, fail_if=["nDCG@10<0.99"])
        return _run(bb.run(settings))


def _ran_targets() -> Any:
    with inputs.two_searched() as places:
        settings = bb.Settings("data", targets=places, batch_size=4, concurrency=1, criteria=_SHORT)
        return {name: _run(one) for name, one in bb.run_targets(settings).items()}


def _loaded() -> Any:
    with inputs.searched() as places:
        settings = bb.LoadSettings(
            dataset="data",
            service=bb.Service(places["a"], bb.protocol("benchbench")),
            rates=(100.0,),
            batch_sizes=(4,),
            duration=0.03,
            warm_up=0.0,
            criteria=_SHORT,
        )
        (step,) = bb.run_load(settings).steps
        values = {name: None if math.isnan(value) else value for name, value in step.values.items()}
        return {"name": step.load.title, "values": values, "counts": step.counts, "failures": step.failures}


VALUES: dict[str, tuple[Callable[[], Any], masks.Mask]] = {
    "evaluate": (_evaluated, masks.NOTHING),
    "compare": (_compared, masks.NOTHING),
    "compare_results": (_compared_folders, masks.NOTHING),
    "run": (_ran, masks.RUN),
    "run_targets": (_ran_targets, masks.RUN),
    "run_load": (_loaded, masks.LOAD),
}
