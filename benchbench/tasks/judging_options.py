"""The options of judging, as on the command line."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from benchbench.results.ranges import COUNT_OR_0, HITS
from benchbench.results.settings import Opt

Identity = Literal["text", "id"]
Denominator = Literal["fixed", "capped", "full"]
Tasks = Annotated[tuple[str, ...], Opt("Tasks to measure.", default="all with labels", metavar="TASK,…")]


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class JudgingOptions:
    """The options of judging; each is part of a score's signature."""

    tasks: Tasks = field(default=(), kw_only=False)
    task: Annotated[
        tuple[str, ...],
        Opt("One more task: 'brand=equal(meta.brand)'.", metavar="NAME=RULE(…)", is_repeated=True),
    ] = ()
    measures: Annotated[
        tuple[Any, ...],
        Opt(
            "Measures, as ir_measures writes them.",
            flags=("-m", "--measure"),
            default="by data",
            metavar="MEASURE,…",
            instead_of=("cutoffs",),
        ),
    ] = ()
    cutoffs: Annotated[
        tuple[int, ...] | None,
        Opt(
            "Cut-offs of the default measures.",
            HITS,
            ("-k", "--cutoff"),
            "3, 5, 10",
            instead_of=("measures",),
        ),
    ] = None
    self_by: Annotated[
        Identity | None,
        Opt("What makes a hit the query itself.", None, ("--self",), "as data say"),
    ] = None
    gold_by: Annotated[Identity | None, Opt("How a hit matches a positive.", None, ("--gold",), "by task")] = None
    recall_denominator: Annotated[
        Denominator | None,
        Opt("Recall divides by.", default="by task"),
    ] = None
    max_positives: Annotated[int | None, Opt("Most positives per query; 0: all.", COUNT_OR_0, default="by task")] = None
