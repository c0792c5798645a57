"""Who graded what: people's labels and those of judges, from files of any format or from results folders.

A file of TREC text may hold both: its second column names the judges. For people its other lines count, and of a judge
its own, so that one file may be given as either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.parts import file_parts, kind_of
from benchbench.formats.qrels_runs import Qrels
from benchbench.formats.source import Source, stem
from benchbench.kernels.arrays import U64, Bools
from benchbench.results.reading import check_folder, read_record, table
from benchbench.results.record import Record
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.judges import is_judge, second_fields
from benchbench.tables.names import IR_DATASETS, printable
from benchbench.tables.qrels_runs import QrelsTable, joined, judgments
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order

_RECORD = "record.json"
_LABELS = ("qrels.trec", "qrels.txt", "labels.trec")  # in a folder

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
    failed
        The hashes of queries and documents that the judge was asked about and has no verdict on; None where nobody
        knows what it was asked.
    """

    name: str
    source: str
    qrels: QrelsTable
    _: KW_ONLY
    model: str = ""
    rubric: str = ""
    digest: str = ""
    data: str = ""
    failed: tuple[U64, U64] | None = None


def read_people(path: Path | str) -> Grades:
    """Read people's labels: a file that `score` takes, without the lines of judges.

    Raises
    ------
    InputError
        With file, line and what is wrong; when all labels are those of judges.
    """
    split = _read(path)
    if "" not in split:
        raise InputError(f"{path} has only labels by judges ({_listed(split)}); HUMAN has those of people")
    return Grades(stem(path), str(path), split[""])


def read_judges(path: Path | str, is_named: bool = False) -> list[Grades]:
    """Read the grades of a judge: a file that `score` takes, or the results folder of `judge relevance`.

    A file that names judges has one entry per judge; its other lines are left out.

    Parameters
    ----------
    path
        File or folder.
    is_named
        Whether somebody says what the judge is called. TREC text that names no judge is then taken for a judge's;
        otherwise its labels may be people's.

    Raises
    ------
    InputError
        With file, line and what is wrong; a folder without labels; labels of which none is a judge's.
    """
    place = Path(path)
    if place.is_dir():
        return _of_folder(place)
    record, split = _record_beside(place), _read(path)
    named = {name: grades for name, grades in split.items() if name}
    if not named and record is not None:
        raise InputError(f"{path} has no grade by {_setting(record, 'model')}: all its labels are those of people")
    if not named and not is_named and not str(path).startswith(IR_DATASETS) and kind_of(Source(path), False) == "trec":
        raise InputError(
            f"no line of {path} names a judge in its second column, so its labels may be people's; --judge-name NAME "
            "says that a judge gave them"
        )
    if not named:
        return [Grades(stem(place), str(path), split[""])]
    return [_bound(_of_judge(name, str(path), grades), record) for name, grades in named.items()]


def _of_folder(folder: Path) -> list[Grades]:
    """Return the judges of a results folder, with their grades of all pairs, also of pairs that people labelled."""
    from benchbench.judging.judge_folder import VERDICTS

    check_folder(folder)
    record = read_record(folder / _RECORD)
    model = _setting(record, "model")
    labels = _said(folder) if any(table.name == VERDICTS for table in record.tables) else {}
    if labels and isinstance(model, str):
        called = printable(model)
        return [
            _bound(Grades(f"{called}/{label}", str(folder), qrels, model=model, rubric=label, failed=failed), record)
            for label, (qrels, failed) in labels.items()
        ]
    place = next((folder / name for name in _LABELS if (folder / name).is_file()), None)
    if place is None:
        raise InputError(
            f"{folder} has no grades of pairs; a JUDGE is a file of grades, or a folder of judge relevance"
        )
    return [replace(_bound(judge, record), source=str(folder)) for judge in read_judges(place)]


def _said(folder: Path) -> dict[str, tuple[Qrels, tuple[U64, U64]]]:
    """Return, by rubric, the grades of a judge's first attempts, and the hashes of pairs that have no verdict.

    An answer counts as a pair of its number and the name of the rubric.
    """
    import polars as pl

    from benchbench.judging.judge_folder import VERDICTS
    from benchbench.judging.relevance.pairs import SEPARATOR
    from benchbench.judging.relevance.pool import hashes_of

    rows = table(folder, VERDICTS, ["item", "rubric", "attempt", "score"]).filter(pl.col("attempt") == 1)
    parts = pl.col("item").str.split_exact(SEPARATOR, 1).struct.rename_fields(["query_id", "doc_id"])
    frame = rows.select("rubric", parts.alias("pair"), pl.col("score").alias("relevance")).unnest("pair")
    labels = {}
    for (label,), grades in frame.partition_by("rubric", as_dict=True, maintain_order=True).items():
        rubric = str(label).rpartition("@")[0].rpartition(".")[0]
        grades = grades.drop("rubric").with_columns(pl.col("doc_id").fill_null(rubric))
        graded, failed = (grades.filter(pl.col("relevance").is_null() == is_null) for is_null in (False, True))
        if graded.height:
            hashes = hashes_of(failed["query_id"].to_list()), hashes_of(failed["doc_id"].to_list())
            labels[str(label)] = Qrels.from_frame(graded), hashes
    return labels


