"""Rankings without the hits that nobody judged."""

import numpy as np

from benchbench.kernels.arrays import I64
from benchbench.kernels.condensed import condense
from benchbench.kernels.judged_hits import scratch
from benchbench.kernels.measure import Judgments
from benchbench.tables.qrels_runs import Rankings


def condensed_lists(part: Rankings, judgments: Judgments, judged: I64, most: int) -> Rankings:
    """Return the same queries with their judged hits alone.

    Parameters
    ----------
    part
        Hits of some queries.
    judgments
        Of all judged queries.
    judged
        Which judged query each query is, or -1.
    most
        Judgments that a query has at most.
    """
    offsets, document = np.empty_like(part.offsets), np.empty_like(part.document)
    tied = np.empty_like(part.tied)
    condense(judgments, part.offsets, part.document, part.tied, judged, scratch(most), offsets, document, tied)
    end = int(offsets[-1])
    return Rankings(part.query, offsets, document[:end], tied[:end], part.fingerprint, part.duplicates, part.rising)
