"""Comparing results folders: the same queries, asked of several services or at several times."""

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbench.comparison.comparable import differences
from benchbench.comparison.compare_result import MOVED, ComparedSystem, CompareOutcome, LoadStep, SystemSpeed
from benchbench.comparison.conclusion import DEPTH, POSITIVES, columns_of, concluded
from benchbench.comparison.evidence import Evidence, ShownDocument, known_of_queries
from benchbench.comparison.loads import add_load_steps
from benchbench.comparison.repeats import within_repeats
from benchbench.comparison.runs import Sources
from benchbench.comparison.speed import TimedRun, speed_ratios
from benchbench.comparison.stored_results import (
    StoredLoad,
    StoredRun,
    named_baseline,
    named_results,
    read_results,
    signature_parts,
)
from benchbench.errors import InputError, visible
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.datasets.data_set import TIERED
from benchbench.formats.query_table import QueryTable, data_table
from benchbench.measures.notation import better, task_and_measures
from benchbench.results.gates import GOLD, Condition
from benchbench.results.record import Data
from benchbench.results.settings import NO_CLUSTER
from benchbench.results.signature import parts_of
from benchbench.significance.comparison_settings import GROUPED, CompareSettings
from benchbench.tables.names import printable
from benchbench.tables.paired import Paired
from benchbench.tables.shared_messages import not_among

_DEFAULT = ("nDCG", "R", "RR")
_BEST_K = 10


def compare_results(
    folders: Sequence[Path | str],
    measures: Sequence[str] | None = None,
    baseline: str | None = None,
    *,
    names: Sequence[str] = (),
    allow_different: bool = False,
    fail_if: Sequence[str] = (),
    sources: Sources | None = None,
    evidence: bool = True,
    moved: int = MOVED,
    **settings: Any,
) -> CompareOutcome:
    """Say whether the services of several results folders differ.

    Parameters
    ----------
    folders
        Of `benchbench run`, with one service or several; those of `benchbench load` add their steps to the service
        with the same URL or name.
    measures
        `task.measure`, or `measure` of the gold task; `all` stands for all with a value per query of which more is
        better. By default nDCG, recall and reciprocal rank, else the first measures, of the gold task, else of the
        first.
    baseline
        The name, or the folder, that all others are compared with; None compares all pairs.
    names
        What to call the folders of runs, one each, in their order.
    allow_different
        Whether folders scored by different rules, or over different queries, may be compared; the latter by the
        queries that all have.
    fail_if
        Gates, as `results.gates` describes them.
    sources
        Files to take queries and texts from instead of the data set that the runs name.
    evidence
        Whether hits and texts of the queries that moved are read.
    moved
        How many of the queries that moved most JSON, text and `summary.json` have of each pair.
    **settings
        The other fields of `CompareSettings`, such as `test` and `slices`.

    Raises
    ------
    InputError
        A folder that is none; other queries or rules; an unknown measure, baseline or column.
    """
    began = time.time()
    if isinstance(folders, str | Path):
        raise InputError(f"folders are several results folders, as [{str(folders)!r}, …], and not one")
    results, tests = _read([Path(folder) for folder in folders], names)
    chosen = CompareSettings.of(named_baseline(baseline, results), settings)
    notes = differences(signature_parts(results), allow_different)
    loads = add_load_steps(tests, results, allow_different, notes)
    first = next(iter(results.values()))
    there = [name for name in first.measures if all(name in run.measures for run in results.values())]
    if not there:
        raise InputError(f"{' and '.join(results)} have no measure in common")
    measured = partial(_measured, there)
    wanted = _wanted(measures, there, measured)
    frames = {name: run.values(wanted) for name, run in results.items()}
    queries = _common(frames, allow_different, notes)
    values = np.stack([_values(name, frame, queries, wanted) for name, frame in frames.items()], axis=1)
    notes += _notes(results, tests, frames, queries)
    details = {name: run.details for name, run in results.items()}
    notes += within_repeats(details, wanted, values, chosen.baseline)
    where = sources or Sources()
    keep = {settings.get("cluster"), *(run.details.cluster for run in results.values())}
    table, why = _table(results, where, keep, notes)
    columns = columns_of(queries, table, notes)
    if settings.get("cluster") is None:
        chosen = _clustered(chosen, results, columns, notes)
    timed = {name: TimedRun(run.details.record, run.latencies()) for name, run in results.items()}
    return concluded(
        Paired(
            tuple(results),
            tuple(wanted),
            queries,
            values,
            columns,
            counts={POSITIVES: np.array(_positives(first, queries), np.int64)},
        ),
        chosen,
        partial(_compared, measured, wanted),
        partial(_evidence, results, table, where, queries, wanted) if evidence else None,
        fail_if=fail_if,
        why_no_columns=why,
        notes=notes,
        options={"allow_different": allow_different, **where.options},
        systems=tuple(_system(name, run, loads.get(name, ())) for name, run in results.items()),
        shown=moved,
        latencies={name: np.sort(run.milliseconds) for name, run in timed.items()},
        speeds=speed_ratios(timed, chosen.alpha),
        data=Data(source=printable(first.options.dataset), digest=first.data_digest, queries=len(queries)),
        began=began,
    )


