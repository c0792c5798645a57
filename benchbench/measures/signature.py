"""The signature of a run and of a load test."""

from collections.abc import Mapping

import benchbench
from benchbench.results.signature import Signature


def run_signature(
    tasks: tuple[str, ...],
    cutoffs: tuple[int, ...],
    self_by: str,
    gold_by: str,
    recall: str,
    max_positives: int,
    counts: Mapping[str, int],
    data_digest: str,
    run_digest: str | None,
) -> Signature:
    """Return the signature of a benchmarked run, or of a load test, which has no one run to digest.

    Hits keep the order of the response (`ties:input`).
    """
    from benchbench.kernels.judge import MEASURES

    asked = "{queries} (scored {scored}, failed {failed}, without positives {without_positives})"
    if run_digest is None:
        asked = "{queries} (without positives {without_positives})"
    return Signature(
        {
            "tasks": ",".join(tasks),
            "measures": ",".join(MEASURES),
            "k": ",".join(map(str, cutoffs)),
            "self": self_by,
            "gold": gold_by,
            "recall": recall,
            "positives": str(max_positives or "all"),
            "ties": "input",
            "failed": "0",
            "queries": asked.format_map(counts),
            "data": data_digest,
            **({} if run_digest is None else {"run": run_digest}),
            "version": benchbench.__version__,
        }
    )
