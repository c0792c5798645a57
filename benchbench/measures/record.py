"""The record of scores."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchbench.measures.notation import better
from benchbench.measures.scores import labels
from benchbench.results.environment import environment
from benchbench.results.record import Data, Note, Number, Record, Scope, Subject, counts_of, record, settings_of
from benchbench.results.signature import shared_signature

if TYPE_CHECKING:
    from benchbench.measures.scores import Scores

_LIBRARIES = ("msgspec", "numba", "numpy", "orjson", "polars")


def score_record(runs: "Sequence[Scores]") -> Record:
    """Return the record of scores; numbers have the run in their scope where there are several."""
    first = runs[0]
    parts = [one.signature.parts for one in runs]
    several = len(runs) > 1
    scoped = [
        (one, {"run": label} if several else {})
        for one, label in zip(runs, labels([one.name for one in runs]), strict=True)
    ]
    return record(
        "score",
        min(one.began for one in runs),
        name=" ".join(one.name for one in runs),
        subject=[Subject(name=one.name, source=one.name, signature=str(one.signature)) for one in runs],
        data=Data(make="qrels", digest=first.signature.parts["qrels"], queries=first.queries["judged"]),
        signature=shared_signature(parts),
        settings=settings_of(
            {
                "measure": list(first.aggregates),
                "ties": first.signature.parts["ties"],
                "over": "judged" if first.signature.parts["missing"] == "0" else "returned",
                "no_positives": first.signature.parts["no positives"],
            }
        ),
        environment=environment(_LIBRARIES),
        numbers=[number for one, scope in scoped for number in _numbers(one, scope)],
        counts=[count for one, scope in scoped for count in counts_of({**one.queries, **one.dropped}, scope)],
        notes=[Note(text=note, scope=scope) for one, scope in scoped for note in one.notes],
    )


def _numbers(one: "Scores", scope: Scope) -> list[Number]:
    queries = int(one.counted.sum())
    returned = int((one.counted & (next(iter(one.judged_shares.values())) >= 0)).sum()) if one.judged_shares else 0
    return [
        *(
            Number(name=name, value=value, n=queries, better=better(name), scope=scope)
            for name, value in one.aggregates.items()
        ),
        *(Number(name=name, value=value, n=returned, scope=scope) for name, value in one.judged_means.items()),
    ]
