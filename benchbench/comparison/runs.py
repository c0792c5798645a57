"""Comparing runs: each is scored against the same judgments, by the same measures."""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbench.comparison.comparable import differences
from benchbench.comparison.compare_result import MOVED, ComparedSystem, CompareOutcome
from benchbench.comparison.conclusion import DEPTH, POSITIVES, columns_of, concluded
from benchbench.comparison.evidence import Evidence, ShownDocument, known_of_queries
from benchbench.comparison.unjudged import unjudged
from benchbench.errors import InputError
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.excerpt import ExcerptRow, example, excerpt_hits, excerpt_judgments
from benchbench.formats.qrels_runs import RunFile, as_qrels, as_run, scan_qrels
from benchbench.kernels.arrays import I64
from benchbench.measures.catalog import CATALOG
from benchbench.measures.evaluate import Evaluator
from benchbench.measures.notation import Measure, least_grade, resolve
from benchbench.measures.scores import Scores
from benchbench.results.gates import Gate
from benchbench.results.record import Data
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.gates import as_gates
from benchbench.tables.judges import said
from benchbench.tables.names import printable
from benchbench.tables.paired import Paired
from benchbench.tables.qrels_runs import QrelsTable, RunTable
from benchbench.tables.shared_messages import not_among

if TYPE_CHECKING:
    from benchbench.formats.query_table import QueryTable

