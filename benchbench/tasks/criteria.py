"""How hits are judged: cut-offs, what makes a hit the query itself, and what recall divides by."""

from dataclasses import asdict, dataclass
from functools import lru_cache
from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.formulas import Formula
from benchbench.kernels.judge import KEPT, MEASURES, TASKS, Judged, judge
from benchbench.measures.catalog import LARGEST
from benchbench.measures.default_list import deepest_cutoff, default_cutoffs, default_measures
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.plan import Plans, plans
from benchbench.tables.hits import Hits
from benchbench.tables.numbers import COUNT_OR_0, HITS, check
from benchbench.tables.queries import RECALL_LIMIT, Queries

Identity = Literal["text", "id"]
Denominator = Literal["fixed", "capped", "full"]


@dataclass(frozen=True, slots=True)
class Criteria:
    """The options of judging; each is part of a score's signature.

    Attributes
    ----------
    tasks
        What makes a hit relevant, one or several of gold, accusation, article, imprisonment; by default all that the
        data set has labels for. (`--tasks`)
    cutoffs
        Ranks down to which measures look, one or several; 3, 5 and 10 by default. (`-k`)
    self_by
        What makes a hit the query itself: its `text` (the default) or its `id`. (`--self`)
    gold_by
        What makes a hit a positive: its `text` (the default) or its `id`. (`--gold`)
    recall_denominator
        What recall divides by: `fixed`, 10 (the default); `full`, the number of relevant cases; `capped`, that, at most
        10. (`--recall-denominator`)
    max_positives
        Positives of a query that count, the first ones, 0 for all; 10 by default. (`--max-positives`)
    measures
        What is measured, one or several, instead of the default measures at the cut-offs. (`-m`)
    """

    tasks: tuple[str, ...] = TASKS
    cutoffs: tuple[int, ...] = (3, 5, 10)
    self_by: Identity = "text"
    gold_by: Identity = "text"
    recall_denominator: Denominator = "fixed"
    max_positives: int = RECALL_LIMIT
    measures: tuple[Measure, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be. One task or cut-off may be given alone; cut-offs are unique and ascending."""
        tasks = (self.tasks,) if isinstance(self.tasks, str) else tuple(self.tasks)
        cutoffs = (self.cutoffs,) if isinstance(self.cutoffs, Integral) else tuple(self.cutoffs)
        if not cutoffs:
            raise InputError("a cut-off (-k) is missing, such as 10")
        object.__setattr__(self, "tasks", tasks)
        object.__setattr__(self, "cutoffs", tuple(sorted({HITS.take(k, "a cut-off (-k)") for k in cutoffs})))
        for task in tasks:
            if task not in TASKS:
                raise InputError(f"--tasks {task!r} is not one of {', '.join(TASKS)}")
        for option, kind in (("self_by", Identity), ("gold_by", Identity), ("recall_denominator", Denominator)):
            if getattr(self, option) not in get_args(kind):
                raise InputError(f"{_option(option)} is {' or '.join(get_args(kind))}, not {getattr(self, option)!r}")
        check(self, max_positives=COUNT_OR_0)
        measures = tuple(resolve(self.measures)) or default_measures(self.cutoffs)
        object.__setattr__(self, "measures", measures)
        object.__setattr__(self, "cutoffs", default_cutoffs(measures))

    @property
    def is_default(self) -> bool:
        """Whether the measures are the default ones at some cut-offs."""
        return bool(self.cutoffs)

    @property
    def plans(self) -> Plans:
        """What computes the measures."""
        return _plans(self.measures)

    @property
    def deepest(self) -> int | None:
        """The deepest rank at which a measure is cut off; None where none is."""
        return deepest_cutoff(self.measures)

    @property
    def judged_tasks(self) -> tuple[str, ...]:
        """The tasks for which judgments say what is relevant."""
        return tuple(task for task in self.tasks if task == TASKS[0])

    def shown(self) -> dict[str, Any]:
        """Return the rules as `config.json` has them."""
        shown = {name: list(rule) if isinstance(rule, tuple) else rule for name, rule in asdict(self).items()}
        shown["measures"] = [str(one) for one in self.measures]
        if self.is_default:
            del shown["measures"]
        return shown

    def options(self) -> dict[str, Any]:
        """Return the rules as JSON values, by the names of their options."""
        return {_option(name): rule for name, rule in self.shown().items()}

    @property
    def rules(self) -> dict[str, Any]:
        """Return what of the criteria stands in a signature, as `measures.signature.run_signature` takes it."""
        return {
            "measures": self.measures,
            "self_by": self.self_by,
            "gold_by": self.gold_by,
            "recall": self.recall_denominator,
            "max_positives": self.max_positives,
        }

    def check_top_k(self, top_k: int) -> None:
        """Raise InputError if fewer hits are asked for than are measured."""
        if self.deepest is not None and top_k < self.deepest:
            raise InputError(
                f"--top-k {top_k} is smaller than the largest cut-off {self.deepest}: "
                "the service would be asked for fewer hits than are measured"
            )

    def tasks_of(self, queries: Queries) -> tuple[str, ...]:
        """Return the tasks asked for; all that the data set has labels for when none was named."""
        for task in self.tasks:
            if task not in queries.tasks and self.tasks != TASKS:
                raise InputError(f"--tasks {task}: no query of the data set has what this task compares")
        if not queries.tasks:
            raise InputError(
                "no hit can be relevant: no query of the data set has a positive (in `positives`, with another text "
                "than its own) or a label (accusation, relevant_articles, imprisonment)"
            )
        return tuple(task for task in self.tasks if task in queries.tasks)

    def judge(self, queries: Queries, which: int | I64, hits: Hits, relevant: I64) -> Judged:
        """Judge the hits of queries: those numbered, or from one on as many as `hits.counts` says."""
        first = which if isinstance(which, int) else 0
        numbers = np.arange(first, first + len(hits.counts)) if isinstance(which, int) else which
        there = [task for task in self.tasks if task in queries.tasks] or self.tasks
        tasks = [TASKS.index(task) for task in there]
        plain, longest = self.plans.plain, max([*hits.counts, 1])
        cutoffs = [min(k, longest) if k > LARGEST else k for k in plain.cutoff.tolist()]
        ranks = sorted({*cutoffs, 10})
        found = judge(
            hits.columns(),
            queries.columns(first, first + len(hits.counts), relevant)
            if isinstance(which, int)
            else queries.columns_at(which, relevant),
            np.array(ranks, np.int64),
            self.self_by == "text",
            self.gold_by == "text",
        )
        owner = np.repeat(np.arange(numbers.size), hits.counts)
        returned = np.bincount(owner[found.fate == KEPT], minlength=numbers.size)
        values: F64 = np.zeros((numbers.size, len(tasks), self.plans.width))
        for column, (formula, cutoff) in enumerate(zip(plain.formula.tolist(), cutoffs, strict=True)):
            name = {one.upper(): one for one in MEASURES}.get(Formula(formula).name)
            if name is not None:
                values[..., column] = found.values[:, tasks, ranks.index(cutoff), MEASURES.index(name)]
            elif formula == Formula.HITS:
                values[..., column] = found.found[:, tasks, ranks.index(cutoff)]
            elif formula == Formula.DIVISOR:
                values[..., column] = relevant[numbers][:, tasks]
            elif formula in (Formula.NUMRET, Formula.NUMQ):
                values[..., column] = returned[:, None] if formula == Formula.NUMRET else 1.0
            else:
                raise NotImplementedError(Formula(formula).name)
        bits = np.array([(found.relevant >> t) & 1 == 1 for t in tasks]).reshape(len(tasks), -1)
        return found._replace(values=values, relevant=bits, unlabelled=found.unlabelled[tasks], found=found.relevant)

    def fingerprint(self, judged: Judged) -> bytes:
        """Return for which tasks each hit is relevant, asked for or not, a bit each: the digest of a run has them."""
        return judged.found.tobytes()


@lru_cache(maxsize=16)
def _plans(measures: tuple[Measure, ...]) -> Plans:
    return plans(measures)


def _option(name: str) -> str:
    return "-k" if name == "cutoffs" else f"--{name.removesuffix('_by').replace('_', '-')}"


def denominators(queries: Queries, rule: Denominator, relevant: dict[str, dict[str, int]] | None) -> I64:
    """Return what recall divides by, (queries, tasks); a view of one number where it is the same everywhere.

    Parameters
    ----------
    queries
        The data set.
    rule
        `fixed`: 10 everywhere. `full`: the number of relevant cases. `capped`: that, at most 10.
    relevant
        Relevant cases in the collection, by label task and query id, from the card of the data set.

    Raises
    ------
    InputError
        When a rule needs counts of the collection and there are none.
    """
    shape = len(queries), len(TASKS)
    if rule == "fixed":
        return np.broadcast_to(np.int64(RECALL_LIMIT), shape)
    counts = np.zeros(shape, np.int64)
    counts[:, 0] = np.diff(queries.positives.offsets)
    for t, task in enumerate(TASKS[1:], 1):
        if task not in queries.tasks:
            continue
        try:
            counts[:, t] = [(relevant or {})[task][query] for query in queries.ids]
        except KeyError:
            raise InputError(
                f"--recall-denominator {rule} needs the number of relevant cases in the collection for task "
                f"{task}, which the data set's .card.json carries; make one with `benchbench prepare`, or use fixed"
            ) from None
    return counts if rule == "full" else np.minimum(counts, RECALL_LIMIT)
