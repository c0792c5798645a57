"""Data sets of any files, which `dataset.toml` describes: where each part is, and which member is what."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set import DataSet, Make
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.datasets.description import DESCRIBED, read_description, said_of_itself
from benchbench.formats.records import FORMATS, Part

_MEMBERS = {"queries": ("id", "text"), "qrels": ("query", "document", "grade"), "collection": ("id", "text", "title")}


def _is_this(path: Path) -> bool:
    """Say whether it has a table of queries; the file may be named too."""
    folder = path.parent if path.name == DESCRIBED else path
    return folder.is_dir() and "queries" in read_description(folder)


def _open(options: DataSetOptions) -> DataSet:
    path = options.folder("described")
    description = path if path.name == DESCRIBED else path / DESCRIBED
    described = read_description(description.parent)
    if not described:
        raise InputError(f"--dataset {path}: {description} does not exist, or is empty")
    options.refuse(str(description), "which names the file of the judgments", "split")
    parts = {name: _parts(description, name, described.get(name), getattr(options, name)) for name in _MEMBERS}
    if not parts["queries"]:
        raise InputError(f"{description} does not say where the queries are, as in [queries] file = 'queries.jsonl'")
    if options.topic_field:
        parts["queries"] = [
            replace(part, members={**part.members, **options.asked(part.path).members}) for part in parts["queries"]
        ]
    for name in ("queries", "collection"):
        if len(parts[name]) > 1:
            raise InputError(f"{description}: [{name}] has several files; one file, or one folder of shards, is read")
    return DataSet(
        "described",
        options,
        parts["queries"][0],
        tuple(parts["qrels"]),
        parts["collection"][0] if parts["collection"] else None,
        **said_of_itself(description.parent, "text"),
    )


def _parts(description: Path, name: str, table: Any, given: Path | None) -> list[Part]:
    """Return the files of a part: those of an option, else those of its table."""
    if table is None:
        return [Part(given)] if given else []
    where = f"{description}: [{name}]"
    if not isinstance(table, Mapping):
        raise InputError(f"{description}: {name} is not a table, as in [{name}] file = '…'")
    known = ("file", "format", *_MEMBERS[name])
    for key in table:
        if key not in known:
            raise InputError(f"{where} has the unknown key {visible(key)}; the keys are {', '.join(known)}")
    members = {key: _names(where, key, table[key]) for key in _MEMBERS[name] if key in table}
    kind = table.get("format", "")
    if kind and kind not in FORMATS:
        raise InputError(f"{where}: format {visible(str(kind))} is not one of {', '.join(FORMATS)}")
    files = [given] if given else [description.parent / file for file in _names(where, "file", table.get("file"))]
    for file in files:
        if not file.exists():
            raise InputError(f"{where}: {file} does not exist")
    return [Part(file, members, kind) for file in files]


def _names(where: str, key: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"{where}: {key} is missing, or neither a name nor a list of names")
    return tuple(names)


MAKE = Make("described", f"{DESCRIBED} with a table [queries]", _is_this, _open)