def renamed(judges: Sequence[Grades], names: Sequence[str]) -> list[Grades]:
    """Return the judges with unique names: the names given, or else their own.

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
            raise InputError(f"two judges are called {twice}; give each its own --judge-name")
        return [replace(judge, name=name) for judge, name in zip(judges, called, strict=True)]
    own = [judge.name for judge in judges]
    if len(set(own)) < len(own):
        own = [f"{judge.name} ({printable(judge.source)})" for judge in judges]
    if len(set(own)) < len(own):
        raise InputError("two judges are the same file; give each once")
    return [replace(judge, name=name) for judge, name in zip(judges, own, strict=True)]


def _of_judge(name: str, source: str, qrels: QrelsTable) -> Grades:
    model, _, label = name.rpartition("/")
    return Grades(printable(name), source, qrels, model=model, rubric=label)


def _bound(judge: Grades, record: Record | None) -> Grades:
    """Return a judge, completed from the record of its run."""
    if record is None:
        return judge
    model, digests = _setting(record, "model"), _setting(record, "rubric_digest")
    labels = _texts(_setting(record, "rubric"))
    label = judge.rubric or (labels[0] if len(labels) == 1 else "")
    digest = digests.get(label, "") if isinstance(digests, Mapping) else digests
    if judge.rubric and labels and judge.rubric not in labels:
        return judge
    return replace(
        judge,
        model=model if isinstance(model, str) else judge.model,
        rubric=label,
        digest=digest if isinstance(digest, str) else "",
        data=record.data.digest or "",
    )


def _setting(record: Record, name: str) -> Any:
    setting = record.settings.get(name)
    return None if setting is None else setting.value


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [text for text in value or () if isinstance(text, str)]


def _record_beside(file: Path) -> Record | None:
    """Return the record of a judge's run that lies beside a file; None where there is none, or it cannot be read."""
    if str(file) == "-" or not (file.parent / _RECORD).is_file():
        return None
    try:
        record = read_record(file.parent / _RECORD)
    except InputError:
        return None
    return record if record.kind == "judge" else None


def _read(path: Path | str) -> _Split:
    """Return the grades of a file, by who gave them."""
    if str(path).startswith(IR_DATASETS):
        return {"": Qrels.from_file(path)}
    source = Source(path)
    if kind_of(source, False) != "trec":
        return {"": Qrels.from_file(path)}
    parts = file_parts(source, False)
    splits = list(in_order(partial(part.use, partial(_split, name=source.name)) for part in parts()))
    names = list(dict.fromkeys(name for split in splits for name in split))
    tables = {name: joined([split[name] for split in splits if name in split]) for name in names}
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
    judges = {number: field for number, field in second_fields(rows).items() if is_judge(field)}
    if not judges:
        return {"": judgments(Borrowed.of(lambda: rows), name)}
    split = {}
    for number, field in judges.items():
        is_by_judge = rows.subtopic == np.uint64(number)
        split[field] = judgments(Borrowed.of(partial(_only, rows, is_by_judge)), f"{name}, {visible(field, 80)},")
    people = ~np.isin(rows.subtopic, np.array(list(judges), np.uint64))
    if people.any():
        split = {"": judgments(Borrowed.of(partial(_only, rows, people)), name), **split}
    return split


def _only(rows: Rows, kept: Bools) -> Rows:
    """Return the rows that are kept, copied."""
    sizes = np.add.reduceat(kept.astype(np.int64), rows.groups[:-1])
    has_rows = sizes > 0
    return Rows(
        rows.text,
        np.append(0, np.cumsum(sizes[has_rows])),
        rows.query[has_rows],
        rows.query_start[has_rows],
        rows.query_stop[has_rows],
        rows.document[kept],
        rows.start[kept],
        rows.stop[kept],
        rows.value[kept],
        np.empty(0, np.uint64),
    )


def _listed(split: _Split) -> str:
    return ", ".join(visible(name, 60) for name in list(split)[:3])
