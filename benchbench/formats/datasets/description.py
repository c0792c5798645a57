"""What a data set says of itself: the card of a tiered one, and `dataset.toml` of any.

`dataset.toml` may name the `cluster` of a data set: the column of its queries that says which belong together. It goes
before the card's. Its tables of tasks and labels are handed on as they are: `tasks.defined` makes tasks of them. Those
of its parts say where these are (`formats.datasets.described`).
"""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from benchbench.errors import InputError, visible
from benchbench.formats.datasets.data_set import IdentityRule
from benchbench.formats.lines import json_file, open_input
from benchbench.tables.text_files import read_whole, toml_value

DESCRIBED = "dataset.toml"
PARTS = ("queries", "qrels", "collection")
_MEMBERS = ("cluster", "self", "labels", "tasks", *PARTS)  # others are remarks, but for a slip of one of these
_NEAR = 0.7  # of 1: how alike a name is to one of them to be a slip


def read_description(folder: Path) -> dict[str, Any]:
    """Return the tables of a folder's `dataset.toml`; empty where there is none.

    One that cannot be read is an error, since it may say what counts.
    """
    path = folder / DESCRIBED
    if not os.path.lexists(path):
        return {}
    with open_input(path) as file:
        described = toml_value(read_whole(file, str(path)), str(path))
    for name in [key for key in described if key not in _MEMBERS]:
        near = get_close_matches(name.lower(), _MEMBERS, 1, _NEAR)
        if near:
            raise InputError(f"{path}: unknown key {visible(name)}; did you mean {near[0]}?")
    return described


def said_of_itself(
    folder: Path, usual: IdentityRule, carried: Mapping[str, Any] | None = None, card: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what the `dataset.toml` of a folder says, as the fields of a `DataSet` that are about that.

    Parameters
    ----------
    folder
        Where it is, or would be.
    usual
        What makes a hit the query itself where it does not say so.
    carried
        What the package says of this make; a table of the file goes before that of its name.
    card
        The card of a tiered file.

    Raises
    ------
    InputError
        For what it cannot say.
    """
    path, described = folder / DESCRIBED, {**(carried or {}), **read_description(folder)}
    rule = described.get("self", usual)
    if rule not in get_args(IdentityRule):
        raise InputError(f"{path}: self is {visible(str(rule))}, not {' or '.join(get_args(IdentityRule))}")
    if "queries" not in described:
        for part in PARTS[1:]:
            if part in described:
                raise InputError(f"{path} has a table [{part}] but no [queries]; the others have no effect without it")
    return {
        "cluster": _cluster(path, described, card),
        "described": described,
        "description": path,
        "self_by": rule,
        "ids_shared": rule == "id",
    }


def _cluster(path: Path, described: Mapping[str, Any], card: Mapping[str, Any] | None) -> str | None:
    cluster = described.get("cluster", (card or {}).get("cluster"))
    if cluster is not None and (not isinstance(cluster, str) or not cluster):
        raise InputError(f"{path} or the card beside it: cluster is not the name of a column")
    return cluster


def read_card(path: Path) -> dict[str, Any]:
    """Return the card of a tiered file; empty where there is none."""
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