def _read(folders: Sequence[Path], names: Sequence[str]) -> tuple[dict[str, StoredRun], list[StoredLoad]]:
    """Return the services by name, and the load tests."""
    stored = [results for folder in folders for results in read_results(folder)]
    runs = [results for results in stored if isinstance(results, StoredRun)]
    tests = [results for results in stored if isinstance(results, StoredLoad)]
    by_name = named_results(runs, names)
    if len(runs) < 2:
        if stored:
            differences(signature_parts({results.source: results for results in (*runs, *tests)}), False)
        raise InputError("a comparison needs the results of two runs or more; folders of load add to those")
    return by_name, tests


def _measured(names: Sequence[str], text: str) -> str:
    """Return the measured name that a text means, as gates do."""
    task, measures = task_and_measures(text)
    if len(measures) > 1:
        raise InputError(f"{text} names {len(measures)} measures; name each by itself, as {measures[0]}")
    name = f"{task}.{measures[0]}".lstrip(".") if measures else text
    try:
        return Condition("", name, "<", 0.0, "").among(names)
    except InputError:
        if any(known.partition(".")[2] == name for known in names):
            raise
        raise InputError(not_among(text, "measured in all results", names)) from None


def _compared(measured: partial[str], wanted: Sequence[str], text: str) -> str:
    name = measured(text)
    if name not in wanted:
        raise InputError(not_among(text, "compared", wanted, f"-m {text}"))
    return name


def _wanted(measures: Sequence[str] | None, there: Sequence[str], measured: partial[str]) -> list[str]:
    sided = [name for name in there if better(name.partition(".")[2]) == "higher"]
    if not sided:
        raise InputError("the results have no measure in common of which more is better")
    if measures:
        measures = [measures] if isinstance(measures, str) else measures
        named = [sided if text == "all" else (measured(text),) for text in measures]
        wanted = list(dict.fromkeys(name for names in named for name in names))
        if sideless := [name for name in wanted if name not in sided]:
            raise InputError(f"{sideless[0]} cannot be compared: more of it is not better")
        return wanted
    tasks = dict.fromkeys(name.partition(".")[0] for name in sided)
    task = GOLD if GOLD in tasks else next(iter(tasks))
    of_task = [name for name in sided if name.startswith(f"{task}.")]
    cutoffs: dict[str, list[int]] = {}  # of the plain forms of each measure
    for name in of_task:
        base, _, cutoff = name.removeprefix(f"{task}.").partition("@")
        if base in _DEFAULT and cutoff.isdecimal():
            cutoffs.setdefault(base, []).append(int(cutoff))
    every = {cutoff for of_base in cutoffs.values() for cutoff in of_base}
    k = _BEST_K if _BEST_K in every else max(every, default=_BEST_K)
    usual = []
    for base in _DEFAULT:  # that of recall is often deeper than that of the others
        at = [f"{task}.{base}@{min(known, key=lambda cutoff: abs(cutoff - k))}"] if (known := cutoffs.get(base)) else []
        usual += [*at, *([f"{task}.{base}"] if f"{task}.{base}" in sided else [])]
    return usual or of_task[: len(_DEFAULT)]