MEASURES = ("nDCG@10", "AP", "RR")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a failure list finds what it shows; None where there is nothing."""

    qrels: Path | None = None  # judgments once more, with the ids of their documents
    queries: Path | None = None  # as `formats.query_table` reads them
    collection: Path | None = None  # texts of documents
    encoding: str | None = None  # of queries and collection

    @property
    def options(self) -> dict[str, str | None]:
        """The files by the names of their options."""
        return {"queries": _shown(self.queries), "collection": _shown(self.collection), "encoding": self.encoding}

    def table(self, keep: Collection[str | None] = ()) -> "QueryTable | None":
        """Return the queries with the columns that are kept; None where no file of them is named."""
        if self.queries is None:
            return None
        from benchbench.formats.query_table import read_query_table  # takes Polars

        return read_query_table(self.queries, self.encoding, keep=keep)


def compare(
    qrels: QrelsTable | Mapping[str, Mapping[str, float]] | Any,
    runs: Mapping[str, RunTable | Mapping[str, Mapping[str, float]] | Any],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    baseline: str | None = None,
    *,
    no_positives: str = "zero",
    allow_different: bool = False,
    fail_if: str | Gate | Iterable[str | Gate] = (),
    sources: Sources | None = None,
    evidence: bool = True,
    moved: int = MOVED,
    **settings: Any,
) -> CompareOutcome:
    """Say whether runs differ, over the same queries.

    Parameters
    ----------
    qrels
        What `evaluate` takes. A judged query that a run lacks counts 0.
    runs
        Two or more, by name; each what `evaluate` takes.
    measures
        As `measures.notation.parse` reads them, one or several; those with a value per query.
    baseline
        The run that all others are compared with; None compares all pairs.
    no_positives
        `zero` or `skip`: what happens to a query judged without a relevant document.
    allow_different
        Whether runs scored by different rules may be compared.
    fail_if
        Gates, as `results.gates` describes them.
    sources
        Where texts and columns of queries, and texts of documents, come from.
    evidence
        Whether the hits of the queries that moved are read once more, of runs that are files (`scan_run`).
    moved
        How many of the queries that moved most JSON, text and `summary.json` have of each pair.
    **settings
        The other fields of `CompareSettings`, such as `test` and `slices`.

    Raises
    ------
    InputError
        An unknown measure, baseline or column; fewer than two runs; a run without a judged query; judgments of
        which none is relevant.
    """
    began = time.time()
    if not isinstance(runs, Mapping):
        raise InputError(
            f"runs are a mapping of names to runs, as {{'bm25': run}}, and not of type {type(runs).__name__}"
        )
    judgments: QrelsTable = as_qrels(qrels)
    ranked: dict[str, RunTable] = {name: as_run(run, name) for name, run in runs.items()}
    wanted = resolve(measures)
    for measure in wanted:
        if CATALOG[measure.name].aggregate == "micro":
            raise InputError(
                f"{measure} cannot be compared: it is not a mean over queries, so queries have no value of it"
            )
    for measure in wanted:
        if CATALOG[measure.name].direction != "higher":
            raise InputError(f"{measure} cannot be compared: more of it is not better")
    chosen = CompareSettings.of(baseline, settings)
    where = sources or Sources()
    evaluator = Evaluator(judgments, wanted, no_positives=no_positives, example=partial(example, where.qrels))
    evaluator.refuse_nothing_relevant()
    compared = partial(_measured, [*evaluator.measures, *evaluator.watched])
    gates = as_gates(fail_if, compared)
    scores = {name: evaluator.score(run) for name, run in ranked.items()}
    for name, its in scores.items():
        for valued, column in its.values.items():
            if not np.isfinite(column).all():
                raise InputError(f"{name} has a value of {valued} that is not a number")
    table = where.table((chosen.cluster,))
    if not scores:
        raise InputError("there is no run to compare; give two or more")
    least = list(map(least_grade, evaluator.measures))
    notes = differences({name: its.signature.parts for name, its in scores.items()}, allow_different)
    first = next(iter(scores.values()))
    counted = np.flatnonzero(first.counted)
    ids = judgments.ids
    queries = [ids[number] for number in counted]
    values = [[its.values[measure][counted] for its in scores.values()] for measure in first.values]
    on_judges = [said(judgments.judges, judgments.document.size)] if judgments.judges else []
    notes += [*on_judges, *_notes(scores, on_judges)]
    return concluded(
        Paired(
            tuple(scores),
            tuple(first.values),
            queries,
            np.array(values),
            columns_of(queries, table, notes),
            counts={POSITIVES: _positives(judgments, least[0])[counted]},
        ),
        chosen,
        compared,
        partial(_evidence, judgments, ranked, table, where, counted, least) if evidence else None,
        partial(unjudged, judgments, ranked, scores, evaluator.measures, counted),
        fail_if=gates,
        why_no_columns="" if table else "--queries FILE gives more",
        notes=notes,
        options={
            "ties": first.signature.parts["ties"],
            "no_positives": no_positives,
            "allow_different": allow_different,
            **where.options,
        },
        systems=tuple(
            ComparedSystem(
                name=name,
                source=printable(ranked[name].source),
                signature=str(its.signature),
                counts={**its.queries, **its.dropped},
            )
            for name, its in scores.items()
        ),
        shown=moved,
        data=Data(
            make="qrels", source=_shown(where.qrels), digest=first.signature.parts["qrels"], queries=len(queries)
        ),
        began=began,
    )


def _shown(path: Path | None) -> str | None:
    return None if path is None else printable(str(path))


def _measured(measures: Sequence[Measure], text: str) -> str:
    """Return the compared measure that a text names, its parameters too if several could be meant."""
    try:
        named = resolve([text])
    except InputError:
        named = []
    bare = [(measure.name, measure.cutoff) for measure in named]
    meant = [measure for measure in measures if measure in named]
    meant = meant or [measure for measure in measures if (measure.name, measure.cutoff) in bare]
    if len(named) != 1 or len(meant) != 1:
        adds = f"-m {text}" if len(named) == 1 and not meant else ""
        raise InputError(not_among(text, "compared", list(map(str, measures)), adds))
    return str(meant[0])


def _notes(scores: Mapping[str, Scores], known: Sequence[str]) -> list[str]:
    """Return sentences on the runs; what is `known` has been said of the judgments."""
    notes = []
    digests: dict[str, str] = {}
    unjudged = [f"{its.queries['unjudged']:,} of {name}" for name, its in scores.items() if its.queries["unjudged"]]
    if unjudged:
        notes.append(f"queries that nobody judged are left out: {', '.join(unjudged)}")
    for name, its in scores.items():
        if missing := its.queries["missing"]:
            notes.append(f"{name} lacks {missing:,} of {its.queries['judged']:,} judged queries; they count as 0")
        notes += [f"{name}: {note}" for note in its.notes if note not in known]
        same = digests.setdefault(its.signature.parts["run"], name)
        if same != name:
            notes.append(f"{name} and {same} rank the same documents in the same order")
    return notes


def _positives(qrels: QrelsTable, least: float) -> I64:
    """Return the number of relevant documents of each judged query."""
    relevant = np.append(np.cumsum(qrels.grade >= least), 0)
    counts: I64 = relevant[qrels.offsets[1:] - 1] - relevant[qrels.offsets[:-1] - 1]
    return counts


def _evidence(
    qrels: QrelsTable,
    runs: Mapping[str, RunTable],
    table: "QueryTable | None",
    where: Sources,
    counted: I64,
    least: Sequence[float],
    numbers: Sequence[int],
) -> tuple[Evidence, ...]:
    """Return what some queries got; runs that are not files have kept no ids of documents, and are left out.

    `least` are the lowest relevant grades of the measures: a hit is called relevant when it is for the first of them.
    """
    judged = counted[list(numbers)]
    hashes = qrels.query[judged]
    hits = {name: excerpt_hits(run, hashes, DEPTH) for name, run in runs.items() if isinstance(run, RunFile)}
    grades = [_grades(qrels, query) for query in judged.tolist()]
    if where.qrels is not None and where.qrels.is_file():
        relevant = excerpt_judgments(scan_qrels(where.qrels), hashes)
    else:  # judgments that cannot be read again: at least those that some run has found
        relevant = [_known(known, [rows[place] for rows in hits.values()]) for place, known in enumerate(grades)]
    relevant = [[row for row in rows if row.value >= min(least)] for rows in relevant]
    shown = {row.document for lists in (relevant, *hits.values()) for rows in lists for row in rows}
    texts = texts_of(where.collection, shown, where.encoding) if where.collection else {}
    ids = qrels.ids
    known = known_of_queries(table, [ids[query] for query in judged.tolist()])
    return tuple(
        Evidence(
            number=number,
            text=text,
            hits={name: tuple(_documents(lists[place], its, least[0], texts)) for name, lists in hits.items()},
            relevant=tuple(ShownDocument(row.document, row.value, True, text=texts.get(row.document)) for row in rows),
            labels=labels,
        )
        for place, (number, its, rows, (text, labels)) in enumerate(zip(numbers, grades, relevant, known, strict=True))
    )


def _grades(qrels: QrelsTable, query: int) -> dict[int, float]:
    """Return the grades of a query's documents by the hashes of their ids."""
    span = slice(qrels.offsets[query], qrels.offsets[query + 1])
    return dict(zip(qrels.document[span].tolist(), qrels.grade[span].tolist(), strict=True))


def _known(grades: Mapping[int, float], hits: Sequence[Sequence[ExcerptRow]]) -> list[ExcerptRow]:
    judged = {row.hash: row._replace(value=grades[row.hash]) for rows in hits for row in rows if row.hash in grades}
    return sorted(judged.values(), key=lambda row: -row.value)


def _documents(
    rows: Sequence[ExcerptRow], grades: Mapping[int, float], least: float, texts: Mapping[str, str]
) -> Iterable[ShownDocument]:
    for rank, row in enumerate(rows, 1):
        grade = grades.get(row.hash)
        yield ShownDocument(
            row.document, grade, grade is not None and grade >= least, rank, row.value, texts.get(row.document)
        )
