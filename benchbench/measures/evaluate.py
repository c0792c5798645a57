"""Scores of runs against judgments: a plan of all measures, one pass per query, threads over shards of queries."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import benchbench
from benchbench.errors import InputError
from benchbench.kernels.arrays import F64, I64, U64
from benchbench.kernels.bootstrap import column_sums
from benchbench.kernels.judged_hits import scratch
from benchbench.kernels.lookup import any_judged, are_different, find, table
from benchbench.kernels.measure import Judgments, measure
from benchbench.kernels.plan import FormulaPlan, lists
from benchbench.measures.catalog import CATALOG
from benchbench.measures.micro import aggregated
from benchbench.measures.notation import Measure, least_grade, resolve
from benchbench.measures.plan import ideals, plans, refuse_undefined
from benchbench.measures.scores import Scores
from benchbench.results.signature import Signature
from benchbench.tables.judges import said
from benchbench.tables.qrels_runs import QrelsTable, RankedRun, Rankings, RunTable, are_scores, digest
from benchbench.tables.threads import in_order

_UNGROUPED = (
    "the hits of a query are not adjacent, so the run was read twice and kept in memory; "
    "sort it by query to have it read once"
)
_RISING = (
    "the scores of each query rise by 1 from hit to hit, as ranks do, so that its last hit ranks first; "
    "if scores and ranks have changed places (columns 4 and 5 of TREC text), change them back"
)
_FRACTIONS = (
    "most grades are fractions, as the scores of a run are; if judgments and run have changed places, change them back"
)
_CLOSE = (
    "{:,} {} would rank differently with scores of 32 bits, as in trec_eval 9 and pytrec_eval "
    "(--score-precision single)"
)
_SAMPLE = 1000  # grades


class Evaluator:
    """Judgments, prepared once for any number of runs; parameters as those of `evaluate`.

    `example` returns a clause that shows a hit and a judgment of a query, for a run of which no hit is judged; it is
    given the run, the id of the query and the hash of that, in an array.
    """

    def __init__(
        self,
        qrels: QrelsTable,
        measures: str | Measure | Iterable[str | Measure],
        over: str = "judged",
        no_positives: str = "zero",
        example: Callable[[RunTable, str, U64], str] = lambda run, query, marked: "",
    ) -> None:
        if over not in ("judged", "returned"):
            raise InputError(f"over is judged or returned, not {over!r}")
        if no_positives not in ("zero", "skip"):
            raise InputError(f"no_positives is zero or skip, not {no_positives!r}")
        _check_qrels(qrels)
        self.measures = resolve(measures)
        if not self.measures:
            raise InputError("no measure is named; name one or more, such as nDCG@10")
        self._notes: tuple[str, ...] = (_FRACTIONS,) if are_scores(qrels.grade[:_SAMPLE]) else ()
        if qrels.judges:
            self._notes += (said(qrels.judges, int(qrels.document.size)),)
        self._qrels, self._over, self._no_positives = qrels, over, no_positives
        self._example = example
        self.watched = watched(self.measures)
        self._plans = plans([*self.measures, *self.watched])
        gain, ideal = ideals(qrels.grade, qrels.offsets, self._plans.gains)
        self._judgments = Judgments(qrels.offsets, qrels.document, qrels.grade, gain, ideal)
        self._most = int(np.diff(qrels.offsets).max())
        self._places = table(qrels.query)
        self._positives = np.diff(qrels.offsets) > 0
        best = qrels.offsets[:-1][self._positives]  # the best grade of a query stands first
        self._positives[self._positives] = qrels.grade[best] >= 1
        self._diverse = None
        if self._plans.diverse.columns.size:
            from benchbench.tables.subtopics import subtopics_of

            self._diverse = subtopics_of(qrels)
        self._log2 = np.log2(np.arange(max(self._most, 1000)) + 2.0)

    @property
    def names(self) -> list[str]:
        """The measures, and what else the record will have, by name."""
        return [*map(str, self.measures), *map(str, self.watched)]

    def refuse_nothing_relevant(self) -> None:
        """Raise InputError where no judgment is relevant for any measure, whatever a run has."""
        if any(
            measure.name in ("Judged", "NumRet", "NumQ") and "rel" not in dict(measure.params)
            for measure in self.measures
        ):
            return  # they ask for no relevance
        grade, least = self._qrels.grade, min(map(least_grade, self.measures))
        if (self._judgments.gain <= 0).all() and not (grade >= least).any():
            raise InputError(
                f"no document is judged relevant, so every score would be 0: the highest grade is "
                f"{grade.max():g}, and relevant are grades of at least {least:g}"
                + (f"; {_FRACTIONS}" if are_scores(grade[:_SAMPLE]) else "")
            )

    def score(self, run: RunTable) -> Scores:
        """Score a run; InputError as `evaluate` says."""
        _check_run(run)
        if run.ties == "expected":
            refuse_undefined(self.measures)
        blocks = [np.zeros((len(self._qrels), width)) for width in self._plans.widths]
        measured = partial(self._shard, ties=run.ties, blocks=blocks)
        parts = list(in_order(partial(shard.use, measured) for shard in run.shards()))
        if not sum(part[3] for part in parts):
            raise InputError(f"{run.source} has no hit, so every score would be 0")
        query = np.concatenate([part[0] for part in parts])
        if isinstance(run, RankedRun):
            marked, duplicates, close = run.digest, run.rankings.duplicates, run.rankings.close
        elif not are_different(query):
            whole = self.score(run.gathered())
            return replace(whole, notes=(*whole.notes, _UNGROUPED))
        else:
            marked = digest(query, np.concatenate([part[1] for part in parts]))
            duplicates, close = sum(part[2] for part in parts), sum(part[6] for part in parts)
        judged = np.concatenate([part[4] for part in parts])
        absent = np.ones(len(self._qrels), np.bool_)
        absent[judged[judged >= 0]] = False
        if absent.any():  # they have judgments to count, and no hits
            self._measure(Rankings.without_hits(self._qrels.query[absent]), run.ties, blocks)
        filled = [block for block in blocks if block.shape[1]]
        values = filled[0] if len(filled) == 1 else np.hstack(filled)
        scores = self._scores(run, values, judged, marked, duplicates)
        notes = [*self._notes]
        if any(part[5] for part in parts):
            notes.append(_RISING)
        if close:
            notes.append(_CLOSE.format(close, "query" if close == 1 else "queries"))
        if not any(part[7] for part in parts):
            notes.append(self._unmatched(run, sum(part[3] for part in parts), judged))
        return replace(scores, notes=tuple(notes), hits=sum(part[3] for part in parts))

    def _unmatched(self, run: RunTable, hits: int, judged: I64) -> str:
        query = int(judged[judged >= 0][0])
        example = self._example(run, self._qrels.ids[query], self._qrels.query[query : query + 1])
        return (
            f"none of the {hits:,} hits is judged for its query, so that no document counts; do both "
            f"use the same document ids?{f' E.g. {example}' if example else ''}"
        )

    def _shard(
        self, part: Rankings, ties: str, blocks: Sequence[F64]
    ) -> tuple[U64, U64, int, int, I64, bool, int, bool]:
        """Measure some queries.

        Return their hashes and fingerprints, how many hits were dropped and kept, which judged queries they are,
        whether their scores look like ranks, how many queries scores of 32 bits would rank otherwise, and whether any
        hit is judged.
        """
        judged = self._measure(part, ties, blocks)
        qrels = self._qrels
        met = any_judged(part.offsets, part.document, judged, qrels.offsets, qrels.document)
        dropped, kept = part.duplicates, part.document.size
        return part.query.copy(), part.fingerprint, dropped, kept, judged, part.rising, part.close, met

    def _measure(self, part: Rankings, ties: str, blocks: Sequence[F64]) -> I64:
        """Fill the rows of the values, a block per plan; return of each query which judged query it is, or -1."""
        judged = find(self._places, self._qrels.query, part.query)
        if not judged.size:
            return judged
        plain, wide, condensed = blocks
        longest = max(int(np.diff(part.offsets).max()), self._most)
        log2 = self._log2 if longest <= self._log2.size else np.log2(np.arange(longest) + 2.0)
        if plain.shape[1]:
            self._fill(self._plans.plain, part, ties, judged, min(self._plans.depth, longest), log2, plain)
        if condensed.shape[1]:
            from benchbench.measures.condensed import condensed_lists

            kept = condensed_lists(part, self._judgments, judged, self._most)
            self._fill(self._plans.condensed, kept, ties, judged, longest, log2, condensed)
        if self._diverse is not None:
            from benchbench.kernels import subtopics

            diverse_scratch = subtopics.scratch(int(np.diff(self._diverse.offsets).max()))
            plan = self._plans.diverse
            subtopics.measure_subtopics(
                plan.columns, plan.rels, self._diverse, part.offsets, part.document, judged, 0, judged.size,
                log2, diverse_scratch, wide,
            )  # fmt: skip
        return judged

    def _fill(
        self, plan: FormulaPlan, part: Rankings, ties: str, judged: I64, depth: int, log2: F64, values: F64
    ) -> None:
        """Fill the rows of the values of one plan of formulas."""
        room, here = scratch(self._most), lists(plan, self._most, len(self._plans.gains))
        if ties == "expected":
            from benchbench.kernels.expected_over_ties import measure_expected

            measure_expected(
                self._judgments, part.offsets, part.document, part.tied, plan.changed, judged, 0,
                judged.size, depth, log2, room, here, values,
            )  # fmt: skip
            return
        measure(
            self._judgments, part.offsets, part.document, judged, 0, judged.size, depth, log2, room, here, values,
        )  # fmt: skip

    def _scores(self, run: RunTable, values: F64, judged: I64, marked: str, duplicates: int) -> Scores:
        qrels, columns = self._qrels, self._plans.columns
        returned = np.zeros(len(qrels), np.bool_)
        returned[judged[judged >= 0]] = True
        if not returned.any():
            raise InputError(
                f"{run.source} has no query that is judged, so every score would be 0; the ids "
                f"differ: judged are, for example, {', '.join(map(repr, qrels.ids[:2]))}"
            )
        counted = np.ones(len(qrels), np.bool_)
        if self._over == "returned":
            counted &= returned
        if self._no_positives == "skip":
            counted &= self._positives
        if not counted.any():
            raise InputError(
                f"no query is left to take the mean over (over={self._over}, no_positives={self._no_positives})"
            )
        sums = column_sums(values if counted.all() else values[counted])
        counts = {
            "judged": len(qrels),
            "returned": int(returned.sum()),
            "missing": int((~returned).sum()),
            "unjudged": int((judged < 0).sum()),
            "without_positives": int((~self._positives).sum()),
        }
        return Scores(
            name=run.name,
            judged=qrels,
            counted=counted,
            values={
                str(measure): values[:, columns[measure][0]]
                for measure in self.measures
                if CATALOG[measure.name].aggregate != "micro"
            },
            aggregates={
                str(measure): aggregated(measure, sums[list(columns[measure])], int(counted.sum()))
                for measure in self.measures
            },
            queries=counts,
            dropped={"duplicate_hits": duplicates, "duplicate_judgments": qrels.duplicates},
            signature=Signature(
                {
                    "measures": ",".join(map(str, self.measures)),
                    "ties": run.ties,
                    **({} if run.precision == "double" else {"precision": run.precision}),
                    "missing": "0" if self._over == "judged" else "left out",
                    "no positives": self._no_positives,
                    "queries": ", ".join(f"{name} {number}" for name, number in counts.items()),
                    "qrels": qrels.digest,
                    "run": marked,
                    "version": benchbench.__version__,
                }
            ),
            judged_shares={
                name: shares if returned.all() else np.where(returned, shares, np.nan)
                for name, shares in ((str(measure), values[:, columns[measure][0]]) for measure in self.watched)
            },
        )


def watched(measures: Sequence[Measure]) -> list[Measure]:
    """Return what says how far unjudged hits may distort some measures: Judged at their cut-offs, 10 without any.

    It stands beside measures for which unjudged hits are not relevant, and not for those that ask for it themselves.
    """
    distorted = [
        measure
        for measure in measures
        if measure.name not in ("Judged", "NumRet", "NumRel", "NumQ") and not dict(measure.params).get("judged_only")
    ]
    by_rank = (
        measure.cutoff
        for measure in distorted
        if CATALOG[measure.name].cutoff_type == "rank" and measure.cutoff is not None
    )
    cutoffs = sorted({int(k) for k in by_rank}) or ([10] if distorted else [])
    found = [Measure("Judged", (), k) for k in cutoffs]
    return [measure for measure in found if measure not in measures]


def _check_qrels(qrels: object) -> None:
    if hasattr(qrels, "shards"):
        raise InputError("the first argument is a run; judgments come first, then the run: evaluate(qrels, run)")
    if not isinstance(qrels, QrelsTable):
        raise InputError(f"qrels is of type {_kind(qrels)}; make judgments of it with {_makers('Qrels', qrels)}")


def _check_run(run: object) -> None:
    if isinstance(run, QrelsTable):
        raise InputError("the second argument is judgments; judgments come first, then the run")
    if not hasattr(run, "shards"):
        raise InputError(f"the run is of type {_kind(run)}; make a run of it with {_makers('Run', run)}")


def _kind(value: object) -> str:
    return type(value).__name__


def _makers(name: str, value: object) -> str:
    """Return the functions that make judgments or a run of such a value."""
    if isinstance(value, str | Path):
        return f"{name}.from_file({str(value)[:80]!r})"
    if isinstance(value, Mapping):
        return f"{name}.from_dict"
    return f"{name}.from_frame, {name}.from_dict or {name}.from_arrays"
