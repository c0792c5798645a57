"""Files of judgments and of hits that were given in each other's place."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels
from benchbench.formats.shards import are_shards, parts_of
from benchbench.kernels.arrays import F64
from benchbench.tables.qrels_runs import are_scores

_SAMPLE = 1000  # rows that are looked at
_HIGHEST = 10  # grade, either way: scores that are whole numbers go further


def read_qrels(path: Path | str, runs: Iterable[Path | str]) -> Qrels:
    """Read qrels, as `Qrels.from_file`, that are to judge some runs.

    Raises
    ------
    InputError
        That the files are to be swapped, where this one looks like a run and one of the others like judgments; else
        as `Qrels.from_file`.
    """
    try:
        qrels = Qrels.from_file(path)
    except InputError:
        _refuse_swapped(path, runs)
        raise
    if are_scores(qrels.grade[:_SAMPLE]):
        _refuse_swapped(path, runs)
    return qrels


def read_judgments(path: Path | str, runs: Iterable[Path | str]) -> Qrels | None:
    """Read qrels that are to judge some runs; None where all files are runs.

    A file that may be either, such as a table of fractions, has judgments, unless there is one file besides: to judge
    one run compares nothing.

    Raises
    ------
    InputError
        As `read_qrels`.
    """
    others = list(runs)
    try:
        qrels = read_qrels(path, others)
    except InputError:
        if _are_runs(path, others):
            return None
        raise
    alone = len(others) == 1 and are_scores(qrels.grade[:_SAMPLE])
    return None if alone and _are_runs(path, others) else qrels


def _are_runs(path: Path | str, others: Iterable[Path | str]) -> bool:
    return _looks_like(path) == "run" and all(_looks_like(other) != "judgments" for other in others)


def _refuse_swapped(path: Path | str, runs: Iterable[Path | str]) -> None:
    other = next((run for run in runs if _looks_like(run) == "judgments"), None)
    if other is not None and _looks_like(path) == "run":
        raise InputError(f"{path} looks like a run and {other} like judgments: swap them, judgments come first")


def _looks_like(path: Path | str) -> Literal["run", "judgments"] | None:
    """Return what a file holds: by its fields or the names of its columns, or else by the values; None if unknown."""
    if not Path(path).is_file() and not are_shards(Path(path)):  # what can be read once is not read here
        return None
    as_run, as_judgments = (_values(path, run) for run in (True, False))
    if as_run is None or as_judgments is None:
        return "run" if as_run is not None else "judgments" if as_judgments is not None else None
    if are_scores(as_run):
        return "run"
    whole = np.array_equal(as_run, np.rint(as_run)) and np.abs(as_run).max(initial=0) <= _HIGHEST
    return "judgments" if whole else None


def _values(path: Path | str, run: bool) -> F64 | None:
    """Return the first values of a file, None where it is none of its kind."""
    try:
        return next((part.use(lambda rows: rows.value[:_SAMPLE].copy()) for part in parts_of(path, run)()), None)
    except InputError:
        return None
