"""Runs compared with one another, without judgments: how far they differ, and not which is better."""

import time
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

import benchbench
from benchbench.comparison.compare_result import MOVED
from benchbench.comparison.conclusion import DEPTH
from benchbench.comparison.run_agreement import (
    AgreementDetails,
    Changed,
    ChangedHit,
    ChangedQuery,
    ComparedRun,
    PairOfRuns,
    PairValues,
    RunAgreement,
)  # fmt: skip
from benchbench.comparison.runs import Sources
from benchbench.errors import InputError
from benchbench.formats.collection_texts import SHOWN, texts_of
from benchbench.formats.excerpt import ExcerptRow, excerpt_hits
from benchbench.formats.qrels_runs import Run, RunFile, in_memory
from benchbench.kernels.arrays import I64
from benchbench.kernels.formulas import NO_CUTOFF
from benchbench.measures.agreement import DEFAULT, AgreementMeasure, P, agreement, aligned, parse, resolve
from benchbench.results.checks import check
from benchbench.results.gates import Gate, as_gates, parse_gate
from benchbench.results.ranges import ALPHA, COUNT_OR_0, RESAMPLES, SEED
from benchbench.results.signature import Signature
from benchbench.runs.likeness import likenesses
from benchbench.significance.pairs import named_pairs
from benchbench.tables.names import printable
from benchbench.tables.qrels_runs import RunTable

LEAD = "no judgments: this shows how much the runs differ, not which is better"
_EXAMPLES = "'overlap@10<0.9' or 'top_changed>5%'"
# What says which queries changed, and which most: a list and its beginning have an RBO of 1, and not the same documents
_BY = AgreementMeasure("RBO", p=P), AgreementMeasure("overlap", int(NO_CUTOFF)), AgreementMeasure("tau")

_Pair = tuple[str, str]


def compare_runs(
    runs: Mapping[str, RunTable],
    measures: str | Iterable[str] = DEFAULT,
    baseline: str | None = None,
    *,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    moved: int = MOVED,
    fail_if: str | Gate | Iterable[str | Gate] = (),
    sources: Sources | None = None,
    lead: str = LEAD,
) -> RunAgreement:
    """Say how far runs differ, without judgments.

    Parameters
    ----------
    runs
        Two or more, by name. A query that one of a pair lacks counts as one without a hit.
    measures
        `overlap@10`, `RBO`, `RBO(p=0.95)`, `tau`, `top_changed`, as `kernels.agreement` defines them.
    baseline
        The run that all others are compared with; None compares all pairs.
    alpha
        The share of intervals that may miss.
    resamples, seed
        Taken as `compare` takes them, and kept in the record; these intervals need neither.
    moved
        How many of the queries that changed most are shown of each pair; hits, of runs that are files (`scan_run`).
    fail_if
        Gates, such as `"overlap@10<0.9"`.
    sources
        Where texts of queries and documents come from.
    lead
        The sentence that every report begins with.

    Raises
    ------
    InputError
        Fewer than two runs; no query in common; an unknown measure or baseline; ties that are averaged over; a gate
        that is none.
    """
    began = time.time()
    if not isinstance(runs, Mapping):
        raise InputError(f"runs are a mapping of names to runs, and not of type {type(runs).__name__}")
    if len(runs) < 2:
        raise InputError("a comparison needs two runs or more")
    if baseline is not None and baseline not in runs:
        raise InputError(f"--baseline {baseline} is not compared; there are {', '.join(runs)}")
    alpha, moved = ALPHA.take(alpha, "--alpha"), COUNT_OR_0.take(moved, "--moved")
    resamples, seed = RESAMPLES.take(resamples, "--resamples"), SEED.take(seed, "--seed")
    wanted = resolve(measures)
    gates = as_gates(fail_if, lambda text: parse_gate(text, lambda name: (str(parse(name)), ""), _EXAMPLES))
    for gate in gates:
        gate.measured(list(map(str, wanted)))
    if any(getattr(run, "ties", "") == "expected" for run in runs.values()):
        raise InputError("--ties expected needs judgments; without them use trec or input")
    read = {name: in_memory(run) for name, run in runs.items()}
    owners, groups = aligned([run.rankings for run in read.values()])
    own = [run.ids for run in read.values()]
    ids = [own[run][group] for run, group in owners]
    of_run = dict(zip(read, groups, strict=True))
    notes, orders, names, where = [lead], [], tuple(map(str, wanted)), sources or Sources()
    for pair in named_pairs(read, baseline):
        values, order = _values(pair, read, of_run, wanted, notes)
        orders.append((values, order[:moved]))
    outcome = RunAgreement(
        AgreementDetails(
            judged=False,
            queries=len(ids),
            measures=names,
            alpha=alpha,
            runs=tuple(_compared(name, runs[name], run) for name, run in read.items()),
            pairs=tuple(
                PairOfRuns(
                    values.baseline,
                    values.system,
                    values.queries.size,
                    likenesses(wanted, values.values, alpha),
                )
                for values, _ in orders
            ),
            changed=_changed(orders, runs, read, owners, ids, names, where) if moved else (),
            notes=tuple(notes),
        ),
        ids,
        tuple(values for values, _ in orders),
        {
            "measure": list(names),
            "baseline": baseline,
            "alpha": alpha,
            "resamples": resamples,
            "seed": seed,
            "moved": moved,
            "ties": next(iter(read.values())).ties,
            "fail_if": [gate.text for gate in gates],
            **where.options,
        },
        began,
    )
    outcome.describe(gates=check(gates, outcome.numbers_of_pairs()))
    return outcome


