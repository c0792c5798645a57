"""One line that makes a score reproducible; scores with different lines are not silently compared."""

from collections.abc import Mapping
from dataclasses import dataclass

import benchbench


@dataclass(frozen=True, slots=True)
class Signature:
    """Named parts in a fixed order; printed `name:value|name:value|…`."""

    parts: Mapping[str, str]

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in self.parts.items())


def run_signature(
    tasks: tuple[str, ...],
    cutoffs: tuple[int, ...],
    self_by: str,
    gold_by: str,
    recall: str,
    max_positives: int,
    counts: Mapping[str, int],
    data_digest: str,
    run_digest: str,
) -> Signature:
    """Return the signature of a benchmarked run; hits keep the order of the response (`ties:input`)."""
    from benchbench.kernels.judge import MEASURES

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
            "queries": "{queries} (scored {scored}, failed {failed}, without positives {without_positives})".format_map(
                counts
            ),
            "data": data_digest,
            "run": run_digest,
            "version": benchbench.__version__,
        }
    )
