"""Judgments of subtopics, in the order that their kernel wants."""

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.subtopics import Subtopics
from benchbench.tables.qrels_runs import QrelsTable


def subtopics_of(qrels: QrelsTable) -> Subtopics:
    """Return which subtopics of its query each judged document covers.

    Raises
    ------
    InputError
        The qrels name no subtopics.
    """
    rows = qrels.subtopics
    if rows is None:
        raise InputError("the qrels have no subtopics: their second column is the same in every line")
    owner = np.repeat(np.arange(rows.query.size), np.diff(rows.groups))
    text = rows.text.tobytes()
    ids = [text[a:b] for a, b in zip(rows.start.tolist(), rows.stop.tolist(), strict=True)]
    place = {identity: i for i, identity in enumerate(sorted(set(ids), reverse=True))}
    by_id = np.array([place[identity] for identity in ids], np.int64)
    _, first, member = np.unique(rows.subtopic, return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))[member]
    present, dense = np.unique(owner * first.size + by_appearance, return_inverse=True)
    dense -= np.searchsorted(present, owner * first.size)  # from 0 and without gaps in each query
    order = np.lexsort((dense, by_id, owner))
    return Subtopics(rows.groups, rows.document[order], dense[order], rows.value[order])
