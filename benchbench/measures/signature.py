"""The signature of a run and of a load test."""

from collections.abc import Mapping, Sequence

import benchbench
from benchbench.measures.default_list import default_cutoffs
from benchbench.measures.notation import Measure
from benchbench.results.signature import Signature
from benchbench.tables.shared_messages import AT_EACH_CUTOFF


def run_signature(
    tasks: str,
    measures: Sequence[Measure],
    self_by: str,
    gold_by: str,
    recall: str,
    max_positives: int,
    counts: Mapping[str, int],
    data_digest: str,
    run_digest: str | None,
    top_k: int | None = None,
    sample: str = "",
    load: str = "",
) -> Signature:
    """Return the signature of a benchmarked run, or of a load test, which has no one run to digest.

    Hits keep the order of the response (`ties:input`). The default measures are named without their cut-offs, which
    then have a part of their own, and without micro averages. `top_k` is named where it is not the usual number, and
    `sample` where not all queries of the data set were asked; `load` is a digest of what a load test sent, and when.
    """
    cutoffs = default_cutoffs(measures)
    measured = {"measures": ",".join(AT_EACH_CUTOFF), "k": ",".join(map(str, cutoffs))}
    if not cutoffs:
        measured = {"measures": ",".join(map(str, measures))}
    asked = "{queries} (scored {scored}, failed {failed}, without positives {without_positives})"
    if run_digest is None:
        asked = "{queries} (without positives {without_positives})"
    return Signature(
        {
            "tasks": tasks,
            **measured,
            "self": self_by,
            "gold": gold_by,
            "recall": recall,
            "positives": str(max_positives or "all"),
            **({} if top_k is None else {"top_k": str(top_k)}),
            "ties": "input",
            "failed": "0",
            "queries": asked.format_map(counts),
            **({"sample": sample} if sample else {}),
            "data": data_digest,
            **({} if run_digest is None else {"run": run_digest}),
            **({"load": load} if load else {}),
            "version": benchbench.__version__,
        }
    )
