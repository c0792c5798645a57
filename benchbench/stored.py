"""Results read back from their folders, those that version 0.1 wrote as well."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.results.folder import CONFIG, RECORD, SUMMARY
from benchbench.results.reading import check_folder, json_object, read_result
from benchbench.results.record import Record, converted
from benchbench.results.result import Loaded, Result

_Old = Callable[[dict[str, Any], dict[str, Any], float, Path], Record]


def load(folder: str | Path) -> Result:
    """Return the result that a folder holds: of `run`, `load`, `answers run`, or of `result.save`.

    Parameters
    ----------
    folder
        As it was written; tables in it are read when they are asked for.

    Raises
    ------
    InputError
        When it is no results folder, is not finished, is damaged, or was written by a newer benchbench.
    """
    path = Path(folder)
    check_folder(path)
    return read_result(path) if (path / RECORD).is_file() else _of_old(path)


def _of_old(folder: Path) -> Loaded:
    """Return a result of version 0.1, which wrote no record: one is made of its summary and its options."""
    summary = json_object(folder / SUMMARY)
    config = json_object(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    began = (folder / SUMMARY).stat().st_mtime
    for member, make in _KINDS.items():
        if member in summary:
            record = make(summary, config, began, folder)
            tables = [path.stem for path in sorted(folder.glob("*.parquet"))]
            return Loaded(folder, record, summary, tables)
    raise InputError(f"{folder} is no results folder: its {SUMMARY} is not that of a run, a load test or of answers")


def _run(summary: dict[str, Any], config: dict[str, Any], began: float, folder: Path) -> Record:
    from benchbench.runs.details import RunDetails
    from benchbench.runs.record import record_of

    return record_of(converted(summary, RunDetails, folder / SUMMARY), config, began, began)


def _targets(summary: dict[str, Any], config: dict[str, Any], began: float, folder: Path) -> Record:
    from benchbench.runs.record import targets_record

    return targets_record({name: load(folder / name).record for name in summary["targets"]}, folder.name)


def _load(summary: dict[str, Any], config: dict[str, Any], began: float, folder: Path) -> Record:
    from benchbench.loads.details import LoadDetails
    from benchbench.loads.record import record_of

    details = converted({"name": folder.name, **summary}, LoadDetails, folder / SUMMARY)
    return record_of(details, config, began, began)


def _answers(summary: dict[str, Any], config: dict[str, Any], began: float, folder: Path) -> Record:
    from benchbench.answering.record import AnswersDetails, stored_record

    return stored_record(converted(summary, AnswersDetails, folder / SUMMARY), config, began)


_KINDS: dict[str, _Old] = {"targets": _targets, "steps": _load, "latency_ms": _run, "metrics": _answers}  # by a member
