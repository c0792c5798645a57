"""One sentence on how a data set is measured: what its make decides where no option does."""

from collections.abc import Sequence
from itertools import product

from benchbench.formats.datasets.data_set import DataSet
from benchbench.measures.default_list import measures_for
from benchbench.measures.notation import Measure
from benchbench.tables.shared_messages import and_joined
from benchbench.tasks.criteria import Criteria

_DENOMINATORS = {"full": "all relevant documents", "capped": "the relevant documents, at most 10", "fixed": "10"}
_BY = {"id": "its id or its text", "text": "its text"}


def rules_in_force(data: DataSet, criteria: Criteria, recall: str, has_judgments: bool, top_k: int | None) -> str:
    """Return the make and split of a data set, with what is measured and how.

    Parameters
    ----------
    data
        The data set.
    criteria
        The options of judging, with what the data say where they say nothing.
    recall
        What recall divides by, as a signature has it.
    has_judgments
        Whether a task goes by judgments.
    top_k
        Hits asked for per query.
    """
    split = f", split {data.split}" + (f" of {', '.join(data.splits)}" if len(data.splits) > 1 else "")
    is_default = criteria.measures in (measures_for("judgments"), measures_for("labels"))
    clauses = [f"by default {_listed(criteria.measures)}"] if is_default else []
    if top_k is not None:
        clauses.append(f"{top_k:,} hits per query are requested")
    clauses.append(f"recall divides by {_denominators(recall)}")
    positive = " and relevant by its id" if has_judgments and criteria.gold_by == "id" else ""
    clauses.append(f"a hit is the query itself by {_BY[criteria.self_by or 'text']}{positive and f',{positive}'}")
    return f"{data.make} data{split if data.split else ''}: {'; '.join(clauses)}"


def _listed(measures: Sequence[Measure]) -> str:
    """Return the names of measures; of the same ones at several ranks once."""
    names = list(dict.fromkeys(measure.name for measure in measures))
    ranks = list(dict.fromkeys(measure.cutoff for measure in measures))
    if len(ranks) > 1 and [(measure.cutoff, measure.name) for measure in measures] == list(product(ranks, names)):
        return f"{', '.join(names)} at {', '.join(f'{rank:g}' for rank in ranks if rank is not None)}"
    return ", ".join(map(str, measures))


def _denominators(recall: str) -> str:
    """Return what a signature says, such as `full` or `gold=full,brand=10`, in words."""
    if "=" not in recall:
        return _DENOMINATORS.get(recall, recall)
    each = (part.partition("=") for part in recall.split(","))
    return and_joined([f"{_DENOMINATORS.get(rule, rule)} ({task})" for task, _, rule in each])
