"""What says how alike two rankings are: overlap@k, RBO, tau, top_changed; and where each stands in a kernel's columns.

Notation
--------
`overlap@10`
    With any cut-off.
`RBO`, `RBO(p=0.95)`
    With a persistence p between 0 and 1; 0.9 by default, and then not printed.
`tau`, `top_changed`
    As `kernels.agreement` defines them.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from benchbench.errors import InputError, visible
from benchbench.kernels.agreement import agree, room
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.lookup import RunHits, find, table
from benchbench.tables.qrels_runs import Rankings

DEFAULT = ("overlap@10", "RBO", "tau", "top_changed")
P = 0.9  # persistence: the first ten ranks have 86 % of the weight
_EXAMPLES = "overlap@10, RBO, RBO(p=0.95), tau or top_changed"
_NAMES = {"overlap": "overlap", "rbo": "RBO", "tau": "tau", "top_changed": "top_changed"}
_WRITTEN = re.compile(r"(?P<name>\w+)(?:\(p=(?P<p>0?\.\d{1,15})\))?(?:@(?P<k>[1-9]\d{0,8}))?", re.ASCII)


class AgreementMeasure(Struct, frozen=True):
    """One of them; `k` of an overlap, `p` of an RBO."""

    name: str
    k: int | None = None
    p: float | None = None

    def __str__(self) -> str:
        return self.name + (f"@{self.k}" if self.k else "") + (f"(p={self.p})" if self.p not in (None, P) else "")


def parse(text: str) -> AgreementMeasure:
    """Return what a text names; InputError with what there is."""
    match = _WRITTEN.fullmatch(text.strip()) if isinstance(text, str) else None
    name = _NAMES.get(match["name"].lower()) if match else None
    if match is not None and name is not None:
        k, p = match["k"] and int(match["k"]), match["p"] and float(match["p"])
        if (name == "overlap") == bool(k) and (name == "RBO" or p is None) and p != 0.0:
            return AgreementMeasure(name, k or None, (p or P) if name == "RBO" else None)
    raise InputError(
        f"{visible(str(text), 60)!r} needs judgments, or is no measure: without judgments there are {_EXAMPLES}"
    )


def resolve(measures: str | Iterable[str]) -> list[AgreementMeasure]:
    """Return what some texts name, or one, each once, in their order."""
    wanted = list(dict.fromkeys(map(parse, [measures] if isinstance(measures, str) else measures)))
    if not wanted:
        raise InputError(f"no measure is named; name one or more of {_EXAMPLES}")
    return wanted


def aligned(runs: Sequence[Rankings]) -> tuple[list[tuple[int, int]], list[I64]]:
    """Return the queries that any run has, and of each run which of its groups each query is, or -1.

    A query is named by the first run that has it, and its group there.
    """
    known = np.empty(0, np.uint64)
    owners: list[tuple[int, int]] = []
    for number, run in enumerate(runs):
        new = np.flatnonzero(~np.isin(run.query, known))
        owners += [(number, group) for group in new.tolist()]
        known = np.concatenate([known, run.query[new]])
    groups = [find(table(run.query), run.query, known) for run in runs]
    return owners, groups


def agreement(one: Rankings, other: Rankings, groups: tuple[I64, I64], measures: Sequence[AgreementMeasure]) -> F64:
    """Return the values (measures, queries) of two runs; NaN where a query has no value.

    Parameters
    ----------
    one, other
        The hits.
    groups
        Of each query its group on both sides, or -1.
    measures
        What to return, in that order.
    """
    cutoffs = sorted({measure.k for measure in measures if measure.k})
    ps = sorted({measure.p for measure in measures if measure.p})
    names = [AgreementMeasure("overlap", k) for k in cutoffs] + [AgreementMeasure("RBO", p=p) for p in ps]
    names += [AgreementMeasure("tau"), AgreementMeasure("top_changed")]
    values: F64 = np.empty((groups[0].size, len(names)))
    longest = max(int(np.diff(side.offsets).max(initial=0)) for side in (one, other))
    left, right = (RunHits(run.offsets, run.document, group) for run, group in zip((one, other), groups, strict=True))
    agree(left, right, np.array(cutoffs, np.int64), np.array(ps, np.float64), room(longest), values)
    return np.ascontiguousarray(values[:, [names.index(measure) for measure in measures]].T)