def _values(
    pair: _Pair,
    read: Mapping[str, Run],
    of_run: Mapping[str, I64],
    wanted: Sequence[AgreementMeasure],
    notes: list[str],
) -> tuple[PairValues, I64]:
    """Return the values of a pair, and the places of its queries that changed, greatest change first."""
    before, after = (of_run[name] for name in pair)
    there = np.flatnonzero((before >= 0) | (after >= 0))
    sides = before[there], after[there]
    alone = sum(int(np.count_nonzero(side < 0)) for side in sides)
    if alone == there.size:
        raise InputError(f"{' and '.join(pair)} have no query in common: their ids differ")
    if alone:
        notes.append(
            f"{alone:,} of {there.size:,} queries are in one of {' and '.join(pair)} alone; they count as having "
            "nothing in common"
        )
    values = agreement(read[pair[0]].rankings, read[pair[1]].rankings, sides, [*wanted, *_BY])
    by, shared, order_kept = values[-len(_BY) :]
    if not by.any():
        notes.append(f"no query has a document that both {' and '.join(pair)} return; their documents' ids may differ")
    order = np.lexsort((shared, by))
    return PairValues(*pair, there, values[: -len(_BY)]), order[((shared < 1.0) | (order_kept < 1.0))[order]]


def _compared(name: str, given: RunTable, run: Run) -> ComparedRun:
    parts = {"ties": run.ties, "run": run.digest, "version": benchbench.__version__}
    return ComparedRun(name, printable(given.source), str(Signature(parts)), len(run), int(run.rankings.document.size))


def _changed(
    orders: Sequence[tuple[PairValues, I64]],
    runs: Mapping[str, RunTable],
    read: Mapping[str, Run],
    owners: Sequence[tuple[int, int]],
    ids: Sequence[str],
    names: Sequence[str],
    where: Sources,
) -> tuple[Changed, ...]:
    """Return the queries that changed most, with what they got."""
    tables = list(read.values())
    numbers = sorted({int(values.queries[place]) for values, order in orders for place in order})
    marks = np.array([tables[run].rankings.query[group] for run, group in (owners[q] for q in numbers)], np.uint64)
    hits = {
        name: dict(zip(numbers, excerpt_hits(run, marks, DEPTH), strict=True))
        for name, run in runs.items()
        if isinstance(run, RunFile) and numbers
    }
    shown = {row.document for of_run in hits.values() for rows in of_run.values() for row in rows}
    documents = texts_of(where.collection, shown, where.encoding) if where.collection and shown else {}
    table = where.table()
    texts = dict(zip(table.ids, table.texts, strict=True)) if table else {}

    def changed(values: PairValues, place: int) -> ChangedQuery:
        q, pair = int(values.queries[place]), (values.baseline, values.system)
        text, its = texts.get(ids[q]), [float(row[place]) for row in values.values]
        return ChangedQuery(
            ids[q],
            text and text[:SHOWN],
            {name: value if np.isfinite(value) else None for name, value in zip(names, its, strict=True)},
            _sides({name: hits[name][q] for name in pair if name in hits}, pair, documents),
        )

    return tuple(
        Changed(values.baseline, values.system, tuple(changed(values, place) for place in order.tolist()))
        for values, order in orders
    )


def _sides(
    rows: Mapping[str, Sequence[ExcerptRow]], pair: _Pair, documents: Mapping[str, str]
) -> dict[str, tuple[ChangedHit, ...]]:
    ranks = {name: {row.hash: rank for rank, row in enumerate(its, 1)} for name, its in rows.items()}
    others = dict(zip(pair, reversed(pair), strict=True))
    return {
        name: tuple(
            ChangedHit(
                row.document, rank, row.value, ranks.get(others[name], {}).get(row.hash), documents.get(row.document)
            )
            for rank, row in enumerate(its, 1)
        )
        for name, its in rows.items()
    }
