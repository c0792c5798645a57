"""Results read back from their folders, those that version 0.1 wrote as well."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, said_by
from benchbench.results.folder import CONFIG, RECORD, SUMMARY, encoded
from benchbench.results.reading import Loaded, check_folder, json_object, read_result
from benchbench.results.record import Record, converted, identified, plain, uuid7
from benchbench.results.result import Result

_Old = Callable[[dict[str, Any], dict[str, Any], float], Record]


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
    summary, written = json_object(folder / SUMMARY), (folder / SUMMARY).stat().st_mtime
    if "targets" in summary:
        record = _targets(summary, folder)
    else:
        make = next((make for member, make in _KINDS.items() if member in summary), None)
        if make is None:
            raise InputError(f"{folder} is not a results folder: its {SUMMARY} is not of a run, a load test or answers")
        config = json_object(folder / CONFIG) if (folder / CONFIG).is_file() else {}
        with _explained(folder):
            named = {"name": folder.resolve().name, **summary} if "steps" in summary else summary  # as 0.1 called it
            record = make(named, config, written)
            converted(plain(record), Record, SUMMARY)
    identity = uuid7(written, encoded(summary))  # the same each time it is read
    return Loaded(
        folder, identified(record, identity), summary, [path.stem for path in sorted(folder.glob("*.parquet"))]
    )


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Name the folder in what is said of its files; members that no version wrote are said too."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{folder}: {problem}") from None
    except LookupError as missing:
        raise InputError(f"{folder}: {SUMMARY} is damaged: it has no {said_by(missing)}") from None
    except (AttributeError, TypeError, ValueError) as problem:
        raise InputError(f"{folder}: {SUMMARY} or {CONFIG} is damaged: {said_by(problem)}") from None


def _targets(summary: dict[str, Any], folder: Path) -> Record:
    from benchbench.runs.run_details import TargetsDetails
    from benchbench.runs.run_record import targets_record

    names = list(converted(summary, TargetsDetails, folder / SUMMARY).targets)
    if not names or not all(re.fullmatch(r"\w[\w-]*", name) for name in names):
        raise InputError(f"{folder / SUMMARY} is damaged: a target's name is not a folder name")
    return targets_record({name: load(folder / name).record for name in names}, folder.name)


def _run(summary: dict[str, Any], config: dict[str, Any], began: float) -> Record:
    from benchbench.runs.run_record import of_summary

    return of_summary(summary, config, began)


def _load(summary: dict[str, Any], config: dict[str, Any], began: float) -> Record:
    from benchbench.loads.load_details import LoadDetails
    from benchbench.loads.load_record import record_of

    return record_of(converted(summary, LoadDetails, SUMMARY), config, began, began)


def _answers(summary: dict[str, Any], config: dict[str, Any], began: float) -> Record:
    from benchbench.answering.answers_details import AnswersDetails
    from benchbench.answering.answers_result import of_old_folder

    return of_old_folder(converted(summary, AnswersDetails, SUMMARY), config, began).record


_KINDS: dict[str, _Old] = {"steps": _load, "latency_ms": _run, "metrics": _answers}  # by a member of the summary
