"""Where the files of a data set are, and what lies beside them: the card, and `dataset.toml`.

`dataset.toml` may name the `cluster` of a data set: the column of its queries that says which belong together. It goes
before the card's. Its tables of tasks and labels are handed on as they are: `tasks.defined` makes tasks of them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from benchbench.errors import InputError, visible
from benchbench.formats.lines import json_file, open_input
from benchbench.tables.text_files import read_whole, toml_value

QUERIES = "tiered.jsonl"
COLLECTION = "collection.jsonl"
DESCRIBED = "dataset.toml"
DEFAULT = "synthetic-cases"
_MEMBERS = ("cluster", "labels", "tasks")  # of it; others are remarks, but for a slip of one of these
_NEAR = 0.7  # of 1: how alike a name is to one of them to be a slip


@dataclass(frozen=True, slots=True)
class DataSet:
    """The files of a data set, as `locate` finds them.

    Attributes
    ----------
    queries
        The file of queries, with their positives and labels.
    collection
        The file of documents; None where there is none.
    card
        What the data set says of itself; empty where it says nothing.
    cluster
        The column of the queries that says which belong together, such as those of one document; None where all stand
        alone.
    described
        The tables of its `dataset.toml`; empty where there is none.
    """

    queries: Path
    collection: Path | None
    card: dict[str, Any]
    cluster: str | None = None
    described: Mapping[str, Any] = field(default_factory=dict)

    @property
    def description(self) -> Path:
        """Where `dataset.toml` is, or would be."""
        return self.queries.with_name(DESCRIBED)

    def served(self) -> Path:
        """Return the collection, to be served where no service is named; InputError when there is none."""
        if self.collection is None:
            raise InputError(
                f"{self.queries} has no {COLLECTION} beside it to serve: give --collection FILE, or --url of a service"
            )
        return self.collection


def shipped() -> Path:
    """Return the folder of the data sets that came with the package (or with its checkout)."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "datasets"
    return installed if installed.is_dir() else package.parent / "datasets"


def as_data_set(given: DataSet | Path | str) -> DataSet:
    """Return a data set, or the one that a path or a name stands for; InputError for anything else."""
    return given if isinstance(given, DataSet) else locate(given)


def locate(name: Path | str) -> DataSet:
    """Return the files of a data set.

    Parameters
    ----------
    name
        A tiered file, a folder with one named `tiered.jsonl`, or a name among those shipped.

    Raises
    ------
    InputError
        Naming what exists, when there is no such data set.
    """
    if not isinstance(name, str | Path):
        raise InputError(f"a data set is named by a path or a name such as {DEFAULT!r}, not by {type(name).__name__}")
    path = Path(name)
    try:
        path.exists()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"--dataset {name} cannot be read: {error.strerror}") from None
    if not path.exists() and (shipped() / name).is_dir() and path.name == str(name):
        path = shipped() / name
    if path.is_dir():
        path = path / QUERIES
    if path.exists() and not path.is_file():
        raise InputError(f"--dataset {name}: {path} is neither a file nor a folder")
    if not path.is_file():
        known = ", ".join(sorted(folder.name for folder in shipped().iterdir() if folder.is_dir()))
        raise InputError(f"--dataset {name}: {path} does not exist, and the shipped data sets are: {known}")
    card = _read_card(path.with_suffix(".card.json"))
    collection = path.parent / str(card.get("collection", {}).get("file", COLLECTION))
    described = _described(path.with_name(DESCRIBED))
    cluster = _cluster(path.with_name(DESCRIBED), described, card)
    return DataSet(path, collection if collection.is_file() else None, card, cluster, described)


def _described(path: Path) -> dict[str, Any]:
    """Return the tables of a `dataset.toml`; one that cannot be read is an error, since it may say what counts."""
    if not os.path.lexists(path):
        return {}
    with open_input(path) as file:
        described = toml_value(read_whole(file, str(path)), str(path))
    for name in [one for one in described if one not in _MEMBERS]:
        near = get_close_matches(name.lower(), _MEMBERS, 1, _NEAR)
        if near:
            raise InputError(f"{path}: unknown key {visible(name)}; did you mean {near[0]}?")
    return described


def _cluster(path: Path, described: Mapping[str, Any], card: Mapping[str, Any]) -> str | None:
    """Return the cluster that a data set names."""
    found = described.get("cluster", card.get("cluster"))
    if found is not None and (not isinstance(found, str) or not found):
        raise InputError(f"{path} or the card beside it: cluster is not the name of a column")
    return found


def _read_card(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    card = json_file(path)
    if (
        not isinstance(card, dict)
        or not isinstance(card.get("collection", {}), dict)
        or not _are_counts(card.get("relevant", {}))
    ):
        raise InputError(f"{path} is not the card of a data set")
    return card


def _are_counts(relevant: Any) -> bool:
    """Say whether it is `{task: {query id: number}}`."""
    return isinstance(relevant, dict) and all(
        isinstance(counts, dict) and all(type(count) is int and count >= 0 for count in counts.values())
        for counts in relevant.values()
    )