def _common(frames: Mapping[str, pl.DataFrame], allow: bool, notes: list[str]) -> list[str]:
    """Return the ids of the queries to compare, in the order of the first."""
    first, *others = frames
    ids: list[str] = frames[first]["query_id"].to_list()
    wanted = frozenset(ids)
    known = set(wanted)
    for name in others:
        its = set(frames[name]["query_id"].to_list())
        if its == wanted:
            continue
        both = f"{first} has {len(ids):,} queries, {name} {len(its):,}, and {len(its & wanted):,} are in both"
        if not allow:
            raise InputError(f"{both}; --allow-different compares those")
        notes.append(f"{both}; only queries that all have are compared")
        known &= its
    if not known:
        raise InputError("the results have no query in common")
    return [query for query in ids if query in known]


def _values(name: str, frame: pl.DataFrame, queries: Sequence[str], measures: Sequence[str]) -> Any:
    """Return the values of the queries, (measures, queries); what has none counts as 0, as a failed query does."""
    ordered = pl.DataFrame({"query_id": queries}).join(frame, on="query_id", how="left", maintain_order="left")
    if ordered.height != len(queries):
        raise InputError(f"{name} has a query twice in per_query.parquet")
    values = ordered.select(measures).fill_null(0.0).to_numpy().T
    if not np.isfinite(values).all():
        raise InputError(f"{name} has a value that is not a number in per_query.parquet")
    return values


def _notes(
    results: Mapping[str, StoredRun],
    tests: Sequence[StoredLoad],
    frames: Mapping[str, pl.DataFrame],
    queries: Sequence[str],
) -> list[str]:
    notes = []
    known: dict[str | None, str] = {}
    for name, frame in frames.items():
        failed = frame.filter(pl.col("failure").is_not_null(), pl.col("query_id").is_in(list(queries))).height
        if failed:
            notes.append(f"{failed:,} of {len(queries):,} queries failed for {name}; they count as 0")
        run = parts_of(results[name].details.signature).get("run")
        same = known.setdefault(run, name)
        if run is not None and same != name:
            notes.append(f"{name} and {same} returned the same hits in the same order")
    warned: dict[str, list[str]] = {}
    for name, service in results.items():
        for warning in dict.fromkeys(map(visible, service.details.warnings)):
            warned.setdefault(warning, []).append(name)
    for warning, names in warned.items():
        notes.append(warning if len(names) == len(results) else f"{', '.join(names)}: {warning}")
    first = next(iter(results.values()))
    if not first.judged:
        notes.append(f"{first.path} has no qrels.trec, so relevant documents are not shown, and positives count as 0")
    depths = {name: run.options.top_k for name, run in results.items()}
    depths |= {test.source: test.options.top_k for test in tests}
    if len(set(depths.values())) > 1:
        notes.append("hits asked for per query: " + ", ".join(f"{name} {k}" for name, k in depths.items()))
    return notes


def _table(
    results: Mapping[str, StoredRun], where: Sources, keep: Collection[str | None], notes: list[str]
) -> tuple[QueryTable | None, str]:
    """Return the queries' texts and columns, or the reason why they are not at hand."""
    if (table := where.table(keep)) is not None:
        return table, ""
    first = next(iter(results.values()))
    data, name = first.data_set, first.options.dataset
    if data is None:
        why = f"the data set {name} is not there; name it with --queries"
    else:
        table = data_table(data, first.options.encoding, keep)
        if data.make != TIERED or table.digest == first.data_digest:
            return table, ""
        why = f"the data set {name} has changed since; name the one of the runs with --queries"
    notes.append(f"no texts and columns of queries: {why}")
    return None, why


