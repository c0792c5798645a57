"""Who graded what: people's labels and those of judges, from files of any format or from results folders.

A file of TREC text may hold both: its second column names the judges. For people its other lines count, and of a judge
its own, so that one file may be given as either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.qrels_runs import Qrels, file_parts, kind_of
from benchbench.formats.source import Source
from benchbench.kernels.arrays import Bools
from benchbench.results.reading import check_folder, read_record
from benchbench.results.record import Record
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.judges import is_judge, second_fields
from benchbench.tables.names import IR_DATASETS, printable
from benchbench.tables.qrels_runs import QrelsTable, joined, judgments
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order

_RECORD = "record.json"
_LABELS = ("qrels.trec", "qrels.txt", "labels.trec")  # in a folder
_SUFFIXES = (".gz", ".zst", ".txt", ".qrels", ".qrel", ".trec", ".tsv", ".csv", ".json", ".jsonl", ".ndjson",
             ".parquet", ".pq", ".arrow", ".feather", ".ipc")  # fmt: skip

_Split = dict[str, QrelsTable]  # by judge; "" for people


@dataclass(frozen=True, slots=True)
class Grades:
    """The grades of people, or of one judge.

    Attributes
    ----------
    name
        What reports call it.
    source
        File or folder.
    qrels
        The grades.
    model, rubric, digest
        Of a judge: its model, the label of its rubric, and the digest of that; empty where it is not known.
    data
        Digest of the data that was judged; empty where it is not known.
    """

    name: str
    source: str
    qrels: QrelsTable
    model: str = ""
    rubric: str = ""
    digest: str = ""
    data: str = ""


def read_people(path: Path | str) -> Grades:
    """Read people's labels: a file that `score` takes, without the lines of judges.

    Raises
    ------
    InputError
        With file, line and what is wrong; when all labels are those of judges.
    """
    found = _read(path)
    if "" not in found:
        raise InputError(f"{path} has labels by judges alone ({_listed(found)}); HUMAN has those of people")
    return Grades(_stem(path), str(path), found[""])


def read_judges(path: Path | str) -> list[Grades]:
    """Read the grades of a judge: a file that `score` takes, or the results folder of `judge relevance`.

    A file that names judges has one entry per judge; its other lines are left out.

    Raises
    ------
    InputError
        With file, line and what is wrong; a folder without labels.
    """
    given = Path(path)
    folder = given if given.is_dir() else given.parent
    place = _labels_of(given) if given.is_dir() else path
    made = _record_beside(folder, given.is_dir())
    found = _read(place)
    named = {name: table for name, table in found.items() if name}
    if not named:
        one = Grades(_stem(given), str(path), found[""])
        return [_bound(one, made) if given.is_dir() else one]
    return [_bound(_of_judge(name, str(path), table), made) for name, table in named.items()]


def renamed(judges: Sequence[Grades], names: Sequence[str]) -> list[Grades]:
    """Return judges with names of which no two are alike: as given, or else their own.

    Raises
    ------
    InputError
        When there are more or fewer names than judges, or a name is given twice.
    """
    if names:
        if len(names) != len(judges):
            raise InputError(
                f"{len(judges)} judges need {len(judges)} names, and --judge-name has {len(names)}; name each"
            )
        called = [printable(name) for name in names]
        twice = next((name for name in called if called.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two judges are called {twice}; give each a --judge-name of its own")
        return [replace(one, name=name) for one, name in zip(judges, called, strict=True)]
    own = [one.name for one in judges]
    if len(set(own)) < len(own):
        own = [f"{one.name} ({printable(one.source)})" for one in judges]
    if len(set(own)) < len(own):
        raise InputError("two judges are the same file; give each once")
    return [replace(one, name=name) for one, name in zip(judges, own, strict=True)]


def _of_judge(name: str, source: str, table: QrelsTable) -> Grades:
    model, _, label = name.rpartition("/")
    return Grades(printable(name), source, table, model, label)


def _bound(one: Grades, made: Record | None) -> Grades:
    """Return a judge with what the record of its run says of it."""
    if made is None:
        return one
    model, digests = _setting(made, "model"), _setting(made, "rubric_digest")
    labels = _texts(_setting(made, "rubric"))
    label = one.rubric or (labels[0] if len(labels) == 1 else "")
    digest = digests.get(label, "") if isinstance(digests, Mapping) else digests
    if one.rubric and labels and one.rubric not in labels:
        return one
    return replace(
        one,
        model=model if isinstance(model, str) else one.model,
        rubric=label,
        digest=digest if isinstance(digest, str) else "",
        data=made.data.digest or "",
    )


def _setting(made: Record, name: str) -> Any:
    found = made.settings.get(name)
    return None if found is None else found.value


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [one for one in value or () if isinstance(one, str)]


def _record_beside(folder: Path, is_needed: bool) -> Record | None:
    """Return the record of a judge's run in a folder; None for a file that lies in no such folder."""
    if is_needed:
        check_folder(folder)
    if not (folder / _RECORD).is_file():
        return None
    if is_needed:
        return read_record(folder / _RECORD)
    try:
        made = read_record(folder / _RECORD)
    except InputError:
        return None  # the file is what was named, and not what lies beside it
    return made if made.kind == "judge" else None


