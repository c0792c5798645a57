"""Labels by a judge: it grades the first hits of runs, and its grades are added to the judgments of people."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.summary import ALL
from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging import judge_result as judge_gates
from benchbench.judging.agreement.calibration import calibrated
from benchbench.judging.agreement.numbers import ALWAYS, Agreed, agreed
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.judge_folder import JudgeFolder
from benchbench.judging.judge_run import JudgeRun
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.judging.relevance.holes import AFTER, BEFORE, HoleCase, cases, numbers_of
from benchbench.judging.relevance.labels import add_labels, judge_name, label_frames
from benchbench.judging.relevance.pair_texts import Spool
from benchbench.judging.relevance.pairs import SEPARATOR, PairsToJudge, ReadyPairs, query_numbers
from benchbench.judging.relevance.pool import own_rankings
from benchbench.judging.relevance.relevance_result import (
    ComparedDetails,
    LabelDetails,
    RelevanceDetails,
    RelevanceOutcome,
)
from benchbench.judging.score_counts import Bin
from benchbench.judging.verdict import Verdict
from benchbench.measures.notation import Measure, measure_named
from benchbench.results import gates
from benchbench.results.gates import Condition, Gate
from benchbench.results.record import GateResult, Number
from benchbench.scores.gates import Texts, check_gates
from benchbench.tables.callbacks import nothing

_NEEDS = ("question", "document")
_MOST_HITS = 20_000_000  # of all runs together: what best and worst cases are computed from is kept in memory
_CUT = re.compile(r"(?:kappa|agreement|bias)@\d+(?:\.\d+)?")
_OF_PAIR = ("Δ", "worst", "best")
_EXAMPLES = "'kappa<0.6', 'worst nDCG@10<0' or 'errors>1%'"
TOO_MANY = f"Best and worst cases are left out: the runs have more than {_MOST_HITS:,} hits."


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
    options: Mapping[str, Any] | None = None,
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
    run = JudgeRun(settings, given, *(() if folder is None else (folder.append, folder.append_attacks)))
    with ExitStack() as stack:
        place = folder.partial if folder is not None else Path(stack.enter_context(TemporaryDirectory()))
        spool = stack.enter_context(Spool(place))
        ready = ReadyPairs(given, settings.seed, place, spool)
        work = _Work(given, run, rubric, ready, spool)
        run.ask(ready.items(), work.take, progress)
        labels = add_labels(ready.path, work.labels(), None if folder is None else place)
        work.after()
        compared, agreement = work.compared()
        result = work.details(compared, agreement)
    numbers = () if agreement is None else tuple(agreement.numbers({"judge": run.model, "rubric": rubric.label}))
    results = check(gates, result, numbers, settings.max_error_rate)
    return run.outcome(RelevanceOutcome, options, found=result, gates=results, agreement=numbers, labels=labels)


def _rubric(settings: JudgeSettings) -> Rubric:
    if len(settings.rubrics) != 1:
        raise InputError("labels are made by one rubric; name one")
    rubric = settings.rubrics[0]
    more = [need for need in rubric.needs if need not in _NEEDS]
    if more:
        raise InputError(f"the rubric {rubric.label} needs {', '.join(more)}, and a pair has a query and a document")
    return rubric


class _Work:
    """Judges the pairs, and collects grades, labels and numbers."""

    def __init__(self, given: PairsToJudge, run: JudgeRun, rubric: Rubric, ready: ReadyPairs, spool: Spool) -> None:
        self._given, self._run, self._rubric, self._ready, self._spool = given, run, rubric, ready, spool
        self._judge = judge_name(run.model, rubric.label)
        self._grades = np.full(ready.asked.height, np.nan)
        self._reasons = np.full(ready.asked.height, -1, np.int64)
        self._runs: dict[str, Run] | None = None
        self._cases = self._before() if given.holes else []

    def take(self, item: Item, verdict: Verdict) -> None:
        """Keep a verdict."""
        place: int = item.about
        if place < self._ready.judged:
            self._run.tally.add(verdict, (), item.key.partition(SEPARATOR)[0])
        if verdict.score is not None:
            self._grades[place] = verdict.score
            self._reasons[place] = self._spool.append(verdict.rationale)

    def labels(self) -> Iterator[pl.DataFrame]:
        """Yield the labels, those that there were and the new ones, some at a time."""
        ready, number = self._ready, self._ready.judged
        grades, reasons = self._grades[:number], self._reasons[:number]
        return label_frames(ready.labels, ready.asked[:number], grades, reasons, self._spool, self._judge)

    def details(self, compared: ComparedDetails | None, agreement: Agreed | None) -> RelevanceDetails:
        """Return the details; an agreement measured in this run replaces an earlier calibration of the judge."""
        given, run, ready, rubric = self._given, self._run, self._ready, self._rubric
        if agreement is not None and agreement.n:
            judge = {"model": run.model, "rubric": rubric.label, "digest": rubric.digest, "name": self._judge}
            run.known[rubric.label] = calibrated(agreement, ready.digest, time.time(), **judge)
        tally = run.tally.by_label[rubric.label]
        people = ready.labels["judge"].null_count()
        ranked = [(name, path, name in ready.trec) for name, path in given.files.items()]
        result = run.details(
            RelevanceDetails,
            ready.digest,
            "query",
            failures=dict(tally.failures.most_common()),
            signature=run.signature(pairs=str(ready.judged), data=ready.digest),
            items=ready.judged,
            clusters=ready.pool.queries,
            judge=self._judge,
            pool=ready.pool,
            labels=LabelDetails(
                people,
                dict(ready.labels["judge"].drop_nulls().value_counts(sort=True).rows()),
                int(np.count_nonzero(~np.isnan(self._grades[: ready.judged]))),
                ready.labels["grade"].max() if people else None,  # type: ignore[arg-type]
            ),
            compared=compared,
            holes=self._cases,
            ranked=own_rankings(run.model, ranked, given.ranked_by),
            left=TOO_MANY if given.holes and self._runs is None else "",
        )
        (scores,) = result.rubrics
        histogram = _grades(rubric, tally.scores[ALL].counts) or scores.histogram
        return replace(result, rubrics=[replace(scores, histogram=histogram)])

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

    def compared(self) -> tuple[ComparedDetails | None, Agreed | None]:
        """Return how far judge and people agree on the pairs that both have graded."""
        ready = self._ready
        if ready.compared is None:
            return None, None
        asked = ready.asked.select("key").with_row_index("place")
        both = ready.compared.select("key", "grade").join(asked, on="key", how="inner", maintain_order="right")
        place = both["place"].to_numpy()
        agreement = agreed(both["grade"].to_numpy(), self._grades[place], query_numbers(ready.asked)[place])
        source = self._given.compare_with
        details = ComparedDetails(
            source="existing labels by people" if source is None else str(source),
            labels=ready.compared.height,
            sampled=ready.sampled,
            n=agreement.n,
            failed=agreement.unparsed,
            queries=agreement.queries,
            grades=int(np.unique(both["grade"].to_numpy()).size),
            agreement=agreement.estimates,
        )
        return details, agreement


def _grades(rubric: Rubric, counts: Mapping[float, int]) -> list[Bin]:
    """Return how many labels there are of each grade; nothing where grades are no whole numbers."""
    low, high = rubric.scale
    if not all(float(grade).is_integer() for grade in (low, high, *counts)):
        return []
    return [Bin(grade, grade, counts[grade]) for grade in map(float, range(int(low), int(high) + 1))]


def parse_gates(texts: Texts, rubric: Rubric, measures: Sequence[Measure]) -> list[Gate]:
    """Return the gates in texts: those of a judge's run, and those on what its labels are worth.

    The latter are on `kappa`, `weighted_kappa`, `alpha`, `agreement` and `bias`, how far judge and people agree on the
    pairs that both have graded, `kappa@2` of the cut at a grade; and of a measure M of `--holes` on `Δ M`, `worst M`
    and `best M`, the mean difference of two runs with the new labels, and its worst and best case.

    Parameters
    ----------
    texts
        One or several.
    rubric
        Of the judge.
    measures
        Whose differences there will be; none without holes.

    Raises
    ------
    InputError
        When one is malformed, or names a number that is not measured; the message lists those that are.
    """
    pairs = [f"{kind} {measure}" for measure in measures for kind in _OF_PAIR]
    parsed: list[Gate] = []
    for gate in gates.as_gates(texts, lambda text: gates.parse_gate(text, examples=_EXAMPLES)):
        if not _is_of_labels(gate):
            parsed += judge_gates.parse_gates([gate.text], [rubric])
            continue
        meant = replace(gate, conditions=tuple(map(_whole, gate.conditions)))
        cuts = [condition.name for condition in meant.conditions if _CUT.fullmatch(condition.name)]
        meant.measured([*ALWAYS, *cuts, *pairs])
        parsed.append(meant)
    return parsed


def check(
    conditions: Sequence[Gate], details: RelevanceDetails, agreement: Sequence[Number], max_error_rate: float
) -> list[GateResult]:
    """Return the result of each gate; before them, that more pairs failed than allowed."""
    of_labels = [gate for gate in conditions if _is_of_labels(gate)]
    results = judge_gates.check([gate for gate in conditions if gate not in of_labels], details, max_error_rate)
    measured = [*agreement, *numbers_of([case for case in details.holes if case.labels == AFTER], {})]
    wanted = {condition.name for gate in of_labels for condition in gate.conditions if condition.kind not in _OF_PAIR}
    return [*results, *check_gates(of_labels, lambda: measured, dict.fromkeys(sorted(wanted), ""))]


def _is_of_labels(gate: Gate) -> bool:
    return any(
        condition.name in ALWAYS or _CUT.fullmatch(condition.name) or condition.kind in _OF_PAIR
        for condition in gate.conditions
    )


def _whole(condition: Condition) -> Condition:
    """Return a condition that names its measure in full."""
    return replace(condition, name=measure_named(condition.name)[0]) if condition.kind in _OF_PAIR else condition