def _clustered(
    chosen: CompareSettings, results: Mapping[str, StoredRun], columns: pl.DataFrame | None, notes: list[str]
) -> CompareSettings:
    """Keep queries together as the runs did."""
    named = {name: run.details.cluster or NO_CLUSTER for name, run in results.items()}
    if len(set(named.values())) > 1:
        by = ", ".join(f"{name} by {visible(column)}" for name, column in named.items())
        notes.append(f"the runs do not keep the same queries together: {by}; each query stands by itself here")
        return chosen
    cluster = next(iter(named.values()))
    if cluster == NO_CLUSTER:
        return chosen
    together = f"the runs keep queries with the same {cluster} together"
    there = columns is not None and cluster in columns.columns
    if there and chosen.test in GROUPED:
        notes.append(f"{together}, and so does this comparison")
        return replace(chosen, cluster=cluster)
    why = f"the {chosen.test} test has no such form" if there else "that column is not at hand"
    notes.append(f"{together}; {why}, so each query stands by itself here")
    return chosen


def _positives(run: StoredRun, queries: Sequence[str]) -> list[int]:
    """Return the number of positives of each query."""
    judged = run.judgments().filter(pl.col("grade") > 0)["query"].value_counts()
    counts = dict(judged.iter_rows())
    return [counts.get(query, 0) for query in queries]


def _system(name: str, run: StoredRun, load: tuple[LoadStep, ...]) -> ComparedSystem:
    details = run.details
    speed = SystemSpeed(
        batch_size=run.options.batch_size,
        concurrency=run.options.concurrency,
        queries_per_second=details.latency.queries_per_second,
        latency_ms=details.latency.percentiles,
    )
    return ComparedSystem(
        name=name, source=run.source, signature=details.signature, counts=details.counts, speed=speed, load=load
    )


def _evidence(
    results: Mapping[str, StoredRun],
    table: QueryTable | None,
    where: Sources,
    queries: Sequence[str],
    measures: Sequence[str],
    numbers: Sequence[int],
) -> tuple[Evidence, ...]:
    """Return what some queries got; a hit is called relevant when it is for the task of the first measure."""
    tasks = list(dict.fromkeys(task_and_measures(measure)[0] for measure in measures))
    wanted = [queries[number] for number in numbers]
    first = next(iter(results.values()))
    grades: dict[str, dict[str, float]] = {query: {} for query in wanted}
    judgments = first.judgments()
    for query, document, grade in judgments.filter(judgments["query"].is_in(wanted)).iter_rows():
        grades[query][document] = grade
    columns = pl.col("query_id", "rank", "id", "score", "positive"), pl.col(tasks).fill_null(False)
    rows = {name: stored.hits(wanted, DEPTH).select(columns).rows() for name, stored in results.items()}
    shown = {document or f"rank{rank}" for hits in rows.values() for _, rank, document, *_ in hits}
    shown.update(document for judged in grades.values() for document in judged)
    collection = where.collection or first.collection
    encoding = where.encoding if where.collection else first.options.encoding
    texts = texts_of(collection, shown, encoding) if collection else {}
    hits: dict[tuple[str, str], list[ShownDocument]] = defaultdict(list)  # by query and service
    relevant: dict[tuple[str, str], list[list[bool]]] = defaultdict(list)  # … of each hit, for each task
    for name, its in rows.items():
        for query, rank, given, score, positive, *of_tasks in its:
            document, grade = given or f"rank{rank}", grades[query].get(given or "") if positive else None
            hits[query, name].append(ShownDocument(document, grade, of_tasks[0], rank, score, texts.get(document)))
            relevant[query, name].append(of_tasks)
    return tuple(
        Evidence(
            number=number,
            text=text,
            hits={name: tuple(hits[query, name]) for name in results},
            relevant=tuple(
                ShownDocument(document, grade, True, text=texts.get(document))
                for document, grade in grades[query].items()
                if grade > 0
            ),
            labels=labels,
            tasks={
                task: {name: tuple(row[place] for row in relevant[query, name]) for name in results}
                for place, task in enumerate(tasks)
            },
            by_labels=frozenset(tasks) & frozenset(first.details.counts_by("unlabelled_hits", "task")),
        )
        for number, query, (text, labels) in zip(numbers, wanted, known_of_queries(table, wanted), strict=True)
    )
