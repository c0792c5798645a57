"""Everything that the page of a run shows and its record has not, from the tables of the result and the data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, cast

import numpy as np
import polars as pl

from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.measures.aggregate import means_of
from benchbench.measures.catalog import CATALOG
from benchbench.measures.default_list import leading
from benchbench.measures.notation import resolve
from benchbench.results.figures import share
from benchbench.results.result import Result
from benchbench.runs.page_depth import Depth, depth
from benchbench.runs.page_numbers import (
    FEW,
    ByValue,
    Slice,
    Speed,
    Spread,
    label_means,
    latency_by_value,
    number_labels,
    speed,
    spread,
)
from benchbench.runs.page_queries import (
    MOST_LABELLED,
    MOST_OPENED,
    MOST_ROWS,
    Opened,
    RunData,
    Texts,
    kept_rows,
    opened,
    texts_and_labels,
)
from benchbench.runs.run_details import Run, run_of
from benchbench.tables.groups import Groups, grouped
from benchbench.tables.shared_messages import capital
from benchbench.tasks.defined import tasks_of
from benchbench.tasks.rules import RULES

_COLUMNS = 3  # of labels
_LONGEST_WORD = 15  # characters: texts whose words are longer on average are written without spaces
_SHARES = (0.5, 0.7, 0.9)  # of the words of a query that are found in a relevant document
_SHARED = ("under 50 %", "50–69 %", "70–89 %", "90–100 %")
_NO_HITS = (
    "Scores store one value per query. To see texts and hits: benchbench compare with --queries and --collection."
)
_WORST = 12  # queries that readers without scripts see
_ATTEMPTS = ["first_query", "sent", "end"]


class View(NamedTuple):
    """What queries can be looked at by: a task, and of it the measure that leads; its column of `per_query`."""

    name: str
    measure: str
    column: str

    @property
    def title(self) -> str:
        """Its name as charts have it: that of a task begins with a capital letter, runs and measures stay as given."""
        return capital(self.name) if self.column == f"{self.name}.{self.measure}" else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPage:
    """What a page shows of queries.

    Attributes
    ----------
    total, failed
        Queries, and those without an answer.
    views, spreads
        What they can be looked at by, and how their values are spread.
    slices
        Means by label, per column.
    ids, latency, failures
        Of the queries of the list; without latencies where a request had several queries.
    values
        Of the queries of the list, per view.
    texts
        Texts and labels of these queries, by id.
    worst
        Places in the list of the worst queries, the worst first.
    opened
        What queries got, by id.
    rules
        What makes a hit relevant, by task, in a sentence, and what such a hit has, in a few words.
    means
        Per view the mean with its interval, of scores, whose record has no intervals.
    said
        Sentences on what the page leaves out.
    depth
        How deep relevant documents stand, of a run with one task.
    ranks
        Of the first relevant document of each query of the list; empty without `depth`.
    by_value
        Latency by the value of the view, where each query was a request of its own.
    """

    total: int
    failed: int
    views: tuple[View, ...]
    spreads: tuple[Spread, ...]
    slices: tuple[Slice, ...]
    ids: list[str]
    latency: list[float | None]
    failures: list[str | None]
    values: F64
    texts: Texts
    worst: tuple[int, ...]
    opened: Mapping[str, Opened]
    said: tuple[str, ...]
    rules: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    means: tuple[tuple[float, float | None, float | None], ...] = ()
    depth: Depth | None = None
    ranks: list[int] = field(default_factory=list)
    by_value: ByValue | None = None

    @property
    def one_measure(self) -> bool:
        """Whether there are several views, all of one measure: of runs, or of tasks."""
        return len(self.views) > 1 and len({view.measure for view in self.views}) == 1


def run_page(result: Result) -> QueryPage | None:
    """Return what the page of a run shows of its queries; None where no measure has values per query."""
    run = run_of(result)
    views = _views(run) if "per_query" in result.tables() else ()
    if not views:
        return None
    frame = result.table("per_query", ["query_id", "latency_ms", "failure", *(view.column for view in views)])
    failed = frame["failure"].is_not_null().to_numpy()
    values = _taken(frame, views)
    which = kept_rows(values, failed, MOST_ROWS)
    first = which[kept_rows(values[which], failed[which], MOST_OPENED)]
    ids, rows = frame["query_id"], frame[which]
    latencies = frame["latency_ms"].to_numpy()
    del frame  # of a million queries, while other files are read
    detailed, source = ids.gather(first).to_list(), RunData(result)
    texts = texts_and_labels(source, list(dict.fromkeys((*detailed, *rows["query_id"]))), len(ids))
    groups = _groups(texts, ids, run.cluster)
    deep = _depth(result, run, source.folder, ids, failed, groups)
    grouped_by_kind = FEW <= len(ids) <= MOST_LABELLED
    others = deep.documents if deep is not None and grouped_by_kind else {}
    got, missing, shared = opened(source, list(run.measures), texts, detailed, others=others)
    kinds = _kinds(texts, ids, deep.relevant, shared) if deep is not None and grouped_by_kind else {}
    texts = texts._replace(labels={kind: labels for kind, (labels, _) in kinds.items()} | dict(texts.labels))
    orders = {kind: order for kind, (_, order) in kinds.items()}
    rules = _rules(source)
    if rules and all(sought for _, sought in rules.values()):  # what is judged is of none of the tasks
        got = {name: query._replace(positives=(), judged=0) for name, query in got.items()}
    made = _page(views, ids, rows, values, which, failed, texts, got, missing, run.cluster, groups, orders)
    made = replace(made, rules=rules)
    each_alone = run.latency.timed == len(ids)
    if not each_alone:
        made = replace(made, latency=[None] * len(made.ids))
    if deep is None:
        return made
    ranks, timed = deep.ranks[which], np.isfinite(latencies) & ~failed
    last = np.where(ranks > 0, ranks, deep.hits + 1)
    if each_alone and timed.any():
        made = replace(made, by_value=latency_by_value(values[timed, 0], latencies[timed], made.spreads[0].top))
    worst = np.lexsort((-last, values[which, 0], ~failed[which]))[:_WORST]
    return replace(made, depth=deep, ranks=ranks.tolist(), worst=tuple(worst.tolist()))


def opened_queries(
    result: Result, wanted: Sequence[str], beginning: int
) -> tuple[list[str], Mapping[str, Opened], Texts, list[str]]:
    """Return tasks, what some queries got, their texts, and sentences on what is missing; as the page has them."""
    tasks = list(dict.fromkeys(number.scope["task"] for number in result.record.numbers if "task" in number.scope))
    source = RunData(result)
    texts = texts_and_labels(source, wanted, len(wanted))
    got, missing, _ = opened(source, tasks, texts, wanted, beginning)
    if texts.why:
        missing = [f"No query texts: {texts.why}.", *missing]
    return tasks, got, texts, missing


def run_speed(result: Result) -> Speed | None:
    """Return what the page shows of the requests; None where the result keeps none."""
    if "requests" not in result.tables():
        return None
    return speed(result.table("requests", _ATTEMPTS), result.table("per_query", ["failure"])["failure"])


def score_page(result: Result, runs: Sequence[str], measures: Sequence[str]) -> QueryPage | None:
    """Return what the page of scores shows of the queries; of several runs, one view each."""
    frame = result.table("per_query")
    there = [name for name in measures if name in frame.columns]
    if not there or not frame.height:
        return None
    if len(runs) == 1:
        names = list(dict.fromkeys((leading(there), *there)))
        views = tuple(View(name, name, name) for name in names)
        wide = frame
    else:
        name = leading(there)
        views = tuple(View(run, name, f"{place}") for place, run in enumerate(runs))
        parts = [frame.filter(pl.col("run") == run).select("query_id", pl.col(name)) for run in runs]
        wide = pl.concat([part.select("query_id") for part in parts]).unique(maintain_order=True)
        for view, part in zip(views, parts, strict=True):
            wide = wide.join(part.rename({name: view.column}), on="query_id", how="left", maintain_order="left")
    values = _taken(wide, views)
    values[np.isnan(values)] = 0.0
    failed = np.zeros(len(wide), bool)
    which = kept_rows(values, failed, MOST_ROWS)
    ids = wide["query_id"]
    rows = wide[which].select("query_id", latency_ms=pl.lit(None, pl.Float64), failure=pl.lit(None, pl.String))
    made = _page(views, ids, rows, values, which, failed, Texts({}, {}, {}, {}, ""), {}, [_NO_HITS])
    return replace(made, means=tuple((mean, ends.low, ends.high) for mean, ends in means_of(values)))


def _taken(frame: pl.DataFrame, views: tuple[View, ...]) -> F64:
    """Take the columns of views out of a frame, so that it holds none of them; return (queries, views)."""
    values = np.empty((len(frame), len(views)))
    for place, view in enumerate(views):
        values[:, place] = frame.drop_in_place(view.column).fill_null(0.0).to_numpy()
    return values


def _page(
    views: tuple[View, ...],
    names: pl.Series,
    rows: pl.DataFrame,
    values: F64,
    which: np.ndarray,
    failed: Bools,
    texts: Texts,
    got: Mapping[str, Opened],
    missing: Sequence[str],
    cluster: str = "",
    groups: Groups | None = None,
    orders: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> QueryPage:
    ids = rows["query_id"].to_list()
    spreads = tuple(spread(values[:, place], failed) for place in range(len(views)))
    slices = _slices(texts, names, values, cluster, groups, orders)
    notes = list(missing)
    if len(which) < len(names):
        notes.append(
            f"The list has {len(which):,} of {len(names):,} queries: the worst, failed ones, and some of all; "
            "per_query.parquet has the others."
        )
    if texts.why:
        notes.append(f"No query texts and labels: {texts.why}.")
    elif texts.beginnings and len(texts.whole) < len(ids):
        notes.append(f"{len(texts.whole):,} queries have their whole text here, the others its beginning.")
    return QueryPage(
        total=len(names),
        failed=int(failed.sum()),
        views=views,
        spreads=spreads,
        slices=slices,
        ids=ids,
        latency=rows["latency_ms"].to_list(),
        failures=rows["failure"].to_list(),
        values=values[which].T,
        texts=texts,
        worst=tuple(np.lexsort((values[which].sum(axis=1), values[which, 0], ~failed[which]))[:_WORST].tolist()),
        opened=got,
        said=tuple(notes),
    )


def _rules(source: RunData) -> dict[str, tuple[str, str]]:
    """Return what makes a hit relevant for each task; nothing where the data set is gone."""
    if source.data is None:
        return {}
    try:
        tasks = tasks_of(source.data, source.options.get("task") or ())
    except InputError:
        return {}
    rules = {}
    for task in tasks:
        label = "" if task.label is None else task.label.name.replace("_", " ")
        rule, given = RULES[task.rule], dict(task.given)
        limits = [f"{given['absolute']:,}"] if "absolute" in given else []
        limits += [f"{share(cast('float', given['relative']))} of it"] if "relative" in given else []
        limit = f"{' or '.join(limits)}{', whichever is larger' if len(limits) > 1 else ''}"
        rules[task.name] = f"A hit counts when {rule.counts.format(label, limit=limit)}", rule.sought.format(label)
    return rules


def _views(run: Run) -> tuple[View, ...]:
    """Return the leading measure of each task, of those with a value per query."""
    views = []
    for task, measures in run.measures.items():
        its = [str(measure) for measure in resolve(measures) if CATALOG[measure.name].aggregate != "micro"]
        if its:
            views.append(View(task, leading(its), f"{task}.{leading(its)}"))
    return tuple(views)


def _depth(
    result: Result, run: Run, folder: Path | None, ids: pl.Series, failed: Bools, groups: Groups | None
) -> Depth | None:
    """Return how deep relevant documents stand; None of several tasks, and of one that goes by labels."""
    task, *others = run.measures
    judged = result.record.signature.startswith(("tasks:gold|", f"tasks:{task}=judgments("))
    if folder is None or others or not judged:
        return None
    cutoffs = [int(measure.cutoff) for measure in resolve(run.names) if measure.cutoff is not None]
    return depth(folder, task, ids, failed, max(cutoffs, default=None), groups)


def _kinds(
    texts: Texts, ids: pl.Series, relevant: I64, shared: Mapping[str, float]
) -> dict[str, tuple[dict[str, tuple[str, ...]], Sequence[str]]]:
    """Return kinds that queries are of: labels by query, and the labels in their order."""
    kinds: dict[str, tuple[list[str], list[str], Sequence[str]]] = {}
    known = {name: texts.lengths[name] for name in ids if name in texts.lengths}
    if known:
        words, characters = np.array(list(known.values())).T
        spaced = characters.sum() <= _LONGEST_WORD * words.sum()
        unit, lengths = ("words", words) if spaced else ("characters", characters)
        kinds[f"query length in {unit}"] = (list(known), *number_labels(lengths))
    if shared:
        places = np.searchsorted(_SHARES, list(shared.values()), side="right").tolist()
        kinds["share of query words in a relevant document"] = (
            list(shared),
            [_SHARED[place] for place in places],
            _SHARED,
        )
    kinds["number of relevant documents"] = (ids.to_list(), *number_labels(relevant))
    return {
        kind: ({name: (label,) for name, label in zip(names, labels, strict=True)}, order)
        for kind, (names, labels, order) in kinds.items()
    }


def _groups(texts: Texts, ids: pl.Series, cluster: str) -> Groups | None:
    """Return the groups that queries come in, where their column is known."""
    known = texts.labels.get(cluster)
    if known is None:
        return None
    return grouped(cluster, [", ".join(sorted(known[name])) if name in known else None for name in ids])


def _slices(
    texts: Texts,
    ids: pl.Series,
    values: F64,
    cluster: str,
    groups: Groups | None,
    orders: Mapping[str, Sequence[str]],
) -> tuple[Slice, ...]:
    """Return the means by label of the first columns that have any; one whose labels are all different has none."""
    names = ids.to_list() if texts.labels else []
    slices: list[Slice] = []
    for column, labels in texts.labels.items():
        if column == cluster:
            continue
        of_each = [labels.get(name, ()) for name in names]
        made = label_means(column, of_each, values, groups, orders.get(column, ()))
        if made is not None:
            slices.append(made)
        if len(slices) == _COLUMNS + len(orders):
            break
    return tuple(slices)
