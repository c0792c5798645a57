"""The options of judging, as on the command line."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from benchbench.results.ranges import COUNT_OR_0, HITS
from benchbench.results.settings import Opt

Identity = Literal["text", "id"]
Denominator = Literal["fixed", "capped", "full"]
Tasks = Annotated[
    tuple[str, ...], Opt("Tasks to measure.", default="all that the queries have labels for", metavar="TASK,…")
]


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)  # a base
class JudgingOptions:
    """The options of judging; each is part of a score's signature."""

    tasks: Tasks = field(default=(), kw_only=False)
    task: Annotated[
        tuple[str, ...],
        Opt("Measure a further task, such as 'brand=equal(meta.brand)'.", metavar="NAME=RULE(…)", is_repeated=True),
    ] = ()
    measures: Annotated[
        tuple[Any, ...],
        Opt(
            "Measures as ir_measures writes them.",
            flags=("-m", "--measure"),
            default="those of the data set (docs/datasets.md), at -k",
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
            "3, 5, 10; as usual for data with qrels",
            instead_of=("measures",),
        ),
    ] = None
    self_by: Annotated[
        Identity | None,
        Opt(
            "How a hit is recognised as the query itself: by its text, or also by its id.",
            None,
            ("--self",),
            "as the data set says",
        ),
    ] = None
    gold_by: Annotated[
        Identity | None,
        Opt("How a hit is recognised as a relevant document.", None, ("--gold",), "what the task says, else text"),
    ] = None
    recall_denominator: Annotated[
        Denominator | None,
        Opt("What recall divides by: 10; the relevant documents, at most 10; or all of them.", default="as tasks say"),
    ] = None
    max_positives: Annotated[
        int | None, Opt("Most positives per query, in file order; 0: all.", COUNT_OR_0, default="what the task says")
    ] = None
