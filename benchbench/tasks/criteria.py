"""How hits are judged: tasks, measures, what makes a hit the query itself, and what recall divides by."""

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from numbers import Integral
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.measures.default_list import Kind, deepest_cutoff, default_cutoffs, measures_for
from benchbench.measures.notation import Measure, resolve
from benchbench.measures.plan import Plans, plans
from benchbench.results.ranges import HITS
from benchbench.results.settings import check_described, described
from benchbench.tasks.defined import tasks_of
from benchbench.tasks.judging_options import JudgingOptions
from benchbench.tasks.task import Task

RECALL_LIMIT = 10  # of `fixed` and `capped` denominators
TOP_K = 20  # hits asked for …
_ENOUGH = 10  # … for cut-offs to here; deeper ones ask for so many more than the deepest

_NAMES = {"cutoffs": "-k", "measures": "-m", "task": "--task"}


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria(JudgingOptions):
    """The options of judging; each is part of a score's signature.

    One of a list may be given alone. Measures are names, or `Measure` objects.
    """

    _ranks: tuple[int, ...] | None = field(init=False, repr=False, compare=False)  # of measures that the data decide

    def __post_init__(self) -> None:
        """Refuse what cannot be. One of a list may be given alone; cut-offs are unique and ascending."""
        given = () if self.cutoffs is None else self.cutoffs
        cutoffs = (given,) if isinstance(given, Integral) else tuple(given)
        measures = tuple(resolve(self.measures))
        if self.cutoffs is not None and not cutoffs and not measures:
            raise InputError("a cut-off (-k) is missing, such as 10")
        cutoffs = tuple(sorted({HITS.take(k, "a cut-off (-k)") for k in cutoffs}))
        object.__setattr__(self, "_ranks", None if measures else cutoffs)
        object.__setattr__(self, "measures", measures or measures_for("tiered", cutoffs))
        object.__setattr__(self, "cutoffs", default_cutoffs(self.measures))
        check_described(self)

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
    def top_k(self) -> int:
        """How many hits to ask for where nobody says it."""
        deepest = self.deepest or 0
        return TOP_K if deepest <= _ENOUGH else deepest + TOP_K

    def known(self, data: DataSet) -> tuple[Task, ...]:
        """Return the tasks of a data set, and those of these options; InputError as `tasks_of` says."""
        return tasks_of(data, self.task)

    def of(self, data: DataSet) -> "Criteria":
        """Return the same options for a data set, with what it and its tasks say where they say nothing.

        Raises
        ------
        InputError
            A task that it does not have.
        """
        known = self.known(data)
        names = [task.name for task in known]
        for name in self.tasks:
            if name not in names:
                raise InputError(f"--tasks {name!r} is not one of {', '.join(names)}")
        judgments: Any = next((task for task in known if task.judged), Task("", "judgments"))
        fixed = bool(known) and all(task.recall == RECALL_LIMIT for task in known)
        kind: Kind = "labels" if not any(task.judged for task in known) else "judgments"
        if kind == "judgments" and data.make == TIERED:
            kind = "tiered"
        return replace(
            self,
            measures=self.measures if self._ranks is None else measures_for(kind, self._ranks),
            self_by=self.self_by or data.self_by,
            tasks=tuple(name for name in names if name in self.tasks or not self.tasks),
            gold_by=self.gold_by or judgments["by"],
            recall_denominator=self.recall_denominator or ("fixed" if fixed else None),
            max_positives=judgments["max_positives"] if self.max_positives is None else self.max_positives,
        )

    def shown(self) -> dict[str, Any]:
        """Return the options as `config.json` has them; the list of measures, where it is not the default one."""
        shown = {option.name: getattr(self, option.name) for option in fields(self) if option.init}
        shown = {name: list(rule) if isinstance(rule, tuple) else rule for name, rule in shown.items()}
        shown["measures"] = [str(measure) for measure in self.measures]
        for name, there in (("measures", not self.is_default), ("task", bool(self.task))):
            if not there:
                del shown[name]
        return shown

    def options(self) -> dict[str, Any]:
        """Return the options as JSON values, by their names."""
        return {_option(name): rule for name, rule in self.shown().items()}

    def check_top_k(self, top_k: int, most: int | None = None) -> None:
        """Raise InputError if fewer hits are asked for than are measured, or more than the most that a service has."""
        if self.deepest is not None and top_k < self.deepest:
            raise InputError(
                f"--top-k {top_k} is smaller than the largest cut-off {self.deepest}: "
                "the measures need more hits than would be asked for"
            )
        if most is not None and top_k > most:
            deepest = "" if self.deepest is None else f", of which the largest cut-off takes {self.deepest:,}"
            raise InputError(f"--top-k {top_k} is more than the {most:,} hits of the embedded retriever{deepest}")


@lru_cache(maxsize=16)
def _plans(measures: tuple[Measure, ...]) -> Plans:
    return plans(measures)


def _option(name: str) -> str:
    return _NAMES.get(name, f"--{name.removesuffix('_by').replace('_', '-')}")
