"""Labels by a judge: the first hits of runs are judged for relevance, and become judgments beside those of people."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

import benchbench
from benchbench.answers.judges.attacks import attacks
from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.summary import ALL
from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging.agreement.calibration import Calibration, calibrated, calibration_setting
from benchbench.judging.agreement.numbers import Agreed, agreed
from benchbench.judging.asking import judged
from benchbench.judging.details import rubric_details, run_members
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.folder import JudgeFolder
from benchbench.judging.gates import calibration_details, calibrations_of
from benchbench.judging.received import Received
from benchbench.judging.relevance.details import ComparedDetails, LabelDetails, RelevanceDetails
from benchbench.judging.relevance.gates import check, parse_gates
from benchbench.judging.relevance.holes import AFTER, BEFORE, HoleCase, cases
from benchbench.judging.relevance.labels import judge_name, label_frames, new_lines, write_label_table
from benchbench.judging.relevance.pair_texts import Spool
from benchbench.judging.relevance.pairs import SEPARATOR, PairsToJudge, ReadyPairs, query_numbers
from benchbench.judging.relevance.ranked_by import own_rankings
from benchbench.judging.relevance.relevance_result import RelevanceOutcome
from benchbench.judging.repeats import Sample
from benchbench.judging.score_counts import Bin, ScoreTally
from benchbench.judging.settings import JudgeSettings
from benchbench.judging.spending import Spent
from benchbench.judging.verdict import Verdict
from benchbench.results.record import Number
from benchbench.results.signature import Signature
from benchbench.tables.callbacks import nothing

_NEEDS = ("question", "document")
_MOST_HITS = 20_000_000  # of all runs together: what best and worst cases are computed from is kept in memory
TOO_MANY = f"Best and worst cases are left out: the runs have more than {_MOST_HITS:,} hits."
_NO_MORE: Mapping[str, Any] = MappingProxyType({})


def planned_relevance(given: PairsToJudge, settings: JudgeSettings) -> Planned:
    """Return what judging would ask and cost; nothing is sent.

    Raises
    ------
    InputError
        As `judge_relevance`.
    """
    _rubric(settings)
    with TemporaryDirectory() as folder, Spool() as spool:
        return planned(settings, ReadyPairs(given, settings.seed, Path(folder), spool).items())


def judge_relevance(
    given: PairsToJudge,
    settings: JudgeSettings,
    folder: JudgeFolder | None = None,
    progress: Callable[[int], None] = nothing,
    options: Mapping[str, Any] = _NO_MORE,
) -> RelevanceOutcome:
    """Judge the first hits of runs for relevance, and make labels of the grades.

    Labels that there are stay as they are, and their pairs are not judged again, except for a sample of those by people
    that the judge is compared with.

    Parameters
    ----------
    given
        The pairs.
    settings
        Judge and rubric.
    folder
        The open folder of the results, which gets `qrels.trec` and `labels.parquet`; the caller finishes it. Without
        one the result has labels, verdicts and attacks as tables, in memory.
    progress
        Called with the number of verdicts so far.
    options
        Further settings for the record.

    Raises
    ------
    InputError
        For files, measures, gates, a calibration or a cache that cannot be used.
    UnreachableError
        When nothing answers at the judge's address.
    """
    rubric = _rubric(settings)
    gates = parse_gates(settings.fail_if, rubric, given.wanted if given.holes else ())
    known = calibrations_of([rubric], settings.model.name, given.calibrations)[rubric.label]
    with ExitStack() as stack:
        place = folder.partial if folder is not None else Path(stack.enter_context(TemporaryDirectory()))
        spool = stack.enter_context(Spool(place))
        work = _Work(given, settings, ReadyPairs(given, settings.seed, place, spool), spool, folder)
        spent, sample = judged(settings, work.items(), work.take, progress)
        labels = work.written(place)
        work.after()
        found, agreement, calibrations = work.concluded(spent, sample, known)
    return RelevanceOutcome(
        found=found,
        complete=spent.is_complete,
        gates=check(gates, found, agreement, settings.max_error_rate),
        options={**settings.shown(), **given.shown(), **calibration_setting(calibrations), **options},
        began=work.began,
        verdicts=work.received.verdicts,
        attacks=work.received.attacks,
        agreement=agreement,
        labels=labels,
    )


def _rubric(settings: JudgeSettings) -> Rubric:
    if len(settings.rubrics) != 1:
        raise InputError("labels are made by one rubric; name one")
    rubric = settings.rubrics[0]
    more = [one for one in rubric.needs if one not in _NEEDS]
    if more:
        raise InputError(f"the rubric {rubric.label} needs {', '.join(more)}, and a pair has a query and a document")
    return rubric


class _Work:
    """Judging the pairs, and what came of it."""

    def __init__(
        self, given: PairsToJudge, settings: JudgeSettings, ready: ReadyPairs, spool: Spool, folder: JudgeFolder | None
    ) -> None:
        self.began = time.time()
        self.received = Received(folder.append, folder.append_attacks) if folder else Received()
        self._given, self._settings, self._ready = given, settings, ready
        self._spool, self._folder = spool, folder
        self._rubric = settings.rubrics[0]
        self._judge = judge_name(settings.model.name, self._rubric.label)
        self._places: dict[str, int] = {}  # of the pairs that are under way
        self._grades = np.full(ready.asked.height, np.nan)
        self._reasons = np.full(ready.asked.height, -1, np.int64)
        self._tally = ScoreTally(settings.rubrics)
        self._runs: dict[str, Run] | None = None
        self._cases = self._before() if given.holes else []

    def items(self) -> Iterator[Item]:
        """Yield the pairs as they are asked about."""
        for place, item in enumerate(self._ready.items()):
            self._places[item.key] = place
            yield item

    def take(self, item: Item, verdict: Verdict) -> None:
        """Keep a verdict."""
        self.received.verdict(item, verdict)
        if verdict.attempt > 1:
            return
        place = self._places.pop(item.key)
        if place < self._ready.judged:
            self._tally.add(verdict, (), item.key.partition(SEPARATOR)[0])
        if verdict.score is not None:
            self._grades[place] = verdict.score
            self._reasons[place] = self._spool.append(verdict.rationale)
        self.received.attack(item, attacks(item))

    def written(self, folder: Path) -> pl.DataFrame | None:
        """Write the labels; return their table where there is no folder that keeps it."""
        ready = self._ready
        pool, grades = ready.asked[: ready.judged], self._grades[: ready.judged]
        with ready.path.open("ab") as file:
            file.writelines(new_lines(pool, grades, self._judge))
        reasons = self._reasons[: ready.judged]
        table = (ready.labels, pool, grades, reasons, self._spool, self._judge)
        if self._folder is None:
            return pl.concat(label_frames(*table))
        write_label_table(folder, *table)
        return None

    def concluded(
        self, spent: Spent, sample: Sample, known: Calibration | None
    ) -> tuple[RelevanceDetails, tuple[Number, ...], Sequence[Calibration]]:
        """Return what came of it, the numbers of the agreement with people, and what is known of the judge.

        `known` is what has been known of the judge; an agreement that was found here goes before it.
        """
        given, settings, ready, rubric = self._given, self._settings, self._ready, self._rubric
        model, of = settings.model.name, {"judge": settings.model.name, "rubric": self._rubric.label}
        compared, agreement = self._compared()
        if agreement is not None and agreement.n:
            known = calibrated(agreement, model, rubric.label, rubric.digest, ready.digest, time.time(), self._judge)
        calibration = calibration_details(known, model, rubric, ready.digest, given.least_kappa)
        its = self._tally.by_label[rubric.label]
        scores = rubric_details(its, sample.of(rubric.label), calibration, "query")
        people = ready.labels["judge"].null_count()
        judges = ready.labels["judge"].drop_nulls().value_counts(sort=True).rows()
        found = RelevanceDetails(
            **(run_members(settings, spent, self.received) | {"failures": dict(its.failures.most_common())}),
            signature=_signature(settings, ready),
            data_digest=ready.digest,
            items=ready.judged,
            rubrics=[replace(scores, histogram=_grades(rubric, its.scores[ALL].counts) or scores.histogram)],
            cluster="query",
            clusters=ready.pool.queries,
            is_trusted=given.trusts_judge,
            judge=self._judge,
            pool=ready.pool,
            labels=LabelDetails(
                people,
                dict(judges),
                int(np.count_nonzero(~np.isnan(self._grades[: ready.judged]))),
                ready.labels["grade"].max() if people else None,  # type: ignore[arg-type]
            ),
            compared=compared,
            holes=self._cases,
            ranked=own_rankings(
                model, [(name, path, name in ready.trec) for name, path in given.files.items()], given.ranked_by
            ),
            left=TOO_MANY if given.holes and self._runs is None else "",
        )
        return found, () if agreement is None else tuple(agreement.numbers(of)), [] if known is None else [known]

    def after(self) -> None:
        """Add the cases of the labels as they are written."""
        if self._runs is not None:
            self._cases += cases(Qrels.from_file(self._ready.path), self._runs, self._given.wanted, AFTER)

    def _before(self) -> list[HoleCase]:
        """Read the runs, and return the cases of the labels that there are."""
        runs, hits = dict[str, Run](), 0
        for name, path in self._given.files.items():
            runs[name] = Run.from_file(path)
            hits += runs[name].rankings.document.size
            if hits > _MOST_HITS:
                return []
        self._runs = runs
        return list(cases(Qrels.from_file(self._ready.path), runs, self._given.wanted, BEFORE))

    def _compared(self) -> tuple[ComparedDetails | None, Agreed | None]:
        """Return how far judge and people agree on the pairs that both have graded."""
        ready = self._ready
        if ready.compared is None:
            return None, None
        asked = ready.asked.select("key").with_row_index("place")
        both = ready.compared.select("key", "grade").join(asked, on="key", how="inner", maintain_order="right")
        place = both["place"].to_numpy()
        found = agreed(both["grade"].to_numpy(), self._grades[place], query_numbers(ready.asked)[place])
        source = self._given.compare_with
        details = ComparedDetails(
            "the labels by people that were there" if source is None else str(source),
            ready.compared.height,
            ready.sampled,
            found.n,
            found.unparsed,
            found.queries,
            int(np.unique(both["grade"].to_numpy()).size),
            found.estimates,
        )
        return details, found


def _grades(rubric: Rubric, counts: Mapping[float, int]) -> list[Bin]:
    """Return how many labels there are of each grade; nothing where grades are no whole numbers."""
    low, high = rubric.scale
    if not all(float(grade).is_integer() for grade in (low, high, *counts)):
        return []
    return [Bin(grade, grade, counts[grade]) for grade in map(float, range(int(low), int(high) + 1))]


def _signature(settings: JudgeSettings, ready: ReadyPairs) -> str:
    sampling = {name: value for name, value in settings.model.sampling().items() if name not in ("model", "url")}
    rubric = settings.rubrics[0]
    return str(
        Signature(
            {
                "judge": settings.model.name,
                "sampling": ",".join(f"{name}={value}" for name, value in sampling.items()),
                "rubrics": f"{rubric.label}#{rubric.digest[:12]}",
                "failed": "left out",
                "pairs": str(ready.judged),
                "data": ready.digest,
                "version": benchbench.__version__,
            }
        )
    )