def _labels_of(folder: Path) -> Path:
    check_folder(folder)
    for name in _LABELS:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder} has no labels ({', '.join(_LABELS)}); a JUDGE is a file of grades, or such a folder")


def _read(path: Path | str) -> _Split:
    """Return the grades of a file, by who gave them."""
    if str(path).startswith(IR_DATASETS):
        return {"": Qrels.from_file(path)}
    source = Source(path)
    if kind_of(source, False) != "trec":
        return {"": Qrels.from_file(path)}
    parts = file_parts(source, False)
    found = list(in_order(partial(part.use, partial(_split, name=source.name)) for part in parts()))
    names = list(dict.fromkeys(name for one in found for name in one))
    tables = {name: joined([one[name] for one in found if name in one]) for name in names}
    if any(table is None for table in tables.values()):  # a query stands in two parts
        rows = Rows.concatenated(list(in_order(part.kept for part in parts())))
        return _split(rows, source.name)
    whole = {name: table for name, table in tables.items() if table is not None}
    if not whole:
        raise InputError(f"{source.name} has no judgment")
    return whole


def _split(rows: Rows, name: str) -> _Split:
    """Return the grades of some rows, by who gave them."""
    if not rows.value.size:
        return {}
    judges = {one: field for one, field in second_fields(rows).items() if is_judge(field)}
    if not judges:
        return {"": judgments(Borrowed.of(lambda: rows), name)}
    found = {}
    for number, field in judges.items():
        its = rows.subtopic == np.uint64(number)
        found[field] = judgments(Borrowed.of(partial(_only, rows, its)), f"{name}, {visible(field, 80)},")
    people = ~np.isin(rows.subtopic, np.array(list(judges), np.uint64))
    if people.any():
        found = {"": judgments(Borrowed.of(partial(_only, rows, people)), name), **found}
    return found


def _only(rows: Rows, kept: Bools) -> Rows:
    """Return some of the rows, in columns of their own."""
    sizes = np.add.reduceat(kept.astype(np.int64), rows.groups[:-1])
    there = sizes > 0
    return Rows(
        rows.text,
        np.append(0, np.cumsum(sizes[there])),
        *(column[there] for column in (rows.query, rows.query_start, rows.query_stop)),
        *(column[kept] for column in (rows.document, rows.start, rows.stop, rows.value)),
        np.empty(0, np.uint64),
    )


def _listed(found: _Split) -> str:
    return ", ".join(visible(name, 60) for name in list(found)[:3])


def _stem(path: Path | str) -> str:
    if str(path) == "-":
        return "standard input"
    name = Path(path).name
    while (suffix := Path(name).suffix).lower() in _SUFFIXES and suffix:
        name = name.removesuffix(suffix)
    return printable(name)
